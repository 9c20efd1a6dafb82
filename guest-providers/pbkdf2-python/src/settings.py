"""A checked configuration: what keys are derived from, and the parameters of
new keys.
"""

from dataclasses import dataclass
from typing import Optional

from wit_world.imports.config import Config, KeyPair
from wit_world.imports.secrets import Secret

from parameters import Invalid, Parameters

# OpenTofu refuses fewer when encrypting.
MINIMUM_ITERATIONS = 200_000

# OpenTofu's minimum for a passphrase and for chained keys, in bytes.
MINIMUM_PASSPHRASE_LENGTH = 16


@dataclass
class Settings:
    # One passphrase for both directions, or another provider's keys.
    encryption_password: Secret
    decryption_password: Optional[Secret]
    iterations: int
    key_length: int
    salt_length: int
    hash_function: str

    @classmethod
    def of(cls, config: Config) -> "Settings":
        encryption_password, decryption_password = _source(config)
        attributes = Parameters(config.attributes)
        iterations = attributes.positive("iterations")
        if iterations < MINIMUM_ITERATIONS:
            raise Invalid(
                f"iterations is {iterations}, dangerously low: at least {MINIMUM_ITERATIONS} are needed"
            )
        return cls(
            encryption_password,
            decryption_password,
            iterations,
            attributes.positive("key_length"),
            attributes.positive("salt_length"),
            attributes.hash_function(),
        )


def _source(config: Config) -> tuple[Secret, Optional[Secret]]:
    passphrase: Optional[Secret] = dict(config.secrets).get("passphrase")
    chain: Optional[KeyPair] = dict(config.keys).get("chain")
    if passphrase and chain:
        raise Invalid("passphrase and chain exclude each other")
    if passphrase:
        _long_enough("passphrase", passphrase)
        return passphrase, passphrase
    if not chain:
        raise Invalid("either passphrase or chain is needed")
    _long_enough("the encryption key of chain", chain.encryption_key)
    if chain.decryption_key:
        _long_enough("the decryption key of chain", chain.decryption_key)
    return chain.encryption_key, chain.decryption_key


def _long_enough(what: str, secret: Secret) -> None:
    if secret.length() < MINIMUM_PASSPHRASE_LENGTH:
        raise Invalid(
            f"{what} is too short: at least {MINIMUM_PASSPHRASE_LENGTH} bytes are needed"
        )
