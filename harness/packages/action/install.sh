#!/usr/bin/env bash
# Puts slipway on the search path of the steps that follow: a release's archive, compared with its checksums and its provenance, or this
# source built where `version` is "source".
set -euo pipefail

refuse() { printf '::error title=slipway::%s\n' "$1"; exit 2; }
case "${RUNNER_OS:-}-${RUNNER_ARCH:-}" in
    Linux-X64) target=x86_64-unknown-linux-gnu ;;
    Linux-ARM64) target=aarch64-unknown-linux-gnu ;;
    macOS-X64) target=x86_64-apple-darwin ;;
    macOS-ARM64) target=aarch64-apple-darwin ;;
    *) refuse "this action runs on Linux and macOS runners of X64 and ARM64, not on ${RUNNER_OS:-an unknown system} ${RUNNER_ARCH:-}" ;;
esac
folder=${RUNNER_TEMP:?}/slipway
mkdir -p "$folder"

version=${SLIPWAY_VERSION:-}
if [ "$version" = source ]; then
    (cd "${GITHUB_ACTION_PATH:?}" && cargo build --locked -p slipway-cli --target-dir "$folder/target")
    ln -sf "$folder/target/debug/slipway" "$folder/slipway"
    echo "$folder" >>"${GITHUB_PATH:?}"
    exit
fi
# The release that the workflow names the action by, else the newest.
if [ -z "$version" ]; then
    case ${ACTION_REF:-} in
        v[0-9]*.[0-9]*.[0-9]*) version=${ACTION_REF#v} ;;
        *) version=$(gh release view --repo "${ACTION_REPOSITORY:?}" --json tagName --jq .tagName) && version=${version#v} ;;
    esac
fi
case $version in
    '' | *[!0-9A-Za-z.-]*) refuse 'version is a number such as 0.1.0, or source' ;;
esac
name=slipway-$version-$target
gh release download "v$version" --repo "${ACTION_REPOSITORY:?}" --dir "$folder" --clobber \
    --pattern "$name.tar.gz" --pattern SHA256SUMS
sums=sha256sum
command -v "$sums" >/dev/null || sums='shasum -a 256'
(cd "$folder" && $sums --check --strict --ignore-missing SHA256SUMS)
gh attestation verify "$folder/$name.tar.gz" --repo "$ACTION_REPOSITORY"
tar -xzf "$folder/$name.tar.gz" -C "$folder"
ln -sf "$folder/$name/slipway" "$folder/slipway"
echo "$folder" >>"${GITHUB_PATH:?}"
