use anyhow::Context;

use crate::cli::{Decrypt, Global};
use crate::files::{self, Access};
use crate::stderr;

/// Decrypts a state. On any failure nothing is written.
pub(crate) fn run(global: &Global, command: &Decrypt) -> anyhow::Result<()> {
    let config = global.load_config()?;
    let bytes = files::read(&command.file)?;
    let opened = keyhost::state::decrypt(&bytes, &config, &global.key_providers(&config)?)
        .with_context(|| format!("{} cannot be decrypted", command.file.display()))?;
    if opened.by_fallback {
        stderr::note(&format!("opened by the fallback {}", opened.method));
    }
    match &command.output {
        Some(path) => files::replace(path, opened.plaintext.expose(), Access::OwnerOnly),
        None => files::print(opened.plaintext.expose()),
    }
}
