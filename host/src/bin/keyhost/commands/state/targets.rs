//! Which target of the configuration a file belongs to.

use std::sync::{Arc, Mutex, PoisonError};

use keyhost::config::Config;
use keyhost::config::source::ConfigError;
use keyhost::config::target::TargetName;
use keyhost::envelope::{Contents, Kind};
use keyhost::key_provider::KeyProviders;
use keyhost::state::error::StateError;
use keyhost::state::{Opened, Rotated, Sealed, StateEncryption};

/// The targets that files of a command belong to.
pub(super) struct Targets<'a> {
    config: &'a Config,
    providers: &'a KeyProviders<'a>,
    /// The one that all files belong to, whatever they say.
    chosen: Option<&'a TargetName>,
    used: Mutex<Vec<(TargetName, Arc<StateEncryption<'a>>)>>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(
        config: &'a Config,
        providers: &'a KeyProviders<'a>,
        chosen: Option<&'a TargetName>,
    ) -> Self {
        Self {
            config,
            providers,
            chosen,
            used: Mutex::default(),
        }
    }

    /// The target of a file, by what it says of itself.
    pub(super) fn name(&self, contents: &Contents) -> TargetName {
        match (self.chosen, contents.kind()) {
            (Some(name), _) => name.clone(),
            (None, Kind::State) => TargetName::State,
            // Where plans are not encrypted, an envelope that says nothing of a
            // state is one all the same.
            (None, Kind::Plan)
                if matches!(contents, Contents::Encrypted(_))
                    && !self.config.has_target(&TargetName::Plan) =>
            {
                TargetName::State
            }
            (None, Kind::Plan) => TargetName::Plan,
        }
    }

    pub(super) fn open(&self, contents: Contents) -> Result<Opened, StateError> {
        let name = self.name(&contents);
        self.encryption(&name)?.open(contents, kind(&name))
    }

    pub(super) fn rotate(&self, contents: Contents) -> Result<Rotated, StateError> {
        let name = self.name(&contents);
        self.encryption(&name)?.rotate(contents, kind(&name))
    }

    /// Encrypts what is not. Where it is already, that is returned.
    pub(super) fn seal(&self, contents: Contents) -> Result<Result<Sealed, Contents>, StateError> {
        let name = self.name(&contents);
        match contents {
            Contents::Encrypted(_) => Ok(Err(contents)),
            Contents::Plain(_, plaintext) => {
                let encryption = self.encryption(&name)?;
                encryption.seal(plaintext, kind(&name)).map(Ok)
            }
        }
    }

    /// Set up once, for what is proven of it to count for all files.
    fn encryption(&self, name: &TargetName) -> Result<Arc<StateEncryption<'a>>, ConfigError> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, encryption)) = used.iter().find(|(known, _)| known == name) {
            return Ok(Arc::clone(encryption));
        }
        let target = self.config.target(name)?;
        let encryption = Arc::new(StateEncryption::new(target, self.providers));
        used.push((name.clone(), Arc::clone(&encryption)));
        Ok(encryption)
    }
}

fn kind(name: &TargetName) -> Kind {
    match name {
        TargetName::Plan => Kind::Plan,
        TargetName::State | TargetName::Remote(_) => Kind::State,
    }
}
