#!/usr/bin/env bash
# Installs each package of a folder on a machine without a checkout and uses it: try.sh PACKAGES
set -euo pipefail

packages=$(cd "${1:?usage: try.sh PACKAGES}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

used() {
    "$@" --version
    "$@" interface >interface.md
    "$@" check --only 'list-*'
}

sums=sha256sum
command -v "$sums" >/dev/null || sums='shasum -a 256'
(cd "$packages" && $sums --check --strict SHA256SUMS)

tar -xzf "$packages"/slipway-*.tar.gz
used ./slipway-*/slipway
if command -v npm >/dev/null; then
    npm install --prefix npm --no-audit --no-fund "$packages"/*.tgz
    used npm/node_modules/.bin/slipway
    [ ! -d npm/node_modules/slipway-quotes ] || (cd npm && node --input-type=module -e '
        import { pairQuote } from "slipway-quotes"
        if (pairQuote({ reserveIn: "1000", reserveOut: "1000", amountIn: "100" }) !== 90n) process.exit(1)')
fi
python3 -m pip install --no-index --disable-pip-version-check --target wheel "$packages"/*.whl
used wheel/bin/slipway
echo "every package works"
