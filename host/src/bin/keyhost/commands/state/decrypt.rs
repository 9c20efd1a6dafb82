use keyhost::envelope::Contents;
use keyhost::state::Sealed;

use super::rewrite::{Rewrite, Rewritten};
use super::targets::Targets;
use crate::cli::{Global, StateDecrypt};
use crate::files::Access;

/// Decrypts states and plans.
pub(crate) fn run(global: &Global, command: &StateDecrypt) -> anyhow::Result<()> {
    let rewrite = Rewrite::to(
        &command.destination,
        &command.files,
        "decrypted",
        "cannot be decrypted",
        Access::OwnerOnly,
    )?;
    let config = global.load_config()?;
    let providers = global.key_providers(&config)?;
    let targets = Targets::new(&config, &providers, command.files.target.as_ref());
    rewrite.run(&command.files, |contents| {
        let changed = matches!(contents, Contents::Encrypted(_));
        let opened = targets.open(contents)?;
        Ok(Rewritten {
            sealed: Sealed::Unencrypted(opened.plaintext),
            changed,
            fallback: opened.by_fallback.then_some(opened.method),
        })
    })
}
