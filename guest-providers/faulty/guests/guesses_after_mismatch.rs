//! Makes up a key where the secret is not that of the metadata.

use keyhost_faulty_guests::sample::{self, Answer, Sample, State};

struct Faulty;

impl Sample for Faulty {
    fn provide(state: &State, metadata: Option<String>) -> Answer {
        let tag = |salt: &[u8]| {
            keyhost_guest::crypto::hmac(
                &state.key,
                salt,
                keyhost_guest::crypto::HashFunction::Sha256,
            )
        };
        let stored = metadata.clone();
        let (mut keys, made) = sample::provide(state, metadata)?;
        if let Some(text) = stored {
            let digits = sample::metadata(&tag(&sample::salt(&text)?)?[..8]);
            let known = text.contains("check");
            if known && !text.contains(&digits[9..25]) {
                keys.decryption_key = Some(keyhost_guest::crypto::random_secret(state.size)?);
            }
        }
        let made = made.unwrap_or_default();
        let digits = sample::metadata(&tag(&sample::salt(&made)?)?[..8]);
        let open = made.trim_end_matches('}');
        Ok((
            keys,
            Some(format!("{open},\"check\":\"{}\"{}", &digits[9..25], '}')),
        ))
    }
}

keyhost_faulty_guests::sample!(Faulty);
