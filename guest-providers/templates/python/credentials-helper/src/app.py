"""The `{{name}}` credentials helper: read-only, with the tokens that stand in
keyhost's configuration.
"""

import re

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.credentials_helper import Error_InvalidConfiguration
from wit_world.imports.config import Attribute, AttributeType, Config, Descriptor

from credentials_helper import Helper

# keyhost asks for hosts in lower case, such as example.com or example.com:8443.
HOST = re.compile("[a-z0-9.:-]+")


class CredentialsHelper(exports.CredentialsHelper):
    """The contract's interface `credentials-helper`."""

    def describe(self) -> Descriptor:
        tokens = Attribute(
            name="tokens",
            kind=AttributeType.MAP_OF_STRING,
            required=True,
            sensitive=True,
            default=None,
            description='The token of each host, such as { "example.com" = var.token }.',
        )
        return Descriptor(id="{{name}}", version="0.1.0", attributes=[tokens])

    def build(self, config: Config) -> Helper:
        # The values of a sensitive map are named `ATTRIBUTE.KEY`.
        tokens = {name.removeprefix("tokens."): token for name, token in config.secrets}
        if not all(HOST.fullmatch(host) for host in tokens):
            raise Err(
                Error_InvalidConfiguration(
                    "tokens has a name that is no host in lower case, such as example.com"
                )
            )
        return Helper(tokens)
