//! The `static` key provider: a key written in the configuration, for tests
//! and as the start of a chain. It mirrors OpenTofu's provider of that name.

mod config;
mod descriptor;
mod metadata;
mod provider;

keyhost_guest::export_key_provider!(provider::Static);
