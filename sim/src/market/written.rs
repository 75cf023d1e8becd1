//! The launches that a market file writes out, as steps of a plan. The simulation later finds the ones that a contract would refuse.
use alloy::primitives::U256;
use slipway_contracts::{Quantity, Span};
use slipway_math::curve::{Curve, Position};
use slipway_math::exponential;
use slipway_math::fees::least_gross_up;

use super::accounts::{Account, Roster};
use super::error::{At, PlanError};
use super::file::{ChatRow, LaunchRow, LaunchVersion, TradeRow};
use super::plan::{
    Action, DURATION, Featured, Plan, PlannedLaunch, PlannedMessage, PlannedV1, Portion, Step, V1Trade,
    slot_after,
};
use crate::event::Metadata;

const DEFAULT_CREATOR: &str = "creator-0";
const DEFAULT_AGE: Span = Span::of_seconds(24 * 60 * 60);
const DEFAULT_RAISE: Quantity = Quantity::of_whole(1);
const DEFAULT_GAIN_BPS: u32 = 50_000;
const DEFAULT_SPLIT_BPS: u16 = 5_000;

/// Adds the launches of a row to the plan of its chain, whose quote assets have these symbols.
pub(super) fn add(
    plan: &mut Plan,
    roster: &mut Roster,
    symbols: &[&str],
    row: &LaunchRow,
    at: &At,
) -> Result<(), PlanError> {
    for number in 1..=row.count() {
        let mut writer = Writer { plan: &mut *plan, roster: &mut *roster, row, at };
        match row.version {
            LaunchVersion::V2 => writer.launch(number, symbols)?,
            LaunchVersion::V1 => writer.v1_token(number)?,
        }
    }
    Ok(())
}

struct Writer<'a> {
    plan: &'a mut Plan,
    roster: &'a mut Roster,
    row: &'a LaunchRow,
    at: &'a At,
}

/// A curve with the amount bought on it.
#[derive(Clone, Copy)]
struct OnCurve {
    /// The curve and the creator's split; `None` for V1.
    curve: Option<(Curve, u16)>,
    position: Position,
}

impl OnCurve {
    fn target(&self) -> u128 {
        self.curve.as_ref().map_or(exponential::TARGET, |(curve, _)| curve.target_raise())
    }

    fn is_full(&self) -> bool {
        self.position.contributions >= self.target()
    }

    fn buy(&mut self, gross: u128) {
        self.position = match &self.curve {
            Some((curve, split)) => curve.buy(self.position, gross, *split).position_after,
            None => exponential::buy(self.position, gross).position_after,
        };
    }

    /// Sells units; more than were sold on the curve change nothing.
    fn sell(&mut self, units: u128) {
        let sold = match &self.curve {
            Some((curve, split)) => curve.sell(self.position, units, *split).map(|sold| sold.position_after),
            None => exponential::sell(self.position, units).map(|sold| sold.position_after),
        };
        self.position = sold.unwrap_or(self.position);
    }

    /// The payment with this net amount.
    fn gross_of(&self, net: u128) -> u128 {
        match &self.curve {
            Some(_) => least_gross_up(net).expect("a part of the raise has a gross"),
            None => net + net.saturating_sub(1) / (exponential::GROSS_PER_FEE - 1),
        }
    }

    /// The units whose sale leaves these contributions.
    fn units_above(&self, contributions: u128) -> u128 {
        let left = match &self.curve {
            Some((curve, _)) => curve.sold_down(contributions),
            None => exponential::sold_down(0, contributions),
        };
        self.position.sold.saturating_sub(left)
    }

    /// The value to send with a buy; a buy that fills the curve sends more than the raise, since its gas limit depends on its value, and
    /// the excess is refunded.
    fn payment(&self, gross: u128) -> U256 {
        let mut after = *self;
        after.buy(gross);
        U256::from(if after.is_full() { gross.max(2 * self.target()) } else { gross })
    }
}

/// A trade before its market is known.
struct Wanted {
    by: String,
    age: Option<Span>,
    referrer: Option<String>,
    order: Order,
}

#[derive(Clone, Copy)]
enum Order {
    Buy(u128),
    Sell(u128),
    /// Until this much of the raise is paid in.
    To(u128),
}

