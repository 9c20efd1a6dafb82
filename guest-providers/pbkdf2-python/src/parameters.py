"""Reading typed parameters from a JSON object, with errors that name the
field.
"""

import json

from wit_world.imports.crypto import HashFunction

MAXIMUM = 2**32 - 1

HASH_FUNCTIONS = {"sha256": HashFunction.SHA256, "sha512": HashFunction.SHA512}


class Invalid(Exception):
    """What is wrong, for people."""


def _refuse_constant(name: str):
    raise ValueError(name)


class Parameters:
    """The parameters of a JSON object, of the configuration or of metadata."""

    def __init__(self, text: str):
        try:
            # NaN and the infinities are Python's own, not JSON.
            fields = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise Invalid("not a JSON object")
        self._fields = fields

    def positive(self, name: str) -> int:
        """A whole number from 1 to 2^32 - 1."""
        number = self._value(name)
        # Not isinstance: Python's booleans are integers.
        if type(number) is not int or not 1 <= number <= MAXIMUM:
            raise Invalid(f"{name} is not a whole number from 1 to {MAXIMUM}")
        return number

    def text(self, name: str) -> str:
        """A text that is not empty."""
        text = self._value(name)
        if not isinstance(text, str) or not text:
            raise Invalid(f"{name} is not a text, or empty")
        return text

    def hash_function(self) -> str:
        """The hash function, spelled exactly as OpenTofu spells it."""
        name = self.text("hash_function")
        if name not in HASH_FUNCTIONS:
            raise Invalid("hash_function is neither sha256 nor sha512")
        return name

    def _value(self, name: str):
        value = self._fields.get(name)
        if value is None:
            raise Invalid(f"{name} is missing")
        return value
