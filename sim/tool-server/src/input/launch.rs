//! The arguments of a launch as one request.
use crate::decimal::Wei;
use alloy::primitives::U256;
use alloy::primitives::Uint;
use slipway_contracts::bindings::CreateLaunchParams;

use super::LaunchArguments;

/// A launch as the chain will store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaunchRequest {
    pub(crate) parameters: CreateLaunchParams,
    pub(crate) prebuy: Wei,
    /// `None` selects the function without a referral code.
    pub(crate) referral_code: Option<String>,
}

impl From<LaunchArguments> for LaunchRequest {
    fn from(arguments: LaunchArguments) -> Self {
        let narrow = "the declared range fits";
        let parameters = CreateLaunchParams {
            name: arguments.name.0,
            ticker: arguments.ticker.0,
            description: arguments.description.0,
            imageUrl: arguments.image_url.0,
            messenger: arguments.messenger.0,
            microblog: arguments.microblog.0,
            website: arguments.website.0,
            creatorFeeSplitBps: arguments.creator_fee_split_bps.0.try_into().expect(narrow),
            // A multiplier of 1 means no gain.
            gainBps: u32::try_from(arguments.curve_gain_multiplier.0 - 10_000).expect(narrow),
            targetRaise: Uint::from(arguments.target_raise_eth.0),
            antiSnipeDuration: arguments.anti_snipe_seconds.0.try_into().expect(narrow),
            startTime: arguments.start_timestamp.0,
        };
        Self {
            parameters,
            prebuy: Wei(U256::from(arguments.prebuy_eth.0)),
            referral_code: Some(arguments.referral_code.0).filter(|code| !code.is_empty()),
        }
    }
}

impl LaunchRequest {
    pub(crate) fn raise(&self) -> Wei {
        Wei(U256::from(self.parameters.targetRaise))
    }

    /// The links of the launch by argument, without absent ones.
    pub(crate) fn links(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parameters = &self.parameters;
        let image = std::iter::once(("imageUrl", parameters.imageUrl.as_str()));
        let others = [
            ("messenger", parameters.messenger.as_str()),
            ("microblog", parameters.microblog.as_str()),
            ("website", parameters.website.as_str()),
        ];
        image.chain(others.into_iter().filter(|(_, link)| !link.is_empty()))
    }

    /// Every text that becomes public, by argument.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parameters = &self.parameters;
        let texts = [
            ("name", parameters.name.as_str()),
            ("ticker", &parameters.ticker),
            ("description", &parameters.description),
            ("referralCode", self.referral_code.as_deref().unwrap_or_default()),
        ];
        texts.into_iter().chain(self.links())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input::CallArguments;
    use crate::tools;

    #[test]
    fn texts_have_the_names_of_their_arguments() {
        let mut call = CallArguments::default();
        let texts = [
            "name",
            "ticker",
            "description",
            "referralCode",
            "imageUrl",
            "messenger",
            "microblog",
            "website",
        ];
        call.members.extend(texts.map(|name| (name.to_owned(), json!(name))));
        call.members.insert("targetRaiseEth".to_owned(), json!(1));
        let arguments = call.read::<LaunchArguments>(tools::declared("preview_launch")).unwrap();
        let request = LaunchRequest::from(arguments);
        assert_eq!(request.texts().collect::<Vec<_>>(), texts.map(|name| (name, name)));
    }
}
