//! Hostile metadata, made from a component's own by a seeded generator: the
//! same seed, the same texts.

use serde_json::{Map, Value, json};

/// Numbers at which something may break.
const NUMBERS: [&str; 22] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "4000000000",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1e400",
    "0.5",
];

/// Texts at which something may break.
const TEXTS: [&str; 14] = [
    "\"\"",
    "\" \"",
    "\"\\u0000\"",
    "\"a\\u0000b\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\uFEFF\"",
    "\"AA\"",
    "\"AA==\"",
    "\"====\"",
    "\"_-8=\"",
    "\"../../etc/passwd\"",
    "\"%s%n\"",
    "\"\u{202e}\"",
];

/// A generator of texts.
pub(crate) struct Mutator {
    state: u64,
    fields: Map<String, Value>,
}

impl Mutator {
    /// Makes texts from metadata that the component itself returned.
    pub(crate) fn new(seed: u64, metadata: &str) -> Self {
        let fields = serde_json::from_str(metadata).unwrap_or_default();
        Self {
            state: seed,
            fields,
        }
    }

    /// The next number: SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    /// At least `count` texts: first every field with every boundary, then
    /// random changes.
    pub(crate) fn texts(&mut self, count: usize) -> Vec<String> {
        let mut texts = whole_texts(&self.fields);
        let names: Vec<String> = self.fields.keys().cloned().collect();
        for name in &names {
            for value in NUMBERS.iter().chain(&TEXTS).chain(&[
                "null",
                "true",
                "[]",
                "{}",
                "[1,2,3]",
                "\"sha512\"",
            ]) {
                texts.push(self.with(name, value));
            }
            texts.push(self.without(name));
            texts.push(self.doubled(name));
            texts.push(self.with(name, &json!("x".repeat(60_000)).to_string()));
            texts.push(self.with(name, &nested(20)));
        }
        while texts.len() < count {
            let text = self.random();
            texts.push(text);
        }
        texts
    }

    /// The metadata as a text, one field's value replaced.
    fn with(&self, name: &str, value: &str) -> String {
        object(self.fields.iter().map(|(field, own)| {
            let value = if field == name {
                value.to_owned()
            } else {
                own.to_string()
            };
            (field.clone(), value)
        }))
    }

    fn without(&self, name: &str) -> String {
        let others = self.fields.iter().filter(|(field, _)| *field != name);
        object(others.map(|(field, value)| (field.clone(), value.to_string())))
    }

    fn doubled(&self, name: &str) -> String {
        let own = self
            .fields
            .iter()
            .map(|(field, value)| (field.clone(), value.to_string()));
        object(own.chain([(name.to_owned(), "1".to_owned())]))
    }

    fn random(&mut self) -> String {
        let text = Value::Object(self.fields.clone()).to_string();
        match self.below(4) {
            // A byte of it, replaced by another printable one.
            0 => {
                let mut bytes = text.into_bytes();
                let position = self.below(bytes.len());
                bytes[position] = b' ' + u8::try_from(self.below(95)).unwrap_or(0);
                String::from_utf8_lossy(&bytes).into_owned()
            }
            // The end of it, gone.
            1 => {
                let end = self.below(text.len());
                String::from_utf8_lossy(&text.as_bytes()[..end]).into_owned()
            }
            // A field of another's value.
            2 => {
                let values: Vec<_> = self.fields.values().cloned().collect();
                let names: Vec<_> = self.fields.keys().cloned().collect();
                if names.is_empty() {
                    return text;
                }
                let (name, value) = (self.below(names.len()), self.below(values.len()));
                self.with(&names[name], &values[value].to_string())
            }
            // A boundary somewhere.
            _ => {
                let names: Vec<_> = self.fields.keys().cloned().collect();
                let number = NUMBERS[self.below(NUMBERS.len())];
                match names.get(self.below(names.len())) {
                    Some(name) => self.with(name, &format!("[{number}]")),
                    None => format!("{{\"x\":{number}}}"),
                }
            }
        }
    }
}

/// Texts that are wrong as a whole.
fn whole_texts(fields: &Map<String, Value>) -> Vec<String> {
    let own = Value::Object(fields.clone()).to_string();
    let upper: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.to_uppercase(), value.to_string()))
        .collect();
    let mut texts: Vec<String> = [
        "", " ", "null", "true", "0", "[]", "\"\"", "{", "}", "{}", "{}{}", "[{}]", "\u{feff}{}", "{\"\":0}",
        "{\"magic\":\"Hello world!\"}",
        "{\"salt\":\"AAECAwQFBgcICQoLDA0ODw==\",\"iterations\":1,\"hash_function\":\"sha512\",\"key_length\":32}",
        "{\"external_data\":{}}",
        "\u{0}", "\u{fffd}\u{fffd}",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push(object(upper.into_iter()));
    texts.push(format!(" \t\n{own}\r\n"));
    texts.push(format!("{own}x"));
    texts.push(format!("{own}{own}"));
    texts.push(format!("[{own}]"));
    texts.push(nested(10_000));
    texts.push(format!("{{\"x\":\"{}\"}}", "x".repeat(65_536)));
    let unknown = fields
        .iter()
        .map(|(name, value)| (name.clone(), value.to_string()));
    texts.push(object(unknown.chain([("unknown".to_owned(), nested(8))])));
    texts
}

fn nested(depth: usize) -> String {
    format!("{}1{}", "[".repeat(depth), "]".repeat(depth))
}

fn object(fields: impl Iterator<Item = (String, String)>) -> String {
    let fields: Vec<_> = fields
        .map(|(name, value)| format!("{}:{value}", json!(name)))
        .collect();
    format!("{{{}}}", fields.join(","))
}

#[cfg(test)]
mod tests {
    use super::Mutator;

    const OWN: &str = r#"{"salt":"AA==","iterations":1000}"#;

    #[test]
    fn the_same_seed_gives_the_same_texts() {
        let texts = |seed| Mutator::new(seed, OWN).texts(1_000);
        assert!(texts(1) == texts(1));
        assert!(texts(1) != texts(2));
        assert!(texts(1).len() >= 1_000);
    }

    #[test]
    fn works_on_metadata_without_fields() {
        assert!(Mutator::new(1, "{}").texts(100).len() >= 100);
    }
}
