//! A door of WASI for each test, and a guest that tries it.

use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};

use keyhost::component::Refused;
use keyhost::component::imports::InterfaceError;
use keyhost::limits::Limit;

use super::{Outcome, faulty, guest, limit_of, limits, refused};

/// What a guest found, which it tells in its error.
fn told(outcome: Outcome) -> String {
    let error = outcome.result.expect_err("error");
    error.to_string()
}

fn told_by(name: &str) -> String {
    told(faulty(name, ""))
}

#[track_caller]
fn assert_tells(name: &str, expected: &str) {
    let text = told_by(name);
    assert!(text.contains(expected), "{text}");
}

#[test]
fn there_are_no_arguments_and_no_working_directory() {
    assert_tells("wasi_arguments", "found [] in None");
}

#[test]
fn there_is_no_environment() {
    assert!(std::env::var_os("PATH").is_some());
    assert_tells("wasi_environment", "found []");
}

#[test]
fn there_are_no_files() {
    assert_tells("wasi_files", "found 0 directories, opened 0 files");
}

#[test]
fn there_is_no_input() {
    assert_tells("wasi_stdin", "read 0 bytes, terminal: false");
}

#[test]
fn nobody_is_connected_to() {
    let listener = TcpListener::bind(("127.0.0.1", 47_631)).expect("port");
    listener.set_nonblocking(true).expect("socket");
    let text = told_by("wasi_tcp");
    for refused in ["connect: Err(", "listen: Err("] {
        assert!(text.contains(refused), "{text}");
    }
    let nobody = listener.accept().expect_err("a connection").kind();
    assert_eq!(nobody, ErrorKind::WouldBlock);
}

#[test]
fn no_datagram_leaves() {
    let socket = UdpSocket::bind(("127.0.0.1", 47_632)).expect("port");
    socket.set_nonblocking(true).expect("socket");
    assert_tells("wasi_udp", "send: Err(");
    let nothing = socket.recv(&mut [0; 16]).expect_err("a datagram").kind();
    assert_eq!(nothing, ErrorKind::WouldBlock);
}

#[test]
fn no_name_is_resolved() {
    let text = told_by("wasi_dns");
    assert!(text.contains("resolve: Err("), "{text}");
    assert!(text.contains(", Err("), "{text}");
}

#[test]
fn a_guest_that_wants_http_does_not_run() {
    let Refused::Interface(InterfaceError::NotGranted { import, .. }) =
        refused(&guest("faulty/wasi_http"))
    else {
        panic!("not refused for its import");
    };
    assert!(import.starts_with("wasi:http/"), "{import}");
}

#[test]
fn key_providers_are_not_told_the_time() {
    assert_tells("wasi_clock", "it is 0.000000000");
    let Refused::Interface(error) = refused(&guest("faulty/contract_clock")) else {
        panic!("not refused for its import");
    };
    let text = error.to_string();
    assert!(text.contains("only ephemeral resources"), "{text}");
}

#[test]
fn what_is_printed_goes_to_the_log_redacted() {
    let outcome = faulty("wasi_print", "grants { reveal = true }");
    let [debug, info] = outcome.log.as_slice() else {
        panic!("not two lines: {:?}", outcome.log);
    };
    assert_eq!(debug, "the key is [redacted]");
    assert!(
        info.starts_with("something ") && info.ends_with(" wrong"),
        "{info}"
    );
    assert!(!info.contains('\x1b'), "{info}");
    assert!(told(outcome).contains("printed"));
}

#[test]
fn endless_printing_meets_the_limit() {
    let outcome = faulty("wasi_print_much", &limits("log = \"16KiB\""));
    assert_eq!(limit_of(outcome), Limit::Log);
}

#[test]
fn an_exit_ends_the_guest_alone() {
    let text = told_by("wasi_exit");
    assert!(text.contains("it called exit, with the status 0"), "{text}");
}
