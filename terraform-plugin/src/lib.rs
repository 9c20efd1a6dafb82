//! Serves ephemeral resources to Terraform and OpenTofu, over plugin protocol 6.10.
//!
//! A program implements [`EphemeralResources`], and calls [`serve`] when
//! [`is_plugin_start`] says so. The crate keeps the promises that the client does
//! not keep by itself: every lease is closed exactly once, whether the run succeeds,
//! fails, is interrupted or killed.

mod calls;
mod diagnostic;
#[cfg(test)]
mod fake;
mod handshake;
mod incoming;
mod leases;
mod lifetime;
mod options;
mod proto;
mod resources;
mod schema;
mod server;
mod service;
mod socket;
mod tls;
mod value;

pub use diagnostic::{Diagnostic, Severity};
pub use handshake::is_plugin_start;
pub use options::Options;
pub use resources::{Attribute, AttributeType, EphemeralResources, Lease, Opened, ResourceType};
pub use server::{ServeError, serve};
