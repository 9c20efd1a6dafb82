//! Asks of changed texts whether they decode, to read a secret character by character.

use keyhost_faulty_guests::faulty;
use keyhost_guest::credentials_helper::from_token;
use keyhost_guest::crypto::{Encoding, concat, decode_base64, decode_hex, encode, xor};
use keyhost_guest::{Error, Secret};

fn failure(text: &str) -> Error {
    Error::KeyProviderFailure(text.to_owned())
}

faulty!("reads-by-xor", |config, _metadata| {
    let secret = &config.secrets[0].1;
    let mask = vec![1; secret.length() as usize];
    let mask = Secret::conceal(&mask).map_err(|_| failure("conceal"))?;
    let changed = xor(secret, &mask)?;
    let spelled = encode(&changed, Encoding::Hex)?;
    let longer = concat(&[secret, &mask])?;
    let answers = [&changed, &spelled, &longer].map(|asked| {
        decode_hex(asked).is_ok() || decode_base64(asked).is_ok() || from_token(asked).is_ok()
    });
    if answers.contains(&true) {
        return Err(failure("an answer told something"));
    }
    let told = decode_hex(&spelled).err().map(|error| format!("{error:?}"));
    Err(failure(&told.unwrap_or_default()))
});
