//! The `pbkdf2` key provider: a key derived from a passphrase, or from another
//! provider's key, with PBKDF2 (RFC 8018). It mirrors OpenTofu's provider of
//! that name: the same rules, defaults and metadata.

mod config;
mod descriptor;
mod metadata;
mod parameters;
mod provider;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_key_provider!(provider::Pbkdf2);
