# Sends COUNT payments for each number of confirmations, waits for each with cast's defaults, and prints the milliseconds of each wait,
# its start included, as JSON: slipway exec -- bash cast.sh CAST CONFIRMATIONS[,CONFIRMATIONS…] COUNT http|ws
set -euo pipefail
cast=$1 steps=${2//,/ } count=$3 url=$SLIPWAY_RPC_URL_57073
[ "$4" = http ] || url=ws${url#http}
waits=()
for confirmations in $steps; do
  for ((sent = 0; sent < count; sent++)); do
    begun=${EPOCHREALTIME/./}
    "$cast" send --rpc-url "$url" --private-key "$SLIPWAY_PRIVATE_KEY" --confirmations "$confirmations" --value 1 "$SLIPWAY_ACCOUNT" > /dev/null
    waits+=($(((${EPOCHREALTIME/./} - begun) / 1000)))
  done
done
(IFS=,; echo "[${waits[*]}]")
