//! Each lease is closed once, whatever happens in whatever order.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::diagnostic::Severity;
use crate::fake::{Ending, Fake};

const LIMIT: Duration = Duration::from_millis(100);
const LONGER: Duration = Duration::from_millis(300);

fn leases(fake: Fake) -> (Arc<Fake>, Arc<Leases>) {
    let fake = Arc::new(fake);
    let options = Options {
        close_time_limit: LIMIT,
        ..Options::new("fake")
    };
    let leases = Leases::new(Arc::clone(&fake) as _, Arc::new(options));
    (fake, Arc::new(leases))
}

async fn open(leases: &Leases, name: &str) -> Vec<u8> {
    let config = Map::from_iter([("name".to_owned(), json!(name))]);
    let opened = leases.open("session", config).await;
    opened.expect("an open lease").token
}

#[tokio::test]
async fn closes_with_the_newest_private_bytes() {
    let (fake, leases) = leases(Fake::default());
    let token = open(&leases, "a").await;
    let renewed = leases.renew("session", &token).await;
    leases.renew("session", &renewed.token).await;
    // The client comes with the bytes of the open.
    assert_eq!(leases.close("session", &token).await, []);
    let calls = ["open a", "renew a", "renew a+", "close a++"];
    assert_eq!(fake.calls(), calls);
}

#[tokio::test]
async fn closes_a_lease_of_another_process() {
    let (_, first) = leases(Fake::default());
    let token = open(&first, "a").await;
    let (fake, second) = leases(Fake::default());
    assert_eq!(second.close("session", &token).await, []);
    assert_eq!(second.close("session", &token).await, []);
    second.release().await;
    assert_eq!(fake.calls(), ["close a"]);
}

#[tokio::test]
async fn releases_the_newest_first() {
    let (fake, leases) = leases(Fake::default());
    for name in ["a", "b", "c"] {
        open(&leases, name).await;
    }
    leases.release().await;
    assert_eq!(fake.calls()[3..], ["close c", "close b", "close a"]);
}

/// Equal private bytes are two leases all the same.
#[tokio::test]
async fn closes_once_who_ever_asks() {
    let (fake, leases) = leases(Fake {
        close: Ending::Late(LIMIT / 4),
        ..Fake::default()
    });
    let token = open(&leases, "a").await;
    open(&leases, "a").await;
    let close = || leases.close("session", &token);
    tokio::join!(leases.release(), close(), leases.release(), close());
    assert_eq!(close().await, []);
    assert_eq!(fake.calls()[2..], ["close a", "close a"]);
}

#[tokio::test]
async fn opens_nothing_after_the_release() {
    let (fake, leases) = leases(Fake::default());
    leases.release().await;
    assert!(leases.open("session", Map::new()).await.is_err());
    assert_eq!(fake.calls(), [""; 0]);
}

#[tokio::test]
async fn closes_what_opens_during_the_release() {
    let (fake, leases) = leases(Fake {
        open: Ending::Late(LIMIT / 2),
        ..Fake::default()
    });
    let opening = leases.open("session", Map::new());
    let release = async {
        tokio::time::sleep(LIMIT / 4).await;
        leases.release().await;
        fake.calls()
    };
    let (opened, calls) = tokio::join!(opening, release);
    assert!(opened.is_err());
    assert_eq!(calls, ["open none", "close none"]);
}

#[tokio::test]
async fn a_failed_renewal_keeps_the_lease_and_warns_at_its_close() {
    let (fake, leases) = leases(Fake {
        renew: Ending::Failure,
        ..Fake::default()
    });
    let token = open(&leases, "a").await;
    let renewed = leases.renew("session", &token).await;
    assert_eq!(renewed.token, token);
    assert_eq!(renewed.renew_at, None);
    assert_eq!(renewed.diagnostics.len(), 1);
    let warnings = leases.close("session", &token).await;
    assert_eq!(warnings, [Diagnostic::warning("fake failure", "")]);
    assert_eq!(fake.calls(), ["open a", "renew a", "close a"]);
}

#[tokio::test]
async fn a_close_that_fails_counts_all_the_same() {
    for close in [Ending::Failure, Ending::Panic, Ending::Late(LONGER)] {
        let (fake, leases) = leases(Fake {
            close,
            ..Fake::default()
        });
        let token = open(&leases, "a").await;
        let diagnostics = leases.close("session", &token).await;
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].severity, Severity::Error);
        assert!(!diagnostics[0].to_string().contains("secret"));
        leases.release().await;
        assert_eq!(fake.calls(), ["open a", "close a"]);
    }
}

#[tokio::test]
async fn closes_in_spite_of_a_renewal_that_hangs() {
    let (fake, leases) = leases(Fake {
        renew: Ending::Late(LONGER),
        ..Fake::default()
    });
    let token = open(&leases, "a").await;
    let close = async {
        tokio::time::sleep(LIMIT / 4).await;
        leases.close("session", &token).await
    };
    let (renewed, closed) = tokio::join!(leases.renew("session", &token), close);
    assert_eq!(closed, []);
    assert_eq!(renewed.renew_at, None);
    assert_eq!(fake.calls(), ["open a", "renew a", "close a"]);
}

#[tokio::test]
async fn refuses_a_token_of_nobody() {
    let (fake, leases) = leases(Fake::default());
    assert_eq!(leases.close("session", b"short").await, [foreign_token()]);
    let renewed = leases.renew("session", b"short").await;
    assert_eq!(renewed.token, b"short");
    assert_eq!(renewed.diagnostics, [foreign_token()]);
    assert_eq!(fake.calls(), [""; 0]);
}

#[tokio::test]
async fn waits_only_once_for_what_hangs() {
    let (fake, leases) = leases(Fake {
        open: Ending::Late(10 * LIMIT),
        ..Fake::default()
    });
    let hanging = Arc::clone(&leases);
    let opening = tokio::spawn(async move { hanging.open("session", Map::new()).await.is_err() });
    tokio::time::sleep(LIMIT / 4).await;
    leases.release().await;
    let start = std::time::Instant::now();
    leases.release().await;
    assert!(start.elapsed() < LIMIT / 2);
    assert_eq!(fake.calls(), ["open none"]);
    // A process that still lives then closes it.
    assert!(opening.await.expect("an end"));
    assert_eq!(fake.calls(), ["open none", "close none"]);
}
