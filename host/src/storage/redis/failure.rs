//! What the errors of redis mean for the user.

use std::time::Duration;

use redis::{ErrorKind, RedisError};

use super::StorageError;

/// Texts of the server are left out: it can quote what was sent to it, and
/// that can be a password or a value.
pub(super) fn explain(place: &str, timeout: Duration, error: &RedisError) -> StorageError {
    let unavailable = |reason: String| StorageError::Unavailable {
        place: place.to_owned(),
        reason,
    };
    if error.kind() == ErrorKind::AuthenticationFailed {
        return unavailable(REFUSED.to_owned());
    }
    if error.kind() == ErrorKind::Io {
        return unavailable(connection_reason(timeout, error));
    }
    match error.code() {
        Some("NOAUTH" | "WRONGPASS") => unavailable(REFUSED.to_owned()),
        Some("LOADING") => unavailable("it is still loading its data; try again soon".to_owned()),
        code => StorageError::Failed {
            place: place.to_owned(),
            reason: code.map_or_else(|| local_reason(error), answer_reason),
        },
    }
}

const REFUSED: &str =
    "it refuses the user name or the password; check both in the address of the storage";

fn connection_reason(timeout: Duration, error: &RedisError) -> String {
    if error.is_connection_refusal() {
        return "nothing listens there; check host and port, and start the server".to_owned();
    }
    if error.is_timeout() {
        return format!(
            "no answer within {} s; check host, port, network, and whether it uses TLS",
            timeout.as_secs_f32()
        );
    }
    if error.is_connection_dropped() {
        return "it closed the connection; a server with TLS needs rediss://, one without redis://"
            .to_owned();
    }
    // Of the operating system or of TLS, so that it holds nothing of ours.
    let text = error.to_string();
    if text.contains("certificate") {
        return format!(
            "its certificate is refused ({text}); \
             check the host name, or give the file of its certificate authority"
        );
    }
    format!("{text}; check host, port, and whether it uses TLS")
}

fn answer_reason(code: &str) -> String {
    match code {
        "NOPERM" => "the user needs PING, GET, SET, DEL, EXISTS and SCAN for keyhost:*".to_owned(),
        "OOM" => "the server has no memory left".to_owned(),
        "MISCONF" => "the server cannot save its data on its disk".to_owned(),
        "READONLY" => "the server is a replica that takes no writes; use the main one".to_owned(),
        "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" => {
            "the server is part of a cluster; use a single server".to_owned()
        }
        "WRONGTYPE" => "another program uses a key under keyhost:".to_owned(),
        code if code.len() <= 16 && code.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            format!("the server answered {code}; its log may tell more")
        }
        _ => "the server answered with an error; its log may tell more".to_owned(),
    }
}

fn local_reason(error: &RedisError) -> String {
    match error.kind() {
        ErrorKind::Parse | ErrorKind::UnexpectedReturnType => {
            "what answers there is no redis server".to_owned()
        }
        _ => format!("the connection failed: {}", error.category()),
    }
}
