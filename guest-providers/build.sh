#!/bin/sh
# Builds every guest as a core module for wasm32-unknown-unknown and turns it
# into a component with `keyhost componentize`.
#
# Usage: build.sh KEYHOST OUTPUT_DIRECTORY
set -eu

keyhost=$1
output=$2
target=wasm32-unknown-unknown
cd "$(dirname "$0")"

have_standard_library() {
    directory=$(rustc --print target-libdir --target $target 2>/dev/null) && [ -d "$directory" ]
}

debian_packages_needed() {
    for package in rustc-web cargo-web rust-web-src; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
    done
}

# Debian's compiler brings the standard library's source, which must match it
# exactly, and its own set of vendored dependencies.
use_debian() {
    command -v apt-get >/dev/null || return 1
    packages=$(debian_packages_needed)
    if [ -n "$packages" ]; then
        [ "$(id -u)" = 0 ] || return 1
        echo "installing the wasm standard library from Debian's packages" >&2
        apt-get update -qq >&2
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
    fi
    llvm=$(/usr/bin/rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    if ! command -v "wasm-ld-$llvm" >/dev/null; then
        [ "$(id -u)" = 0 ] || return 1
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "lld-$llvm" >&2
    fi
    CARGO=/usr/bin/cargo
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="wasm-ld-$llvm"
    build_std="-Z build-std=std,panic_abort"
}

CARGO=cargo
build_std=
if have_standard_library; then
    :
elif [ "${RUSTUP_AUTO_INSTALL:-1}" != 0 ] && command -v rustup >/dev/null; then
    rustup target add $target
elif use_debian; then
    :
else
    echo "error: no standard library for $target: run 'rustup target add $target', or on Debian 'apt-get install rustc-web cargo-web rust-web-src lld'" >&2
    exit 1
fi

# A small stack keeps a guest's least memory small. Paths of the building
# machine stay out of the components.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C link-arg=-zstack-size=65536 --remap-path-prefix=$(pwd)=guest-providers --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}"
# shellcheck disable=SC2086
$CARGO build --quiet --locked --release --target $target $build_std \
    -p keyhost-guest-static -p keyhost-guest-pbkdf2 -p keyhost-guest-xor \
    -p keyhost-guest-vault -p keyhost-guest-env \
    -p keyhost-guest-session -p keyhost-guest-derived-key \
    -p keyhost-guest-derives-inside
# shellcheck disable=SC2086
$CARGO build --quiet --locked --release --target $target $build_std \
    -p keyhost-faulty-guests --examples

modules="$CARGO_TARGET_DIR/$target/release"
mkdir -p "$output/faulty" "$output/measured"
for guest in static pbkdf2 xor; do
    "$keyhost" componentize --output "$output/$guest.wasm" "$modules/${guest}_provider.wasm"
    cp "$guest/$guest.compliance.toml" "$output/"
done
for resource in session derived-key; do
    module=$(echo "$resource" | tr - _)_resource
    "$keyhost" componentize --output "$output/$resource.wasm" "$modules/$module.wasm"
    cp "$resource/$resource.compliance.toml" "$output/"
done
"$keyhost" componentize --output "$output/measured/derives-inside.wasm" "$modules/derives_inside.wasm"
for helper in vault env; do
    "$keyhost" componentize --output "$output/$helper.wasm" "$modules/${helper}_helper.wasm"
    cp "$helper/$helper.compliance.toml" "$output/"
done
for source in faulty/guests/*.rs; do
    name=$(basename "$source" .rs)
    "$keyhost" componentize --output "$output/faulty/$name.wasm" "$modules/examples/$name.wasm"
done
