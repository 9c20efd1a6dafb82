//! Answers with an error that would take over a terminal.

keyhost_faulty_guests::faulty!("terminal-error", |_config, _metadata| {
    Err(keyhost_guest::Error::KeyProviderFailure(format!(
        "\u{1b}[2J\u{1b}]0;owned\u{7}\r\nerror: fine\u{202e}{}",
        "x".repeat(100_000)
    )))
});
