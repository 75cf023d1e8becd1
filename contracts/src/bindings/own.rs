//! Our own contracts, from their committed ABIs. Leaves out published contracts.

#![expect(missing_docs, reason = "an ABI has no documentation; that of the sources is in `sol/`")]
#![expect(
    clippy::too_many_arguments,
    reason = "the generated functions have the arguments of the calls they encode"
)]

use alloy::sol;

sol!(
    /// The launch hook: creation, trading along the curve, graduation, fees.
    #[sol(rpc, all_derives)]
    ILaunchHook,
    "artifacts/abi/LaunchHook.json"
);

sol!(
    /// Previews outside the hook: of a launch, and pure ones from given numbers.
    #[sol(rpc, all_derives)]
    ILaunchViewer,
    "artifacts/abi/LaunchViewer.json"
);

sol!(
    /// Calculates how a supply is split between the sale and the pool.
    #[sol(rpc, all_derives)]
    ISaleSplitCalculator,
    "artifacts/abi/SaleSplitCalculator.json"
);

sol!(
    /// A launched token.
    #[sol(rpc, all_derives)]
    ILaunchToken,
    "artifacts/abi/LaunchToken.json"
);

sol!(
    /// The V1 token factory: it creates no more tokens, but trades and reads still work.
    #[sol(rpc, all_derives)]
    ITokenFactory,
    "artifacts/abi/TokenFactory.json"
);

sol!(
    /// The auction of the daily featured token.
    #[sol(rpc, all_derives)]
    IEmperorAuction,
    "artifacts/abi/EmperorAuction.json"
);

sol!(
    /// A token whose issuer can extend its supply.
    #[sol(rpc, all_derives)]
    IMintableToken,
    "artifacts/abi/MintableToken.json"
);
