#!/usr/bin/env bash
# Makes every package of slipway for Linux on x86-64 into one folder: bash harness/packages/build.sh OUT
#
#   SLIPWAY_BINARY   the program to pack; without it `cargo build --release` makes one
#   SLIPWAY_PARTS    which packages (default: "archive npm wheel image")
#
# It needs python3, and for the image what `slipway up` needs. No package is fetched from anywhere but by `slipway` itself.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:?usage: build.sh OUT}
parts=${SLIPWAY_PARTS:-archive npm wheel image}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
    *) echo "packages are made on Linux on x86-64 only, not on $(uname -sm)" >&2; exit 2 ;;
esac
command -v python3 >/dev/null || { echo "python3 is needed: apt-get install python3" >&2; exit 2; }

if [ -z "${SLIPWAY_BINARY:-}" ]; then
    # What capabilities report as the build.
    SLIPWAY_COMMIT=$(git -C "$root" rev-parse HEAD 2>/dev/null || true)
    (cd "$root" && SLIPWAY_COMMIT=$SLIPWAY_COMMIT cargo build --release --locked -p slipway)
    SLIPWAY_BINARY=$(cd "$root" && cargo metadata --no-deps --format-version 1 --locked |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/slipway
fi
binary=$work/slipway
# Symbols are for debuggers; without `strip` the package is only larger.
strip -o "$binary" "$SLIPWAY_BINARY" 2>/dev/null || cp "$SLIPWAY_BINARY" "$binary"
chmod 755 "$binary"
version=$("$binary" --version)
version=${version#slipway }
# Equal inputs give equal packages.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
packed() { tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$1" -cf - "$2" | gzip -n >"$3"; }

archive() {
    local name=slipway-$version-$target
    mkdir -p "$work/archive/$name/completions" "$work/archive/$name/man"
    cp "$binary" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$root/README.md" "$work/archive/$name"
    "$binary" completions bash >"$work/archive/$name/completions/slipway.bash"
    "$binary" completions zsh >"$work/archive/$name/completions/_slipway"
    "$binary" completions fish >"$work/archive/$name/completions/slipway.fish"
    "$binary" man >"$work/archive/$name/man/slipway.1"
    packed "$work/archive" "$name" "$out/$name.tar.gz"
}

npm() {
    local main=$work/npm/main/package platform=$work/npm/platform/package
    mkdir -p "$main/bin" "$platform/bin"
    sed "s/@VERSION@/$version/g" "$here/npm/package.json" >"$main/package.json"
    cp "$here/npm/slipway.js" "$main/bin/slipway.js"
    chmod 755 "$main/bin/slipway.js"
    sed "s/@VERSION@/$version/g" "$here/npm/platform.json" >"$platform/package.json"
    cp "$binary" "$platform/bin/slipway"
    cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$root/README.md" "$main"
    cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$platform"
    packed "$work/npm/main" package "$out/slipway-$version.tgz"
    packed "$work/npm/platform" package "$out/slipway-linux-x64-$version.tgz"
}

wheel() {
    python3 "$here/python/wheel.py" "$binary" "$version" "$root" "$out"
}

image() {
    bash "$here/image/build.sh" "$binary" "$version" "$out/slipway-image.tar"
}

for part in $parts; do
    case $part in
        archive | npm | wheel | image) "$part" ;;
        *) echo "there is no package $part; there are archive, npm, wheel and image" >&2; exit 2 ;;
    esac
done
(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | LC_ALL=C sort | xargs -r sha256sum >SHA256SUMS)
cat "$out/SHA256SUMS"
