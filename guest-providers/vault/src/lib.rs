//! The `vault` credentials helper: seals each host's credentials object with
//! AES-256-GCM under a key that it never sees, and keeps the sealed bytes in its
//! own storage.

mod descriptor;
mod helper;
mod keys;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_credentials_helper!(helper::Vault);
