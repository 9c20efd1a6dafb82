"""The `{{name}}` key provider: a key derived from a secret with HKDF-SHA-256 and
a random salt, which the metadata keeps.
"""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.key_provider import Error_InvalidConfiguration
from wit_world.imports.config import Attribute, AttributeType, Config, Descriptor

from key_provider import Provider

# In bytes.
MINIMUM_SECRET_LENGTH = 16


class KeyProvider(exports.KeyProvider):
    """The contract's interface `key-provider`."""

    def describe(self) -> Descriptor:
        secret = Attribute(
            name="secret",
            kind=AttributeType.STRING,
            required=True,
            sensitive=True,
            default=None,
            description="The secret, at least 16 bytes.",
        )
        return Descriptor(id="{{name}}", version="0.1.0", attributes=[secret])

    def build(self, config: Config) -> Provider:
        secret = dict(config.secrets)["secret"]
        if secret.length() < MINIMUM_SECRET_LENGTH:
            raise Err(
                Error_InvalidConfiguration(
                    f"secret is too short: at least {MINIMUM_SECRET_LENGTH} bytes are needed"
                )
            )
        return Provider(secret)
