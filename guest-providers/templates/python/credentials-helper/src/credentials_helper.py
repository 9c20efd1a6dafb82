from typing import Optional

from componentize_py_types import Err
from wit_world.exports import credentials_helper
from wit_world.exports.credentials_helper import Error_Failure, Error_Unsupported
from wit_world.imports.credentials import Credentials, from_token
from wit_world.imports.secrets import Secret


class Helper(credentials_helper.Helper):
    """A configured helper. It lives for one call."""

    def __init__(self, tokens: dict[str, Secret]):
        # A variable that is not set leaves an empty text.
        self._tokens = {host: token for host, token in tokens.items() if token.length() > 0}

    def get(self, host: str) -> Optional[Secret]:
        token = self._tokens.get(host)
        if token is None:
            return None
        try:
            return from_token(token)
        except Err as refused:
            raise Err(Error_Failure(refused.value.value))

    def store(self, host: str, credentials: Credentials) -> None:
        raise _read_only()

    def forget(self, host: str) -> None:
        raise _read_only()

    def hosts(self) -> list[str]:
        return list(self._tokens)


def _read_only() -> Err:
    return Err(
        Error_Unsupported(
            "the tokens of this helper stand in keyhost's configuration: change them there"
        )
    )
