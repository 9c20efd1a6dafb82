//! What every storage does, run over each of them.

use std::sync::Barrier;
use std::thread;

use super::{LONGEST_VALUE, Storage, StorageError};

type Behaviour = fn(&dyn Storage);

const BEHAVIOURS: [(&str, Behaviour); 11] = [
    ("unknown keys", unknown_keys),
    ("round trip of bytes", round_trip_of_bytes),
    ("overwriting", overwriting),
    ("deleting", deleting),
    ("a long value is refused", a_long_value_is_refused),
    ("buckets do not mix", buckets_do_not_mix),
    ("odd keys", odd_keys),
    ("keys are sorted", keys_are_sorted),
    ("set if absent", set_if_absent),
    ("a race has one winner", a_race_has_one_winner),
    ("many threads lose nothing", many_threads_lose_nothing),
];

/// The storage is empty, and its buckets are used up afterwards.
pub(super) fn run(storage: &dyn Storage) {
    for (name, behaviour) in BEHAVIOURS {
        eprintln!("behaviour: {name}");
        behaviour(storage);
    }
}

fn get(storage: &dyn Storage, bucket: &str, key: &str) -> Option<Vec<u8>> {
    storage.get(bucket, key).expect("the storage reads")
}

fn set(storage: &dyn Storage, bucket: &str, key: &str, value: &[u8]) {
    storage.set(bucket, key, value).expect("the storage writes");
}

fn keys(storage: &dyn Storage, bucket: &str) -> Vec<String> {
    storage.keys(bucket).expect("the storage lists")
}

fn exists(storage: &dyn Storage, bucket: &str, key: &str) -> bool {
    storage.exists(bucket, key).expect("the storage reads")
}

fn a_long_value_is_refused(storage: &dyn Storage) {
    let longest = vec![b'x'; LONGEST_VALUE];
    set(storage, "long", "key", &longest);
    assert!(get(storage, "long", "key") == Some(longest.clone()));
    let longer = [&longest[..], b"x"].concat();
    let refused = storage.set("long", "key", &longer).expect_err("refused");
    assert!(matches!(refused, StorageError::TooLong { .. }), "{refused}");
    assert!(get(storage, "long", "key") == Some(longest), "as before");
    storage.delete("long", "key").expect("the storage deletes");
}

fn unknown_keys(storage: &dyn Storage) {
    let look = || {
        assert_eq!(get(storage, "unknown", "key"), None);
        assert!(!exists(storage, "unknown", "key"));
        assert_eq!(keys(storage, "unknown"), [""; 0]);
    };
    look();
    set(storage, "other", "key", b"value");
    look();
}

fn round_trip_of_bytes(storage: &dyn Storage) {
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let large: Vec<u8> = (0..1_u32 << 20).map(|at| ((at * 31) >> 3) as u8).collect();
    for value in [&b""[..], b"\0", b"\r\n$3\r\n", &every_byte, &large] {
        set(storage, "bytes", "key", value);
        assert!(exists(storage, "bytes", "key"));
        assert!(get(storage, "bytes", "key").as_deref() == Some(value));
    }
}

fn overwriting(storage: &dyn Storage) {
    for value in ["a long first value", "short", "", "again"] {
        set(storage, "overwriting", "key", value.as_bytes());
        assert_eq!(
            get(storage, "overwriting", "key").as_deref(),
            Some(value.as_bytes())
        );
    }
    assert_eq!(keys(storage, "overwriting"), ["key"]);
}

fn deleting(storage: &dyn Storage) {
    let delete = |key| {
        storage
            .delete("deleting", key)
            .expect("the storage deletes")
    };
    delete("nothing");
    set(storage, "deleting", "a", b"1");
    set(storage, "deleting", "b", b"2");
    delete("a");
    delete("a");
    assert_eq!(get(storage, "deleting", "a"), None);
    assert_eq!(keys(storage, "deleting"), ["b"]);
    assert!(
        storage
            .set_if_absent("deleting", "a", b"3")
            .expect("the storage writes")
    );
}

fn buckets_do_not_mix(storage: &dyn Storage) {
    let buckets = ["", "p", "p:", "p:q", "pq", "p*", "p%3A", "p/", "P", "ü"];
    for bucket in buckets {
        set(storage, bucket, "key", bucket.as_bytes());
        set(storage, bucket, ":key", b"second");
    }
    for bucket in buckets {
        assert_eq!(
            get(storage, bucket, "key").as_deref(),
            Some(bucket.as_bytes())
        );
        assert_eq!(keys(storage, bucket), [":key", "key"]);
        storage.delete(bucket, "key").expect("the storage deletes");
        assert_eq!(keys(storage, bucket), [":key"]);
    }
    assert_eq!(get(storage, "p", "q"), None);
}

fn odd_keys(storage: &dyn Storage) {
    let odd = [
        "", " ", "*", "?", "[a-z]", "\\", "\\*", ":", "a:b", "a%3Ab", "%", "%%", "%2A", "a\nb",
        "\0", "é", "日本", "🔑", "~", "a", "A",
    ];
    for key in odd {
        set(storage, "odd", key, key.as_bytes());
    }
    for key in odd {
        assert_eq!(
            get(storage, "odd", key).as_deref(),
            Some(key.as_bytes()),
            "{key:?}"
        );
    }
    let mut sorted = odd.map(str::to_owned);
    sorted.sort();
    assert_eq!(keys(storage, "odd"), sorted);
}

fn keys_are_sorted(storage: &dyn Storage) {
    for number in (0..100).rev() {
        set(storage, "sorted", &number.to_string(), b"");
    }
    let mut sorted: Vec<_> = (0..100).map(|number| number.to_string()).collect();
    sorted.sort();
    assert_eq!(keys(storage, "sorted"), sorted);
}

fn set_if_absent(storage: &dyn Storage) {
    let offer = |value: &[u8]| {
        storage
            .set_if_absent("absent", "key", value)
            .expect("the storage writes")
    };
    assert!(offer(b""));
    assert!(!offer(b"second"));
    assert_eq!(get(storage, "absent", "key").as_deref(), Some(&b""[..]));
}

fn a_race_has_one_winner(storage: &dyn Storage) {
    const THREADS: usize = 8;
    for round in 0..5 {
        let key = round.to_string();
        let start = Barrier::new(THREADS);
        let run = |thread: usize| {
            start.wait();
            let value = thread.to_string();
            storage
                .set_if_absent("race", &key, value.as_bytes())
                .expect("the storage writes")
                .then_some(value)
        };
        let winners: Vec<String> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| scope.spawn(move || run(thread)))
                .collect();
            let ends = threads.into_iter();
            ends.filter_map(|end| end.join().expect("the thread ends"))
                .collect()
        });
        assert_eq!(winners.len(), 1, "{winners:?}");
        assert_eq!(
            get(storage, "race", &key).as_deref(),
            Some(winners[0].as_bytes())
        );
    }
}

fn many_threads_lose_nothing(storage: &dyn Storage) {
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for number in 0..10 {
                    set(storage, "threads", &format!("{thread}-{number}"), b"value");
                }
            });
        }
    });
    assert_eq!(keys(storage, "threads").len(), 40);
}
