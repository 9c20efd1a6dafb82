"""An external key provider that derives its key, as an author would write it."""
import base64
import hashlib
import json
import os
import sys

PASSPHRASE = b"correct-horse-battery-staple"
ITERATIONS = 600_000


def derive(salt):
    return base64.b64encode(hashlib.pbkdf2_hmac("sha512", PASSPHRASE, salt, ITERATIONS, 32)).decode()


print('{"magic":"OpenTofu-External-Key-Provider","version":1}', flush=True)
stored = json.load(sys.stdin)
salt = os.urandom(32)
keys = {"encryption_key": derive(salt)}
if stored is not None:
    keys["decryption_key"] = derive(base64.b64decode(stored["external_data"]["salt"]))
meta = {"external_data": {"salt": base64.b64encode(salt).decode()}}
json.dump({"keys": keys, "meta": meta}, sys.stdout)
