import json
import re
from typing import Optional

from componentize_py_types import Err
from wit_world.exports import key_provider
from wit_world.exports.key_provider import (
    Error_InvalidMetadata,
    Error_KeyProviderFailure,
)
from wit_world.imports import crypto
from wit_world.imports.config import KeyPair
from wit_world.imports.secrets import Secret

# In bytes.
SALT_LENGTH = 32
KEY_LENGTH = 32

# What the key is for: another use of the same secret has another key.
INFO = b"keyhost"


class Provider(key_provider.Provider):
    """A configured key provider. It lives for one call of `provide`."""

    def __init__(self, secret: Secret):
        self._secret = secret

    def keeps_metadata(self) -> bool:
        return True

    def provide(self, metadata: Optional[str]) -> tuple[KeyPair, Optional[str]]:
        stored = None if metadata is None else _read(metadata)
        try:
            fresh = crypto.random_bytes(SALT_LENGTH)
            keys = KeyPair(self._key(fresh), None if stored is None else self._key(stored))
        except Err as refused:
            raise Err(
                Error_KeyProviderFailure(getattr(refused.value, "value", "authentication failed"))
            )
        return keys, json.dumps({"salt": fresh.hex()}, separators=(",", ":"))

    def _key(self, salt: bytes) -> Secret:
        return crypto.hkdf(self._secret, salt, INFO, KEY_LENGTH, crypto.HashFunction.SHA256)


def _read(metadata: str) -> bytes:
    """The salt. Metadata lies in the clear: anybody may have written it."""
    try:
        stored = json.loads(metadata)
    except (ValueError, RecursionError):
        stored = None
    salt = stored.get("salt") if isinstance(stored, dict) else None
    # fromhex takes spaces and capitals, too: there is one spelling.
    if not isinstance(salt, str) or not re.fullmatch("[0-9a-f]{%d}" % (2 * SALT_LENGTH), salt):
        raise Err(Error_InvalidMetadata("salt is not 64 hexadecimal digits"))
    return bytes.fromhex(salt)
