//! The recipes of docs/state-files.md, run as they stand there.
