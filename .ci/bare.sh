#!/usr/bin/env bash
# The README's two commands on a Debian with cargo, a C compiler and npm, and nothing else: .ci/bare.sh ROOT [FILTER…]
#
# ROOT is a folder that debootstrap fills unless it exists. With filters only the tests that they select run. The toolchain and the crates that
# cargo has fetched are this machine's, and so is the target folder of this checkout. It needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:?usage: bare.sh ROOT [FILTER…]}
shift
certificates=/etc/ssl/certs/ca-certificates.crt
if [ ! -e "$root/usr/bin/npm" ]; then
  rm -rf "$root"
  debootstrap --variant=minbase --include=ca-certificates,gcc,libc6-dev bookworm "$root" >/dev/null
  cp /etc/resolv.conf "$root/etc"
  echo '127.0.0.1 localhost' >"$root/etc/hosts"
  [ ! -e "$certificates" ] || cp "$certificates" "$root$certificates"
  chroot "$root" apt-get install -y -qq --no-install-recommends npm >/dev/null
fi
root=$(realpath "$root")
toolchain=$(rustc --print sysroot)
crates=${CARGO_HOME:-$HOME/.cargo}

# Mounts and processes end with the shell.
export root toolchain crates certificates
exec unshare --mount --pid --fork bash -euo pipefail -c '
  mount --make-rprivate /
  shared() { mkdir -p "$root$2"; mount --rbind "$1" "$root$2"; }
  shared /dev /dev
  mkdir -p "$root/proc"
  mount -t proc proc "$root/proc"
  shared "$toolchain" "$toolchain"
  shared "$crates/registry" /root/.cargo/registry
  shared "$PWD" "$PWD"
  inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH="$toolchain/bin":/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CARGO_TERM_COLOR=never \
      SSL_CERT_FILE="$certificates" NODE_EXTRA_CA_CERTS="$certificates" SLIPWAY_REQUIRE="${SLIPWAY_REQUIRE:-}" \
      ${CARGO_INCREMENTAL:+CARGO_INCREMENTAL="$CARGO_INCREMENTAL"} \
      sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$PWD" "$@"
  }
  inside cargo run --locked -- check
  inside cargo test --workspace --locked --no-fail-fast -- "$@"
' bash "$@"
