//! The calls that open the exchange (its tokens, its pairs and their deposits), and the swaps of the two days.
use alloy::primitives::{Address, Bytes, TxKind, U256};
use alloy::sol_types::SolValue;
use slipway_contracts::bindings::{IUniswapV2Factory, IUniswapV2Router02, IWETH9};

use super::accounts::{Account, PlannedCall};
use super::calls::{ExchangeVenue, approve, call};
use super::exchange::{Asset, Pair, PlannedExchange, PlannedSwap, Side, units};
use super::file::AssetKind;

alloy::sol! {
    /// The functions of the exchange's tokens that only their maker calls.
    interface IMintable {
        function mint(address to, uint256 amount) external;
    }
}

const TOKEN_GAS: u64 = 1_500_000;
const MINT_GAS: u64 = 120_000;
const PAIR_GAS: u64 = 3_200_000;
const SWAP_GAS: u64 = 300_000;
/// The maker's balance of each token, whole units.
pub(super) const MINTED: u64 = 1_000_000_000;

/// The exchange of a market: its addresses and the tokens created for it.
#[derive(Clone, Debug)]
pub(crate) struct ExchangeMarket {
    pub(crate) venue: ExchangeVenue,
    pub(crate) wrapped: Address,
    pub(crate) planned: PlannedExchange,
    /// In the order of the planned assets.
    pub(crate) tokens: Vec<Address>,
}

/// Creation codes of the tokens that a market deploys.
#[derive(Clone, Debug)]
pub(crate) struct TokenCodes {
    pub(crate) mintable: Bytes,
    pub(crate) deflating: Bytes,
}

impl ExchangeMarket {
    /// The calls that create the tokens and the pairs, in order.
    pub(crate) fn opening(&self, maker: Address, codes: &TokenCodes) -> Vec<PlannedCall> {
        let assets = &self.planned.assets;
        let mut calls: Vec<PlannedCall> = assets.iter().map(|asset| create(asset, maker, codes)).collect();
        let wrapping = U256::from(self.planned.wrapped_total());
        calls.push(call(Account::Maker, self.wrapped, wrapping, MINT_GAS, IWETH9::depositCall {}));
        calls.push(approve(Account::Maker, self.wrapped, self.venue.router));
        let answering = assets.iter().zip(&self.tokens).filter(|(asset, _)| asset.kind != AssetKind::Endless);
        for (asset, &token) in answering {
            if asset.kind == AssetKind::Mintable {
                let mint = IMintable::mintCall { to: maker, amount: units(MINTED, asset.decimals) };
                calls.push(call(Account::Maker, token, U256::ZERO, MINT_GAS, mint));
            }
            calls.push(approve(Account::Maker, token, self.venue.router));
        }
        calls.extend(self.planned.pairs.iter().map(|pair| self.open_pair(pair, maker)));
        calls
    }

    pub(crate) fn swap(&self, swap: &PlannedSwap, trader: Address, maker: Address) -> PlannedCall {
        let [first, second] = self.planned.pairs[swap.pair].sides;
        let (paid, bought) = if swap.reverse { (second, first) } else { (first, second) };
        let path = vec![self.address(paid), self.address(bought)];
        let router = self.venue.router;
        if paid == Side::Wrapped {
            let input = IUniswapV2Router02::swapExactETHForTokensCall {
                amountOutMin: U256::ZERO,
                path,
                to: trader,
                deadline: U256::MAX,
            };
            return call(swap.trader, router, swap.amount, SWAP_GAS, input);
        }
        let input = IUniswapV2Router02::swapExactTokensForTokensCall {
            amountIn: swap.amount,
            amountOutMin: U256::ZERO,
            path,
            to: maker,
            deadline: U256::MAX,
        };
        call(Account::Maker, router, U256::ZERO, SWAP_GAS, input)
    }

    fn open_pair(&self, pair: &Pair, maker: Address) -> PlannedCall {
        let [first, second] = pair.sides;
        let (first_token, second_token) = (self.address(first), self.address(second));
        if pair.reserves == [0, 0] {
            let input = IUniswapV2Factory::createPairCall { tokenA: first_token, tokenB: second_token };
            return call(Account::Maker, self.venue.factory, U256::ZERO, PAIR_GAS, input);
        }
        let input = IUniswapV2Router02::addLiquidityCall {
            tokenA: first_token,
            tokenB: second_token,
            amountADesired: U256::from(pair.reserves[0]),
            amountBDesired: U256::from(pair.reserves[1]),
            amountAMin: U256::ZERO,
            amountBMin: U256::ZERO,
            to: maker,
            deadline: U256::MAX,
        };
        call(Account::Maker, self.venue.router, U256::ZERO, PAIR_GAS, input)
    }

    fn address(&self, side: Side) -> Address {
        match side {
            Side::Wrapped => self.wrapped,
            Side::Asset(index) => self.tokens[index],
        }
    }
}

/// Creates a contract of four bytes, a jump to its own beginning: `JUMPDEST PUSH1 0 JUMP`.
const ENDLESS: [u8; 12] = alloy::hex!("635b6000565f526004601cf3");

fn create(asset: &Asset, maker: Address, codes: &TokenCodes) -> PlannedCall {
    let (code, arguments) = match asset.kind {
        AssetKind::Mintable => {
            let described = (asset.name.as_str(), asset.symbol.as_str(), U256::from(asset.decimals), maker);
            (&codes.mintable, described.abi_encode_params())
        }
        AssetKind::Deflating => (&codes.deflating, units(MINTED, asset.decimals).abi_encode()),
        AssetKind::Endless => (&Bytes::from_static(&ENDLESS), Vec::new()),
    };
    let input = [code.as_ref(), &arguments].concat().into();
    PlannedCall { actor: Account::Maker, to: TxKind::Create, value: U256::ZERO, input, gas: TOKEN_GAS }
}
