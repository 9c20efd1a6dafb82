#!/bin/sh
# Generates the C bindings of the contract, of the guest and of the templates.
# With --check, changes nothing and fails where they differ from the contract.
# Needs wit-bindgen 0.63.0: cargo install --locked --version 0.63.0
# --no-default-features --features c wit-bindgen-cli
#
# Usage: c-bindings.sh [--check]
set -eu

version="wit-bindgen-cli 0.63.0"
cd "$(dirname "$0")"

if [ "$(wit-bindgen --version 2>/dev/null)" != "$version" ]; then
    echo "error: $version is needed: cargo install --locked --version ${version##* } --no-default-features --features c wit-bindgen-cli" >&2
    exit 1
fi

generate() {
    wit-bindgen c ../wit --world "$1-plugin" --no-object-file --out-dir "$2" ${3:+"$3"} >/dev/null
}

generate key-provider pbkdf2-c/bindings "${1:-}"
for kind in key-provider credentials-helper ephemeral-resource; do
    generate $kind templates/c/$kind/bindings "${1:-}"
done
