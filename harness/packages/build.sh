#!/usr/bin/env bash
# Makes the packages of slipway for the system it runs on into one folder: bash harness/packages/build.sh OUT
#
#   SLIPWAY_BINARY   the program to pack; without it `cargo build --release` makes one (the quotes need none)
#   SLIPWAY_PARTS    which packages (default: "archive npm quotes wheel mcp image"; on macOS without image)
#
# It needs Rust, for the bundle of mcp npm, for the quotes Rust's target wasm32-unknown-unknown, which rustup adds, and for
# the image what `slipway up` needs. Beside the crates of Cargo.lock only `slipway` itself fetches anything.
set -euo pipefail

out=${1:?usage: build.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ -z "${SLIPWAY_BINARY:-}" ] || export SLIPWAY_BINARY=$(realpath "$SLIPWAY_BINARY")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec cargo run --quiet --locked -p slipway-packages -- make "$out"
