//! The real terraform runs the fake provider of `examples/`. Skipped, and loudly so,
//! where there is no terraform. A plain `cargo test` builds the fake, `--test` alone
//! takes the last one built.
//!
//! However a run ends: each lease was closed once, no process is left, no socket.

mod calls;
mod client;
mod run;

mod failure;
mod interruption;
mod renewal;
mod success;
