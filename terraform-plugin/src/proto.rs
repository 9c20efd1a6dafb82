//! The messages and services of the two protocols, as compiled by `build.rs`.

/// Terraform's plugin protocol 6.
pub(crate) mod tfplugin6 {
    #![allow(
        clippy::all,
        dead_code,
        unreachable_pub,
        missing_docs,
        unused_qualifications
    )]
    tonic::include_proto!("tfplugin6");
}

/// go-plugin's own service.
pub(crate) mod plugin {
    #![allow(
        clippy::all,
        dead_code,
        unreachable_pub,
        missing_docs,
        unused_qualifications
    )]
    tonic::include_proto!("plugin");
}
