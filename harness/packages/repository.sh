#!/usr/bin/env bash
# Writes the address of the repository into every manifest that is published: repository.sh https://HOST/OWNER/NAME
# Only the forge that a release runs on knows it.
set -euo pipefail

address=${1:?usage: repository.sh ADDRESS [ROOT]}
root=${2:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
case $address in
    https://*[!0-9A-Za-z./_:-]* | [!h]*) echo "not the address of a repository: $address" >&2; exit 2 ;;
esac

# In place, also where sed is not GNU's.
edit() { sed "$1" "$2" >"$2.new" && mv "$2.new" "$2"; }
edit "s|^repository = \".*\"|repository = \"$address\"|" "$root/Cargo.toml"
edit "s|\"repository\": .*|\"repository\": { \"type\": \"git\", \"url\": \"git+$address.git\" },|" "$root/harness/launchers/npm/package.json"
for template in package platform; do
    edit "s|\"repository\": .*|\"repository\": { \"type\": \"git\", \"url\": \"git+$address.git\" },|" "$root/harness/packages/npm/$template.json"
done
edit "s|^Repository = \".*\"|Repository = \"$address\"|" "$root/harness/launchers/python/pyproject.toml"
