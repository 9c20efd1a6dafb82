//! An envelope → the very bytes that OpenTofu writes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use base64::display::Base64Display;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD};
use serde::{Serialize, Serializer};
use serde_json::ser::{CompactFormatter, Formatter};

use super::{Envelope, VERSION};

/// How much is written at once, in bytes. None of it is secret.
const BUFFER_SIZE: usize = 64 << 10;

/// The fields in OpenTofu's order.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    identity: Option<WrittenIdentity<'a>>,
    meta: BTreeMap<&'a str, Base64<'a>>,
    encrypted_data: Base64<'a>,
    encryption_version: &'a str,
}

/// An absent serial is `null`, an absent lineage empty.
#[derive(Serialize)]
struct WrittenIdentity<'a> {
    serial: Option<i64>,
    lineage: &'a str,
}

/// Bytes, encoded piece by piece: there is never a whole text of them.
struct Base64<'a>(&'a [u8]);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::<GeneralPurpose>::new(self.0, &STANDARD))
    }
}

impl Envelope {
    /// Writes the envelope.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let identity = self.identity.as_ref().map(|identity| WrittenIdentity {
            serial: identity.serial,
            lineage: &identity.lineage,
        });
        let entries = self.metadata.iter();
        let written = Written {
            identity,
            meta: entries
                .map(|(key, text)| (key.as_str(), Base64(text.as_bytes())))
                .collect(),
            encrypted_data: Base64(&self.encrypted_data),
            encryption_version: VERSION,
        };
        let mut writer = io::BufWriter::with_capacity(BUFFER_SIZE, writer);
        let mut serializer = serde_json::Serializer::with_formatter(&mut writer, GoFormatter);
        written.serialize(&mut serializer)?;
        writer.flush()
    }
}

/// Go's `encoding/json` also escapes what HTML and JavaScript would take
/// for their own.
struct GoFormatter;

impl Formatter for GoFormatter {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        while let Some(position) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            let (before, from) = rest.split_at(position);
            CompactFormatter.write_string_fragment(writer, before)?;
            let mut after = from.chars();
            if let Some(character) = after.next() {
                write!(writer, "\\u{:04x}", u32::from(character))?;
            }
            rest = after.as_str();
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use crate::envelope::{Envelope, Identity};

    fn written(envelope: &Envelope) -> String {
        let mut bytes = Vec::new();
        envelope.write(&mut bytes).expect("written");
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn escapes_as_go_does() {
        let envelope = Envelope {
            identity: Some(Identity {
                serial: Some(-1),
                lineage: "<a>&\u{2028}\u{2029}\"\\\u{8}\u{c}\n\r\t\u{1}\u{7f}ü/".to_owned(),
            }),
            metadata: [
                ("b<".to_owned(), "{}".to_owned()),
                ("a".to_owned(), String::new()),
            ]
            .into(),
            encrypted_data: vec![0xfb, 0xff, 0xfe],
        };
        assert_eq!(
            written(&envelope),
            "{\"serial\":-1,\"lineage\":\"\\u003ca\\u003e\\u0026\\u2028\\u2029\\\"\\\\\\b\\f\\n\\r\\t\\u0001\u{7f}ü/\",\
             \"meta\":{\"a\":\"\",\"b\\u003c\":\"e30=\"},\"encrypted_data\":\"+//+\",\"encryption_version\":\"v0\"}"
        );
    }

    #[test]
    fn a_plan_says_no_serial() {
        let envelope = Envelope {
            identity: None,
            metadata: [].into(),
            encrypted_data: Vec::new(),
        };
        assert_eq!(
            written(&envelope),
            r#"{"meta":{},"encrypted_data":"","encryption_version":"v0"}"#
        );
    }
}
