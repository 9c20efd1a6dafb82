#!/bin/sh
# Builds the pbkdf2 key provider from its sources in C, Python and JavaScript.
# A language whose toolchain cannot be had is skipped with a word about it, or
# is an error where CI=true is set. What is up to date is not built again.
#
# Usage: build-other-languages.sh KEYHOST OUTPUT_DIRECTORY, both absolute
set -eu

keyhost=$1
output=$2
cd "$(dirname "$0")"
mkdir -p "$output"

missing() {
    if [ "${CI:-}" = true ]; then
        echo "error: pbkdf2-$1 cannot be built: $2" >&2
        exit 1
    fi
    echo "SKIPPED: pbkdf2-$1: $2" >&2
}

# build LANGUAGE NEEDS: the toolchain is set up first and apart, so that a
# mistake in a source is never taken for a missing tool.
build() {
    language=$1
    if ! make --silent -C "pbkdf2-$language" toolchain; then
        missing "$language" "its toolchain cannot be set up (see above): $2"
        return
    fi
    make --silent -C "pbkdf2-$language" KEYHOST="$keyhost" OUTPUT="$output/pbkdf2-$language.wasm"
    cp pbkdf2/pbkdf2.compliance.toml "$output/pbkdf2-$language.compliance.toml"
}

for language in c python javascript; do
    case $language in
        javascript) needs="install Node.js 18 or newer with npm, and let npm reach its registry" ;;
        *) needs="install Python 3.9 or newer with venv, and let pip reach its index" ;;
    esac
    build $language "$needs"
done
