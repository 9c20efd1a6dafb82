//! Compiles keyhost again when a file is added to what it embeds: the macro that
//! embeds folders sees changed files alone.

fn main() {
    for folder in ["wit", "guest-providers/sdk", "guest-providers/templates"] {
        println!("cargo::rerun-if-changed=../{folder}");
    }
}
