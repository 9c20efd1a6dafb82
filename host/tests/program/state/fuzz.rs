//! Envelopes, changed at random: what opens, opens to the very state, and
//! nothing panics, hangs or tells a secret.

use std::time::{Duration, Instant};

use keyhost::config::target::TargetName;
use keyhost::envelope::{Contents, Kind};
use keyhost::state::StateEncryption;
use keyhost::state::inspection::Inspection;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::SECRET;
use crate::support::{config, data, key_providers};

/// The same every time: a failure can be seen again.
const SEED: u64 = 7;
const ROUNDS: usize = 30_000;

/// No input of a few kilobytes may take longer.
const LIMIT: Duration = Duration::from_secs(5);

/// What may break a reader, put anywhere.
const TOKENS: [&str; 22] = [
    "null",
    "true",
    "-1",
    "0.5",
    "1e400",
    "9223372036854775808",
    "\"\"",
    "\"v0\"",
    "\"====\"",
    "\"e30=\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "[]",
    "{}",
    "{\"a\":",
    "[[[[[[[[",
    "}",
    ",",
    "\"meta\":{},",
    "\"encryption_version\":\"v0\",",
    "\u{feff}",
    "PK\x03\x04",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound.max(1) as u64).expect("usize")
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let (one, other) = (self.below(length + 1), self.below(length + 1));
        one.min(other)..one.max(other)
    }
}

fn changed(random: &mut Random, envelope: &str) -> Vec<u8> {
    let mut bytes = envelope.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let position = random.below(bytes.len() + 1);
        match random.below(8) {
            0 => bytes.truncate(position),
            1 => {
                if let Some(byte) = bytes.get_mut(position) {
                    *byte ^= 1 << random.below(8);
                }
            }
            2 => drop(bytes.drain(random.range(bytes.len()))),
            3 => {
                let repeated = bytes[random.range(bytes.len())].to_vec();
                bytes.splice(position..position, repeated);
            }
            4 => {
                let token = TOKENS[random.below(TOKENS.len())];
                bytes.splice(position..position, token.bytes());
            }
            5 => {
                let nesting = ["[", "{\"a\":"][random.below(2)].repeat(random.below(3_000));
                bytes.splice(position..position, nesting.bytes());
            }
            _ => bytes = with_another_field(random, &bytes),
        }
    }
    bytes
}

/// One field removed, doubled, renamed, or of another type.
fn with_another_field(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else {
        return bytes.to_vec();
    };
    let values = [
        json!(null),
        json!(true),
        json!(-7),
        json!(7),
        json!(1.5),
        json!(u64::MAX),
        json!(""),
        json!("v0"),
        json!("v1"),
        json!("A".repeat(random.below(100))),
        json!([]),
        json!({}),
        json!({"k": "e30="}),
        json!({"k": {}}),
    ];
    let chosen = random.below(fields.len());
    let mut written = Vec::new();
    for (position, (name, value)) in fields.iter().enumerate() {
        let mut push = |name: &str, value: &Value| written.push(format!("{}:{value}", json!(name)));
        if position != chosen {
            push(name, value);
            continue;
        }
        match random.below(4) {
            0 => {}
            1 => {
                push(name, value);
                push(name, &values[random.below(values.len())]);
            }
            2 => push(&name.to_uppercase(), value),
            _ => push(name, &values[random.below(values.len())]),
        }
    }
    format!("{{{}}}", written.join(",")).into_bytes()
}

#[test]
fn changed_envelopes_open_to_the_very_state_or_not_at_all() {
    let vectors = data("vectors/envelopes.json");
    let vector = vectors
        .iter()
        .find(|vector| vector["name"] == "raw-keys-object-no-provider")
        .expect("vector");
    let text = |field: &str| vector[field].as_str().expect(field);
    let config = config(text("config")).expect("configuration");
    let providers = key_providers(&config);
    let target = config.target(&TargetName::State).expect("target");
    let encryption = StateEncryption::new(target, &providers);
    let mut random = Random(SEED);
    let (mut opened, mut closed, mut unread) = (0, 0, 0);
    for round in 0..ROUNDS {
        let bytes = changed(&mut random, text("envelope"));
        let shown = || format!("round {round}: {}", String::from_utf8_lossy(&bytes));
        let started = Instant::now();
        let failure = match Contents::of(Zeroizing::new(bytes.clone())) {
            Err(error) => {
                unread += 1;
                error.to_string()
            }
            Ok(contents) => {
                if let Ok(inspection) = Inspection::of(&contents) {
                    assert!(format!("{inspection:?}").len() < 100_000, "{}", shown());
                }
                match encryption.open(contents, Kind::State) {
                    Err(error) => {
                        closed += 1;
                        error.to_string()
                    }
                    Ok(state) => {
                        opened += 1;
                        assert_eq!(
                            state.plaintext.expose(),
                            text("plaintext").as_bytes(),
                            "{}",
                            shown()
                        );
                        String::new()
                    }
                }
            }
        };
        assert!(
            failure.len() < 5_000 && !failure.contains(SECRET),
            "{failure}"
        );
        assert!(started.elapsed() < LIMIT, "{}", shown());
    }
    // Changes of every kind were met.
    assert!(
        opened > 100 && closed > 1_000 && unread > 1_000,
        "{opened} {closed} {unread}"
    );
}

/// States in the clear are hostile, too, before they are encrypted.
#[test]
fn changed_states_are_encrypted_as_they_are_or_not_at_all() {
    let vectors = data("vectors/envelopes.json");
    let vector = vectors
        .iter()
        .find(|vector| vector["name"] == "raw-keys-object-no-provider")
        .expect("vector");
    let text = |field: &str| vector[field].as_str().expect(field);
    let config = config(text("config")).expect("configuration");
    let providers = key_providers(&config);
    let target = config.target(&TargetName::State).expect("target");
    let encryption = StateEncryption::new(target, &providers);
    let mut random = Random(SEED + 1);
    let mut sealed = 0;
    for _ in 0..ROUNDS / 10 {
        let bytes = changed(&mut random, text("plaintext"));
        let Ok(Contents::Plain(kind, plaintext)) = Contents::of(Zeroizing::new(bytes.clone()))
        else {
            continue;
        };
        match encryption.seal(plaintext, kind) {
            Err(error) => assert!(!error.to_string().contains(SECRET), "{error}"),
            Ok(envelope) => {
                sealed += 1;
                let mut written = Vec::new();
                envelope.write(&mut written).expect("written");
                let contents = Contents::of(Zeroizing::new(written)).expect("an envelope");
                let opened = encryption.open(contents, kind).expect("opened");
                assert_eq!(opened.plaintext.expose(), bytes);
            }
        }
    }
    assert!(sealed > 100, "{sealed}");
}
