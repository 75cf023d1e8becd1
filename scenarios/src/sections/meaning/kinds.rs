//! Kinds of contracts: what a deployment names by its kind answers a call that only this kind knows. A name that a deployment does not
//! have is left out: names are choices.
use alloy::sol_types::SolCall;

use super::capabilities::Capabilities;
use crate::prelude::*;
use crate::reads::CAPABILITIES;
use crate::sections::capabilities::deployments;
use crate::wire::{Exchange, Parts, Permits, Pools, QuoteExactSingleParams};

/// Every named contract of every deployment is of its kind.
pub(super) async fn parts(trial: &Trial<'_>) -> Verdict {
    for capabilities in Capabilities::of_each_chain(trial, CAPABILITIES).await? {
        for deployment in deployments(&capabilities.body) {
            capabilities.kinds_of_v4(&deployment["v4"]).await?;
            let v2 = &deployment["v2"];
            capabilities.kind("factory", &v2["factory"], Exchange::allPairsLengthCall {}).await?;
            capabilities.kind("router", &v2["router"], Exchange::WETHCall {}).await?;
        }
    }
    Ok(())
}

impl Capabilities<'_> {
    async fn kinds_of_v4(&self, v4: &Value) -> Verdict {
        let (user, token, spender) = Default::default();
        let params = QuoteExactSingleParams { zeroForOne: true, exactAmount: 1, ..Default::default() };
        let nothing =
            Pools::executeCall { commands: Default::default(), inputs: Vec::new(), deadline: U256::MAX };
        self.kind("poolManager", &v4["poolManager"], Parts::extsloadCall { slot: Default::default() })
            .await?;
        self.kind("positionManager", &v4["positionManager"], Parts::nextTokenIdCall {}).await?;
        self.kind("stateView", &v4["stateView"], Pools::getSlot0Call { poolId: Default::default() }).await?;
        self.kind("quoter", &v4["quoter"], Pools::quoteExactInputSingleCall { params }).await?;
        self.kind("universalRouter", &v4["universalRouter"], nothing).await?;
        self.kind("permit2", &v4["permit2"], Permits::allowanceCall { user, token, spender }).await
    }

    /// A contract knows a function: a call of it returns, or reverts with an error that it names.
    async fn kind<C: SolCall>(&self, name: &str, stated: &Value, call: C) -> Verdict {
        let Some(address) = parsed(stated) else { return Ok(()) };
        let answer = match self.chain.code(address).await? {
            code if code.is_empty() => Err("it has no code".to_owned()),
            _ => match self.chain.call(address, &call).await? {
                Err(error) if error.selector().is_none() => Err(error.to_string()),
                _ => Ok(()),
            },
        };
        answer.map_err(|reason| {
            let expected = format!("a {name}, which answers {}", C::SIGNATURE);
            self.failure(&self.response, expected, format!("{address}: {reason}"))
        })
    }
}