impl Writer<'_> {
    fn launch(&mut self, number: u32, symbols: &[&str]) -> Result<(), PlanError> {
        let row = self.row;
        let created = self.plan.end - row.age.unwrap_or(DEFAULT_AGE).seconds();
        let protection = row.anti_snipe.unwrap_or_default();
        let planned = PlannedLaunch {
            creator: self.account("creator", row.creator.as_deref().unwrap_or(DEFAULT_CREATOR))?,
            outcome: None,
            metadata: metadata(row, number),
            target_raise: U256::from(row.raise.unwrap_or(DEFAULT_RAISE).atto()),
            gain_bps: row.gain_bps.unwrap_or(DEFAULT_GAIN_BPS),
            creator_fee_split_bps: row.creator_split_bps.unwrap_or(DEFAULT_SPLIT_BPS),
            anti_snipe_duration: protection,
            prebuy: U256::from(row.prebuy.unwrap_or_default().atto()),
            referrer: row.referrer.as_deref().map(|name| self.account("referrer", name)).transpose()?,
            quote: row.quote.as_ref().and_then(|symbol| symbols.iter().position(|known| known == symbol)),
            disabled: row.disabled,
            row: Some(self.at.row()),
        };
        let curve = Curve::new(planned.target_raise.to(), planned.gain_bps)
            .map_err(|error| self.at.field("raise").wrong(error.to_string()))?;
        let mut on_curve =
            OnCurve { curve: Some((curve, planned.creator_fee_split_bps)), position: Position::default() };
        if !planned.prebuy.is_zero() {
            on_curve.buy(planned.prebuy.to());
        }
        let token = Featured::Launch(self.plan.launches.len());
        let launch = self.plan.launches.len();
        self.plan.steps.push(Step { at: created, action: Action::Launch { launch } });
        self.plan.launches.push(planned);
        self.messages(token, created)?;
        self.trades(token, created + u64::from(protection) + 1, on_curve)
    }

    fn v1_token(&mut self, number: u32) -> Result<(), PlanError> {
        let row = self.row;
        let texts = metadata(row, number);
        let planned = PlannedV1 {
            creator: self.account("creator", row.creator.as_deref().unwrap_or(DEFAULT_CREATOR))?,
            name: texts.name,
            symbol: texts.ticker,
            description: texts.description,
            image_url: texts.image_url,
            outcome: row.drawn,
            disabled: row.disabled,
            row: self.at.row(),
        };
        let token = Featured::V1(self.plan.v1.len());
        self.plan.v1.push(planned);
        let start = self.plan.end - DURATION;
        self.messages(token, start)?;
        self.trades(token, start, OnCurve { curve: None, position: Position::default() })
    }

    fn account(&mut self, field: &'static str, name: &str) -> Result<Account, PlanError> {
        named(self.roster, &self.at.field(field), name)
    }

    fn messages(&mut self, token: Featured, created: u64) -> Result<(), PlanError> {
        for (index, ChatRow { by, text, age }) in self.row.chat.iter().enumerate() {
            let of_message = self.at.field("chat").index(index);
            let sender = named(self.roster, &of_message.field("by"), by)?;
            let at = self.plan.end.saturating_sub(age.unwrap_or_default().seconds());
            if at < created {
                return Err(of_message.field("age").wrong("the launch is younger than this message"));
            }
            self.plan.messages.push(PlannedMessage { token, sender, text: text.clone(), at });
        }
        Ok(())
    }

    /// Plans the trades from `first` on, the earliest possible time.
    fn trades(&mut self, token: Featured, first: u64, mut on_curve: OnCurve) -> Result<(), PlanError> {
        let row = self.row;
        let (trades, field) = match row.progress {
            Some(progress) => (self.progress(progress, &on_curve)?, "progress"),
            None => (self.written(on_curve.target())?, "trades"),
        };
        if !trades.is_empty() && first > self.plan.end {
            return Err(self.at.field("age").wrong(
                "it is too young for trades: they begin a second after the launch, or after its anti-snipe window",
            ));
        }
        let mut latest = first;
        for (index, trade) in trades.iter().enumerate() {
            let of_trade =
                if field == "trades" { self.at.field(field).index(index) } else { self.at.field(field) };
            let at = match trade.age {
                Some(age) => self.plan.end.saturating_sub(age.seconds()),
                None => self.spread(latest, trades.len() - index),
            };
            if at < latest {
                return Err(of_trade.field("age").wrong(
                    "it is earlier than the previous trade, or than the first second in which the launch can be traded",
                ));
            }
            latest = at;
            self.trade(token, at, trade, &of_trade, &mut on_curve)?;
        }
        Ok(())
    }

    /// The time of the next of `left` trades, which share the time to the end; trades in the same slot share a block.
    fn spread(&self, latest: u64, left: usize) -> u64 {
        let end = self.plan.end;
        let part = (end - latest) / (u64::try_from(left).unwrap_or(u64::MAX).saturating_add(1));
        slot_after(latest + part, end).max(latest)
    }

    /// The trades that are written out.
    fn written(&self, target: u128) -> Result<Vec<Wanted>, PlanError> {
        let wanted = |(index, row): (usize, &TradeRow)| {
            let order = match (row.buy, row.sell, row.to) {
                (Some(gross), None, None) => Order::Buy(gross.atto()),
                (None, Some(units), None) => Order::Sell(units.atto()),
                (None, None, Some(part)) => Order::To(part.percent_of_down(target).unwrap_or(u128::MAX)),
                _ => {
                    return Err(self
                        .at
                        .field("trades")
                        .index(index)
                        .wrong("a trade has one of buy, sell and to"));
                }
            };
            Ok(Wanted { by: row.by.clone(), age: row.age, referrer: row.referrer.clone(), order })
        };
        self.row.trades.iter().enumerate().map(wanted).collect()
    }

    /// The buys that end at a given progress.
    fn progress(&self, progress: Quantity, on_curve: &OnCurve) -> Result<Vec<Wanted>, PlanError> {
        let of = |field| self.at.field(field);
        let goal = progress.percent_of_down(on_curve.target()).unwrap_or(u128::MAX);
        let Some(missing) = goal.checked_sub(on_curve.position.contributions) else {
            return Err(of("prebuy").wrong("it pays in more than the progress"));
        };
        let holding = u32::from(on_curve.position.sold > 0);
        let least = holding + u32::from(missing > 0);
        let holders = self.row.holders.unwrap_or(least);
        if holders < least || (missing == 0 && holders > least) {
            let reason =
                format!("with this progress it is {least}{}", if missing > 0 { " or more" } else { "" });
            return Err(of("holders").wrong(reason));
        }
        let buyers = holders - holding;
        let share = missing / u128::from(buyers.max(1));
        let wanted = |number: u32| Wanted {
            by: format!("holder-{number}"),
            age: None,
            referrer: None,
            order: Order::To(goal - u128::from(buyers - number) * share),
        };
        Ok((1..=buyers).map(wanted).collect())
    }

    fn trade(
        &mut self,
        token: Featured,
        at: u64,
        wanted: &Wanted,
        of_trade: &At,
        on_curve: &mut OnCurve,
    ) -> Result<(), PlanError> {
        let trader = named(self.roster, &of_trade.field("by"), &wanted.by)?;
        let referrer = match &wanted.referrer {
            Some(name) => Some(named(self.roster, &of_trade.field("referrer"), name)?),
            None => None,
        };
        let action =
            match settled(wanted.order, on_curve).map_err(|reason| of_trade.field("to").wrong(reason))? {
                Order::Buy(gross) | Order::To(gross) => {
                    let quote = if on_curve.is_full() { U256::from(gross) } else { on_curve.payment(gross) };
                    let action = bought(token, trader, quote, referrer, on_curve.is_full());
                    on_curve.buy(gross);
                    action
                }
                Order::Sell(units) => {
                    let action = sold(token, trader, Portion::Units(units), on_curve.is_full());
                    if !on_curve.is_full() {
                        on_curve.sell(units);
                    }
                    action
                }
            };
        self.plan.steps.push(Step { at, action });
        Ok(())
    }
}

