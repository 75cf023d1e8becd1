#!/usr/bin/env bash
# The whole life of a launch with curl, cast and jq: slipway exec -- bash shell.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${SLIPWAY_READY:?start this with: slipway exec -- bash shell.sh}"
ready() { jq -r "$1" <<<"$SLIPWAY_READY"; }
rest=$(ready .baseUrl) swap=$(ready .swapBaseUrl) control=$(ready .controlUrl)/_sim operator=$(ready .operatorKey)
chain=$(ready '.chains[0].chainId') hook=$(ready '.chains[0].hook') weth=$(ready '.chains[0].contracts.WETH9')
export ETH_RPC_URL=$(ready '.chains[0].rpcUrl')
wallet=$(cast wallet address --private-key "$SLIPWAY_PRIVATE_KEY")
zero=0x0000000000000000000000000000000000000000
no_auth="(0,0x$(printf '0%.0s' {1..64}),0x)"

demand() { # WHAT: the last command answered true
  [ "$(cat)" = true ] || { echo "$1" >&2; exit 1; }
}
get() { curl --silent --show-error --fail-with-body --get "$@"; }
post() { # URL BODY [OPTION…]
  local url=$1 body=$2
  shift 2
  curl --silent --show-error --fail-with-body --header 'content-type: application/json' --data "$body" "$@" "$url"
}
send() { # ARGUMENTS of cast send; answers the receipt when REST shows its block
  local receipt
  receipt=$(cast send --json --private-key "$SLIPWAY_PRIVATE_KEY" "$@")
  jq '.status == "0x1"' <<<"$receipt" | demand "reverted: $receipt"
  get "$control/indexed" --data "chainId=$chain" --data "block=$(($(jq -r .blockNumber <<<"$receipt")))" >/dev/null
  echo "$receipt"
}
record() { get "$rest/api/token" --data "address=$token"; }
held() { cast call "$1" 'balanceOf(address)(uint256)' "$wallet" | cut -d' ' -f1; }
minus() { cast --to-dec "$(python3 -c "print(hex($1 - $2))")"; }
least() { # SIGNATURE AMOUNT; 99 % of a preview: a trade without a bound takes any price
  local quoted
  quoted=$(cast call "$hook" "$1(uint256,uint256,uint256,uint256)" "$launch" "$2" | head -n 1 | cut -d' ' -f1)
  python3 -c "print($quoted * 99 // 100)"
}

# A logo, uploaded with a fresh captcha.
captcha=$(post "$control/captchas" '{}' | jq -r .token)
image=$(curl --silent --show-error --fail-with-body --form "file=@$here/logo.png;type=image/png" --form "captchaToken=$captcha" \
  --form "walletAddress=$wallet" "$rest/api/upload" | jq -r .url)

# A launch whose first minute needs a captcha for each trade. Nothing is signed for a node of another chain.
[ "$(cast chain-id)" = "$chain" ] || { echo 'the node is one of another chain' >&2; exit 1; }
deployment=$(get "$rest/api/capabilities" --data "chainId=$chain" | jq .activeCreationDeployment)
jq '.status == "active"' <<<"$deployment" | demand 'creation is closed'
params='(string,string,string,string,string,string,string,uint16,uint32,uint96,uint32,uint64)'
created=$(send "$hook" "createLaunch($params)" "(\"Example\",\"EXMPL\",\"made with cast\",\"$image\",\"\",\"\",\"\",5000,50000,1000000000000000000,60,0)")
topic=$(cast keccak 'LaunchCreated(uint256,address,address,uint96)')
log=$(jq -r --arg topic "$topic" '.logs[] | select(.topics[0] == $topic)' <<<"$created")
launch=$(cast to-dec "$(jq -r '.topics[1]' <<<"$log")")
token=$(cast to-check-sum-address "0x$(jq -r .data <<<"$log" | cut -c27-66)")

signed=$(post "$control/captcha-auths" "{\"chainId\":$chain,\"trader\":\"$wallet\",\"launchId\":$launch}")
auth=$(jq -r '"(\(.deadline),\(.nonce),\(.signature))"' <<<"$signed")
buy='buy(uint256,uint256,(uint64,bytes32,bytes))' sell='sell(uint256,uint128,uint256,(uint64,bytes32,bytes))'
send "$hook" "$buy" "$launch" "$(least 'previewBuy(uint256,uint256)' 100000000000000000)" "$auth" --value 0.1ether >/dev/null
bought=$(held "$token")
record | jq --arg image "$image" '.image_url == $image and .funding_progress > 0' | demand 'REST does not show the purchase'

