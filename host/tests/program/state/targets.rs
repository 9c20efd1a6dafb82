//! `--target`: other blocks than the one that a file says.

use super::reader::Read;
use super::{NEW, OLD, ROTATION, Scene, done, failed, opentofu_state};

#[test]
fn remote_states_go_by_their_own_blocks() {
    let encryption = format!(
        "{ROTATION}
  remote_state_data_sources {{
    default {{
      method = method.aes_gcm.new
    }}
    remote_state_data_source \"network\" {{
      method = method.aes_gcm.old
    }}
  }}"
    );
    let scene = Scene::new(&encryption);
    let (envelope, plaintext) = opentofu_state();
    scene.write("a", envelope);
    let network = &["decrypt", "a", "--target", "remote:network"];
    assert_eq!(done(scene.run(network)), plaintext);
    failed(scene.run(&["decrypt", "a", "--target", "remote:other"]), 1);
    done(scene.run(&["rotate", "a", "--target", "remote:network"]));
    let read = Read::of(&scene.read("a"));
    let key = read.derive("key_provider.pbkdf2.old", OLD.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plaintext.clone().into_bytes()));
    done(scene.run(&["rotate", "a"]));
    let read = Read::of(&scene.read("a"));
    let key = read.derive("key_provider.pbkdf2.new", NEW.as_bytes());
    assert_eq!(read.open(&key, b""), Some(plaintext.into_bytes()));
    done(scene.run(&["decrypt", "a", "--target", "remote:other"]));
    let said = failed(scene.run(&["decrypt", "a", "--target", "stat"]), 2);
    assert!(said.contains("it is state, plan or remote:NAME"), "{said}");
}
