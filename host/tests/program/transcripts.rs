//! Whole-program transcripts, as data: `tests/transcripts/*.trycmd`.

use keyhost::digest::Digest;

use crate::support::guest;

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    cases
        .default_bin_name("keyhost")
        .env(
            "KEYHOST_CACHE_DIR",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
        )
        .env("TF_VAR_passphrase", "correct horse battery staple");
    // Builds differ between machines: the configurations take paths and pins
    // from variables.
    for name in ["static", "pbkdf2", "xor"] {
        let digest = Digest::of(&std::fs::read(guest(name)).expect("guest")).to_string();
        cases
            .env(
                format!("KEYHOST_VAR_{name}_path"),
                guest(name).display().to_string(),
            )
            .env(format!("KEYHOST_VAR_{name}_sha256"), digest);
    }
    cases.case("tests/transcripts/*.trycmd");
    cases.run();
}
