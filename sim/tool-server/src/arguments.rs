//! The arguments of the tools: read by name, bounded, converted without rounding.
use std::collections::BTreeMap;

use alloy::primitives::{U256, Uint};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};
use slipway_contracts::bindings::CreateLaunchParams;

use crate::config::ToolServerConfig;
use crate::decimal::{self, DecimalError};
use crate::ensure;
use crate::refusal::Refusal;

/// One whole ether in wei.
const ONE_ETHER: u128 = 1_000_000_000_000_000_000;
/// As much of an unknown name as is repeated, in characters.
const LONGEST_NAME: usize = 40;
/// Every parameter of a launch.
pub(crate) const LAUNCH_ARGUMENTS: [&str; 14] = [
    "name",
    "ticker",
    "description",
    "imageUrl",
    "targetRaiseEth",
    "messenger",
    "microblog",
    "website",
    "curveGainMultiplier",
    "creatorFeeSplitBps",
    "antiSnipeSeconds",
    "startTimestamp",
    "prebuyEth",
    "referralCode",
];

/// A launch as it will stand on the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaunchRequest {
    pub(crate) parameters: CreateLaunchParams,
    pub(crate) prebuy_wei: u128,
    /// No code means the call without referral.
    pub(crate) referral_code: Option<String>,
}

impl LaunchRequest {
    /// The links of the launch, under the names of their arguments. Empty ones are absent.
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
}

/// The numbers of a call as its author wrote them: what has passed through a binary fraction is not exact any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Literals(pub(crate) BTreeMap<String, String>);

/// The arguments of one call, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) members: JsonObject,
    pub(crate) literals: Literals,
}

impl Call {
    /// The decimal text of a number; without a literal, the shortest one that means the same binary fraction.
    fn decimal(&self, argument: &str, number: &Number) -> Option<String> {
        match self.literals.0.get(argument) {
            Some(literal) => decimal::without_exponent(literal),
            None => number
                .as_f64()
                .filter(|_| number.is_f64())
                .map_or_else(|| Some(number.to_string()), |value| Some(format!("{value}"))),
        }
    }
}

/// Reads the arguments of one call.
pub(crate) struct Arguments<'call> {
    call: &'call Call,
    config: &'call ToolServerConfig,
}

impl<'call> Arguments<'call> {
    /// Refuses names nobody knows: a misspelt option must not become its default.
    pub(crate) fn new(
        call: &'call Call,
        known: &[&str],
        config: &'call ToolServerConfig,
    ) -> Result<Self, Refusal> {
        let unknown = call.members.keys().find(|name| !known.contains(&name.as_str()));
        match unknown {
            Some(name) => Err(Refusal::ArgumentUnknown {
                // Cut after cleaning: a secret cut in two is not recognised any more.
                argument: config.redactor.sanitize(name).chars().take(LONGEST_NAME).collect(),
            }),
            None => Ok(Self { call, config }),
        }
    }

