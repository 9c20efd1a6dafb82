"""The `pbkdf2` key provider: a key derived from a passphrase, or from another
provider's key, with PBKDF2 (RFC 8018). It mirrors OpenTofu's provider of that
name: the same rules, defaults and metadata.
"""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.key_provider import Error_InvalidConfiguration
from wit_world.imports.config import Config, Descriptor

import descriptor
from key_provider import Provider
from parameters import Invalid
from settings import Settings


class KeyProvider(exports.KeyProvider):
    """The contract's interface `key-provider`."""

    def describe(self) -> Descriptor:
        return descriptor.descriptor()

    def build(self, config: Config) -> Provider:
        try:
            return Provider(Settings.of(config))
        except Invalid as error:
            raise Err(Error_InvalidConfiguration(str(error)))