# After the window nobody needs a captcha. The last purchase fills the raise, and the launch graduates into its pool.
post "$control/clock/advance" '{"seconds":61}' >/dev/null
send "$token" 'approve(address,uint256)' "$hook" "$bought" >/dev/null
send "$hook" "$sell" "$launch" "${bought%?}" "$(least 'previewSell(uint256,uint128)' "${bought%?}")" "$no_auth" >/dev/null
send "$hook" "$buy" "$launch" "$(least 'previewBuy(uint256,uint256)' 3000000000000000000)" "$no_auth" --value 3ether >/dev/null
pool_hook=$(record | jq -r 'select(.is_graduated) | .hook_address')

# A purchase in the pool, for exactly what the quoter says.
amount=10000000000000000
if [[ ${weth,,} < ${token,,} ]]; then first=true pair="$weth,$token"; else first=false pair="$token,$weth"; fi
key="($pair,1000,60,$pool_hook)" Key='(address,address,uint24,int24,address)'
quoted=$(cast call "$(jq -r .v4.quoter <<<"$deployment")" "quoteExactInputSingle(($Key,bool,uint128,bytes))(uint256,uint256)" \
  "($key,$first,$amount,0x)" | head -1 | cut -d' ' -f1)
swap_call=$(cast abi-encode "f(($Key,bool,uint128,uint128,bytes))" "($key,$first,$amount,$quoted,0x)")
settle=$(cast abi-encode 'f(address,uint256,bool)' "$weth" "$amount" false)
take=$(cast abi-encode 'f(address,uint256)' "$token" "$quoted")
wrap=$(cast abi-encode 'f(address,uint256)' 0x0000000000000000000000000000000000000002 "$amount")
steps=$(cast abi-encode 'f(bytes,bytes[])' 0x060b0f "[$swap_call,$settle,$take]")
before=$(held "$token")
send "$(jq -r .v4.universalRouter <<<"$deployment")" 'execute(bytes,bytes[],uint256)' 0x0b10 "[$wrap,$steps]" \
  "$(($(date +%s) + 600))" --value "$amount" >/dev/null
[ "$(minus "$(held "$token")" "$before")" = "$quoted" ] || { echo 'the pool paid something else than was quoted' >&2; exit 1; }

# A swap on the exchange, as quoted.
other=$(get "$swap/api/pairs" | jq -r --arg weth "$weth" \
  '[.[] | select(.reserve0 != "0") | [.token0.address, .token1.address] | select(index($weth))][0] | map(select(. != $weth))[0]')
quote=$(get "$swap/api/quote" --data "tokenIn=$zero" --data "tokenOut=$other" --data amount=100000000000000000 --data slippage=50 \
  --data buildTx=true --data "userAddress=$wallet")
built() { jq -r ".transaction.$1" <<<"$quote"; }
before=$(held "$other")
send "$(built to)" "$(built data)" --value "$(built value)" >/dev/null
[ "$(minus "$(held "$other")" "$before")" = "$(jq -r .amountOut <<<"$quote")" ] || { echo 'the exchange paid something else' >&2; exit 1; }

# A message about the token, signed for one captcha.
captcha=$(post "$control/captchas" '{}' | jq -r .token)
text=$(printf 'Launch platform chat\nToken: %s\nCaptcha: %s\nMessage: gm from cast' "${token,,}" "$captcha")
signature=$(cast wallet sign --private-key "$SLIPWAY_PRIVATE_KEY" "$text")
body=$(jq -n --arg token "$captcha" --arg tokenAddress "$token" --arg signature "$signature" \
  '{$token, $tokenAddress, message: "gm from cast", $signature}')
post "$rest/api/chat" "$body" --header "x-operator-key: $operator" >/dev/null
get "$rest/api/chat" --data "tokenAddress=$token" | jq '.[0].message == "gm from cast"' | demand 'the chat does not show the message'
echo "launched, traded and graduated $token"
