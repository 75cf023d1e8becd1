//! The curve of a launch with its current point, and the point after the requested trade.
use alloy::primitives::U256;
use maud::{Markup, html};

use super::amount::{Asset, DECIMALS, exact};
use super::history::scaled;
use super::number::{compact, percent_down, short};
use crate::api::figure::{Figure, saturated};
use crate::api::market::TradeOrder;
use crate::api::tokens::{Token, Version};
use crate::event::Side;
use slipway_math::{curve, exponential};

/// Number of points on the line.
const STEPS: u128 = 60;
/// Size of the drawing within its axes, in tenths of a pixel of the smallest screen.
const WIDTH: u128 = 2_600;
const HEIGHT: u128 = 1_100;
/// Width of a letter of a label.
const LETTER: u128 = 64;

/// The data for drawing the curve of a launch.
pub(super) struct Curve {
    shape: Shape,
    sold: u128,
    progress: Figure,
}

enum Shape {
    V1,
    V2(Box<curve::Curve>),
    /// A launch that is not configured yet.
    Unknown,
}

impl Shape {
    /// Token units for sale.
    fn supply(&self) -> u128 {
        match self {
            Self::V1 => exponential::SALE_SUPPLY,
            Self::V2(curve) => curve.sale_supply(),
            Self::Unknown => 1,
        }
    }

    /// Price of a whole token after this many units were sold.
    fn price(&self, sold: u128) -> u128 {
        match self {
            Self::V1 => saturated(exponential::price_down(sold)),
            Self::V2(curve) => saturated(curve.price_down(sold)),
            Self::Unknown => 0,
        }
    }

    /// Coordinates in the drawing.
    fn place(&self, sold: u128) -> (u128, u128) {
        let supply = self.supply();
        let price = scaled(self.price(sold), self.price(supply).max(1), HEIGHT);
        (scaled(sold, supply, WIDTH), HEIGHT - price)
    }

    /// Where a label of so many letters ends that stands above the line, as near to a point of it as the room beside the axis permits:
    /// the line rises, so that it is below the label all along if it is below its end.
    fn above(&self, x: u128, letters: usize) -> (u128, u128) {
        let end = x.max(LETTER * (letters as u128 + 1)).min(WIDTH);
        let (_, line) = self.place(self.supply() / WIDTH * end);
        (end, line.saturating_sub(50))
    }

    /// The line between two amounts of sold units.
    fn line(&self, from: u128, to: u128) -> String {
        let step = (to - from) / STEPS;
        let points = (0..=STEPS).map(|number| if number == STEPS { to } else { from + step * number });
        let points = points.map(|sold| self.place(sold)).map(|(x, y)| format!("{x} {y}"));
        format!("M{}", points.collect::<Vec<_>>().join("L"))
    }
}

impl Curve {
    pub(super) fn of(token: &Token) -> Self {
        let shape = match (token.curve(), token.launch.version) {
            (Some(curve), _) => Shape::V2(Box::new(*curve)),
            (None, Version::V1) => Shape::V1,
            (None, Version::V2) => Shape::Unknown,
        };
        Self { sold: token.sold().min(shape.supply()), shape, progress: token.progress() }
    }

    /// The curve of a launch that does not exist yet, with the creator's first purchase.
    pub(super) fn planned(curve: curve::Curve, after: curve::Position) -> Self {
        let progress = Figure::of_ratio(after.contributions, curve.target_raise());
        Self { shape: Shape::V2(Box::new(curve)), sold: after.sold, progress }
    }

    /// Units sold after a trade.
    fn after(&self, side: Side, order: &TradeOrder) -> u128 {
        match side {
            Side::Buy => self.sold.saturating_add(saturated(order.received)).min(self.shape.supply()),
            Side::Sell => self.sold.saturating_sub(saturated(order.paid)),
        }
    }

