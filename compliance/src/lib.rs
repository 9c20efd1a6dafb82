//! Judges a finished key provider component from outside: OpenTofu's
//! compliance suite, and what only a sandbox can see.
//!
//! The suite knows no runtime. It speaks to a component through [`Subject`],
//! which a host implements, and reads what a provider promises from a case
//! file ([`case`]). [`runner::judge`] runs every [`check`]; [`report`] tells.

pub mod case;
pub mod check;
pub mod report;
pub mod runner;
pub mod subject;

mod leak;
mod mutate;
mod suites;

pub use subject::Subject;