/// The amount that an order pays or sells.
fn settled(order: Order, on_curve: &OnCurve) -> Result<Order, &'static str> {
    let Order::To(goal) = order else { return Ok(order) };
    let paid_in = on_curve.position.contributions;
    if on_curve.is_full() {
        return Err("the curve is full, and its pool has no progress");
    }
    if goal > paid_in {
        return Ok(Order::Buy(on_curve.gross_of(goal.min(on_curve.target()) - paid_in)));
    }
    match on_curve.units_above(goal) {
        0 => Err("the launch is there already"),
        units => Ok(Order::Sell(units)),
    }
}

fn bought(token: Featured, trader: Account, quote: U256, referrer: Option<Account>, in_pool: bool) -> Action {
    match (token, in_pool) {
        (Featured::Launch(launch), false) => Action::Buy { launch, trader, quote, referrer },
        (Featured::Launch(launch), true) => Action::PoolBuy { launch, trader, quote },
        (Featured::V1(token), false) => Action::V1 { token, trader, trade: V1Trade::Buy { quote } },
        (Featured::V1(token), true) => Action::V1 { token, trader, trade: V1Trade::PairBuy { quote } },
    }
}

fn sold(token: Featured, trader: Account, portion: Portion, in_pool: bool) -> Action {
    match (token, in_pool) {
        (Featured::Launch(launch), false) => Action::Sell { launch, trader, portion },
        (Featured::Launch(launch), true) => Action::PoolSell { launch, trader, portion },
        (Featured::V1(token), false) => Action::V1 { token, trader, trade: V1Trade::Sell { portion } },
        (Featured::V1(token), true) => Action::V1 { token, trader, trade: V1Trade::PairSell { portion } },
    }
}

/// The account with a name.
pub(super) fn named(roster: &mut Roster, at: &At, name: &str) -> Result<Account, PlanError> {
    roster.account(name).map_err(|error| at.wrong(error.to_string()))
}

/// The texts of the launch with this number within its row.
fn metadata(row: &LaunchRow, number: u32) -> Metadata {
    let filled = |text: &str| text.replace("{n}", &number.to_string());
    Metadata {
        name: filled(&row.name),
        ticker: filled(&row.ticker),
        description: filled(&row.description),
        image_url: filled(&row.picture),
        messenger: filled(&row.messenger),
        microblog: filled(&row.microblog),
        website: filled(&row.website),
    }
}