    /// The price by tokens sold; the area below it up to the current point is the raised amount.
    pub(super) fn picture(&self, quote: &Asset, raised: u128, asked: Option<(Side, &TradeOrder)>) -> Markup {
        let Self { shape, sold, progress } = self;
        if matches!(shape, Shape::Unknown) {
            return html! { p { "The curve is not known yet." } };
        }
        let after = asked.map(|(side, order)| self.after(side, order));
        let price = |sold| quote.amount(U256::from(shape.price(sold)));
        let supply = shape.supply();
        html! {
            (self.drawing(quote, raised, after))
            dl.terms {
                dt { "Tokens sold" }
                dd {
                    data #sold value=(sold) title=(exact(U256::from(*sold), DECIMALS)) { (compact(U256::from(*sold), DECIMALS)) }
                    " of " data value=(supply) title=(exact(U256::from(supply), DECIMALS)) { (compact(U256::from(supply), DECIMALS)) }
                    ", " (percent_down(Figure::of_ratio(*sold, supply)))
                }
                dt { "Raised" } dd #raised-part { (quote.amount(U256::from(raised))) ", " (percent_down(*progress)) }
                dt { "Start" } dd { (price(0)) }
                dt { "Now" } dd { (price(*sold)) }
                dt { "Graduation" } dd { (price(supply)) }
            }
            @if let Some(after) = after {
                p #moved { "This trade moves the price from " (price(*sold)) " to " (price(after)) "." }
            }
        }
    }

    fn drawing(&self, quote: &Asset, raised: u128, after: Option<u128>) -> Markup {
        let Self { shape, sold, .. } = self;
        let supply = shape.supply();
        let line = shape.line(0, supply);
        let (x, y) = shape.place(*sold);
        let (_, start) = shape.place(0);
        let price = |sold| short(U256::from(shape.price(sold)), quote.decimals);
        let tokens = |units: u128| compact(U256::from(units), DECIMALS);
        let now = format!("now {}", price(*sold));
        let (to, above) = shape.above(x, now.chars().count());
        // The label of the area is within it, or beside it while it is narrow.
        let (area, within) = if x > WIDTH / 2 { ("middle", x / 2) } else { ("start", x + 70) };
        html! {
            svg.curve viewBox="-720 -160 3400 1540" role="img"
                aria-label="Price by tokens sold, from the start over now to the graduation; the area up to now is what was raised" {
                path.area d={ (line) "V" (HEIGHT) "H0z" } {}
                path.raised d={ (shape.line(0, *sold)) "V" (HEIGHT) "H0z" } {}
                path.axis d={ "M0 0V" (HEIGHT) "H" (WIDTH) } {}
                path.guide d={ "M0 " (y) "H" (x) "V" (HEIGHT) } {}
                path d=(line) {}
                @if let Some(after) = after {
                    path.moved d=(shape.line(after.min(*sold), after.max(*sold))) {}
                    (point("after", shape.place(after)))
                }
                (point("here", (x, y)))
                text.end x="-40" y="0" { "graduation" }
                text.end x="-40" y="120" { (price(supply)) }
                text.end x="-40" y=(start.max(340)) { "start" }
                text.end x="-40" y=(start.max(340) + 120) { (price(0)) }
                // At the start the axis shows the same price.
                @if *sold > 0 { text.end.now x=(to) y=(above) { (now) } }
                text x="0" y=(HEIGHT + 140) { "0" }
                text.middle x=(WIDTH / 2) y=(HEIGHT + 140) { "tokens sold" }
                text.end x=(WIDTH) y=(HEIGHT + 140) { (tokens(supply)) }
                text.(area) x=(within) y=(HEIGHT - 60) { "raised " (short(U256::from(raised), quote.decimals)) " " (quote.symbol) }
            }
        }
    }
}

fn point(class: &str, (x, y): (u128, u128)) -> Markup {
    html! { circle.(class) cx=(x) cy=(y) r="40" {} }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::{Curve, Shape};
    use crate::api::figure::Figure;
    use crate::api::market::TradeOrder;
    use crate::event::Side;
    use slipway_math::exponential::SALE_SUPPLY;

    #[test]
    fn a_trade_moves_the_point_within_the_curve() {
        let curve = Curve { shape: Shape::V1, sold: SALE_SUPPLY / 2, progress: Figure::default() };
        let order = |paid: u128, received: u128| TradeOrder {
            paid: U256::from(paid),
            received: U256::from(received),
            refund: U256::ZERO,
            fee: None,
            minimum: U256::ZERO,
            calls: Vec::new(),
        };
        assert_eq!(curve.after(Side::Buy, &order(1, 7)), SALE_SUPPLY / 2 + 7);
        assert_eq!(curve.after(Side::Buy, &order(1, SALE_SUPPLY)), SALE_SUPPLY);
        assert_eq!(curve.after(Side::Sell, &order(7, 1)), SALE_SUPPLY / 2 - 7);
        assert_eq!(curve.after(Side::Sell, &order(SALE_SUPPLY, 1)), 0);
        assert_eq!(curve.shape.place(SALE_SUPPLY), (super::WIDTH, 0));
        assert!(curve.shape.line(0, SALE_SUPPLY).ends_with("L2600 0"));
    }
}
