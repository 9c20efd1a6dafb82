//! The contract in `wit/`, as Rust. Generated; the adapters around it are the
//! only users.

#![allow(missing_docs, unreachable_pub, unused_qualifications)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "key-provider-plugin",
    imports: { default: trappable },
    with: {
        "keyhost:plugin/secrets.secret": crate::secret::Secret,
    },
});
