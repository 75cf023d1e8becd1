//! The chart on a token's page: candles, the volume of each side below them, and their values under the pointer.
use alloy::primitives::U256;
use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::amount::Asset;
use super::history::scaled;
use super::layout::{tabs, with};
use super::number::short;
use crate::api::figure::saturated;
use crate::api::schema::instant;
use crate::api::tokens::{Candle, Token};

/// Maximum number of candles in a chart, and minimum number of places for them.
const MOST: u64 = 96;
const LEAST: u64 = 32;
const DAY: u64 = 86_400;
/// Lengths of a candle: word, name, seconds.
const LENGTHS: [(&str, &str, u64); 4] =
    [("1m", "1 m", 60), ("5m", "5 m", 300), ("1h", "1 h", 3_600), ("1d", "1 d", DAY)];

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("enum" = LENGTHS.map(|(word, ..)| word)))]
struct CandleLength(u64);

impl TryFrom<String> for CandleLength {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let length = LENGTHS.iter().find(|(word, ..)| *word == text);
        length.map(|(.., seconds)| Self(*seconds)).ok_or("no length of the chart")
    }
}

/// Heights in the drawing, which is stretched to its place: of the prices, and of the whole.
const PRICES: u128 = 1_000;
const GAP: u128 = 60;
const VOLUME: u128 = 340;
const WIDTH: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Scale {
    #[default]
    Linear,
    #[serde(rename = "log")]
    Logarithmic,
}

/// The chart's parameters in a query.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) struct Asked {
    /// time that a candle of the chart covers
    #[schemars(extend("x-cause" = "page-candle"))]
    candle: Option<CandleLength>,
    /// scale of the prices
    #[serde(default)]
    #[schemars(extend("x-cause" = "page-scale"))]
    scale: Scale,
}

pub(super) struct Chart {
    candles: Vec<Candle>,
    length: u64,
    /// Number of places; the candles take the last ones.
    places: usize,
    prices: Prices,
}

/// The range of prices, and their scale.
struct Prices {
    least: u128,
    most: u128,
    scale: Scale,
}

impl Prices {
    fn of(candles: &[Candle], scale: Scale) -> Self {
        Self {
            least: candles.iter().map(|candle| candle.low).min().unwrap_or(0),
            most: candles.iter().map(|candle| candle.high).max().unwrap_or(0),
            scale,
        }
    }

    /// Distance from the top; a single price is in the middle.
    fn y(&self, price: u128) -> u128 {
        let measured = |price| match self.scale {
            Scale::Linear => price,
            Scale::Logarithmic => logarithm(price),
        };
        let (least, most) = (measured(self.least), measured(self.most));
        if least == most {
            return PRICES / 2;
        }
        PRICES - scaled(measured(price) - least, most - least, PRICES)
    }

    /// The price in the middle of the height.
    fn middle(&self) -> u128 {
        match self.scale {
            Scale::Linear => self.least + (self.most - self.least) / 2,
            Scale::Logarithmic => saturated((U256::from(self.least) * U256::from(self.most)).root(2)),
        }
    }
}

/// The binary logarithm with 20 fractional bits, rounded down; 0 for zero.
fn logarithm(value: u128) -> u128 {
    let value = value.max(1);
    let whole = value.ilog2();
    // The value as a number from 1 to 2 with 63 fractional bits.
    let mut rest = if whole > 63 { value >> (whole - 63) } else { value << (63 - whole) };
    let mut bits = u128::from(whole);
    for _ in 0..20 {
        rest = (rest * rest) >> 63;
        let is_set = rest >> 64 > 0;
        rest >>= u32::from(is_set);
        bits = (bits << 1) | u128::from(is_set);
    }
    bits
}

impl Chart {
    pub(super) fn of(token: &Token, now: u64, asked: Asked) -> Self {
        let created = token.birth.created_at;
        let age = now.saturating_sub(created);
        // The shortest candles that reach back to the creation.
        let fitting = || LENGTHS.iter().map(|(.., length)| *length).find(|length| age < length * (MOST - 1));
        let length = asked.candle.map(|length| length.0).or_else(fitting).unwrap_or(DAY);
        let last = now.max(created) / length;
        let count = (last - created / length + 1).min(MOST);
        let begin = (last + 1 - count) * length;
        let candles = token.trades.candles(begin, length, count, token.opening_price());
        let prices = Prices::of(&candles, asked.scale);
        let places = usize::try_from(count.max(LEAST)).unwrap_or(candles.len());
        Self { candles, length, places, prices }
    }

