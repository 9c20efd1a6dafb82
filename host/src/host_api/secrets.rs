//! The interface `secrets`.

use wasmtime::component::Resource;

use crate::bindings::imports::keyhost::plugin::secrets::{AccessError, Host, HostSecret};
use crate::sandbox::state::State;
use crate::secret::Secret;

impl Host for State {}

impl HostSecret for State {
    fn conceal(
        &mut self,
        bytes: Vec<u8>,
    ) -> wasmtime::Result<Result<Resource<Secret>, AccessError>> {
        self.count_call()?;
        let secret = Secret::new(bytes).influenced();
        if self.admit(&secret).is_err() {
            return Ok(Err(AccessError::TooLarge));
        }
        Ok(Ok(self.handle(secret)?))
    }

    fn length(&mut self, handle: Resource<Secret>) -> wasmtime::Result<u32> {
        self.count_call()?;
        Ok(u32::try_from(self.secret_to_come(&handle)?.len())?)
    }

    fn reveal(
        &mut self,
        handle: Resource<Secret>,
    ) -> wasmtime::Result<Result<Vec<u8>, AccessError>> {
        self.count_call()?;
        let secret = self.secret(&handle)?;
        if !self.grants.reveal {
            return Ok(Err(AccessError::NotGranted));
        }
        Ok(Ok(secret.expose().to_vec()))
    }

    fn drop(&mut self, handle: Resource<Secret>) -> wasmtime::Result<()> {
        self.table.delete(handle)?;
        Ok(())
    }
}
