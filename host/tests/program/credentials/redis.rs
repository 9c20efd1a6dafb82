//! Machines that share credentials on a redis server: two homes stand for two
//! machines.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{Scene, done, helper, kept, object, refused, shows, vault};
use crate::support::skipped;

const PASSWORD: &str = "pa55-of-the-server";

struct Server {
    port: u16,
    process: Child,
    _directory: TempDir,
}

impl Server {
    /// `None`: the program is not there, and the test is skipped.
    fn start(options: &[&str]) -> Option<Self> {
        // Another program can take the port before the server does.
        for _ in 0..5 {
            let mut server = Self::spawn(options)?;
            if server.is_up() {
                return Some(server);
            }
        }
        panic!("redis-server does not start with {options:?}");
    }

    fn spawn(options: &[&str]) -> Option<Self> {
        let directory = tempfile::tempdir().expect("directory");
        let port = free_port();
        let spawned = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
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
                skipped("there is no redis-server on the PATH");
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

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
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

/// A machine with the storage at this address, and this key.
fn machine(url: &str, key: &str) -> Scene {
    let file = "storage \"file\" {\n  path = \"tokens.redb\"\n}\n";
    let redis = format!("storage \"redis\" {{\n  url = \"{url}\"\n}}\n");
    Scene::new(&vault(key).replace(file, &redis))
}

#[test]
fn what_one_machine_stores_another_gets() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let [a, b] = [(); 2].map(|()| machine(&server.url(), "pbkdf2.main"));
    done(&b.get("example.com"), "{}\n");
    a.keep("example.com");
    done(&b.get("example.com"), &kept());
    done(&b.store("example.com", &object("newer")), "");
    done(&a.get("example.com"), &(object("newer") + "\n"));
    b.keep("example.com:8443");
    for machine in [&a, &b] {
        done(&machine.run(&["list"]), "example.com\nexample.com:8443\n");
    }
    done(&a.forget("example.com"), "");
    done(&b.get("example.com"), "{}\n");
    for machine in [a, b] {
        assert!(!machine.database().exists());
        let home = std::fs::read_dir(machine.path("home")).expect("home");
        assert_eq!(home.count(), 0, "nothing is kept on the machine");
    }
}

#[test]
fn the_server_gets_no_token() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let scene = machine(&server.url(), "pbkdf2.main");
    scene.keep("example.com");
    let client = redis::Client::open(server.url()).expect("address");
    let mut connection = client.get_connection().expect("connection");
    let names: Vec<String> = redis::cmd("KEYS")
        .arg("*")
        .query(&mut connection)
        .expect("names");
    assert_eq!(names.len(), 2, "{names:?}");
    for name in names {
        let get = redis::cmd("GET").arg(name).query(&mut connection);
        let value: Vec<u8> = get.expect("value");
        assert!(!shows(&value, super::TOKEN));
    }
}

/// The salt of the first key is one for all, whoever was first.
#[test]
fn first_stores_at_once_share_their_key() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let hosts = ["a.example", "b.example", "c.example"];
    for database in 0..5 {
        let url = format!("{}/{database}", server.url());
        let machines = hosts.map(|_| machine(&url, "pbkdf2.main"));
        let start = Barrier::new(hosts.len());
        thread::scope(|scope| {
            for (machine, host) in machines.iter().zip(hosts) {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    done(&machine.store(host, &object(host)), "");
                });
            }
        });
        for machine in &machines {
            for host in hosts {
                done(&machine.get(host), &(object(host) + "\n"));
            }
        }
    }
}

#[test]
fn first_stores_at_once_share_their_key_in_a_file() {
    let hosts = ["a.example", "b.example", "c.example"];
    for _ in 0..5 {
        let scene = Scene::new(&vault("pbkdf2.main"));
        let start = Barrier::new(hosts.len());
        thread::scope(|scope| {
            for host in hosts {
                let (scene, start) = (&scene, &start);
                scope.spawn(move || {
                    start.wait();
                    done(&scene.store(host, &object(host)), "");
                });
            }
        });
        for host in hosts {
            done(&scene.get(host), &(object(host) + "\n"));
        }
    }
}

#[test]
fn a_server_that_is_down_is_told_without_its_password() {
    let port = free_port();
    let url = format!("redis://:{PASSWORD}@127.0.0.1:{port}");
    let scene = machine(&url, "static.s");
    let place = format!("127.0.0.1:{port}");
    let list = scene.run(&["list"]);
    let store = scene.store("example.com", &object(super::TOKEN));
    for answer in [scene.get("a.b"), store, scene.forget("a.b"), list] {
        refused(&answer, 1, &[&place, "not available"]);
        assert!(!shows(answer.stderr.as_bytes(), PASSWORD));
        assert!(!shows(answer.stderr.as_bytes(), super::TOKEN));
    }
}

#[test]
fn a_password_is_used_and_a_wrong_one_not_shown() {
    let Some(server) = Server::start(&["--requirepass", PASSWORD]) else {
        return;
    };
    let place = format!("127.0.0.1:{}", server.port);
    let right = machine(&format!("redis://:{PASSWORD}@{place}"), "static.s");
    right.keep("example.com");
    done(&right.get("example.com"), &kept());
    let wrong = machine(&format!("redis://:wrong-{PASSWORD}@{place}"), "static.s");
    let answer = wrong.get("example.com");
    refused(&answer, 1, &[&place, "password"]);
    assert!(!shows(answer.stderr.as_bytes(), PASSWORD));
    let none = machine(&format!("redis://{place}"), "static.s");
    refused(&none.get("example.com"), 1, &[&place, "password"]);
}

#[test]
fn a_wrong_address_is_told_without_its_password() {
    for url in [
        format!("http://:{PASSWORD}@127.0.0.1:1"),
        format!("redis://:{PASSWORD}@127.0.0.1:99999"),
        format!("redis://:{PASSWORD}@127.0.0.1:1/first"),
        format!("redis://:{PASSWORD}@"),
        PASSWORD.to_owned(),
    ] {
        let answer = machine(&url, "static.s").get("example.com");
        refused(&answer, 3, &["address"]);
        assert!(!shows(answer.stderr.as_bytes(), PASSWORD), "{url}");
    }
}

#[test]
fn another_key_overwrites_nothing() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let scene = machine(&server.url(), "static.s");
    scene.keep("example.com");
    // To another key without the old one, and back: nothing was overwritten.
    let config = std::fs::read_to_string(scene.config()).expect("configuration");
    let other = helper("static.other", None);
    scene.configure(&config.replace(&helper("static.s", None), &other));
    refused(&scene.get("example.com"), 1, &["previous_key"]);
    scene.configure(&config);
    done(&scene.get("example.com"), &kept());
}
