//! A private module registry over TLS, which records what it is asked.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use flate2::{Compression, write::GzEncoder};
use rcgen::CertifiedKey;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::listener::Listener;

/// Room for the longest token that a test sends.
const HEAD_LIMIT: u64 = 64 * 1024;

const ARCHIVE: &str = "/archive/example.tar.gz";

/// The address of the one module, at a host.
pub(crate) fn module_at(host: &str) -> String {
    format!("{host}/team/network/example")
}

/// One request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// With the port, unless it is 443.
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) bearer: Option<String>,
}

/// Answers under every name below `example.test`, and demands one token.
pub(crate) struct Registry {
    listener: Listener,
    certificate: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Registry {
    pub(crate) fn start(token: &str) -> Self {
        let CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["*.example.test".to_owned()]).expect("certificate");
        let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("key");
        let tls = Arc::new(tls);

        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let token = token.to_owned();
        let listener = Listener::start(move |connection| {
            let session = ServerConnection::new(Arc::clone(&tls)).map_err(io::Error::other)?;
            serve(StreamOwned::new(session, connection), &token, &seen)
        });
        Self {
            listener,
            certificate: cert.pem(),
            requests,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// What a client has to trust, in PEM.
    pub(crate) fn certificate(&self) -> &str {
        &self.certificate
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("requests").clone()
    }

    /// Whether requests came, and none of the last ones, from `first` on, had a token.
    pub(crate) fn anonymous_since(&self, first: usize) -> bool {
        let requests = self.requests().split_off(first);
        !requests.is_empty() && requests.iter().all(|request| request.bearer.is_none())
    }

    /// The tokens that were sent to a host.
    pub(crate) fn bearers(&self, host: &str) -> BTreeSet<String> {
        let requests = self.requests().into_iter();
        requests
            .filter(|request| request.host == host)
            .filter_map(|request| request.bearer)
            .collect()
    }
}

fn serve(
    mut stream: StreamOwned<ServerConnection, TcpStream>,
    token: &str,
    seen: &Mutex<Vec<Request>>,
) -> io::Result<()> {
    let request = Request::read(&mut stream)?;
    let answer = Answer::to(&request, token);
    seen.lock().expect("requests").push(request);
    answer.write(&mut stream)?;
    stream.conn.send_close_notify();
    stream.flush()
}

impl Request {
    fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut lines = BufReader::new(stream.take(HEAD_LIMIT)).lines();
        let first = lines.next().ok_or(io::ErrorKind::UnexpectedEof)??;
        let target = first.split(' ').nth(1).unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default();
        let mut request = Self {
            host: String::new(),
            path: path.to_owned(),
            bearer: None,
        };
        for line in lines {
            let line = line?;
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host = value.to_owned(),
                "authorization" => request.bearer = value.strip_prefix("Bearer ").map(Into::into),
                _ => {}
            }
        }
        Ok(request)
    }
}

struct Answer {
    status: &'static str,
    header: String,
    body: Vec<u8>,
}

impl Answer {
    fn to(request: &Request, token: &str) -> Self {
        let private = ["/modules/v1/", "/api/v2/"]
            .iter()
            .any(|service| request.path.starts_with(service));
        if private && request.bearer.as_deref() != Some(token) {
            return Self::new("401 Unauthorized", "", "");
        }
        match request.path.as_str() {
            "/.well-known/terraform.json" => {
                Self::json(r#"{"modules.v1": "/modules/v1/", "tfe.v2": "/api/v2/"}"#)
            }
            "/modules/v1/team/network/example/versions" => {
                Self::json(r#"{"modules": [{"versions": [{"version": "1.0.0"}]}]}"#)
            }
            "/modules/v1/team/network/example/1.0.0/download" => {
                let header = format!("X-Terraform-Get: {ARCHIVE}\r\n");
                Self::new("204 No Content", &header, "")
            }
            ARCHIVE => Self::new("200 OK", "Content-Type: application/gzip\r\n", archive()),
            // Where `terraform login` tries a pasted token.
            "/api/v2/account/details" => Self::json(
                r#"{"data": {"id": "user-1", "type": "users", "attributes": {"username": "u"}}}"#,
            ),
            _ => Self::new("404 Not Found", "", ""),
        }
    }

    fn json(text: &str) -> Self {
        Self::new("200 OK", "Content-Type: application/json\r\n", text)
    }

    fn new(status: &'static str, header: &str, body: impl Into<Vec<u8>>) -> Self {
        let (header, body) = (header.to_owned(), body.into());
        Self {
            status,
            header,
            body,
        }
    }

    /// One request for each connection keeps the server simple.
    fn write(&self, stream: &mut impl Write) -> io::Result<()> {
        let Self {
            status,
            header,
            body,
        } = self;
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\n{header}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        )?;
        stream.write_all(body)
    }
}

/// A module that is one empty `main.tf`.
fn archive() -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_mode(0o644);
    header.set_size(0);
    archive
        .append_data(&mut header, "main.tf", io::empty())
        .expect("entry");
    let gzip = archive.into_inner().expect("tar");
    gzip.finish().expect("gzip")
}
