//! What a program says on standard error, fit to be shown. It was given a whole
//! state and may repeat it, encoded or not, also by mistake.

use memchr::memmem;

use crate::guest_text::Redactions;

/// How much is shown, in characters.
const MAXIMUM_SHOWN: usize = 200;

/// So many characters of base64 or hexadecimal in a row are no words.
const MINIMUM_ENCODED: usize = 40;

/// So many bytes of a payload in a row are no accident.
const WINDOW: usize = 16;

/// What stands in the place of what is hidden.
const MARKER: &str = "[redacted]";

/// The first line, without the secrets, without what looks encoded, and nothing
/// at all where it repeats the payload.
pub(super) fn shown(said: &[u8], redactions: &Redactions, payload: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    // Secrets and encoded texts can have line breaks in them.
    let text = redactions.fit(text.trim()).replace("\\u{a}", "\n");
    let text = hide(&text, is_base64, |character| character == '\n');
    let text = hide(
        &text,
        |character| character.is_ascii_hexdigit(),
        |character| matches!(character, '\n' | ' ' | ':' | ',' | '-'),
    );
    let line = text.lines().next().unwrap_or_default().trim_end();
    let mut windows = line.as_bytes().windows(WINDOW);
    if windows.any(|window| memmem::find(payload, window).is_some()) {
        return MARKER.to_owned();
    }
    match line.char_indices().nth(MAXIMUM_SHOWN) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", &line[..end]),
    }
}

fn is_base64(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '-' | '_' | '=')
}

/// Hides long runs of digits, whatever separators stand between them.
fn hide(
    text: &str,
    is_digit: impl Fn(char) -> bool,
    is_separator: impl Fn(char) -> bool,
) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(&is_digit) {
        shown.push_str(&rest[..start]);
        rest = &rest[start..];
        let is_within = |character| is_digit(character) || is_separator(character);
        let end = rest.find(|character| !is_within(character));
        let run = rest[..end.unwrap_or(rest.len())].trim_end_matches(&is_separator);
        if run.chars().filter(|character| is_digit(*character)).count() < MINIMUM_ENCODED {
            shown.push_str(run);
        } else {
            shown.push_str(MARKER);
        }
        rest = &rest[run.len()..];
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::shown;
    use crate::guest_text::Redactions;

    const PAYLOAD: &[u8] = br#"{"version":4,"outputs":{"password":{"value":"hunter22hunter22"}}}"#;

    fn said(text: &str) -> String {
        shown(text.as_bytes(), &Redactions::default(), PAYLOAD)
    }

    #[test]
    fn what_programs_complain_of_is_shown() {
        for text in [
            "gpg: decryption failed: No secret key",
            "age: error: no identity matched any of the recipients",
            "a bad face: dead beef, added",
            "",
        ] {
            assert_eq!(said(text), text);
        }
        assert_eq!(said("\nTraceback:\n  File \"x\"\n"), "Traceback:");
        let long = "no key. ".repeat(100);
        assert_eq!(said(&long).chars().count(), 201);
    }

    #[test]
    fn a_payload_is_shown_in_no_encoding() {
        let state = String::from_utf8(PAYLOAD.to_vec()).expect("UTF-8");
        assert_eq!(said(&state), "[redacted]");
        let part = format!("cannot read {}", &state[20..48]);
        assert_eq!(said(&part), "[redacted]");
        // From coreutils' base64 and od.
        let base64 = "eyJ2ZXJzaW9uIjo0LCJvdXRwdXRzIjp7InBhc3N3b3JkIjp7InZhbHVlIjoi";
        let hex = "7b 22 76 65 72 73 69 6f 6e 22 3a 34 2c 22 6f 75 74 70 75 74 73 22 3a 7b";
        for encoded in [
            base64.to_owned(),
            format!("{}\n{}\n{}", &base64[..20], &base64[20..40], &base64[40..]),
            hex.to_owned(),
            hex.replace(' ', ""),
            hex.replace(' ', ":").to_uppercase(),
        ] {
            let shown = said(&format!("it is not: {encoded}; stop."));
            assert_eq!(shown, "it is not: [redacted]; stop.");
        }
    }
}
