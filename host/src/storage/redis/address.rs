//! The address of a server, which can hold a password.

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, parse_redis_url};

use super::StorageError;

pub(super) fn parse(url: &str) -> Result<ConnectionInfo, StorageError> {
    // The errors of the parsers are left out: they could quote a password.
    let url = parse_redis_url(url).ok_or_else(|| wrong("it is no address of redis"))?;
    if !matches!(url.scheme(), "redis" | "rediss") {
        return Err(wrong("it starts neither with redis:// nor with rediss://"));
    }
    if url.fragment().is_some() {
        return Err(wrong("a # and what follows has no meaning in it"));
    }
    url.into_connection_info()
        .map_err(|_| wrong("its host, port or database number is wrong"))
}

pub(super) fn place(address: &ConnectionAddr) -> String {
    match address {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            if host.contains(':') {
                format!("[{host}]:{port}")
            } else {
                format!("{host}:{port}")
            }
        }
        _ => "the redis server".to_owned(),
    }
}

pub(super) fn is_tls(address: &ConnectionAddr) -> bool {
    matches!(address, ConnectionAddr::TcpTls { .. })
}

pub(super) fn wrong(reason: &str) -> StorageError {
    StorageError::Address {
        reason: reason.to_owned(),
    }
}
