//! The contract in `wit/`, as Rust. Generated; the adapters around it are the
//! only users.

#![allow(missing_docs, unreachable_pub, unused_qualifications)]

/// What guests import, the same for every plugin kind.
pub mod imports {
    wasmtime::component::bindgen!({
        path: "../wit",
        inline: "
            package keyhost:host;
            world imports {
                import keyhost:plugin/secrets@0.1.0;
                import keyhost:plugin/crypto@0.1.0;
                import keyhost:plugin/config@0.1.0;
                import keyhost:plugin/log@0.1.0;
                import keyhost:plugin/clock@0.1.0;
                import keyhost:plugin/credentials@0.1.0;
                import wasi:keyvalue/store@0.2.0-draft;
            }
        ",
        world: "keyhost:host/imports",
        imports: { default: trappable },
        with: {
            "keyhost:plugin/secrets.secret": crate::secret::Secret,
            "wasi:keyvalue/store.bucket": crate::storage::OpenBucket,
        },
    });
}

/// The world `key-provider-plugin`.
pub mod key_provider {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "key-provider-plugin",
        with: {
            "keyhost:plugin/secrets": crate::bindings::imports::keyhost::plugin::secrets,
            "keyhost:plugin/crypto": crate::bindings::imports::keyhost::plugin::crypto,
            "keyhost:plugin/config": crate::bindings::imports::keyhost::plugin::config,
            "keyhost:plugin/log": crate::bindings::imports::keyhost::plugin::log,
        },
    });
}

/// The world `credentials-helper-plugin`.
pub mod credentials_helper {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "credentials-helper-plugin",
        with: {
            "keyhost:plugin/secrets": crate::bindings::imports::keyhost::plugin::secrets,
            "keyhost:plugin/crypto": crate::bindings::imports::keyhost::plugin::crypto,
            "keyhost:plugin/config": crate::bindings::imports::keyhost::plugin::config,
            "keyhost:plugin/log": crate::bindings::imports::keyhost::plugin::log,
            "keyhost:plugin/credentials": crate::bindings::imports::keyhost::plugin::credentials,
            "wasi:keyvalue/store": crate::bindings::imports::wasi::keyvalue::store,
        },
    });
}

/// The world `ephemeral-resource-plugin`.
pub mod ephemeral_resource {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "ephemeral-resource-plugin",
        with: {
            "keyhost:plugin/secrets": crate::bindings::imports::keyhost::plugin::secrets,
            "keyhost:plugin/crypto": crate::bindings::imports::keyhost::plugin::crypto,
            "keyhost:plugin/config": crate::bindings::imports::keyhost::plugin::config,
            "keyhost:plugin/log": crate::bindings::imports::keyhost::plugin::log,
            "keyhost:plugin/clock": crate::bindings::imports::keyhost::plugin::clock,
            "wasi:keyvalue/store": crate::bindings::imports::wasi::keyvalue::store,
        },
    });
}
