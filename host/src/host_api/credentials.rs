//! The interface `credentials`.

use wasmtime::component::Resource;

use crate::bindings::imports::keyhost::plugin::credentials::{CredentialsError, Host};
use crate::credentials::object::CredentialsObject;
use crate::sandbox::state::State;
use crate::secret::Secret;

impl Host for State {
    fn from_token(
        &mut self,
        token: Resource<Secret>,
    ) -> wasmtime::Result<Result<Resource<Secret>, CredentialsError>> {
        self.count_call()?;
        let token = self.secret(&token)?;
        // Whether a changed token is one tells its characters one by one.
        if token.is_influenced() {
            let text = "the component had a hand in the token: it takes one of the configuration";
            return Ok(Err(CredentialsError::InvalidToken(text.to_owned())));
        }
        let object = match CredentialsObject::from_token(&token) {
            Ok(object) => object.into_secret().influenced(),
            Err(error) => return Ok(Err(CredentialsError::InvalidToken(error.to_string()))),
        };
        if let Err(exceeded) = self.admit(&object) {
            return Ok(Err(CredentialsError::LimitExceeded(exceeded.to_string())));
        }
        self.remember(&object);
        Ok(Ok(self.handle(object)?))
    }
}
