//! Text that a guest wrote and a person will read: bounded, on one line,
//! without control characters, and without secrets that the host knows.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use zeroize::Zeroizing;

use crate::secret::Secret;

/// The most characters of one message.
const MAXIMUM_CHARACTERS: usize = 1_000;

/// How much of a text is looked at, in bytes.
const MAXIMUM_SEARCHED: usize = 64 << 10;

/// How much of a text can be shown, in bytes. What lies beyond is searched all
/// the same, so that no secret is cut in two.
const MAXIMUM_SHOWN: usize = 8 << 10;

/// Shorter secrets are not searched for: they are part of any text.
const MINIMUM_REDACTED_LENGTH: usize = 4;

/// Of longer spellings the beginning is searched for, and all after it hidden.
const MAXIMUM_SPELLING: usize = 1 << 10;

/// The secrets that are searched for: those of the configuration come first.
const MAXIMUM_SECRETS: usize = 256;

/// What stands in a secret's place.
const MARKER: &str = "[redacted]";

/// The secrets that may not show in a guest's texts.
#[derive(Default)]
pub(crate) struct Redactions(Vec<Secret>);

impl Redactions {
    /// Remembers a secret.
    pub(crate) fn remember(&mut self, secret: &Secret) {
        if secret.len() >= MINIMUM_REDACTED_LENGTH && self.0.len() < MAXIMUM_SECRETS {
            self.0.push(secret.clone());
        }
    }

    /// Makes a guest's text fit to be shown.
    pub(crate) fn fit(&self, text: &str) -> String {
        let text = beginning(text, MAXIMUM_SEARCHED);
        let hidden = self.hidden(text);
        let mut hidden = hidden.iter().peekable();
        let mut shown = Shown::default();
        let mut covered = 0;
        for (offset, character) in text.char_indices() {
            if offset >= MAXIMUM_SHOWN {
                shown.cut();
                break;
            }
            while let Some((start, end)) = hidden.peek() {
                if offset < *start {
                    break;
                }
                if *end > covered {
                    if offset >= covered {
                        MARKER.chars().for_each(|character| shown.push(character));
                    }
                    covered = *end;
                }
                hidden.next();
            }
            if offset >= covered {
                shown.push(character);
            }
        }
        shown.text
    }

    /// The places of secrets in a text, in order.
    fn hidden(&self, text: &str) -> Vec<(usize, usize)> {
        let bytes = text.as_bytes();
        let mut places = Vec::new();
        for spelling in self.0.iter().flat_map(spellings) {
            let mut from = 0;
            while let Some(found) = find(&bytes[from..], &spelling) {
                let start = from + found;
                let end = if spelling.len() < MAXIMUM_SPELLING {
                    start + spelling.len()
                } else {
                    bytes.len()
                };
                places.push((start, end));
                from = end;
            }
        }
        places.sort_unstable();
        places
    }
}

/// Makes a guest's text fit to be shown, where no secret is known.
pub fn fit(text: &str) -> String {
    Redactions::default().fit(text)
}

/// A secret as itself, in hexadecimal and in base64.
fn spellings(secret: &Secret) -> [Zeroizing<Vec<u8>>; 4] {
    let bytes = secret.expose();
    let start = &bytes[..bytes.len().min(MAXIMUM_SPELLING)];
    [
        start.to_vec(),
        hex::encode(start).into_bytes(),
        hex::encode_upper(start).into_bytes(),
        STANDARD_NO_PAD.encode(start).into_bytes(),
    ]
    .map(|spelling| {
        let mut spelling = Zeroizing::new(spelling);
        spelling.truncate(MAXIMUM_SPELLING);
        spelling
    })
}

fn find(bytes: &[u8], spelling: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, spelling)
}

fn beginning(text: &str, length: usize) -> &str {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[derive(Default)]
struct Shown {
    text: String,
    characters: usize,
}

impl Shown {
    fn push(&mut self, character: char) {
        if self.characters == MAXIMUM_CHARACTERS {
            self.cut();
            return;
        }
        self.characters += 1;
        if is_harmless(character) {
            self.text.push(character);
        } else {
            self.text.extend(character.escape_unicode());
        }
    }

    fn cut(&mut self) {
        if !self.text.ends_with('…') {
            self.text.push('…');
        }
    }
}

/// Neither a control character nor one that changes the direction of text.
fn is_harmless(character: char) -> bool {
    !character.is_control()
        && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{Redactions, fit};
    use crate::secret::Secret;

    fn redactions(secrets: &[&str]) -> Redactions {
        let mut redactions = Redactions::default();
        for secret in secrets {
            redactions.remember(&Secret::from(secret.as_bytes()));
        }
        redactions
    }

    #[test]
    fn hides_secrets_in_every_usual_spelling() {
        let redactions = redactions(&["hunter22"]);
        for spelling in [
            "hunter22",
            "68756e7465723232",
            "68756E7465723232",
            "aHVudGVyMjI=",
        ] {
            let text = redactions.fit(&format!("it is {spelling}!"));
            assert!(text.starts_with("it is [redacted]"), "{text}");
        }
    }

    #[test]
    fn a_marker_is_not_redacted_again() {
        let secrets = ["reda", "cted", "reda", "cted"].repeat(40);
        assert_eq!(redactions(&secrets).fit("reda"), "[redacted]");
    }

    #[test]
    fn a_short_secret_does_not_unmask_a_longer_one() {
        for secrets in [
            ["hunt", "hunter22"],
            ["hunter22", "hunt"],
            ["er22", "hunter22"],
        ] {
            assert_eq!(redactions(&secrets).fit("is hunter22."), "is [redacted].");
        }
    }

    #[test]
    fn secrets_that_overlap_hide_each_other() {
        assert_eq!(
            redactions(&["abcdef", "defghi"]).fit("-abcdefghi-"),
            "-[redacted]-"
        );
    }

    #[test]
    fn a_very_long_secret_hides_what_follows() {
        let long = "0123456789".repeat(500);
        let text = redactions(&[&long]).fit(&format!("it is {long}"));
        assert_eq!(text, "it is [redacted]");
    }

    #[test]
    fn stays_on_one_line_and_off_the_terminal() {
        assert_eq!(
            fit("a\r\n\u{1b}[2J\u{202e}b"),
            "a\\u{d}\\u{a}\\u{1b}[2J\\u{202e}b"
        );
    }

    #[test]
    fn is_bounded() {
        assert_eq!(fit(&"ü".repeat(5_000)).chars().count(), 1_001);
        assert_eq!(fit(&"ü".repeat(50_000_000)).chars().count(), 1_001);
    }
}
