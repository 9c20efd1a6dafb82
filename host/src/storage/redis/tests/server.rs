//! A redis server for one test.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;

pub(super) struct Server {
    pub(super) port: u16,
    process: Child,
    _directory: TempDir,
}

impl Server {
    /// `None`: the program is not there, and the test is skipped.
    pub(super) fn start(options: &[&str]) -> Option<Self> {
        Self::listen("--port", options)
    }

    /// With TLS and the password `pa55`, and the directory of
    /// [`certificates`].
    pub(super) fn start_tls() -> Option<(Self, TempDir)> {
        let files = certificates();
        let path = |name: &str| {
            let path = files.path().join(name);
            path.into_os_string().into_string().expect("it is text")
        };
        let (certificate, key, ca) = (path("server.pem"), path("server.key"), path("ca.pem"));
        let options = [
            ["--port", "0"],
            ["--tls-cert-file", &certificate],
            ["--tls-key-file", &key],
            ["--tls-ca-cert-file", &ca],
            ["--tls-auth-clients", "no"],
            ["--requirepass", "pa55"],
        ];
        let server = Self::listen("--tls-port", options.as_flattened())?;
        Some((server, files))
    }

    pub(super) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Another program can take the port before the server does.
    fn listen(port_option: &str, options: &[&str]) -> Option<Self> {
        for _ in 0..5 {
            let mut server = Self::spawn(port_option, options)?;
            if server.is_up() {
                return Some(server);
            }
        }
        panic!("redis-server does not start with {options:?}");
    }

    fn spawn(port_option: &str, options: &[&str]) -> Option<Self> {
        let directory = tempfile::tempdir().expect("a directory is made");
        let port = free_port();
        let spawned = Command::new("redis-server")
            .args([port_option, &port.to_string()])
            .args(["--save", "", "--appendonly", "no", "--bind", "127.0.0.1"])
            .arg("--dir")
            .arg(directory.path())
            .args(options)
            .stdout(Stdio::null())
            .spawn();
        match spawned {
            Ok(process) => Some(Self {
                port,
                process,
                _directory: directory,
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Past the capture of tests' output.
                let told = "\nSKIPPED: there is no redis-server on the PATH\n";
                let _ = std::io::stderr().write_all(told.as_bytes());
                None
            }
            Err(error) => panic!("redis-server does not start: {error}"),
        }
    }

    fn is_up(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            if self.process.try_wait().is_ok_and(|end| end.is_some()) {
                return false;
            }
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return true;
            }
            thread::sleep(Duration::from_millis(10));
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// A directory with `ca.pem`, `server.pem` for 127.0.0.1, and `server.key`.
pub(super) fn certificates() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory is made");
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, new_key()).expect("it is signed");
    let key = new_key();
    let server = CertificateParams::new(["127.0.0.1".to_owned()])
        .and_then(|server| server.signed_by(&key, &authority))
        .expect("it is signed");
    write(directory.path(), "ca.pem", &authority.pem());
    write(directory.path(), "server.pem", &server.pem());
    write(directory.path(), "server.key", &key.serialize_pem());
    directory
}

fn new_key() -> KeyPair {
    KeyPair::generate().expect("a key is made")
}

fn write(directory: &Path, name: &str, text: &str) {
    fs::write(directory.join(name), text).expect("the file is written");
}
