//! Components of every language: one provider written four times, and the
//! projects that `keyhost new` begins.

#![allow(missing_docs)]

mod bindings;
#[path = "../guests/mod.rs"]
mod guests;
mod limits;
mod pbkdf2;
mod projects;
mod support;
