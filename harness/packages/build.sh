#!/usr/bin/env bash
# Makes the packages of slipway for the system it runs on into one folder: bash harness/packages/build.sh OUT
#
#   SLIPWAY_BINARY   the program to pack; without it `cargo build --release` makes one
#   SLIPWAY_PARTS    which packages (default: "archive npm quotes wheel mcp image"; on macOS without image)
#
# It needs python3, for the bundle of mcp on Linux on x86-64 npm, for the quotes Rust's target wasm32-unknown-unknown, which rustup adds, and for the image what `slipway up` needs. No
# package is fetched from anywhere but by `slipway` itself.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:?usage: build.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Triple of Rust, names of npm's packages, tag of wheels without the version of the C library.
case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-gnu os=linux cpu=x64 tag=manylinux-x86_64 ;;
    Linux-aarch64) target=aarch64-unknown-linux-gnu os=linux cpu=arm64 tag=manylinux-aarch64 ;;
    Darwin-x86_64) target=x86_64-apple-darwin os=darwin cpu=x64 tag=macosx_10_12_x86_64 ;;
    Darwin-arm64) target=aarch64-apple-darwin os=darwin cpu=arm64 tag=macosx_11_0_arm64 ;;
    *) echo "packages are made on Linux and macOS, on x86-64 and arm64, not on $(uname -sm)" >&2; exit 2 ;;
esac
every="archive npm quotes wheel mcp"
[ "$os" = darwin ] || every="$every image"
parts=${SLIPWAY_PARTS:-$every}
command -v python3 >/dev/null || { echo "python3 is needed: apt-get install python3" >&2; exit 2; }

targets=$(cd "$root" && cargo metadata --no-deps --format-version 1 --locked |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
if [ -z "${SLIPWAY_BINARY:-}" ]; then
    # What capabilities report as the build.
    SLIPWAY_COMMIT=$(git -C "$root" rev-parse HEAD 2>/dev/null || true)
    (cd "$root" && SLIPWAY_COMMIT=$SLIPWAY_COMMIT cargo build --release --locked -p slipway-cli)
    SLIPWAY_BINARY=$targets/release/slipway
fi
binary=$work/slipway
# Symbols are for debuggers; without `strip` the package is only larger.
strip -o "$binary" "$SLIPWAY_BINARY" 2>/dev/null || cp "$SLIPWAY_BINARY" "$binary"
chmod 755 "$binary"
version=$("$binary" --version)
version=${version#slipway }
# Equal inputs give equal packages.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
notices=$work/THIRD-PARTY.txt
(cd "$root" && python3 "$here/notices.py" "$target" "$notices" "$work/bill.spdx.json")

packed() { python3 "$here/pack.py" "$1" "$2" "$3"; }
licences() { cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$1"; }

archive() {
    local name=slipway-$version-$target
    local folder=$work/archive/$name
    cp "$work/bill.spdx.json" "$out/$name.spdx.json"
    mkdir -p "$folder/completions" "$folder/man"
    licences "$folder"
    cp "$notices" "$binary" "$root/README.md" "$folder"
    "$binary" completions bash >"$folder/completions/slipway.bash"
    "$binary" completions zsh >"$folder/completions/_slipway"
    "$binary" completions fish >"$folder/completions/slipway.fish"
    "$binary" man "$folder/man"
    packed "$work/archive" "$name" "$out/$name.tar.gz"
}

npm() {
    local main=$work/npm/main/package platform=$work/npm/platform/package
    mkdir -p "$main/bin" "$platform/bin"
    filled() {
        sed "s/@VERSION@/$version/g; s/@SYSTEM@/$os-$cpu/g; s/@OS@/$os/; s/@CPU@/$cpu/" "$1" | python3 -c '
import json, sys
about = json.load(sys.stdin)
# An address is known to the forge only, and a C library to Linux only.
about = {name: value for name, value in about.items() if value and not (name == "libc" and about["os"] == ["darwin"])}
json.dump(about, sys.stdout, indent=2)
print()'
    }
    filled "$here/npm/package.json" >"$main/package.json"
    filled "$here/npm/platform.json" >"$platform/package.json"
    cp "$here/npm/slipway.js" "$main/bin/slipway.js"
    chmod 755 "$main/bin/slipway.js"
    cp "$binary" "$platform/bin/slipway"
    cp "$notices" "$platform"
    licences "$main"
    licences "$platform"
    cp "$root/harness/README.md" "$main/README.md"
    cp "$here/npm/platform.md" "$platform/README.md"
    packed "$work/npm/main" package "$out/slipway-cli-$version.tgz"
    packed "$work/npm/platform" package "$out/slipway-cli-$os-$cpu-$version.tgz"
}

# Quotes in WebAssembly, for every system.
quotes() {
    local wasm=wasm32-unknown-unknown folder=$work/quotes/package crates=${CARGO_HOME:-$HOME/.cargo}
    mkdir -p "$folder"
    cd "$root"
    [ -d "$(rustc --print target-libdir --target $wasm)" ] || rustup target add $wasm
    # No folder of this machine stands in what is packed.
    RUSTFLAGS="--remap-path-prefix=$crates=/crates --remap-path-prefix=$root=/slipway" \
        cargo build --locked --profile quotes --target $wasm -p slipway-quotes
    python3 "$here/quotes.py" "$targets/$wasm/quotes/slipway_quotes.wasm" "$version" "$root" "$folder"
    python3 "$here/notices.py" $wasm "$folder/THIRD-PARTY.txt" "$out/slipway-quotes-$version.spdx.json" slipway-quotes
    licences "$folder"
    cd - >/dev/null
    packed "$work/quotes" package "$out/slipway-quotes-$version.tgz"
}

wheel() {
    python3 "$here/python/wheel.py" "$binary" "$version" "$tag" "$root" "$notices" "$out"
}

# A bundle that desktop clients install, and the entry of a registry of tool servers, which points to the npm package.
mcp() {
    local folder=$work/mcp/bundle name
    mkdir -p "$folder/server"
    cp "$binary" "$folder/server/slipway"
    # With the chain tools inside the platform starts without a network; npm has an anvil for this system only.
    [ "$os-$cpu" != linux-x64 ] || "$binary" toolchain "$folder/toolchain"
    python3 "$here/mcp/manifest.py" "$binary" "$version" "$os" "$folder/manifest.json"
    cp "$notices" "$folder"
    licences "$folder"
    packed "$work/mcp" bundle "$out/slipway-$version-$os-$cpu.mcpb"
    # Without the address of a repository the entry has a name that no registry takes.
    name=$(sed -n 's/.*"mcpName": "\(.*\)".*/\1/p' "$here/npm/package.json")
    sed "s|@NAME@|${name:-localhost/slipway}|; s/@VERSION@/$version/" "$here/mcp/server.json" >"$out/server.json"
}

image() {
    bash "$here/image/build.sh" "$binary" "$version" "$notices" "$out/slipway-image.tar"
}

for part in $parts; do
    case $part in
        archive | npm | quotes | wheel | mcp | image) "$part" ;;
        *) echo "there is no package $part; there are archive, npm, quotes, wheel, mcp and image" >&2; exit 2 ;;
    esac
done
python3 "$here/sums.py" "$out"
cat "$out/SHA256SUMS"
