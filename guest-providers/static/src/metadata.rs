use keyhost_guest::{Error, invalid_metadata};
use miniserde::{Deserialize, Serialize, json};

/// What OpenTofu's static provider stores to recognise its own metadata.
const MAGIC: &str = "Hello world!";

#[derive(Serialize, Deserialize)]
pub(crate) struct Metadata {
    magic: Option<String>,
}

impl Metadata {
    pub(crate) fn new() -> Self {
        Self {
            magic: Some(MAGIC.to_owned()),
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let metadata: Self = json::from_str(text)
            .map_err(|_| invalid_metadata("not a JSON object whose magic is a text"))?;
        match metadata.magic.as_deref() {
            Some(MAGIC) => Ok(metadata),
            None | Some("") => Err(invalid_metadata("magic is missing")),
            Some(_) => Err(invalid_metadata(
                "magic is not that of the static key provider",
            )),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        json::to_string(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Metadata;

    #[test]
    fn accepts_only_its_own_magic() {
        assert!(Metadata::parse(r#"{"magic":"Hello world!","more":1}"#).is_ok());
        for text in [
            "",
            "{",
            "{}",
            "[]",
            "null",
            r#"{"magic":null}"#,
            r#"{"magic":""}"#,
            r#"{"magic":1}"#,
            r#"{"MAGIC":"Hello world!"}"#,
        ] {
            assert!(Metadata::parse(text).is_err(), "{text}");
        }
    }
}
