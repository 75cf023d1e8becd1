#!/usr/bin/env bash
# Publishes the npm packages of a release: those of the systems first, because the main one names them. publish.sh PACKAGES [OPTION…]
set -euo pipefail

packages=$(cd "${1:?usage: publish.sh PACKAGES}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift
for package in "$packages"/slipway-cli-{linux,darwin}-*.tgz "$packages"/slipway-cli-[0-9]*.tgz "$packages"/slipway-quotes-*.tgz "$here/../../launchers/npm"; do
    # A folder may hold the packages of one system only.
    [ -e "$package" ] || continue
    npm publish --access public "$@" "$package"
done
