mod server;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use self::server::{Server, certificates};
use super::RedisStorage;
use crate::storage::{Storage, StorageError, suite};

fn storage(url: &str) -> RedisStorage {
    RedisStorage::new(url).expect("the address is right")
}

fn unavailable(storage: &RedisStorage) -> String {
    let error = storage.get("b", "k").expect_err("the server is no help");
    assert!(
        matches!(error, StorageError::Unavailable { .. }),
        "{error:?}"
    );
    error.to_string()
}

#[test]
fn behaves_as_a_storage() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    suite::run(&storage(&server.url()));
}

#[test]
fn two_storages_share_a_server_and_databases_do_not_mix() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let first = storage(&server.url());
    first.set("b", "k", b"v").expect("it writes");
    let second = storage(&server.url());
    assert_eq!(
        second.get("b", "k").expect("it reads").as_deref(),
        Some(&b"v"[..])
    );
    let other = storage(&format!("{}/1", server.url()));
    assert!(!other.exists("b", "k").expect("it reads"));
}

#[test]
fn keys_of_others_are_neither_shown_nor_read() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let storage = storage(&server.url());
    storage.set("b", "k", b"v").expect("it writes");
    let client = redis::Client::open(server.url()).expect("the address is right");
    let mut raw = client.get_connection().expect("the server runs");
    for name in ["keyhost:b:a b", "keyhost:b:%zz", "keyhost:b", "b:k"] {
        let set = redis::cmd("SET").arg(name).arg("x").exec(&mut raw);
        set.expect("the server writes");
    }
    assert_eq!(storage.keys("b").expect("it reads"), ["k"]);
    let mut push = redis::cmd("LPUSH");
    push.arg("keyhost:b:list").arg("x");
    push.exec(&mut raw).expect("the server writes");
    let error = storage.get("b", "list").expect_err("it is no text");
    assert!(error.to_string().contains("another program"), "{error}");
}

#[test]
fn a_connection_that_the_server_closed_is_replaced() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let storage = storage(&server.url());
    storage.set("b", "k", b"v").expect("it writes");
    let client = redis::Client::open(server.url()).expect("the address is right");
    let mut raw = client.get_connection().expect("the server runs");
    let mut kill = redis::cmd("CLIENT");
    kill.arg(&["KILL", "TYPE", "normal"]);
    kill.exec(&mut raw).expect("the server obeys");
    assert!(storage.exists("b", "k").expect("it connects again"));
    assert!(!storage.set_if_absent("b", "k", b"w").expect("it writes"));
}

#[test]
fn a_password() {
    let Some(server) = Server::start(&["--requirepass", "right-pa55"]) else {
        return;
    };
    let place = format!("127.0.0.1:{}", server.port);
    let right = storage(&format!("redis://:right-pa55@{place}"));
    right.set("b", "k", b"v").expect("it writes");
    assert!(!format!("{right:?}").contains("pa55"));
    for user_info in [":wrong-pa55@", "somebody:wrong-pa55@", ""] {
        let message = unavailable(&storage(&format!("redis://{user_info}{place}")));
        assert!(
            message.contains("refuses the user name or the password"),
            "{message}"
        );
        assert!(message.contains(&place), "{message}");
        assert!(!message.contains("pa55") && !message.contains("somebody"));
    }
}

#[test]
fn nothing_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    drop(listener);
    let message = unavailable(&storage(&format!("redis://user:pa55@127.0.0.1:{port}")));
    assert!(message.contains(&format!("127.0.0.1:{port}")), "{message}");
    assert!(message.contains("nothing listens there"), "{message}");
    assert!(!message.contains("pa55"), "{message}");
}

#[test]
fn a_host_without_an_address() {
    let message = unavailable(&storage("redis://user:pa55@nowhere.invalid"));
    assert!(message.contains("nowhere.invalid:6379"), "{message}");
    assert!(!message.contains("pa55"), "{message}");
}

