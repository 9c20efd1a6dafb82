use anyhow::Context;
use keyhost::envelope;
use keyhost::state::Sealed;

use super::batch::{self, Batch};
use super::checked;
use super::rewrite::{Rewrite, Rewritten};
use super::targets::Targets;
use crate::cli::{Global, StateEncrypt};
use crate::files::{self, Access};

/// A new file is its owner's: nobody else needs it.
const ACCESS: Access = Access::Kept(0o600);

/// Encrypts states and plans.
pub(crate) fn run(global: &Global, command: &StateEncrypt) -> anyhow::Result<()> {
    if command.check {
        return check(command);
    }
    let rewrite = Rewrite::to(
        &command.destination,
        &command.files,
        "encrypted",
        "cannot be encrypted",
        ACCESS,
    )?;
    let config = global.load_config()?;
    let providers = global.key_providers(&config)?;
    let targets = Targets::new(&config, &providers, command.files.target.as_ref());
    rewrite.run(&command.files, |contents| {
        let Ok(sealed) = targets.seal(contents)? else {
            anyhow::bail!("it is encrypted already: `keyhost state rotate` gives it a new key");
        };
        // OpenTofu lets it pass; here somebody asked for encryption.
        if matches!(sealed, Sealed::Unencrypted(_)) {
            anyhow::bail!(
                "the target's first method is unencrypted: put one before it that encrypts"
            );
        }
        Ok(Rewritten {
            changed: true,
            sealed,
            fallback: None,
        })
    })
}

fn check(command: &StateEncrypt) -> anyhow::Result<()> {
    batch::refuse_two_streams(&command.files.files)?;
    let batch = Batch::new(&command.files.files, command.files.jobs);
    let results = batch.map(|path| {
        let encrypted = envelope::is_encrypted(files::read(path)?);
        let encrypted =
            encrypted.with_context(|| format!("{} cannot be checked", files::name(path)))?;
        Ok(!encrypted)
    });
    checked::report(&batch, results, "encrypted")
}
