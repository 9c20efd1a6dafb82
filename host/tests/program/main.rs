//! Tests of the whole: vectors made by real OpenTofu, the sandbox's denials,
//! the external protocol, and transcripts of the program.

#![allow(missing_docs)]

mod compliance;
mod credentials;
mod exec;
mod external;
mod external_method;
mod faulty;
#[path = "../guests/mod.rs"]
mod guests;
mod module;
mod state;
mod support;
mod transcripts;
mod vectors;
mod without_compiler;
