//! The machine and the versions that figures are worth something with.

use std::fs;
use std::process::Command;
use std::thread;

use crate::libcrypto::Libcrypto;

/// The processor's features that matter here.
const FEATURES: [&str; 6] = ["sha_ni", "bmi2", "avx2", "avx512f", "avx512vl", "sha512"];

pub(crate) fn description(libcrypto: &Libcrypto) -> anyhow::Result<String> {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = processor.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(": "))
            .map_or("unknown", |(_, value)| value)
    };
    let flags: Vec<_> = field("flags").split(' ').collect();
    let features: Vec<_> = FEATURES
        .into_iter()
        .filter(|feature| flags.contains(feature))
        .collect();
    Ok(format!(
        "- Processor: {} ({}), {} processors\n- System: {}\n- {}\n- {}\n- keyhost {}, {}\n",
        field("model name"),
        features.join(", "),
        thread::available_parallelism()?,
        first_line("uname", &["-sr"]),
        libcrypto.version()?,
        first_line("python3", &["--version"]),
        env!("CARGO_PKG_VERSION"),
        first_line("rustc", &["--version"]),
    ))
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    match text.as_deref().unwrap_or_default().lines().next() {
        Some(line) => line.to_owned(),
        None => format!("{program}: not installed"),
    }
}
