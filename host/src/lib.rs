//! keyhost runs OpenTofu-style key providers, compiled to WebAssembly
//! components, in a sandbox.
//!
//! The way of the data: an operator's configuration ([`config`]) names pinned
//! components ([`component`]); each call of one runs in a fresh store
//! ([`sandbox`]) behind an adapter for its world ([`plugins`]); what it is
//! given and gives back are handles to secrets ([`secret`]); a chain of them
//! makes a key pair and metadata ([`key_provider`]) for whoever asked: a
//! person, OpenTofu ([`external`]), the reader of an encrypted state
//! ([`state`]), or a credentials helper ([`credentials`]) that seals tokens with
//! it in its [`storage`].

pub mod clock;
pub mod component;
pub mod componentize;
pub mod config;
pub mod contract;
pub mod credentials;
pub mod crypto;
pub mod descriptor;
pub mod digest;
pub mod engine;
pub mod envelope;
pub mod ephemeral;
pub mod external;
pub mod external_method;
pub mod grants;
pub mod guest_text;
pub mod key_provider;
pub mod limits;
pub mod log;
pub mod places;
pub mod plugins;
pub mod process;
pub mod project;
pub mod sandbox;
pub mod secret;
pub mod state;
pub mod storage;
pub mod terraform;

mod bindings;
mod host_api;
