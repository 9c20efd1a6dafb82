//! What an operator lets a component do beyond computing. Nothing by default.

/// The grants of one component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// See secret bytes.
    pub reveal: bool,
    /// Keep bytes in a bucket of its own.
    pub storage: bool,
}

impl Grants {
    /// The name of every grant, as in a `grants` block.
    pub const NAMES: [&'static str; 2] = ["reveal", "storage"];

    /// The names of what is granted.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .into_iter()
            .zip([self.reveal, self.storage])
            .filter_map(|(name, granted)| granted.then_some(name))
    }
}
