//! The services that the client calls.

mod controller;
mod provider;
mod router;

pub(crate) use controller::Controller;
pub(crate) use provider::Provider;
pub(crate) use router::Router;
