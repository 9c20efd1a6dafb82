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

from metadata import Metadata
from parameters import HASH_FUNCTIONS, Invalid
from settings import Settings


class Provider(key_provider.Provider):
    """Derives the key of new data with a fresh salt, and the key of old data
    with the parameters that its metadata names.
    """

    def __init__(self, settings: Settings):
        self._settings = settings

    def keeps_metadata(self) -> bool:
        return True

    def provide(self, metadata: Optional[str]) -> tuple[KeyPair, Optional[str]]:
        try:
            stored = None if metadata is None else Metadata.parse(metadata)
        except Invalid as error:
            raise Err(Error_InvalidMetadata(str(error)))
        try:
            return self._provide(stored)
        except Err as error:
            if isinstance(error.value, crypto.CryptoError):
                raise _failure(getattr(error.value, "value", "authentication failed"))
            raise

    def _provide(self, stored: Optional[Metadata]) -> tuple[KeyPair, Optional[str]]:
        settings = self._settings
        fresh = Metadata(
            crypto.random_bytes(settings.salt_length),
            settings.iterations,
            settings.hash_function,
            settings.key_length,
        )
        # One call, so that the host derives both keys side by side.
        jobs = [_job(settings.encryption_password, fresh)]
        if stored:
            if not settings.decryption_password:
                raise _failure("chain supplies no decryption key")
            jobs.append(_job(settings.decryption_password, stored))
        keys = crypto.pbkdf2(jobs)
        pair = KeyPair(keys[0], keys[1] if stored else None)
        return pair, fresh.to_json()


def _job(password: Secret, parameters: Metadata) -> crypto.Pbkdf2Job:
    return crypto.Pbkdf2Job(
        password,
        parameters.salt,
        parameters.iterations,
        parameters.key_length,
        HASH_FUNCTIONS[parameters.hash_function],
    )


def _failure(text: str) -> Err:
    return Err(Error_KeyProviderFailure(text))
