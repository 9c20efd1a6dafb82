//! Plans: the same envelope without serial and lineage, and a zip inside.

use super::reader::Read;
use super::{ROTATION, STATIC, Scene, done, failed, opentofu_state};

/// A zip archive as the `zip` crate of no one: one stored file, `tfplan`.
const ZIP: &[u8] = b"PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00\x95\x2d\x08\x59\x04\x00\x00\x00\x04\x00\x00\x00\x06\x00\x00\x00tfplans3cr\
PK\x01\x02\x14\x00\x14\x00\x00\x00\x00\x00\x00\x00\x21\x00\x95\x2d\x08\x59\x04\x00\x00\x00\x04\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00tfplan\
PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x34\x00\x00\x00\x28\x00\x00\x00\x00\x00";

const KEY: [u8; 32] = [
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff,
];

#[test]
fn a_plan_is_known_by_itself_and_by_its_envelope() {
    let scene = Scene::new(STATIC);
    scene.write("tfplan", ZIP);
    assert_eq!(
        done(scene.run(&["inspect", "tfplan"])),
        format!(
            "tfplan: plan, not encrypted\n  size            {} bytes\n",
            ZIP.len()
        )
    );
    done(scene.run(&["encrypt", "--in-place", "tfplan"]));
    let text = scene.text("tfplan");
    assert!(
        text.starts_with(r#"{"meta":{"key_provider.static.s":"eyJtYWdpYyI6IkhlbGxvIHdvcmxkISJ9"},"encrypted_data":""#),
        "{text}"
    );
    assert!(text.ends_with(r#"","encryption_version":"v0"}"#), "{text}");
    assert_eq!(
        Read::of(text.as_bytes()).open(&KEY, b""),
        Some(ZIP.to_vec())
    );
    assert_eq!(
        done(scene.run(&["verify", "tfplan"])),
        "tfplan: plan, opened by method.aes_gcm.s\n"
    );
    done(scene.run(&["rotate", "tfplan"]));
    assert_ne!(scene.text("tfplan"), text);
    assert_eq!(
        Read::of(&scene.read("tfplan")).open(&KEY, b""),
        Some(ZIP.to_vec())
    );
    done(scene.run(&["decrypt", "tfplan", "-o", "plain"]));
    assert_eq!(scene.read("plain"), ZIP);
}

#[test]
fn plans_go_by_the_plan_target_alone() {
    let scene = Scene::new(ROTATION);
    scene.write("tfplan", ZIP);
    let said = failed(scene.run(&["encrypt", "tfplan"]), 3);
    assert!(said.contains("no plan block"), "{said}");
    assert_eq!(scene.read("tfplan"), ZIP);
}

/// What stands in the place of a plan must be one, and so with states.
#[test]
fn neither_is_taken_for_the_other() {
    let scene = Scene::new(STATIC);
    scene.write("state", r#"{"version":4}"#);
    scene.write("tfplan", ZIP);
    for (file, target) in [("state", "plan"), ("tfplan", "state")] {
        let said = failed(scene.run(&["encrypt", file, "--target", target]), 1);
        assert!(
            said.contains(&format!("what is inside is no {target}")),
            "{said}"
        );
    }
    for name in ["state", "tfplan"] {
        done(scene.run(&["encrypt", "--in-place", name]));
    }
    for (file, target) in [("state", "plan"), ("tfplan", "state")] {
        let said = failed(scene.run(&["decrypt", file, "--target", target]), 1);
        assert!(
            said.contains(&format!("what is inside is no {target}")),
            "{said}"
        );
    }
    // Somebody took serial and lineage away.
    let state = scene.text("state");
    let without = state.replace(r#""serial":null,"lineage":"","#, "");
    assert_ne!(without, state);
    scene.write("state", without);
    let said = failed(scene.run(&["decrypt", "state"]), 1);
    assert!(said.contains("what is inside is no plan"), "{said}");
    assert_eq!(
        done(scene.run(&["decrypt", "state", "--target", "state"])),
        r#"{"version":4}"#
    );
}

/// Without a plan block there are no encrypted plans.
#[test]
fn an_envelope_that_says_nothing_is_a_state_where_plans_are_not_encrypted() {
    let scene = Scene::new(ROTATION);
    let (envelope, plaintext) = opentofu_state();
    let start = envelope.find("\"meta\"").expect("meta");
    scene.write("a", format!("{{{}", &envelope[start..]));
    assert_eq!(done(scene.run(&["decrypt", "a"])), plaintext);
}
