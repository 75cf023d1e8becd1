//! Consistent lies: a figure is distorted in the same way on every endpoint that shows it, so that no two responses contradict each
//! other and only a second source exposes it; filters by a figure follow the lie about it.
use serde_json::{Map, Value, json};

use super::bounds;
use super::exchange::{ProxiedResponse, RequestParts};
use super::mutation::Mutation::{Anywhere, Lie, Response};
use super::mutation::{MutationRow, row};
use crate::json::{change_text, each_member, each_object};

#[rustfmt::skip]
pub(in crate::http) const REST: &[MutationRow] = &[
    row!(Rest, "lie-price-eth", &["FIG-PRICE"], "price_eth is tripled, wherever a token is shown", Anywhere(|_, response| tokens(response, "price_eth", tripled))),
    row!(Rest, "lie-market-cap", &["FIG-MCAP"], "market_cap is tripled, wherever a token is shown", Lie(bounds::market_cap, |_, response| tokens(response, "market_cap", tripled))),
    row!(Rest, "lie-funding-progress", &["FIG-PROGRESS", "FIG-RANGE"], "funding_progress is halved, wherever a token is shown", Lie(bounds::funding_progress, |_, response| tokens(response, "funding_progress", halved))),
    row!(Rest, "lie-is-graduated", &["FIG-IDENTITY", "FIG-RANGE"], "is_graduated is the opposite, wherever a token is shown", Lie(bounds::states, |_, response| tokens(response, "is_graduated", negated))),
    row!(Rest, "lie-volume-24h", &["FIG-VOLUME"], "volume_24h is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "volume_24h", doubled))),
    row!(Rest, "lie-volume-1h", &["FIG-VOLUME"], "volume_1h is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "volume_1h", doubled))),
    row!(Rest, "lie-price-change-24h", &["FIG-CHANGE"], "price_change_24h is one percent more, wherever a token is shown", Anywhere(|_, response| tokens(response, "price_change_24h", one_more))),
    row!(Rest, "lie-price-change-1h", &["FIG-CHANGE"], "price_change_1h is one percent more, wherever a token is shown", Anywhere(|_, response| tokens(response, "price_change_1h", one_more))),
    row!(Rest, "lie-txns-24h-buys", &["FIG-TXNS"], "txns_24h_buys is one more, wherever a token is shown", Lie(bounds::trades, |_, response| tokens(response, "txns_24h_buys", one_more))),
    row!(Rest, "lie-txns-24h-sells", &["FIG-TXNS"], "txns_24h_sells is one more, wherever a token is shown", Lie(bounds::trades, |_, response| tokens(response, "txns_24h_sells", one_more))),
    row!(Rest, "lie-txns-1h-buys", &["FIG-TXNS"], "txns_1h_buys is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "txns_1h_buys", one_more))),
    row!(Rest, "lie-txns-1h-sells", &["FIG-TXNS"], "txns_1h_sells is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "txns_1h_sells", one_more))),
    row!(Rest, "lie-txns-total", &["FIG-RECORD"], "txns_total is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "txns_total", one_more))),
    row!(Rest, "lie-total-holders", &["FIG-HOLDERS"], "total_holders is one, wherever a token is shown", Anywhere(|_, response| tokens(response, "total_holders", |value| *value = json!(1)))),
    row!(Rest, "lie-top-10-percentage", &["FIG-HOLDERS"], "top_10_percentage is halved, wherever a token is shown", Anywhere(|_, response| tokens(response, "top_10_percentage", halved))),
    row!(Rest, "lie-dev-holding-percentage", &["FIG-HOLDERS"], "dev_holding_percentage is one percent more, wherever a token is shown", Anywhere(|_, response| tokens(response, "dev_holding_percentage", one_more))),
    row!(Rest, "lie-name", &["FIG-IDENTITY"], "name is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "name", another_text))),
    row!(Rest, "lie-ticker", &["FIG-IDENTITY"], "ticker is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "ticker", another_text))),
    row!(Rest, "lie-description", &["FIG-IDENTITY"], "description is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "description", another_text))),
    row!(Rest, "lie-image-url", &["FIG-IDENTITY"], "image_url is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "image_url", another_text))),
    row!(Rest, "lie-messenger", &["FIG-IDENTITY"], "messenger is another text, wherever a token is shown", Anywhere(|_, response| tokens(response, "messenger", another_text))),
    row!(Rest, "lie-microblog", &["FIG-IDENTITY"], "microblog is another text, wherever a token is shown", Anywhere(|_, response| tokens(response, "microblog", another_text))),
    row!(Rest, "lie-website", &["FIG-IDENTITY"], "website is another text, wherever a token is shown", Anywhere(|_, response| tokens(response, "website", another_text))),
    row!(Rest, "lie-owner", &["FIG-IDENTITY"], "owner is another account, wherever a token is shown", Anywhere(|_, response| tokens(response, "owner", another_address))),
    row!(Rest, "lie-created-at", &["FIG-CREATED"], "created_at is a year earlier, wherever a token is shown", Lie(bounds::created_at, |_, response| tokens(response, "created_at", another_year))),
    row!(Rest, "lie-block-number", &["FIG-RECORD"], "block_number is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "block_number", one_more))),
    row!(Rest, "lie-transaction-hash", &["FIG-RECORD"], "transaction_hash is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "transaction_hash", another_hash))),
    row!(Rest, "lie-version", &["FIG-RECORD"], "version is the other one, wherever a token is shown", Anywhere(|_, response| tokens(response, "version", another_version))),
    row!(Rest, "lie-chain-id", &["FIG-RECORD"], "chain_id is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "chain_id", one_more))),
    row!(Rest, "lie-launch-id", &["FIG-RECORD"], "launch_id is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "launch_id", one_more))),
    row!(Rest, "lie-hook-address", &["FIG-RECORD"], "hook_address is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "hook_address", another_address))),
    row!(Rest, "lie-target-raise", &["FIG-RECORD"], "target_raise has a digit more, wherever a token is shown", Anywhere(|_, response| tokens(response, "target_raise", another_digit))),
    row!(Rest, "lie-gain-bps", &["FIG-RECORD"], "gain_bps is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "gain_bps", one_more))),
    row!(Rest, "lie-creator-fee-split-bps", &["FIG-RECORD"], "creator_fee_split_bps is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "creator_fee_split_bps", one_more))),
    row!(Rest, "lie-anti-snipe-seconds", &["FIG-RECORD"], "anti_snipe_seconds is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "anti_snipe_seconds", one_more))),
    row!(Rest, "lie-start-time", &["FIG-RECORD"], "start_time is a second later, wherever a token is shown", Anywhere(|_, response| tokens(response, "start_time", one_more))),
    row!(Rest, "lie-pool", &["FIG-RECORD"], "pool is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "pool", another_hash))),
    row!(Rest, "lie-quote-asset", &["FIG-RECORD"], "quote_asset is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "quote_asset", another_address))),
    row!(Rest, "lie-quote-asset-symbol", &["FIG-RECORD"], "quote_asset_symbol is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "quote_asset_symbol", another_text))),
    row!(Rest, "lie-quote-asset-name", &["FIG-RECORD"], "quote_asset_name is another, wherever a token is shown", Anywhere(|_, response| tokens(response, "quote_asset_name", another_text))),
    row!(Rest, "lie-quote-asset-decimals", &["FIG-RECORD"], "quote_asset_decimals is one more, wherever a token is shown", Anywhere(|_, response| tokens(response, "quote_asset_decimals", one_more))),
    row!(Rest, "lie-quote-asset-price-eth", &["FIG-RECORD"], "quote_asset_price_eth is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "quote_asset_price_eth", doubled))),
    row!(Rest, "lie-price-in-asset", &["FIG-RECORD"], "price_in_asset is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "price_in_asset", doubled))),
    row!(Rest, "lie-market-cap-in-asset", &["FIG-RECORD"], "market_cap_in_asset is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "market_cap_in_asset", doubled))),
    row!(Rest, "lie-volume-24h-in-asset", &["FIG-RECORD"], "volume_24h_in_asset is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "volume_24h_in_asset", doubled))),
    row!(Rest, "lie-volume-1h-in-asset", &["FIG-RECORD"], "volume_1h_in_asset is doubled, wherever a token is shown", Anywhere(|_, response| tokens(response, "volume_1h_in_asset", doubled))),
    row!(Rest, "lie-stock-figures-in-shares", &["FIG-PRICE", "FIG-MCAP", "FIG-VOLUME"], "records have the figures of a launch in the asset that it is sold for", Anywhere(|_, response| in_shares(&mut response.body))),
    row!(Rest, "lie-bids-currentbid", &["FIG-DUTCH"], "currentBid has a digit more", Anywhere(|request, response| at(request, response, "/api/eoti", "currentBid", another_digit))),
    row!(Rest, "lie-bids-startbid", &["FIG-DUTCH"], "startBid has a digit more", Anywhere(|request, response| at(request, response, "/api/eoti", "startBid", another_digit))),
    row!(Rest, "lie-bids-lastbidamount", &["FIG-BIDS"], "lastBidAmount has a digit more", Anywhere(|request, response| at(request, response, "/api/eoti", "lastBidAmount", another_digit))),
    row!(Rest, "lie-bids-lastbidtime", &["FIG-BIDS"], "lastBidTime is a year earlier", Anywhere(|request, response| at(request, response, "/api/eoti", "lastBidTime", another_year))),
    row!(Rest, "lie-bids-amount", &["FIG-BIDS"], "amount has a digit more", Anywhere(|request, response| at(request, response, "/api/eoti", "amount", another_digit))),
    row!(Rest, "lie-bids-timestamp", &["FIG-BIDS"], "timestamp is a second later", Anywhere(|request, response| at(request, response, "/api/eoti", "timestamp", one_more))),
    row!(Rest, "lie-bids-nextboostedtoken", &["FIG-BIDS"], "nextBoostedToken is another", Anywhere(|request, response| at(request, response, "/api/eoti", "nextBoostedToken", another_address))),
    row!(Rest, "lie-bids-currentboostedtoken", &["FIG-BIDS"], "currentBoostedToken is another", Anywhere(|request, response| at(request, response, "/api/eoti", "currentBoostedToken", another_address))),
    row!(Rest, "lie-bids-lastboostedtoken", &["FIG-BIDS"], "lastBoostedToken is another", Anywhere(|request, response| at(request, response, "/api/eoti", "lastBoostedToken", another_address))),
    row!(Rest, "lie-bids-isepochtaken", &["FIG-BIDS"], "isEpochTaken is the opposite", Anywhere(|request, response| at(request, response, "/api/eoti", "isEpochTaken", negated))),
    row!(Rest, "lie-chat-token-address", &["FIG-CHAT"], "token_address is another", Anywhere(|request, response| at(request, response, "/api/chat", "token_address", another_address))),
    row!(Rest, "lie-chat-sender-address", &["FIG-CHAT"], "sender_address is another account", Anywhere(|request, response| at(request, response, "/api/chat", "sender_address", another_address))),
    row!(Rest, "lie-chat-message", &["FIG-CHAT"], "message is another", Anywhere(|request, response| at(request, response, "/api/chat", "message", another_text))),
    row!(Rest, "lie-chat-created-at", &["FIG-CHAT"], "created_at is a year earlier", Anywhere(|request, response| at(request, response, "/api/chat", "created_at", another_year))),
    row!(Rest, "lie-referral-code", &["FIG-REF"], "code is another", Anywhere(|request, response| at(request, response, "/api/referral/", "code", another_text))),
    row!(Rest, "lie-referral-created-at", &["FIG-REF"], "created_at is a year earlier", Anywhere(|request, response| at(request, response, "/api/referral/", "created_at", another_year))),
    row!(Rest, "lie-referral-total-referrals", &["FIG-REF"], "total_referrals is one more", Anywhere(|request, response| at(request, response, "/api/referral/", "total_referrals", one_more))),
    row!(Rest, "lie-referral-active-referrals", &["FIG-REF"], "active_referrals is one more", Anywhere(|request, response| at(request, response, "/api/referral/", "active_referrals", one_more))),
    row!(Rest, "lie-referral-total-points-earned", &["FIG-REF"], "total_points_earned is one more", Anywhere(|request, response| at(request, response, "/api/referral/", "total_points_earned", one_more))),
    row!(Rest, "lie-referral-points-from-trading", &["FIG-REF"], "points_from_trading is doubled", Anywhere(|request, response| at(request, response, "/api/referral/", "points_from_trading", doubled))),
    row!(Rest, "lie-referral-points-from-token-creation", &["FIG-REF"], "points_from_token_creation is doubled", Anywhere(|request, response| at(request, response, "/api/referral/", "points_from_token_creation", doubled))),
    row!(Rest, "lie-referral-points-from-milestones", &["FIG-REF"], "points_from_milestones is doubled", Anywhere(|request, response| at(request, response, "/api/referral/", "points_from_milestones", doubled))),
    row!(Rest, "lie-referral-type", &["FIG-REF"], "type is another", Anywhere(|request, response| at(request, response, "/api/referral/", "type", another_text))),
    row!(Rest, "lie-referral-referral-address", &["FIG-REF"], "referral_address is another account", Anywhere(|request, response| at(request, response, "/api/referral/", "referral_address", another_address))),
    row!(Rest, "lie-referral-points-earned", &["FIG-REF"], "points_earned is doubled", Anywhere(|request, response| at(request, response, "/api/referral/", "points_earned", doubled))),
    row!(Rest, "lie-referral-timestamp", &["FIG-REF"], "timestamp is a year earlier", Anywhere(|request, response| at(request, response, "/api/referral/", "timestamp", another_year))),
    row!(Rest, "lie-referral-points-generated", &["FIG-REF"], "points_generated is doubled", Anywhere(|request, response| at(request, response, "/api/referral/", "points_generated", doubled))),
    row!(Rest, "lie-referral-joined-at", &["FIG-REF"], "joined_at is a year earlier", Anywhere(|request, response| at(request, response, "/api/referral/", "joined_at", another_year))),
    row!(Rest, "lie-referral-referrer", &["FIG-REF"], "referrer is another account", Anywhere(|request, response| at(request, response, "/api/referral/", "referrer", another_address))),
    row!(Rest, "lie-referral-referral-code", &["FIG-REF"], "referral_code is another", Anywhere(|request, response| at(request, response, "/api/referral/", "referral_code", another_text))),
    row!(Rest, "lie-board-rank", &["FIG-LEAD"], "rank is one more", Anywhere(|request, response| at(request, response, "/api/leaderboard", "rank", one_more))),
    row!(Rest, "lie-board-trading-points", &["FIG-LEAD"], "trading_points is doubled", Anywhere(|request, response| at(request, response, "/api/leaderboard", "trading_points", doubled))),
    row!(Rest, "lie-board-creation-points", &["FIG-LEAD"], "creation_points is doubled", Anywhere(|request, response| at(request, response, "/api/leaderboard", "creation_points", doubled))),
    row!(Rest, "lie-board-referral-points", &["FIG-REF"], "referral_points and points are one more", Anywhere(|request, response| ["referral_points", "points"].into_iter().for_each(|name| at(request, response, "/api/leaderboard", name, one_more)))),
    row!(Rest, "lie-board-volume-eth", &["FIG-LEAD"], "volume_eth is doubled", Anywhere(|request, response| at(request, response, "/api/leaderboard", "volume_eth", doubled))),
    row!(Rest, "lie-board-updated-at", &["FIG-LEAD"], "updated_at is a year earlier", Anywhere(|request, response| at(request, response, "/api/leaderboard", "updated_at", another_year))),
    row!(Rest, "lie-cap-hook", &["FIG-CAP"], "hook is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "hook", another_address))),
    row!(Rest, "lie-cap-runtimehash", &["FIG-PARTS"], "runtimeHash is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "runtimeHash", another_hash))),
    row!(Rest, "lie-cap-quoteasset", &["FIG-PARTS"], "quoteAsset is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "quoteAsset", another_address))),
    row!(Rest, "lie-cap-poolmanager", &["FIG-PARTS", "FIG-KINDS"], "poolManager is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "poolManager", another_address))),
    row!(Rest, "lie-cap-positionmanager", &["FIG-PARTS", "FIG-KINDS"], "positionManager is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "positionManager", another_address))),
    row!(Rest, "lie-cap-stateview", &["FIG-PARTS", "FIG-KINDS"], "stateView is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "stateView", another_address))),
    row!(Rest, "lie-cap-quoter", &["FIG-PARTS", "FIG-KINDS"], "quoter is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "quoter", another_address))),
    row!(Rest, "lie-cap-universalrouter", &["FIG-PARTS", "FIG-KINDS"], "universalRouter is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "universalRouter", another_address))),
    row!(Rest, "lie-cap-permit2", &["FIG-PARTS", "FIG-KINDS"], "permit2 is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "permit2", another_address))),
    row!(Rest, "lie-cap-factory", &["FIG-PARTS", "FIG-KINDS"], "factory is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "factory", another_address))),
    row!(Rest, "lie-cap-router", &["FIG-PARTS", "FIG-KINDS"], "router is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "router", another_address))),
    row!(Rest, "lie-cap-startblock", &["FIG-PARTS"], "startBlock is much later", Anywhere(|request, response| at(request, response, "/api/capabilities", "startBlock", far_more))),
    row!(Rest, "lie-cap-status", &["FIG-CAP", "FIG-PARTS"], "status is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "status", another_text))),
    row!(Rest, "lie-cap-create", &["FIG-CAP"], "create is the opposite", Anywhere(|request, response| at(request, response, "/api/capabilities", "create", negated))),
    row!(Rest, "lie-cap-trade", &["FIG-PARTS"], "trade is the opposite", Anywhere(|request, response| at(request, response, "/api/capabilities", "trade", negated))),
    row!(Rest, "lie-cap-eoti", &["FIG-PARTS"], "eoti is the opposite", Anywhere(|request, response| at(request, response, "/api/capabilities", "eoti", negated))),
    row!(Rest, "lie-cap-read", &["FIG-PARTS"], "read is the opposite", Anywhere(|request, response| at(request, response, "/api/capabilities", "read", negated))),
    row!(Rest, "lie-cap-emperorauction", &["FIG-PARTS"], "emperorAuction is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "emperorAuction", another_address))),
    row!(Rest, "lie-cap-version", &["FIG-PARTS"], "version is the other one", Anywhere(|request, response| at(request, response, "/api/capabilities", "version", another_version))),
    row!(Rest, "lie-cap-abifamily", &["FIG-PARTS"], "abiFamily is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "abiFamily", another_text))),
    row!(Rest, "lie-cap-feewithdrawalmode", &["FIG-PARTS"], "feeWithdrawalMode is another", Anywhere(|request, response| at(request, response, "/api/capabilities", "feeWithdrawalMode", another_text))),
    row!(Rest, "lie-asset-status", &["FIG-RECORD"], "every asset is paused", Anywhere(|request, response| at(request, response, "/api/stocks/quote-assets", "status", paused))),
    row!(Rest, "lie-asset-symbol", &["FIG-RECORD"], "symbol is another", Anywhere(|request, response| at(request, response, "/api/stocks/quote-assets", "symbol", another_text))),
    row!(Rest, "lie-asset-name", &["FIG-RECORD"], "name is another", Anywhere(|request, response| at(request, response, "/api/stocks/quote-assets", "name", another_text))),
    row!(Rest, "lie-asset-decimals", &["FIG-RECORD"], "decimals is one more", Anywhere(|request, response| at(request, response, "/api/stocks/quote-assets", "decimals", one_more))),
    row!(Rest, "lie-upload-socialhumanproof", &["FIG-UPLOAD"], "socialHumanProof names another wallet", Anywhere(|request, response| at(request, response, "/api/upload", "socialHumanProof", another_wallet))),
    row!(Rest, "lie-owner-market-cap", &["FIG-SAME"], "market_cap is doubled in the tokens of an owner", Anywhere(|request, response| at(request, response, "/api/tokens/by-owner", "market_cap", doubled))),
    row!(Rest, "lie-king-spelled-otherwise", &["FIG-ALIKE"], "the King is spelled in lower case", Anywhere(|request, response| at(request, response, "/api/koti", "address", lower_case))),
    row!(Rest, "lie-price-nothing", &["FIG-PRICE", "FIG-RANGE"], "price_eth is zero, wherever a token is shown", Anywhere(|_, response| tokens(response, "price_eth", nothing))),
    row!(Rest, "lie-owner-spelled-otherwise", &["SVC-CHOSEN"], "owner is spelled in lower case, wherever a token is shown", Anywhere(|_, response| tokens(response, "owner", lower_case))),
    row!(Rest, "lie-list-forgets", &["FIG-LISTED"], "the list leaves out every token whose address ends with an odd digit", Response("/api/tokens", |_, response| _ = drop_odd(response))),
    row!(Rest, "lie-owner-forgets", &["FIG-LISTED"], "the tokens of an owner leave out those whose addresses end with an odd digit, totals included", Response("/api/tokens/by-owner", odd_of_owner_missing)),
    row!(Rest, "lie-recent-leaves-out-chain", &["FIG-LISTED"], "the second chain has no recent launches", Response("/api/tokens/recent-v2", second_chain_missing)),
    row!(Rest, "lie-recent-lags", &["HIST-READ"], "recent launches leave out the newest one", Anywhere(newest_missing)),
    row!(Rest, "lie-recent-disordered", &["HIST-ORDER"], "recent launches show the two newest in the other order", Anywhere(newest_exchanged)),
];

#[rustfmt::skip]
pub(in crate::http) const SWAP: &[MutationRow] = &[
    row!(Swap, "lie-quote-executionrate", &["FIG-RATES"], "executionRate has a digit more", Anywhere(|request, response| at(request, response, "/api/quote", "executionRate", another_digit))),
    row!(Swap, "lie-quote-spotrate", &["FIG-RATES"], "spotRate has a digit more", Anywhere(|request, response| at(request, response, "/api/quote", "spotRate", another_digit))),
    row!(Swap, "lie-quote-priceimpact", &["FIG-RATES"], "priceImpact is halved", Anywhere(|request, response| at(request, response, "/api/quote", "priceImpact", halved))),
    row!(Swap, "lie-quote-lpfee", &["FIG-RATES"], "lpFee has a digit more", Anywhere(|request, response| at(request, response, "/api/quote", "lpFee", another_digit))),
    row!(Swap, "lie-quote-lpfeepercent", &["FIG-RATES"], "lpFeePercent is doubled", Anywhere(|request, response| at(request, response, "/api/quote", "lpFeePercent", doubled))),
    row!(Swap, "lie-quote-gas", &["FIG-GAS"], "gas has a digit more", Anywhere(|request, response| at(request, response, "/api/quote", "gas", another_digit))),
    row!(Swap, "lie-quote-gasprice", &["FIG-GAS"], "gasPrice has a digit more", Anywhere(|request, response| at(request, response, "/api/quote", "gasPrice", another_digit))),
    row!(Swap, "lie-pair-reserve0", &["FIG-PAIRS"], "reserve0 has a digit more", Anywhere(|request, response| at(request, response, "/api/pairs", "reserve0", another_digit))),
    row!(Swap, "lie-pair-reserve1", &["FIG-PAIRS"], "reserve1 has a digit more", Anywhere(|request, response| at(request, response, "/api/pairs", "reserve1", another_digit))),
    row!(Swap, "lie-pair-liquidity-usd", &["FIG-PAIRS"], "liquidity_usd is zero", Anywhere(|request, response| at(request, response, "/api/pairs", "liquidity_usd", nothing))),
    row!(Swap, "lie-pair-volume-24h", &["FIG-PAIRS"], "volume_24h is doubled", Anywhere(|request, response| at(request, response, "/api/pairs", "volume_24h", doubled))),
    row!(Swap, "lie-pair-apr", &["FIG-PAIRS"], "apr is doubled", Anywhere(|request, response| at(request, response, "/api/pairs", "apr", doubled))),
    row!(Swap, "lie-pair-daily-fees", &["FIG-PAIRS"], "daily_fees is doubled", Anywhere(|request, response| at(request, response, "/api/pairs", "daily_fees", doubled))),
    row!(Swap, "lie-pair-fee-tier", &["FIG-PAIRS"], "fee_tier is doubled", Anywhere(|request, response| at(request, response, "/api/pairs", "fee_tier", doubled))),
    row!(Swap, "lie-pair-version", &["FIG-PAIRS"], "version is another", Anywhere(|request, response| at(request, response, "/api/pairs", "version", another_text))),
    row!(Swap, "lie-listed-price-eth", &["FIG-PAIRS"], "price_eth is tripled", Anywhere(|request, response| at(request, response, "/api/tokens", "price_eth", tripled))),
    row!(Swap, "lie-listed-name", &["FIG-PAIRS"], "name is another", Anywhere(|request, response| at(request, response, "/api/tokens", "name", another_text))),
    row!(Swap, "lie-listed-symbol", &["FIG-PAIRS"], "symbol is another", Anywhere(|request, response| at(request, response, "/api/tokens", "symbol", another_text))),
    row!(Swap, "lie-listed-decimals", &["FIG-PAIRS"], "decimals is one more", Anywhere(|request, response| at(request, response, "/api/tokens", "decimals", one_more))),
];

/// A change of one value.
pub(crate) type Change = fn(&mut Value);

/// Changes a member of every token object of a response.
pub(crate) fn tokens(response: &mut ProxiedResponse, name: &str, change: Change) {
    if response.is_ok() {
        let is_token = |members: &Map<String, Value>| members.contains_key("ticker");
        each_member(&mut response.body, &is_token, &|member| member == name, &change);
    }
}

/// Changes a member of every object of the responses of paths that begin so.
pub(crate) fn at(
    request: &RequestParts,
    response: &mut ProxiedResponse,
    path: &str,
    name: &str,
    change: Change,
) {
    if request.path.starts_with(path) {
        each_member(&mut response.body, &|_| true, &|member| member == name, &change);
    }
}

/// Multiplies a number; whole numbers stay whole.
fn times(value: &mut Value, factor: u32) {
    if let Some(whole) = value.as_u64() {
        *value = json!(whole.saturating_mul(u64::from(factor)));
    } else if let Some(number) = value.as_f64() {
        *value = json!(number * f64::from(factor));
    }
}

fn doubled(value: &mut Value) {
    times(value, 2);
}

fn tripled(value: &mut Value) {
    times(value, 3);
}

fn halved(value: &mut Value) {
    if let Some(number) = value.as_f64() {
        *value = json!(number / 2.0);
    }
}

fn nothing(value: &mut Value) {
    *value = json!(0);
}

fn one_more(value: &mut Value) {
    if let Some(whole) = value.as_u64() {
        *value = json!(whole + 1);
    } else if let Some(number) = value.as_f64() {
        *value = json!(number + 1.0);
    }
}

fn far_more(value: &mut Value) {
    if let Some(whole) = value.as_u64() {
        *value = json!(whole + 1_000);
    }
}

fn negated(value: &mut Value) {
    if let Some(flag) = value.as_bool() {
        *value = json!(!flag);
    }
}

fn another_digit(value: &mut Value) {
    change_text(value, |text| format!("{text}7"));
}

fn another_text(value: &mut Value) {
    change_text(value, |text| format!("{text}x"));
}

fn another_version(value: &mut Value) {
    *value = json!(if *value == "v1" { "v2" } else { "v1" });
}

fn paused(value: &mut Value) {
    *value = json!("paused");
}

fn another_wallet(value: &mut Value) {
    if let Some((_, rest)) = value.as_str().and_then(|text| text.split_once('.')) {
        *value = json!(format!("0x0000000000000000000000000000000000000bad.{rest}"));
    }
}

fn another_address(value: &mut Value) {
    *value = json!("0x0000000000000000000000000000000000000bad");
}

/// The last digit of a hash or an address is another.
fn another_hash(value: &mut Value) {
    change_text(value, |text| {
        let last = if text.ends_with('0') { '1' } else { '0' };
        format!("{}{last}", &text[..text.len().saturating_sub(1)])
    });
}

/// A year earlier, on the same day.
fn another_year(value: &mut Value) {
    let year = value.as_str().and_then(|text| Some((text.get(..4)?.parse::<u32>().ok()?, text.get(4..)?)));
    if let Some((year, rest)) = year {
        *value = json!(format!("{:04}{rest}", year - 1));
    }
}

fn lower_case(value: &mut Value) {
    change_text(value, str::to_lowercase);
}

/// The figures of records are those in the asset, where there is one.
fn in_shares(value: &mut Value) {
    each_object(value, &mut |members| {
        for (ether, asset) in IN_ASSET {
            if let Some(figure) = members.get(asset).filter(|figure| figure.is_number()).cloned() {
                members.insert(ether.to_owned(), figure);
            }
        }
    });
}

/// A figure in ETH, and the same in the asset that a launch is sold for.
const IN_ASSET: [(&str, &str); 4] = [
    ("price_eth", "price_in_asset"),
    ("market_cap", "market_cap_in_asset"),
    ("volume_24h", "volume_24h_in_asset"),
    ("volume_1h", "volume_1h_in_asset"),
];

/// Leaves out the tokens whose addresses end with an odd digit; how many they were.
fn drop_odd(response: &mut ProxiedResponse) -> u64 {
    let Some(tokens) = response.tokens() else { return 0 };
    let before = tokens.len();
    tokens.retain(|token| {
        let last = token["address"].as_str().and_then(|text| text.chars().last()?.to_digit(16));
        last.is_none_or(|last| last % 2 == 0)
    });
    (before - tokens.len()) as u64
}

fn odd_of_owner_missing(_: &RequestParts, response: &mut ProxiedResponse) {
    let dropped = drop_odd(response);
    if let Some(total) = response.body.pointer_mut("/pagination/total") {
        *total = json!(total.as_u64().unwrap_or_default().saturating_sub(dropped));
    }
}

fn second_chain_missing(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.get("chainId") == Some("4663")
        && let Some(tokens) = response.tokens()
    {
        tokens.clear();
        response.body["nextOffset"] = Value::Null;
    }
}

fn newest_missing(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.path == "/api/tokens/recent-v2"
        && let Some(tokens) = response.tokens()
        && !tokens.is_empty()
    {
        tokens.remove(0);
    }
}

fn newest_exchanged(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.path == "/api/tokens/recent-v2"
        && let Some(tokens) = response.tokens()
        && tokens.len() > 1
    {
        tokens.swap(0, 1);
    }
}
