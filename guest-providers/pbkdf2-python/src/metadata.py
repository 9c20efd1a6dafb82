"""The parameters of one derivation, as OpenTofu stores them. Stored metadata
rules decryption alone; the host bounds the work that it asks for.
"""

import base64
import json
from dataclasses import dataclass

from parameters import Invalid, Parameters


@dataclass
class Metadata:
    salt: bytes
    iterations: int
    hash_function: str
    key_length: int

    @classmethod
    def parse(cls, text: str) -> "Metadata":
        """Accepts unknown fields, and of a doubled field the last value, as
        OpenTofu does.
        """
        stored = Parameters(text)
        return cls(
            _salt(stored.text("salt")),
            stored.positive("iterations"),
            stored.hash_function(),
            stored.positive("key_length"),
        )

    def to_json(self) -> str:
        """The JSON, with OpenTofu's names and order."""
        return json.dumps(
            {
                "salt": base64.b64encode(self.salt).decode(),
                "iterations": self.iterations,
                "hash_function": self.hash_function,
                "key_length": self.key_length,
            },
            separators=(",", ":"),
        )


def _salt(text: str) -> bytes:
    try:
        salt = base64.b64decode(text, validate=True)
    except ValueError:
        salt = b""
    # The decoder is lax about bits that no byte takes: there is one spelling.
    if base64.b64encode(salt).decode() != text:
        raise Invalid("salt is not standard base64")
    return salt