    pub(super) fn section(&self, quote: &Asset, uri: &Uri) -> Markup {
        let lengths: Vec<_> = LENGTHS
            .iter()
            .map(|(word, name, length)| (with(uri, "candle", word), *name, *length == self.length))
            .collect();
        let is_log = self.prices.scale == Scale::Logarithmic;
        let scales =
            [(with(uri, "scale", ""), "Linear", !is_log), (with(uri, "scale", "log"), "Log", is_log)];
        html! {
            section.chart aria-labelledby="plot-title" {
                h2 #plot-title { "Price and volume" span.muted { " in " bdi { (quote.symbol) } } }
                div #ranges.switches-of-chart data-live { (tabs("Length of a candle", &lengths)) (tabs("Scale of the price", &scales)) }
                div #plot {
                    div #drawing data-live { (self.drawing()) }
                    div #scale data-live aria-hidden="true" { (self.scale(quote)) }
                    div #times.times data-live aria-hidden="true" { (self.times()) }
                    output #hover hidden {}
                    span #level hidden {}
                }
                div #candles hidden data-live data-candles=(self.plotted()) data-places=(self.places) data-log[is_log]
                    data-decimals=(quote.decimals) data-symbol=(quote.symbol) {}
            }
        }
    }

    /// The candles, and the volume of purchases stacked on that of sales. The drawing is stretched to its place.
    fn drawing(&self) -> Markup {
        let most =
            self.candles.iter().map(|candle| candle.bought.saturating_add(candle.sold)).max().unwrap_or(0);
        let bottom = PRICES + GAP + VOLUME;
        let (mut up, mut down, mut bought, mut sold) =
            (String::new(), String::new(), String::new(), String::new());
        for (place, candle) in (self.places - self.candles.len()..).zip(&self.candles) {
            let left = place * WIDTH;
            let body = if candle.close >= candle.open { &mut up } else { &mut down };
            body.push_str(&self.body(candle, left));
            // The smaller side stays visible.
            let part = |volume: u128| scaled(volume, most.max(1), VOLUME).max(u128::from(volume > 0));
            let (of_sales, of_purchases) = (part(candle.sold), part(candle.bought));
            let bar = |from: u128, height: u128| format!("M{} {from}h8v-{height}h-8z", left + 1);
            if of_sales > 0 {
                sold.push_str(&bar(bottom, of_sales));
            }
            if of_purchases > 0 {
                bought.push_str(&bar(bottom - of_sales, of_purchases));
            }
        }
        let width = self.places * WIDTH;
        let last = self.prices.y(self.candles.last().map_or(0, |candle| candle.close));
        html! {
            svg.candles viewBox={ "0 -10 " (width) " " (bottom + 10) } preserveAspectRatio="none" role="img"
                aria-label="Price and volume over time; the figures are in the table of trades" {
                path.grid d={ "M0 0H" (width) "M0 " (PRICES / 2) "H" (width) "M0 " (PRICES) "H" (width) } {}
                path.last d={ "M0 " (last) "H" (width) } {}
                path.up d=(up) {}
                path.down d=(down) {}
                path.bought d=(bought) {}
                path.sold d=(sold) {}
            }
        }
    }

    /// The wick and the body of a candle.
    fn body(&self, candle: &Candle, left: usize) -> String {
        let [high, low, open, close] =
            [candle.high, candle.low, candle.open, candle.close].map(|price| self.prices.y(price));
        let (top, height) = (open.min(close), open.abs_diff(close).max(4));
        format!("M{} {high}V{low}M{} {top}h6v{height}h-6z", left + WIDTH / 2, left + 2)
    }

    /// Labels of prices at their heights: the last one, and the others where they do not touch it.
    fn scale(&self, quote: &Asset) -> Markup {
        let Prices { least, most, .. } = self.prices;
        let last = self.candles.last().map_or(0, |candle| candle.close);
        let middle = self.prices.middle();
        let others = [most, middle, least].map(|price| (price, self.prices.y(price)));
        let shown = others.iter().filter(|(_, y)| least != most && y.abs_diff(self.prices.y(last)) > 90);
        let total = PRICES + GAP + VOLUME + 10;
        let percent = |y: u128| format!("{}%", (y + 10) * 100 / total);
        html! {
            svg.scale {
                @for (price, y) in shown {
                    text x="0" y=(percent(*y)) { (short(U256::from(*price), quote.decimals)) }
                }
                text.last x="0" y=(percent(self.prices.y(last))) { (short(U256::from(last), quote.decimals)) }
            }
        }
    }

    fn times(&self) -> Markup {
        let end = self.candles.last().map_or(0, |candle| candle.at);
        html! { @for label in labels(end, self.length, self.places as u64) { span { (label) } } }
    }

    /// Seven lists: times; opening, highest, lowest and last prices; purchases and sales, all in units.
    fn plotted(&self) -> String {
        let list = |of: fn(&Candle) -> u128| {
            self.candles.iter().map(|candle| of(candle).to_string()).collect::<Vec<_>>().join(" ")
        };
        let lists: [fn(&Candle) -> u128; 7] = [
            |candle| candle.at.into(),
            |candle| candle.open,
            |candle| candle.high,
            |candle| candle.low,
            |candle| candle.close,
            |candle| candle.bought,
            |candle| candle.sold,
        ];
        lists.map(list).join(";")
    }
}