#[test]
fn a_server_that_never_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    for scheme in ["redis", "rediss"] {
        let storage = storage(&format!("{scheme}://127.0.0.1:{port}"))
            .with_timeout(Duration::from_millis(200));
        let start = Instant::now();
        let message = unavailable(&storage);
        assert!(message.contains("no answer within 0.2 s"), "{message}");
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_server_that_quotes_what_was_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has one").port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client connects");
            let mut request = [0; 4096];
            while stream.read(&mut request).is_ok_and(|length| length > 0) {
                let answer = b"-ERR unknown command `AUTH`, with args: `the-pa55`\r\n";
                let _ = stream.write_all(&answer.repeat(4));
            }
        }
    });
    let storage = storage(&format!("redis://:the-pa55@127.0.0.1:{port}"));
    let error = storage.set("b", "k", b"v").expect_err("it is no redis");
    assert!(!error.to_string().contains("pa55"), "{error}");
    assert!(!format!("{error:?}").contains("pa55"), "{error:?}");
}

#[test]
fn wrong_addresses() {
    for url in [
        "",
        "host:6379",
        "user:pa55@host",
        "http://user:pa55@host",
        "unix:///run/redis.sock?pass=pa55",
        "redis+unix:///run/redis.sock",
        "valkey://user:pa55@host",
        "redis://user:pa55@host:99999",
        "redis://user:pa55@host/database",
        "redis://user:pa55@host/?protocol=pa55",
        "redis://",
        "rediss://user:pa55@host/#insecure",
    ] {
        let error = RedisStorage::new(url).expect_err(url);
        assert!(matches!(error, StorageError::Address { .. }), "{error:?}");
        let message = error.to_string();
        assert!(!message.contains("pa55"), "{message}");
        assert!(message.contains("redis://HOST:PORT"), "{message}");
    }
}

#[test]
fn tls() {
    let Some((server, files)) = Server::start_tls() else {
        return;
    };
    let with_ca = |host: &str, ca: &Path| {
        storage(&format!("rediss://:pa55@{host}:{}", server.port))
            .with_ca(ca)
            .expect("the certificate is whole")
    };
    suite::run(&with_ca("127.0.0.1", &files.path().join("ca.pem")));

    let other = certificates();
    for refused in [
        storage(&format!("rediss://:pa55@127.0.0.1:{}", server.port)),
        with_ca("127.0.0.1", &other.path().join("ca.pem")),
        // The certificate holds the number alone.
        with_ca("localhost", &files.path().join("ca.pem")),
    ] {
        let message = unavailable(&refused);
        assert!(message.contains("certificate is refused"), "{message}");
        assert!(!message.contains("pa55"), "{message}");
    }
    let plain = unavailable(&storage(&format!("redis://127.0.0.1:{}", server.port)));
    assert!(plain.contains("rediss://"), "{plain}");
}

#[test]
fn tls_with_a_server_that_has_none() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let storage = storage(&format!("rediss://127.0.0.1:{}", server.port));
    // redis takes the greeting for the beginning of a command.
    let message = unavailable(&storage.with_timeout(Duration::from_millis(500)));
    assert!(message.contains("whether it uses TLS"), "{message}");
}

#[test]
fn certificate_files_that_cannot_be_used() {
    let files = certificates();
    let ca = files.path().join("ca.pem");
    let error = storage("redis://127.0.0.1").with_ca(&ca);
    let error = error.expect_err("there is no TLS").to_string();
    assert!(error.contains("needs rediss://"), "{error}");

    let text = files.path().join("text.pem");
    std::fs::write(&text, "no certificate").expect("the file is written");
    let broken = files.path().join("broken.pem");
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    std::fs::write(&broken, pem).expect("the file is written");
    for path in [files.path().join("missing.pem"), text, broken] {
        let error = storage("rediss://127.0.0.1").with_ca(&path);
        let error = error.expect_err("there is no certificate");
        assert!(matches!(error, StorageError::Authority { .. }), "{error:?}");
        assert!(error.to_string().contains(&*path.to_string_lossy()));
    }
}
