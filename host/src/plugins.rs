//! An adapter for each world: the generated bindings on one side, the host's
//! own types on the other.

mod component;

pub mod credentials_helper;
pub mod ephemeral_resource;
pub mod error;
pub mod key_provider;
pub mod settings;
