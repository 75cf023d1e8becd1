#!/usr/bin/env bash
# Makes a container image with the platform deployed and seeded in it, from nothing but files of this machine:
# image/build.sh BINARY VERSION NOTICES OUT.tar
#
# What is in it: slipway, anvil, the published contracts, the seeded market of seed 1, and the shell, `rm` and libraries that these need.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=$1 version=$2 notices=$3 out=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree"/{bin,etc,tmp,usr/bin,opt/slipway,var/cache,home/slipway}
chmod 1777 "$tree/tmp"

cp "$binary" "$tree/usr/bin/slipway"
"$binary" toolchain "$tree/opt/slipway"
mkdir -p "$tree/usr/share/doc/slipway"
cp "$here"/../../../LICENSE-* "$notices" "$tree/usr/share/doc/slipway"
cp "$(command -v dash || command -v sh)" "$tree/bin/sh"
cp "$(command -v rm)" "$tree/bin/rm"
# The programs with the libraries and the loader that they name, each at its own path.
libraries() {
    ldd "$@" | sed -nE 's/^.*=> (\/[^ ]+) .*$/\1/p; s/^[[:space:]]*(\/[^ ]+) \(.*$/\1/p' | sort -u
}
for library in $(libraries "$tree/usr/bin/slipway" "$tree/bin/sh" "$tree/bin/rm" "$tree"/opt/slipway/node_modules/@foundry-rs/*/bin/anvil); do
    mkdir -p "$tree$(dirname "$library")"
    cp -L "$library" "$tree$library"
done
printf 'root:x:0:0:root:/:/bin/sh\nslipway:x:65532:65532:slipway:/home/slipway:/bin/sh\n' >"$tree/etc/passwd"
printf 'root:x:0:\nslipway:x:65532:\n' >"$tree/etc/group"
printf 'hosts: files dns\n' >"$tree/etc/nsswitch.conf"
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    mkdir -p "$tree/etc/ssl/certs"
    cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
fi

# The platform runs once here, with the tools of the image, and leaves its deployed and seeded chains in the image's cache.
ready=$(SLIPWAY_TOOLCHAIN=$tree/opt/slipway XDG_CACHE_HOME=$tree/var/cache ANVIL='' \
    "$binary" up --json --port 0 --offline --until-eof </dev/null)
chmod -R a+rX "$tree"
python3 "$here/image.py" "$tree" "$version" "$out" <<<"$ready"
