use keyhost::envelope::Contents;
use keyhost::state::Sealed;

use super::batch::{self, Batch};
use super::checked;
use super::rewrite::{Rewrite, Rewritten};
use super::targets::Targets;
use crate::cli::{Global, StateRotate};
use crate::files::Access;

/// Encrypts states and plans anew, in their places.
pub(crate) fn run(global: &Global, command: &StateRotate) -> anyhow::Result<()> {
    batch::refuse_two_streams(&command.files.files)?;
    let config = global.load_config()?;
    let providers = global.key_providers(&config)?;
    let targets = Targets::new(&config, &providers, command.files.target.as_ref());
    if command.check {
        return check(command, &targets);
    }
    let rewrite = Rewrite {
        done: "rotated",
        failure: "cannot be rotated",
        output: None,
        in_place: true,
        access: Access::Kept(0o600),
    };
    rewrite.run(&command.files, |contents| {
        let was_plain = matches!(contents, Contents::Plain(..));
        let rotated = targets.rotate(contents)?;
        Ok(Rewritten {
            changed: !(was_plain && matches!(rotated.sealed, Sealed::Unencrypted(_))),
            sealed: rotated.sealed,
            fallback: rotated.by_fallback.then_some(rotated.opened_by),
        })
    })
}

fn check(command: &StateRotate, targets: &Targets<'_>) -> anyhow::Result<()> {
    let batch = Batch::new(&command.files.files, command.files.jobs);
    let results = batch.map(|path| {
        batch::with_contents(path, "cannot be checked", |contents| {
            Ok(targets.open(contents)?.by_fallback)
        })
    });
    checked::report(&batch, results, "opened by the first method")
}
