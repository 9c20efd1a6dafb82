//! What a component gave, held against what it declares.

use serde_json::{Map, Value};

use super::lease::Outputs;
use crate::descriptor::Description;
use crate::secret::Secret;

/// Every declared output once, and nothing else.
///
/// # Errors
/// What is wrong, in words.
pub fn check(
    description: &Description,
    mut values: Map<String, Value>,
    secrets: Vec<(String, Secret)>,
) -> Result<Outputs, String> {
    let mut outputs = Outputs::default();
    for output in &description.outputs {
        let name = &output.name;
        if output.sensitive {
            let mut given = secrets.iter().filter(|(other, _)| other == name);
            let (Some((_, secret)), None) = (given.next(), given.next()) else {
                return Err(format!("it gave no value, or several, for {name}"));
            };
            if std::str::from_utf8(secret.expose()).is_err() {
                return Err(format!("the value for {name} is not UTF-8"));
            }
            outputs.secrets.push((name.clone(), secret.clone()));
        } else {
            let value = values.remove(name).unwrap_or(Value::Null);
            if !output.kind.accepts(&value) {
                return Err(format!("the value for {name} is not {}", output.kind));
            }
            outputs.values.insert(name.clone(), value);
        }
    }
    if !values.is_empty() || outputs.secrets.len() != secrets.len() {
        return Err("it gave a value that it does not declare".to_owned());
    }
    Ok(outputs)
}
