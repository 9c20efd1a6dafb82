//! keyhost beside its peers, in one run. `make bench` writes the tables into
//! docs/benchmarks.md.

#![allow(clippy::print_stdout)]

mod derivations;
#[path = "../document/mod.rs"]
mod document;
#[path = "../guests/mod.rs"]
mod guests;
mod libcrypto;
mod machine;
mod measure;
mod one_process;
mod processes;

use std::path::PathBuf;

use clap::Parser;
use keyhost::crypto::HashFunction;

#[derive(Parser)]
struct Arguments {
    /// The document whose tables are replaced
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// How often each derivation is measured
    #[arg(long, value_name = "N", default_value_t = 9)]
    rounds: usize,
    /// How often each whole process is measured
    #[arg(long, value_name = "N", default_value_t = 41)]
    processes: usize,
    /// Cargo passes this
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let libcrypto = libcrypto::Libcrypto::load()?;
    let processes = processes::Processes::new()?;
    let mut figures = String::new();
    let mut tell = |table: String| {
        println!("{table}");
        figures.push_str(&table);
        figures.push('\n');
    };
    tell(machine::description(&libcrypto)?);
    tell(processes.static_key(arguments.processes)?);
    tell(one_process::table()?);
    for hash in [HashFunction::Sha512, HashFunction::Sha256] {
        tell(derivations::one(&libcrypto, hash, arguments.rounds)?);
        tell(derivations::two(&libcrypto, hash, arguments.rounds)?);
    }
    tell(processes.derived_key(arguments.rounds)?);
    tell(processes.derived_keys(arguments.rounds)?);
    if let Some(path) = &arguments.write {
        document::replace(path, &figures)?;
    }
    Ok(())
}
