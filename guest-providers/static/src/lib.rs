//! The `static` key provider: a key written in the configuration, for tests
//! and as the start of a chain. It mirrors OpenTofu's provider of that name.

mod config;
mod descriptor;
mod metadata;
mod provider;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_key_provider!(provider::Static);
