//! Text that a guest wrote and a person will read: bounded, on one line,
//! without control characters, and without secrets that the host knows.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::secret::Secret;

/// The most characters of one message.
const MAXIMUM_CHARACTERS: usize = 1_000;

/// Shorter secrets are not searched for: they are part of any text.
const MINIMUM_REDACTED_LENGTH: usize = 4;

/// Makes a guest's text fit to be shown.
pub(crate) fn fit(text: &str, secrets: &[Secret]) -> String {
    let text = redact(text, secrets);
    let mut fitting = String::with_capacity(text.len().min(MAXIMUM_CHARACTERS));
    for (count, character) in text.chars().enumerate() {
        if count == MAXIMUM_CHARACTERS {
            fitting.push('…');
            break;
        }
        if is_harmless(character) {
            fitting.push(character);
        } else {
            fitting.extend(character.escape_unicode());
        }
    }
    fitting
}

/// Neither a control character nor one that changes the direction of text.
fn is_harmless(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn redact(text: &str, secrets: &[Secret]) -> String {
    let mut text = text.to_owned();
    for secret in secrets {
        if secret.len() < MINIMUM_REDACTED_LENGTH {
            continue;
        }
        let bytes = secret.expose();
        let hexadecimal = hex::encode(bytes);
        let spellings = [
            std::str::from_utf8(bytes).unwrap_or_default().to_owned(),
            hexadecimal.to_uppercase(),
            hexadecimal,
            STANDARD_NO_PAD.encode(bytes),
        ];
        for spelling in spellings {
            if !spelling.is_empty() && text.contains(&spelling) {
                text = text.replace(&spelling, "[redacted]");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::fit;
    use crate::secret::Secret;

    #[test]
    fn hides_secrets_in_every_usual_spelling() {
        let secrets = [Secret::from("hunter22".to_owned())];
        for spelling in [
            "hunter22",
            "68756e7465723232",
            "68756E7465723232",
            "aHVudGVyMjI=",
        ] {
            let text = fit(&format!("it is {spelling}!"), &secrets);
            assert!(text.starts_with("it is [redacted]"), "{text}");
        }
    }

    #[test]
    fn stays_on_one_line_and_off_the_terminal() {
        assert_eq!(
            fit("a\r\n\u{1b}[2J\u{202e}b", &[]),
            "a\\u{d}\\u{a}\\u{1b}[2J\\u{202e}b"
        );
    }

    #[test]
    fn is_bounded() {
        assert_eq!(fit(&"ü".repeat(5_000), &[]).chars().count(), 1_001);
    }
}
