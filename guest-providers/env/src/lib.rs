//! The `env` credentials helper: read-only, with tokens that the operator's
//! configuration takes from variables.

mod helper;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_credentials_helper!(helper::Env);
