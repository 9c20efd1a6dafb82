//! The `session` ephemeral resource: a signed token (JWT, HS256) under a key that
//! the component never sees, with a lease that its storage knows while it lives.

mod descriptor;
mod lease;
mod resource;
mod settings;
mod token;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_ephemeral_resource!(resource::Session);
