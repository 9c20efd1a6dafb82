use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::{
    Contents, Envelope, EnvelopeError, Identity, Kind, MAXIMUM_METADATA_ENTRIES, is_encrypted,
};
use crate::secret::Secret;

fn read(bytes: &[u8]) -> Result<Contents, EnvelopeError> {
    Contents::of(Zeroizing::new(bytes.to_vec()))
}

fn envelope(text: &str) -> Envelope {
    match read(text.as_bytes()) {
        Ok(Contents::Encrypted(envelope)) => envelope,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_plan_has_neither_serial_nor_lineage() {
    let rest = r#""meta":{},"encrypted_data":"","encryption_version":"v0"}"#;
    assert_eq!(envelope(&format!("{{{rest}")).kind(), Kind::Plan);
    for fields in [
        r#""serial":null,"lineage":"","#,
        r#""serial":null,"#,
        r#""lineage":null,"#,
    ] {
        let envelope = envelope(&format!("{{{fields}{rest}"));
        assert_eq!(envelope.identity, Some(Identity::default()), "{fields}");
    }
}

#[test]
fn tells_states_and_plans_in_the_clear() {
    for (bytes, kind) in [
        (&b"{\"version\":4}"[..], Kind::State),
        (b"PK\x03\x04 and so on", Kind::Plan),
    ] {
        let expected = Contents::Plain(kind, Secret::from(bytes));
        assert_eq!(read(bytes), Ok(expected));
    }
    for bytes in [&b"PK"[..], b"", b"null", b"[]", b"\xff"] {
        assert!(matches!(read(bytes), Err(EnvelopeError::Malformed(_))));
    }
    assert_eq!(read(b"{}"), Err(EnvelopeError::NotAState));
}

#[test]
fn who_only_says_that_it_is_encrypted_is_not() {
    let encrypted = |bytes: &[u8]| is_encrypted(Zeroizing::new(bytes.to_vec()));
    let with = |fields: &str, length: usize| {
        let data = STANDARD.encode(vec![1; length]);
        let text = format!(
            r#"{{{fields}"meta":{{}},"encrypted_data":"{data}","encryption_version":"v0"}}"#
        );
        encrypted(text.as_bytes())
    };
    // A nonce and a tag: 12 and 16 bytes.
    assert_eq!(with("", 28), Ok(true));
    assert_eq!(with(r#""serial":1,"lineage":"l","#, 300), Ok(true));
    assert_eq!(with("", 27), Ok(false));
    for fields in [
        r#""version":4,"serial":1,"#,
        r#""resources":[],"#,
        r#""outputs":{},"#,
        r#""modules":[{"path":["root"]}],"#,
    ] {
        assert_eq!(with(fields, 300), Ok(false), "{fields}");
    }
    assert_eq!(
        encrypted(br#"{"version":4,"resources":[],"encryption_version":"v0"}"#),
        Ok(false)
    );
    assert_eq!(encrypted(br#"{"version":4}"#), Ok(false));
    assert_eq!(encrypted(b"PK\x03\x04 and so on"), Ok(false));
    assert_eq!(encrypted(b"{}"), Err(EnvelopeError::NotAState));
}

#[test]
fn escaped_texts_are_read_as_any() {
    let envelope = envelope(
        r#"{"serial":1,"lineage":"\u003ca\u0026b\u003e","meta":{"k\u0031":"e30="},"encrypted_data":"QU\u0046B","encryption_version":"v\u0030"}"#,
    );
    assert_eq!(
        envelope.identity.map(|identity| identity.lineage),
        Some("<a&b>".to_owned())
    );
    assert_eq!(envelope.metadata.get("k1"), Some(&"{}".to_owned()));
    assert_eq!(envelope.encrypted_data, b"AAA");
}

#[test]
fn metadata_is_bounded_and_unambiguous() {
    let with = |entries: usize| {
        let entries: Vec<_> = (0..entries).map(|n| format!("\"k{n}\":\"e30=\"")).collect();
        format!(
            r#"{{"meta":{{{}}},"encrypted_data":"","encryption_version":"v0"}}"#,
            entries.join(",")
        )
    };
    let most = envelope(&with(MAXIMUM_METADATA_ENTRIES));
    assert_eq!(most.metadata.len(), MAXIMUM_METADATA_ENTRIES);
    for text in [
        with(MAXIMUM_METADATA_ENTRIES + 1),
        r#"{"meta":{"k":"e30=","k":"e30="},"encryption_version":"v0"}"#.to_owned(),
        r#"{"meta":{},"meta":{},"encryption_version":"v0"}"#.to_owned(),
        r#"{"encryption_version":"v0","encryption_version":"v0"}"#.to_owned(),
    ] {
        assert!(
            matches!(read(text.as_bytes()), Err(EnvelopeError::Malformed(_))),
            "{text}"
        );
    }
}

#[test]
fn deep_nesting_ends_in_an_error_or_is_skipped() {
    let deep = "[".repeat(1_000_000);
    for text in [
        deep.clone(),
        format!("{{\"meta\":{deep}"),
        format!("{{\"x\":{deep}"),
    ] {
        assert!(read(text.as_bytes()).is_err());
    }
    let closed = format!("{{\"x\":{deep}{},\"version\":4}}", "]".repeat(1_000_000));
    let parsed = read(closed.as_bytes());
    assert!(matches!(parsed, Ok(Contents::Plain(Kind::State, _))));
}
