//! Looks for directories through WASI, and for files in them.

use keyhost_guest::Error;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{DescriptorFlags, OpenFlags, PathFlags};

keyhost_faulty_guests::faulty!("wasi-files", |_config, _metadata| {
    let directories = get_directories();
    let open = |path: &str| {
        directories.iter().any(|(directory, _)| {
            let flags = (PathFlags::empty(), OpenFlags::empty());
            directory
                .open_at(flags.0, path, flags.1, DescriptorFlags::READ)
                .is_ok()
        })
    };
    let opened = ["etc/passwd", "../etc/passwd", "keyhost.hcl"]
        .iter()
        .filter(|path| open(path))
        .count();
    Err(Error::failure(format!(
        "found {} directories, opened {opened} files",
        directories.len()
    )))
});
