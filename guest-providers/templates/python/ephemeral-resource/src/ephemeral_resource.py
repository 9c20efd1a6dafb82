from componentize_py_types import Err
from wit_world.exports import ephemeral_resource
from wit_world.exports.ephemeral_resource import Error_Failure, Lease, Opened
from wit_world.imports import crypto


class Ephemeral(ephemeral_resource.Ephemeral):
    """A configured resource. It lives for one call."""

    def __init__(self, length: int):
        self._length = length

    def open(self) -> Opened:
        try:
            password = crypto.encode(
                crypto.random_secret(self._length), crypto.Encoding.BASE64_URL
            )
        except Err as refused:
            raise Err(Error_Failure(getattr(refused.value, "value", "authentication failed")))
        # Nothing to remember and nothing to renew: the password has no end.
        return Opened("{}", [("password", password)], Lease(b"", None))

    def renew(self, private: bytes) -> Lease:
        raise Err(Error_Failure("a password has no end, and is never renewed"))

    def close(self, private: bytes) -> None:
        """Nothing is kept, and so nothing is left to end."""
