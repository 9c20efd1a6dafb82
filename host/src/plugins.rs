//! An adapter for each world: the generated bindings on one side, the host's
//! own types on the other.

pub mod key_provider;
