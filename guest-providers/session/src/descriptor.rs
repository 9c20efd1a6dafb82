use keyhost_guest::ephemeral_resource::{Description, output, sensitive_output};
use keyhost_guest::{AttributeType, Descriptor, attribute};

pub(crate) fn description() -> Description {
    Description {
        descriptor: Descriptor {
            id: "session".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            attributes: vec![
                attribute(
                    "key",
                    AttributeType::Key,
                    "The key provider whose key signs.",
                )
                .required(),
                attribute(
                    "subject",
                    AttributeType::String,
                    "Who the token is for: sub.",
                )
                .required(),
                attribute("issuer", AttributeType::String, "Who made it: iss.")
                    .with_default("keyhost"),
                attribute("audience", AttributeType::String, "Who is to take it: aud."),
                attribute(
                    "lifetime",
                    AttributeType::Number,
                    "How long the lease lives without being renewed, in seconds.",
                )
                .with_default(300),
                attribute(
                    "maximum_lifetime",
                    AttributeType::Number,
                    "How long the token is valid, however often the lease is renewed, in seconds.",
                )
                .with_default(3600),
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
