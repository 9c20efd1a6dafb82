//! What bounds a component, per call. Every limit has a default and can be set
//! in the component's `limits` block.

use std::time::Duration;

/// A limit, as named in a `limits` block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limit {
    /// All memories and tables of an instance together, in bytes.
    Memory,
    /// Instructions, as wasmtime counts them.
    Fuel,
    /// Time in the guest and in its storage, in milliseconds; key derivation does
    /// not count.
    Deadline,
    /// PBKDF2 iterations times output blocks, all jobs together.
    KeyDerivation,
    /// A key that a provider returns, in bytes.
    KeyLength,
    /// Metadata, in or out, in bytes.
    Metadata,
    /// Levels of nesting in metadata.
    MetadataDepth,
    /// All secrets of a call together, in bytes.
    SecretBytes,
    /// All log messages of a call together, in bytes.
    Log,
    /// The component's file, in bytes.
    ComponentSize,
    /// Calls from the guest to the host.
    HostCalls,
    /// What a call reads from its storage and writes to it, in bytes.
    Storage,
}

/// How values of a limit are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `"64MiB"`, or a number of bytes.
    Bytes,
    /// `"10s"` or `"500ms"`, or a number of milliseconds.
    Milliseconds,
    /// A number.
    Count,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 12] = [
        Self::Memory,
        Self::Fuel,
        Self::Deadline,
        Self::KeyDerivation,
        Self::KeyLength,
        Self::Metadata,
        Self::MetadataDepth,
        Self::SecretBytes,
        Self::Log,
        Self::ComponentSize,
        Self::HostCalls,
        Self::Storage,
    ];

    /// The name in a `limits` block.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Fuel => "fuel",
            Self::Deadline => "deadline",
            Self::KeyDerivation => "key_derivation",
            Self::KeyLength => "key_length",
            Self::Metadata => "metadata",
            Self::MetadataDepth => "metadata_depth",
            Self::SecretBytes => "secret_bytes",
            Self::Log => "log",
            Self::ComponentSize => "component_size",
            Self::HostCalls => "host_calls",
            Self::Storage => "storage",
        }
    }

    /// How its values are written.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Memory
            | Self::KeyLength
            | Self::Metadata
            | Self::SecretBytes
            | Self::Log
            | Self::ComponentSize
            | Self::Storage => Unit::Bytes,
            Self::Deadline => Unit::Milliseconds,
            Self::Fuel | Self::KeyDerivation | Self::MetadataDepth | Self::HostCalls => Unit::Count,
        }
    }

    const fn default_value(self) -> u64 {
        match self {
            Self::Memory => 64 << 20,
            Self::Fuel => 1_000_000_000,
            Self::Deadline => 10_000,
            Self::KeyDerivation => 10_000_000,
            Self::KeyLength => 1_024,
            Self::Metadata => 64 << 10,
            Self::MetadataDepth => 32,
            Self::SecretBytes => 1 << 20,
            Self::Log => 64 << 10,
            Self::ComponentSize => 64 << 20,
            Self::HostCalls => 100_000,
            Self::Storage => 4 << 20,
        }
    }

    fn describe(self, value: u64) -> String {
        match self.unit() {
            Unit::Bytes => format!("{value} bytes"),
            Unit::Milliseconds => format!("{value} ms"),
            Unit::Count => value.to_string(),
        }
    }
}

/// The limits of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits([u64; Limit::ALL.len()]);

impl Default for Limits {
    fn default() -> Self {
        Self(Limit::ALL.map(Limit::default_value))
    }
}

impl Limits {
    /// The value of a limit, in its unit.
    pub fn get(&self, limit: Limit) -> u64 {
        self.0[limit as usize]
    }

    /// Replaces the value of a limit.
    pub fn set(&mut self, limit: Limit, value: u64) {
        self.0[limit as usize] = value;
    }

    /// The deadline.
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.get(Limit::Deadline))
    }

    /// Refuses a value above a limit.
    ///
    /// # Errors
    /// [`LimitExceeded`].
    pub fn check(&self, limit: Limit, value: u64) -> Result<(), LimitExceeded> {
        let maximum = self.get(limit);
        if value > maximum {
            return Err(LimitExceeded {
                limit,
                maximum,
                wanted: Some(value),
            });
        }
        Ok(())
    }
}

/// A component wanted more than it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The limit.
    pub limit: Limit,
    /// Its value.
    pub maximum: u64,
    /// What was wanted, where it is known.
    pub wanted: Option<u64>,
}

impl std::error::Error for LimitExceeded {}

impl std::fmt::Display for LimitExceeded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, limit) = (self.limit.name(), self.limit);
        write!(
            formatter,
            "the limit {name} of {} is exceeded",
            limit.describe(self.maximum)
        )?;
        if let Some(wanted) = self.wanted {
            write!(formatter, " ({} wanted)", limit.describe(wanted))?;
        }
        write!(
            formatter,
            "; raise it with `limits {{ {name} = … }}` only if the component deserves it"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Limit, Limits};

    #[test]
    fn an_error_names_limit_values_and_setting() {
        let error = Limits::default()
            .check(Limit::KeyDerivation, 4_000_000_000)
            .expect_err("above")
            .to_string();
        for part in ["key_derivation", "10000000", "4000000000", "limits {"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn each_limit_has_its_own_place() {
        let mut limits = Limits::default();
        for (value, limit) in Limit::ALL.into_iter().enumerate() {
            limits.set(limit, value as u64);
        }
        for (value, limit) in Limit::ALL.into_iter().enumerate() {
            assert_eq!(limits.get(limit), value as u64);
        }
    }
}
