//! Compiles the protocol files, without protoc.

use std::error::Error;

const FILES: [&str; 2] = ["proto/plugin.proto", "proto/tfplugin6.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
    }
    let descriptors = protox::compile(FILES, ["proto"])?;
    tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        // Messages carry secrets: none of them can be printed.
        .skip_debug(["."])
        .compile_fds(descriptors)?;
    Ok(())
}
