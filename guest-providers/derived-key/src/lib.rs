//! The `derived-key` ephemeral resource: a subkey of a key provider's key, by
//! HKDF (RFC 5869) under a context. The same context gives the same subkey;
//! there is no lease.

mod resource;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();

keyhost_guest::export_ephemeral_resource!(resource::DerivedKey);
