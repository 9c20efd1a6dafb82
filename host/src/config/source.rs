//! A text of configuration, and errors that point into it.

use std::fmt;
use std::ops::Range;

use zeroize::Zeroizing;

/// A place in a configuration's texts, in bytes: each text begins where the one
/// before it ended.
pub type Span = Range<usize>;

/// One text of a configuration. It may spell secrets, so it is wiped.
pub struct Source {
    name: String,
    text: Zeroizing<String>,
    /// Where it begins among the configuration's texts.
    pub(super) start: usize,
    secret: bool,
}

impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Source({})", self.name)
    }
}

/// Something is wrong in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    message: String,
    place: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    source: String,
    line: usize,
    column: usize,
    shown: Option<Shown>,
}

/// The first line of the attribute that the error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    text: String,
    /// The characters before the marked place.
    indent: usize,
}

impl Source {
    /// A source of a name that people know it by.
    pub fn new(name: String, text: String) -> Self {
        Self {
            name,
            text: Zeroizing::new(text),
            start: 0,
            secret: false,
        }
    }

    /// A source of which no error quotes a line.
    pub fn secret(name: String, text: String) -> Self {
        Self {
            secret: true,
            ..Self::new(name, text)
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An error at a place. The source's text may spell secrets: it is not
    /// shown.
    pub fn error(&self, span: &Span, message: impl Into<String>) -> ConfigError {
        let (line, column) = self.position(span.start);
        self.error_at(line, column, message)
    }

    /// An error at a line and column, both from 1.
    pub fn error_at(&self, line: usize, column: usize, message: impl Into<String>) -> ConfigError {
        ConfigError {
            message: message.into(),
            place: Some(Place {
                source: self.name.clone(),
                line,
                column,
                shown: None,
            }),
        }
    }

    /// An error at a place within an attribute that is known not to be secret:
    /// its first line is shown, and nothing around it.
    pub fn error_showing(
        &self,
        attribute: &Span,
        span: &Span,
        message: impl Into<String>,
    ) -> ConfigError {
        let mut error = self.error(span, message);
        if self.secret {
            return error;
        }
        let within = |place: usize| place.saturating_sub(self.start);
        let attribute = within(attribute.start)..within(attribute.end);
        let text = self.text.get(attribute.clone()).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        let before = within(span.start).saturating_sub(attribute.start);
        let marked = first.get(..before.min(first.len())).unwrap_or_default();
        if let Some(place) = &mut error.place {
            place.shown = Some(Shown {
                text: first.to_owned(),
                indent: marked.chars().count(),
            });
        }
        error
    }

    /// Name, line and column of a place.
    pub fn place(&self, span: &Span) -> String {
        let (line, column) = self.position(span.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// As [`Source::error_showing`], with texts in quotes hidden: a secret may
    /// have gone into the wrong attribute.
    pub fn error_masking(
        &self,
        attribute: &Span,
        span: &Span,
        message: impl Into<String>,
    ) -> ConfigError {
        let mut error = self.error_showing(attribute, span, message);
        if let Some(Shown { text, indent }) =
            error.place.as_mut().and_then(|place| place.shown.as_mut())
        {
            // The name may be in quotes, too, in JSON.
            let value: String = text.chars().skip(*indent).collect();
            let name: String = text.chars().take(*indent).collect();
            if let Some(quote) = value.find(['"', '<']) {
                *text = format!("{name}{}\"…\"", &value[..quote]);
            }
        }
        error
    }

    /// Where the text ends among the configuration's texts.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Line and column, both from 1, of a byte.
    fn position(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.saturating_sub(self.start).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |position| position + 1);
        (line, before[start..].chars().count() + 1)
    }
}

impl ConfigError {
    /// An error without a place in a file.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
        }
    }

    /// The message without its place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line of the error, from 1.
    pub fn line(&self) -> Option<usize> {
        self.place.as_ref().map(|place| place.line)
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else {
            return formatter.write_str(&self.message);
        };
        let Place {
            source,
            line,
            column,
            ..
        } = place;
        write!(formatter, "{source}:{line}:{column}: {}", self.message)?;
        if let Some(Shown { text, indent }) = &place.shown {
            let margin = " ".repeat(line.to_string().len());
            write!(
                formatter,
                "\n  {line} | {text}\n  {margin} | {}^",
                " ".repeat(*indent)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn points_at_line_and_column_in_characters() {
        let source = Source::new("f.hcl".to_owned(), "a = 1\n  ü = [x]\n".to_owned());
        let start = source.text().find('[').expect("bracket");
        let error = source.error_showing(&(8..16), &(start..start + 3), "no");
        assert_eq!(
            error.to_string(),
            "f.hcl:2:7: no\n  2 | ü = [x]\n    |     ^"
        );
    }

    #[test]
    fn hides_texts_of_attributes_that_may_be_secret() {
        let text = "n = [1, \"hunter2\"]";
        let source = Source::new("f".to_owned(), text.to_owned());
        let error = source
            .error_masking(&(0..text.len()), &(4..text.len()), "no")
            .to_string();
        assert_eq!(
            error,
            "f:1:1: no\n  1 | n = [1, \"…\"\n    |     ^".replacen("1:1", "1:5", 1)
        );
    }

    #[test]
    fn shows_nothing_of_a_secret_text() {
        let source = Source::secret("ENV".to_owned(), "n = [1, \"hunter2\"]".to_owned());
        let error = source.error_masking(&(0..18), &(4..18), "no").to_string();
        assert_eq!(error, "ENV:1:5: no");
    }

    #[test]
    fn survives_places_outside_the_text() {
        let source = Source::new("f".to_owned(), "ü".to_owned());
        assert_eq!(source.error(&(1..9), "x").to_string(), "f:1:1: x");
        assert_eq!(source.error(&(99..100), "x").to_string(), "f:1:2: x");
    }
}
