use keyhost_guest::ephemeral_resource::{Description, output, sensitive_output};
use keyhost_guest::{Attribute, AttributeType, Descriptor, attribute};

pub(crate) fn description() -> Description {
    let required = |name, kind, description| Attribute {
        required: true,
        ..attribute(name, kind, description)
    };
    let with_default = |name, kind, default: &str, description| Attribute {
        default: Some(default.to_owned()),
        ..attribute(name, kind, description)
    };
    Description {
        descriptor: Descriptor {
            id: "session".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![
                required(
                    "key",
                    AttributeType::Key,
                    "The key provider whose key signs.",
                ),
                required(
                    "subject",
                    AttributeType::String,
                    "Who the token is for: sub.",
                ),
                with_default(
                    "issuer",
                    AttributeType::String,
                    "\"keyhost\"",
                    "Who made it: iss.",
                ),
                attribute("audience", AttributeType::String, "Who is to take it: aud."),
                with_default(
                    "lifetime",
                    AttributeType::Number,
                    "300",
                    "How long the lease lives without being renewed, in seconds.",
                ),
                with_default(
                    "maximum_lifetime",
                    AttributeType::Number,
                    "3600",
                    "How long the token is valid, however often the lease is renewed, in seconds.",
                ),
            ],
        },
        outputs: vec![
            sensitive_output("token", "The token."),
            output("id", AttributeType::String, "The name of the lease: jti."),
            output(
                "expires_at",
                AttributeType::Number,
                "When the token ends at the latest, in seconds since 1970: exp.",
            ),
        ],
    }
}
