//! The `xor` key provider: two keys of equal length combined into one, so that
//! neither alone decrypts. It mirrors OpenTofu's provider of that name.

mod config;
mod descriptor;
mod provider;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_key_provider!(provider::Xor);
