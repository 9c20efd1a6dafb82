//! All the texts that a configuration is read from, and errors that point into
//! the right one.

use super::source::{ConfigError, Source, Span};

/// The texts of a configuration.
pub(super) struct Sources {
    name: String,
    /// In the order of their places. Never empty when a place is asked for.
    sources: Vec<Source>,
}

impl Sources {
    /// No texts yet. The name is that of the whole configuration.
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            sources: Vec::new(),
        }
    }

    /// Takes in a text, and gives it its place.
    pub(super) fn add(&mut self, mut source: Source) -> &Source {
        // One byte lies between two texts, so that every place is in one alone.
        source.start = self.sources.last().map_or(0, |last| last.end() + 1);
        self.sources.push(source);
        &self.sources[self.sources.len() - 1]
    }

    /// The name of the whole configuration.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// As [`Source::error`].
    pub(super) fn error(&self, span: &Span, message: impl Into<String>) -> ConfigError {
        match self.source(span) {
            Some(source) => source.error(span, message),
            None => ConfigError::new(message),
        }
    }

    /// As [`Source::error_showing`].
    pub(super) fn error_showing(
        &self,
        attribute: &Span,
        span: &Span,
        message: impl Into<String>,
    ) -> ConfigError {
        match self.source(span) {
            Some(source) => source.error_showing(attribute, span, message),
            None => ConfigError::new(message),
        }
    }

    /// As [`Source::error_masking`].
    pub(super) fn error_masking(
        &self,
        attribute: &Span,
        span: &Span,
        message: impl Into<String>,
    ) -> ConfigError {
        match self.source(span) {
            Some(source) => source.error_masking(attribute, span, message),
            None => ConfigError::new(message),
        }
    }

    /// Name, line and column of a place.
    pub(super) fn place(&self, span: &Span) -> String {
        self.source(span)
            .map_or_else(|| self.name.clone(), |source| source.place(span))
    }

    fn source(&self, span: &Span) -> Option<&Source> {
        let after = self
            .sources
            .partition_point(|source| source.start <= span.start);
        self.sources[..after].last()
    }
}

impl From<Source> for Sources {
    fn from(source: Source) -> Self {
        let mut sources = Self::new(source.name().to_owned());
        sources.add(source);
        sources
    }
}

#[cfg(test)]
mod tests {
    use super::{Source, Sources};

    #[test]
    fn each_place_is_told_in_its_own_text() {
        let mut sources = Sources::new("dir".to_owned());
        let texts = ["a = 1\nb = 2", "", "c = 3\n  d = 4"];
        let starts = texts.map(|text| {
            let name = format!("{}.tf", text.len());
            sources.add(Source::new(name, text.to_owned())).start
        });
        for (start, offset, place) in [
            (starts[0], 6, "11.tf:2:1"),
            (starts[0], 11, "11.tf:2:6"),
            (starts[1], 0, "0.tf:1:1"),
            (starts[2], 0, "13.tf:1:1"),
            (starts[2], 8, "13.tf:2:3"),
        ] {
            assert_eq!(sources.place(&(start + offset..start + offset)), place);
        }
        let attribute = starts[2] + 8..starts[2] + 13;
        let shown = sources.error_showing(&attribute, &(starts[2] + 12..starts[2] + 13), "no");
        assert_eq!(shown.to_string(), "13.tf:2:7: no\n  2 | d = 4\n    |     ^");
    }
}
