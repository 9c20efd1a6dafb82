//! Terraform's values, as the wire carries them.

mod config;
mod convert;
mod result;

pub(crate) use config::{Config, DecodeError};
pub(crate) use result::{ResultError, opened, undecided};