/// The times of the first, the middle and the last place: days for candles of a day, else times of day, with the date on a chart of more
/// than a day.
fn labels(end: u64, length: u64, places: u64) -> [String; 3] {
    let range = match length {
        DAY.. => 5..10,
        _ if length * places > DAY => 5..16,
        _ => 11..16,
    };
    [places - 1, places / 2, 0].map(|back| {
        let text = instant(end.saturating_sub(length * back)).0.to_string();
        text.get(range.clone()).unwrap_or(&text).replace('T', " ")
    })
}

#[cfg(test)]
mod tests {
    use super::{LEAST, LENGTHS, MOST, PRICES, Prices, Scale, labels, logarithm};

    #[test]
    fn logarithms_are_exact_at_powers_and_grow() {
        for power in [0_u32, 1, 19, 20, 62, 63, 64, 65, 127] {
            assert_eq!(logarithm(1 << power), u128::from(power) << 20, "{power}");
        }
        assert_eq!(logarithm(0), 0);
        // log2(10) = 3.32192809488736…
        assert_eq!(logarithm(10), 3_483_294);
        assert_eq!(logarithm(u128::MAX) >> 20, 127);
        let logarithms: Vec<u128> = (1..2_000).map(logarithm).collect();
        assert!(logarithms.is_sorted());
    }

    /// Three places of one axis are three moments, so no label stands there twice, whatever the hour of the last candle (RFC 3339 times).
    #[test]
    fn no_time_of_the_axis_stands_there_twice() {
        // 2026-03-04T00:00:00Z
        let midnight = 1_772_582_400;
        assert_eq!(labels(midnight + 12 * 3_600, 3_600, 32), ["03-03 05:00", "03-03 20:00", "03-04 12:00"]);
        assert_eq!(labels(midnight, 300, 96), ["16:05", "20:00", "00:00"]);
        assert_eq!(labels(midnight, 86_400, 32), ["02-01", "02-16", "03-04"]);
        for (.., length) in LENGTHS {
            for (hour, places) in (0..24).flat_map(|hour| [LEAST, 50, MOST].map(|places| (hour, places))) {
                let end = (midnight + hour * 3_600) / length * length;
                let [first, middle, last] = labels(end, length, places);
                assert!(
                    first != middle && middle != last && first != last,
                    "{length}: {first} {middle} {last}"
                );
            }
        }
    }

    #[test]
    fn prices_fill_the_height_on_both_scales() {
        for (scale, middle, height) in [(Scale::Linear, 505, 5), (Scale::Logarithmic, 100, 5)] {
            let prices = Prices { least: 10, most: 1_000, scale };
            assert_eq!((prices.y(1_000), prices.y(10)), (0, PRICES), "{scale:?}");
            assert_eq!(prices.middle(), middle);
            assert!(prices.y(middle).abs_diff(PRICES / 2) < height, "{scale:?}");
            let one = Prices { least: 7, most: 7, scale };
            assert_eq!((one.y(7), one.middle()), (PRICES / 2, 7));
        }
    }
}
