#!/bin/sh
# Builds the core module for wasm32-unknown-unknown. The target's standard
# library comes from rustup; or, where RUSTUP_AUTO_INSTALL=0 forbids that, from
# Debian's packages, whose compiler builds it from source.
set -eu

target=wasm32-unknown-unknown
cargo=cargo
build_std=

have_standard_library() {
    directory=$(rustc --print target-libdir --target $target 2>/dev/null) && [ -d "$directory" ]
}

use_debian() {
    [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] || return 1
    dpkg-query -W -f '${Status}' rust-web-src 2>/dev/null | grep -q 'ok installed' || return 1
    llvm=$(/usr/bin/rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    command -v "wasm-ld-$llvm" >/dev/null || return 1
    cargo=/usr/bin/cargo
    build_std="-Z build-std=std,panic_abort"
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER="wasm-ld-$llvm"
}

if have_standard_library; then
    :
elif [ "${RUSTUP_AUTO_INSTALL:-1}" != 0 ] && command -v rustup >/dev/null; then
    rustup target add $target
elif ! use_debian; then
    echo "error: no standard library for $target: run 'rustup target add $target', or on Debian 'apt-get install rustc-web cargo-web rust-web-src lld'" >&2
    exit 1
fi

# A small stack keeps the least memory small. Paths of the building machine stay
# out of the component.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C link-arg=-zstack-size=65536 --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
# shellcheck disable=SC2086
$cargo build --release --target $target $build_std
