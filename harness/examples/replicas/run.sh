#!/bin/sh
# Runs four processes over the database at DATABASE_URL, and HAProxy in front of them, until it is interrupted.
set -eu
cd "$(dirname "$0")"
slipway=${SLIPWAY:-slipway}
# Debian keeps the proxy where only root looks.
PATH=$PATH:/usr/sbin
folder=$(mktemp -d)
processes=
trap 'kill $processes 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

serve() {
  "$slipway" up --database-url "$DATABASE_URL" --trust-forwarded \
    --public-url rest=http://127.0.0.1:4800 --public-url swap=http://127.0.0.1:4801 "$@" &
  processes="$processes $!"
}

serve --ready-file "$folder/ready.json" --port 4700
# The file is there when the process serves.
while [ ! -s "$folder/ready.json" ]; do
  # Without its process it would never be.
  kill -0 $processes
  sleep 0.2
done
for port in 4710 4720 4730; do
  serve --attach "$folder/ready.json" --port "$port"
done
haproxy -f haproxy.cfg &
processes="$processes $!"
wait
