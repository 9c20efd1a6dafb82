use std::io;

use keyhost::external::{self, HEADER};

use crate::cli::{External, Global};
use crate::files;

/// Speaks OpenTofu's protocol. The header comes first whatever follows: only
/// then does OpenTofu show why a provider failed.
pub(crate) fn run(global: &Global, command: &External) -> anyhow::Result<()> {
    files::print(HEADER.as_bytes())?;
    let purpose = external::read_request(io::stdin().lock())?;
    let config = global.load_config()?;
    let output = global
        .key_providers(&config)?
        .provide(&command.address, &purpose)?;
    files::print(&external::answer(output)?)
}
