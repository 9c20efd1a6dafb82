//! How go-plugin starts a plugin: the environment in, one line out.

use std::env;
use std::io::{self, Write};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Terraform's and OpenTofu's.
const COOKIE: (&str, &str) = (
    "TF_PLUGIN_MAGIC_COOKIE",
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
);

/// Where go-plugin puts the client's certificate, in PEM.
const CLIENT_CERTIFICATE: &str = "PLUGIN_CLIENT_CERT";

/// Whether terraform has started this program as a plugin. If not, a person has, who
/// should read that it is not a program to start.
pub fn is_plugin_start() -> bool {
    env::var_os(COOKIE.0).is_some_and(|value| value == COOKIE.1)
}

/// The only certificate that a client may come with; `None` without a readable one.
pub(crate) fn client_certificate() -> Option<CertificateDer<'static>> {
    let pem = env::var(CLIENT_CERTIFICATE).ok()?;
    CertificateDer::from_pem_slice(pem.as_bytes()).ok()
}

/// Tells the client where to connect, and whom to expect there: go-plugin's version
/// 1, Terraform's protocol 6.
///
/// # Errors
///
/// When standard output is closed.
pub(crate) fn announce(socket: &Path, certificate: &CertificateDer<'_>) -> io::Result<()> {
    let certificate = STANDARD_NO_PAD.encode(certificate);
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "1|6|unix|{}|grpc|{certificate}", socket.display())?;
    stdout.flush()
}
