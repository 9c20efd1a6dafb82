use keyhost_guest::Config;
use keyhost_guest::ephemeral_resource::store::Bucket;
use keyhost_guest::ephemeral_resource::{
    Description, EphemeralResource, Error, Lease, Opened, now, open_bucket,
};
use serde::Serialize;

use crate::lease::{Living, end};
use crate::settings::Settings;
use crate::token;

#[derive(Serialize)]
struct Values<'a> {
    id: &'a str,
    expires_at: u64,
}

/// A session, ready to be opened.
pub(crate) struct Session {
    settings: Settings,
    bucket: Bucket,
}

impl EphemeralResource for Session {
    fn describe() -> Description {
        crate::descriptor::description()
    }

    fn build(config: Config) -> Result<Self, Error> {
        Ok(Self {
            settings: Settings::of(config)?,
            bucket: open_bucket()?,
        })
    }

    fn open(&self) -> Result<Opened, Error> {
        let living = Living::begin(&self.settings, &self.bucket)?;
        let token = token::sign(&self.settings, &living.id, now(), living.ends_at)?;
        let values = Values {
            id: &living.id,
            expires_at: living.ends_at,
        };
        Opened::new(&values, [("token", token)], living.lease())
    }

    fn renew(&self, private: Vec<u8>) -> Result<Lease, Error> {
        let mut living = Living::find(&self.settings, &self.bucket, &private)?;
        living.extend()?;
        Ok(living.lease())
    }

    fn close(&self, private: Vec<u8>) -> Result<(), Error> {
        end(&self.bucket, &private)
    }
}
