"""The `{{name}}` ephemeral resource: a random password, made when it is needed
and kept nowhere.
"""

import json

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.ephemeral_resource import (
    Description,
    Error_InvalidConfiguration,
    Output,
)
from wit_world.imports.config import Attribute, AttributeType, Config, Descriptor

from ephemeral_resource import Ephemeral

# In bytes.
MINIMUM_LENGTH = 16
MAXIMUM_LENGTH = 1024


class EphemeralResource(exports.EphemeralResource):
    """The contract's interface `ephemeral-resource`."""

    def describe(self) -> Description:
        length = Attribute(
            name="length",
            kind=AttributeType.NUMBER,
            required=False,
            sensitive=False,
            default="24",
            description="How many random bytes the password spells.",
        )
        password = Output(
            name="password",
            kind=AttributeType.STRING,
            sensitive=True,
            description="The password: random bytes in URL-safe base64.",
        )
        descriptor = Descriptor(id="{{name}}", version="0.1.0", attributes=[length])
        return Description(descriptor, [password])

    def build(self, config: Config) -> Ephemeral:
        length = json.loads(config.attributes)["length"]
        # 16.5 is a float.
        if type(length) is not int or not MINIMUM_LENGTH <= length <= MAXIMUM_LENGTH:
            raise Err(
                Error_InvalidConfiguration(
                    f"length is not a whole number from {MINIMUM_LENGTH} to {MAXIMUM_LENGTH}"
                )
            )
        return Ephemeral(length)
