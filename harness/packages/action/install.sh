#!/usr/bin/env bash
# Puts slipway on the search path of the steps that follow: a release's archive, compared with its checksums, or this source built.
set -euo pipefail

version=${SLIPWAY_VERSION:-source}
folder=${RUNNER_TEMP:?}/slipway
mkdir -p "$folder"
if [ "$version" = source ]; then
    (cd "${GITHUB_ACTION_PATH:?}" && cargo build --locked -p slipway-cli --target-dir "$folder/target")
    ln -sf "$folder/target/debug/slipway" "$folder/slipway"
else
    case $version in
        *[!0-9A-Za-z.-]*) echo "::error::version is a number such as 0.1.0, or source" >&2; exit 2 ;;
    esac
    name=slipway-$version-x86_64-unknown-linux-gnu
    gh release download "v$version" --repo "${ACTION_REPOSITORY:?}" --dir "$folder" --clobber \
        --pattern "$name.tar.gz" --pattern SHA256SUMS
    (cd "$folder" && sha256sum --check --strict --ignore-missing SHA256SUMS && tar -xzf "$name.tar.gz")
    ln -sf "$folder/$name/slipway" "$folder/slipway"
fi
echo "$folder" >>"${GITHUB_PATH:?}"
