//! How a plugin starts, whom it lets in, and how it ends: without terraform, by the
//! fake provider of `examples/`.

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, PKCS_ECDSA_P521_SHA512};
use rustix::process::{Pid, Signal, kill_process};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

const COOKIE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/// What HTTP/2 begins with, and an empty SETTINGS frame.
const HTTP2_START: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

const PATIENCE: Duration = Duration::from_secs(10);

/// A client's certificate as go-plugin makes it: P-521, and an authority.
struct Identity {
    certificate: CertificateDer<'static>,
    key: KeyPair,
}

impl Identity {
    fn new() -> Self {
        let key = KeyPair::generate_for(&PKCS_ECDSA_P521_SHA512).expect("key");
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("name");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).expect("certificate");
        let certificate = certificate.der().clone();
        Self { certificate, key }
    }

    fn pem(&self) -> String {
        let der = STANDARD.encode(&self.certificate);
        format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n")
    }
}

/// A started plugin, and what its handshake line said.
struct Plugin {
    child: Child,
    stdout: BufReader<ChildStdout>,
    socket: PathBuf,
    certificate: CertificateDer<'static>,
    home: TempDir,
}

impl Plugin {
    fn start(client: &Identity) -> Self {
        let home = tempfile::tempdir().expect("home");
        let mut child = fake(home.path())
            .env("TF_PLUGIN_MAGIC_COOKIE", COOKIE)
            .env("PLUGIN_CLIENT_CERT", client.pem())
            .spawn()
            .expect("the plugin starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let fields: Vec<_> = line.trim_end().split('|').collect();
        let [core, protocol, network, socket, wire, certificate] = fields[..] else {
            panic!("{line}");
        };
        assert_eq!((core, protocol, network, wire), ("1", "6", "unix", "grpc"));
        let certificate = STANDARD_NO_PAD.decode(certificate).expect("base64");
        Self {
            child,
            stdout,
            socket: socket.into(),
            certificate: certificate.into(),
            home,
        }
    }

    /// Connects as `client`, or as nobody. The answer to the start of HTTP/2.
    fn connect(&self, client: Option<&Identity>) -> io::Result<[u8; 9]> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).expect("a root");
        let crypto = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(crypto)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots);
        let mut config = match client {
            Some(client) => {
                let key = PrivatePkcs8KeyDer::from(client.key.serialize_der());
                let chain = vec![client.certificate.clone()];
                config
                    .with_client_auth_cert(chain, key.into())
                    .expect("identity")
            }
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from("localhost").expect("name");
        let connection = ClientConnection::new(Arc::new(config), name).expect("connection");
        let socket = UnixStream::connect(&self.socket)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let mut stream = StreamOwned::new(connection, socket);
        stream.write_all(HTTP2_START)?;
        let mut frame = [0; 9];
        stream.read_exact(&mut frame)?;
        Ok(frame)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a process");
    }

    /// Its exit, what else it printed, and whether its directory is gone.
    fn finish(mut self) -> (ExitStatus, String, bool) {
        let status = self.child.wait().expect("the plugin ends");
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("UTF-8");
        let directory = self.socket.parent().expect("a directory");
        assert!(directory.starts_with(self.home.path()));
        (status, rest, !directory.exists())
    }
}

fn fake(home: &Path) -> Command {
    let test = env::current_exe().expect("this program");
    let profile = test
        .parent()
        .and_then(Path::parent)
        .expect("target directory");
    let mut command = Command::new(profile.join("examples/terraform-provider-fake"));
    command
        .env_clear()
        .env("FAKE_CALLS", home.join("calls"))
        .env("TMPDIR", home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn without_a_cookie_it_tells_a_person() {
    let home = tempfile::tempdir().expect("home");
    for cookie in [None, Some("another")] {
        let mut command = fake(home.path());
        command.envs(cookie.map(|cookie| ("TF_PLUGIN_MAGIC_COOKIE", cookie)));
        let output = command.output().expect("an output");
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(said, "This program is a plugin: terraform starts it.\n");
    }
}

#[test]
fn without_a_client_certificate_it_does_not_serve() {
    let home = tempfile::tempdir().expect("home");
    for pem in [None, Some("-----BEGIN CERTIFICATE-----")] {
        let mut command = fake(home.path());
        command.env("TF_PLUGIN_MAGIC_COOKIE", COOKIE);
        command.envs(pem.map(|pem| ("PLUGIN_CLIENT_CERT", pem)));
        let output = command.output().expect("an output");
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn lets_in_only_the_client_that_started_it() {
    let client = Identity::new();
    let plugin = Plugin::start(&client);
    assert!(plugin.connect(Some(&Identity::new())).is_err());
    assert!(plugin.connect(None).is_err());
    let frame = plugin.connect(Some(&client)).expect("the start of HTTP/2");
    // The type of SETTINGS.
    assert_eq!(frame[3], 4);
    plugin.signal(Signal::TERM);
    plugin.finish();
}

#[test]
fn only_its_user_reaches_the_socket() {
    let plugin = Plugin::start(&Identity::new());
    let directory = plugin.socket.parent().expect("a directory");
    let mode = fs::metadata(directory)
        .expect("a directory")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
    plugin.signal(Signal::TERM);
    plugin.finish();
}

#[test]
fn leaves_nothing_when_it_is_terminated() {
    for signal in [Signal::TERM, Signal::HUP] {
        let plugin = Plugin::start(&Identity::new());
        plugin.signal(signal);
        let (status, rest, removed) = plugin.finish();
        assert!(status.success());
        assert_eq!(rest, "");
        assert!(removed);
    }
}

#[test]
fn outlives_an_interrupt() {
    let client = Identity::new();
    let plugin = Plugin::start(&client);
    plugin.signal(Signal::INT);
    assert!(plugin.connect(Some(&client)).is_ok());
    plugin.signal(Signal::TERM);
    plugin.finish();
}

#[test]
fn finds_a_short_path_for_its_socket() {
    let client = Identity::new();
    let home = tempfile::tempdir().expect("home");
    let deep = home.path().join("d".repeat(100));
    fs::create_dir(&deep).expect("directory");
    let mut child = fake(home.path())
        .env("TF_PLUGIN_MAGIC_COOKIE", COOKIE)
        .env("PLUGIN_CLIENT_CERT", client.pem())
        .env("TMPDIR", &deep)
        .spawn()
        .expect("the plugin starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
    stdout.read_line(&mut line).expect("a line");
    assert!(line.starts_with("1|6|unix|/tmp/"), "{line}");
    kill_process(Pid::from_child(&child), Signal::TERM).expect("a process");
    child.wait().expect("the plugin ends");
    assert_eq!(fs::read_dir(&deep).expect("directory").count(), 0);
}