    /// The value; null counts as absent.
    fn value(&self, argument: &'static str) -> Option<&'call Value> {
        self.call.members.get(argument).filter(|value| !value.is_null())
    }

    fn text(&self, argument: &'static str) -> Result<Option<&'call str>, Refusal> {
        let expected = "a string";
        self.value(argument)
            .map(|value| value.as_str().ok_or(Refusal::ArgumentType { argument, expected }))
            .transpose()
    }

    fn required_text(&self, argument: &'static str) -> Result<String, Refusal> {
        self.text(argument)?.map(str::to_owned).ok_or(Refusal::ArgumentMissing { argument })
    }

    /// A number as decimal text.
    fn number(&self, argument: &'static str) -> Result<Option<String>, Refusal> {
        match self.value(argument) {
            None => Ok(None),
            Some(Value::Number(number)) => {
                let text = self.call.decimal(argument, number);
                text.map(Some).ok_or(Refusal::Amount { argument, reason: DecimalError::TooLarge })
            }
            Some(_) => Err(Refusal::ArgumentType { argument, expected: "a number" }),
        }
    }

    /// A whole number that is not negative; `5.0` is one.
    pub(crate) fn whole(&self, argument: &'static str, default: u64) -> Result<u64, Refusal> {
        let expected = "a whole number, not negative";
        let Some(text) = self.number(argument)? else {
            return Ok(default);
        };
        let whole = decimal::exact(&text, 0).ok().and_then(|whole| u64::try_from(whole).ok());
        whole.ok_or(Refusal::ArgumentType { argument, expected })
    }

    fn ether(&self, argument: &'static str) -> Result<Option<u128>, Refusal> {
        let exact = |text: String| {
            decimal::exact(&text, decimal::ETHER).map_err(|reason| Refusal::Amount { argument, reason })
        };
        self.number(argument)?.map(exact).transpose()
    }

    /// Whether the call is confirmed, literally.
    pub(crate) fn confirmed(&self) -> bool {
        self.call.members.get("confirm").and_then(Value::as_str) == Some("YES")
    }

    /// The launch that is asked for, within every bound that needs neither network nor clock.
    pub(crate) fn launch(&self) -> Result<LaunchRequest, Refusal> {
        let parameters = CreateLaunchParams {
            name: self.name()?,
            ticker: self.ticker()?,
            description: self.description()?,
            imageUrl: self.required_text("imageUrl")?,
            messenger: self.text("messenger")?.unwrap_or_default().to_owned(),
            microblog: self.text("microblog")?.unwrap_or_default().to_owned(),
            website: self.text("website")?.unwrap_or_default().to_owned(),
            creatorFeeSplitBps: self.split()?,
            gainBps: self.gain()?,
            targetRaise: Uint::saturating_from(self.raise()?),
            antiSnipeDuration: self.anti_snipe()?,
            startTime: self.start()?,
        };
        let request = LaunchRequest {
            parameters,
            prebuy_wei: self.ether("prebuyEth")?.unwrap_or_default(),
            referral_code: self.referral()?,
        };
        self.hold_amounts(&request)?;
        self.hold_secrets(&request)?;
        Ok(request)
    }

    fn length(&self, text: &str, longest: usize, refusal: impl Fn(usize) -> Refusal) -> Result<(), Refusal> {
        let found = text.chars().count();
        ensure((1..=longest).contains(&found), refusal(found))
    }

    fn name(&self) -> Result<String, Refusal> {
        let name = self.required_text("name")?;
        self.length(&name, 48, |found| Refusal::NameLength { found })?;
        Ok(name)
    }

    fn ticker(&self) -> Result<String, Refusal> {
        let ticker = self.required_text("ticker")?;
        self.length(&ticker, 12, |found| Refusal::TickerLength { found })?;
        ensure(!ticker.contains('$'), Refusal::TickerDollar)?;
        Ok(ticker)
    }

    fn description(&self) -> Result<String, Refusal> {
        let description = self.required_text("description")?;
        self.length(&description, 500, |found| Refusal::DescriptionLength { found })?;
        Ok(description)
    }

    fn raise(&self) -> Result<u128, Refusal> {
        let argument = "targetRaiseEth";
        let raise = self.ether(argument)?.ok_or(Refusal::ArgumentMissing { argument })?;
        ensure((ONE_ETHER..=5 * ONE_ETHER).contains(&raise), Refusal::RaiseRange)?;
        Ok(raise)
    }

    /// Basis points above the starting price at the end of the curve: (multiplier - 1) * 10000, rounded. The range is
    /// that of the multiplier as written: rounding must not pull one back into it.
    fn gain(&self) -> Result<u32, Refusal> {
        let argument = "curveGainMultiplier";
        let text = self.number(argument)?.unwrap_or_else(|| "6".to_owned());
        let scaled = decimal::rounded(&text, 4).map_err(|reason| Refusal::Amount { argument, reason })?;
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let whole: u128 = whole.parse().unwrap_or(u128::MAX);
        let exceeds = whole > 21 || (whole == 21 && fraction.bytes().any(|digit| digit != b'0'));
        ensure(whole >= 1 && !exceeds, Refusal::GainRange)?;
        Ok(u32::try_from(scaled.saturating_sub(10_000)).unwrap_or(u32::MAX))
    }

    fn split(&self) -> Result<u16, Refusal> {
        let split = self.whole("creatorFeeSplitBps", 5_000)?;
        ensure(split <= 10_000, Refusal::SplitRange)?;
        Ok(u16::try_from(split).unwrap_or(u16::MAX))
    }

    fn anti_snipe(&self) -> Result<u32, Refusal> {
        let seconds = self.whole("antiSnipeSeconds", 0)?;
        ensure(matches!(seconds, 0 | 20 | 40 | 60), Refusal::AntiSnipeChoice)?;
        Ok(u32::try_from(seconds).unwrap_or(u32::MAX))
    }

    /// Beyond 2^53 a JSON number no longer says which second is meant.
    fn start(&self) -> Result<u64, Refusal> {
        let start = self.whole("startTimestamp", 0).map_err(|_| Refusal::StartRange)?;
        ensure(start < 1 << 53, Refusal::StartRange)?;
        Ok(start)
    }

    fn referral(&self) -> Result<Option<String>, Refusal> {
        let Some(code) = self.text("referralCode")?.filter(|code| !code.is_empty()) else {
            return Ok(None);
        };
        let letters = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        ensure(letters && code.len() <= 64, Refusal::ReferralShape)?;
        Ok(Some(code.to_owned()))
    }

    fn hold_amounts(&self, request: &LaunchRequest) -> Result<(), Refusal> {
        let raise: u128 = request.parameters.targetRaise.to();
        let cap = |wei: u128| decimal::format(U256::from(wei), decimal::ETHER);
        ensure(
            raise <= self.config.max_raise_wei,
            Refusal::RaiseOverCap { cap: cap(self.config.max_raise_wei) },
        )?;
        ensure(request.prebuy_wei <= raise, Refusal::PrebuyOverRaise)?;
        let refusal = Refusal::PrebuyOverCap { cap: cap(self.config.max_prebuy_wei) };
        ensure(request.prebuy_wei <= self.config.max_prebuy_wei, refusal)
    }

    /// A launch is public: no text of it may spell a secret of this process.
    fn hold_secrets(&self, request: &LaunchRequest) -> Result<(), Refusal> {
        let parameters = &request.parameters;
        let texts = [
            ("name", parameters.name.as_str()),
            ("ticker", &parameters.ticker),
            ("description", &parameters.description),
            ("referralCode", request.referral_code.as_deref().unwrap_or_default()),
        ];
        for (argument, text) in texts.into_iter().chain(request.links()) {
            ensure(!self.config.key_detector.finds_secret(text), Refusal::ArgumentSecret { argument })?;
        }
        Ok(())
    }

    /// The id of a launch, as a number or as decimal text.
    pub(crate) fn launch_id(&self) -> Result<U256, Refusal> {
        let argument = "launchId";
        let text = match self.value(argument) {
            None => return Err(Refusal::ArgumentMissing { argument }),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => self.call.decimal(argument, number).unwrap_or_default(),
            Some(_) => return Err(Refusal::LaunchIdShape),
        };
        let digits = !text.is_empty() && text.len() <= 78 && text.bytes().all(|byte| byte.is_ascii_digit());
        let id = digits.then(|| U256::from_str_radix(&text, 10).ok()).flatten();
        id.filter(|id| !id.is_zero()).ok_or(Refusal::LaunchIdShape)
    }

    /// How many recent launches.
    pub(crate) fn limit(&self) -> Result<u64, Refusal> {
        let limit = self.whole("limit", 10)?;
        ensure((1..=50).contains(&limit), Refusal::LimitRange)?;
        Ok(limit)
    }
}
