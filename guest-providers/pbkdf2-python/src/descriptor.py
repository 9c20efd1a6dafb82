from wit_world.imports.config import Attribute, AttributeType, Descriptor

VERSION = "0.1.0"


def _attribute(name, kind, description, *, sensitive=False, default=None) -> Attribute:
    return Attribute(name, kind, False, sensitive, default, description)


def descriptor() -> Descriptor:
    return Descriptor(
        "pbkdf2",
        VERSION,
        [
            _attribute(
                "passphrase",
                AttributeType.STRING,
                "The passphrase, at least 16 bytes; either this or chain.",
                sensitive=True,
            ),
            _attribute(
                "chain",
                AttributeType.KEY,
                "A key provider whose key takes the passphrase's place.",
            ),
            _attribute(
                "iterations",
                AttributeType.NUMBER,
                "How often the hash function is applied, at least 200000.",
                default="600000",
            ),
            _attribute(
                "key_length",
                AttributeType.NUMBER,
                "The length of the key in bytes.",
                default="32",
            ),
            _attribute(
                "salt_length",
                AttributeType.NUMBER,
                "The length of the random salt in bytes.",
                default="32",
            ),
            _attribute(
                "hash_function",
                AttributeType.STRING,
                "sha256 or sha512.",
                default='"sha512"',
            ),
        ],
    )
