use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use keyhost_guest::Secret;
use keyhost_guest::crypto::{Encoding, HashFunction, concat, encode, hmac_secret};
use keyhost_guest::ephemeral_resource::Error;
use serde::Serialize;

use crate::settings::Settings;

/// The header of a token that is signed with HMAC-SHA-256 (RFC 7515).
const HEADER: &[u8] = br#"{"alg":"HS256","typ":"JWT"}"#;

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    aud: Option<&'a str>,
    iat: u64,
    exp: u64,
    jti: &'a str,
}

/// The token (RFC 7519). The signature, and so the token, is the host's secret.
pub(crate) fn sign(settings: &Settings, id: &str, now: u64, end: u64) -> Result<Secret, Error> {
    let claims = Claims {
        iss: &settings.issuer,
        sub: &settings.subject,
        aud: settings.audience.as_deref(),
        iat: now,
        exp: end,
        jti: id,
    };
    let claims = serde_json::to_string(&claims).map_err(Error::failure)?;
    let message = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(HEADER),
        URL_SAFE_NO_PAD.encode(claims)
    );
    let signature = hmac_secret(&settings.key, message.as_bytes(), HashFunction::Sha256)?;
    let signature = encode(&signature, Encoding::Base64Url)?;
    let message = Secret::conceal(format!("{message}.").as_bytes())
        .map_err(|_| Error::Failure("the token is too long".to_owned()))?;
    Ok(concat(&[&message, &signature])?)
}
