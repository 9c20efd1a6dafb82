#!/bin/sh
# An external key provider with a fixed key, as an author would write it.
set -eu
echo '{"magic":"OpenTofu-External-Key-Provider","version":1}'
stored=$(cat)
key=b29waDBlb2dob2g0YWhydW83UXVhZWhlZXlvb3JlMWk=
if [ "$stored" = null ]; then
    printf '{"keys":{"encryption_key":"%s"},"meta":{"external_data":{}}}' "$key"
else
    printf '{"keys":{"encryption_key":"%s","decryption_key":"%s"},"meta":{"external_data":{}}}' "$key" "$key"
fi
