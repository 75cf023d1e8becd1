//! The trades of one token in order, with running totals, so that any window of time takes two searches and a subtraction.
use super::shared_list::SharedList;
use crate::event::Side;

/// The state right after one trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    at: u64,
    price: u128,
    volume: u128,
    buys: u64,
    sells: u64,
}

/// Sums over a window of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Volume in quote units, gross of fees.
    pub volume: u128,
    /// Purchases.
    pub buys: u64,
    /// Sales.
    pub sells: u64,
    /// Price at the beginning of the window; `None` if no trade came before it.
    pub price_before: Option<u128>,
}

impl Window {
    /// Trades of either side.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buys + self.sells
    }
}

/// Prices and volumes of one interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candle {
    /// Its first second.
    pub at: u64,
    /// Price at the beginning.
    pub open: u128,
    /// Highest price.
    pub high: u128,
    /// Lowest price.
    pub low: u128,
    /// Price at the end.
    pub close: u128,
    /// Quote units of purchases, gross of fees.
    pub bought: u128,
    /// Quote units of sales, gross of fees.
    pub sold: u128,
}

impl Candle {
    fn follow(&mut self, before: &Point, point: &Point) {
        self.high = self.high.max(point.price);
        self.low = self.low.min(point.price);
        self.close = point.price;
        let volume = point.volume - before.volume;
        if point.buys > before.buys {
            self.bought = self.bought.saturating_add(volume);
        } else {
            self.sold = self.sold.saturating_add(volume);
        }
    }
}

/// All trades of one token; a copy shares them until either changes.
#[derive(Clone, Debug, Default)]
pub struct Trades {
    points: SharedList<Point>,
    last_trade: Option<u64>,
}

impl Trades {
    /// Appends a trade of `volume` quote units that left the token at `price`.
    pub fn push(&mut self, at: u64, side: Side, volume: u128, price: u128) {
        let mut point = self.next(at, price);
        point.volume = point.volume.saturating_add(volume);
        match side {
            Side::Buy => point.buys += 1,
            Side::Sell => point.sells += 1,
        }
        self.last_trade = Some(point.at);
        self.points.push(point);
    }

    /// Appends a price change without a trade.
    pub fn reprice(&mut self, at: u64, price: u128) {
        let point = self.next(at, price);
        self.points.push(point);
    }

    fn next(&self, at: u64, price: u128) -> Point {
        match self.points.last() {
            Some(last) => Point { at: at.max(last.at), price, ..*last },
            None => Point { at, price, volume: 0, buys: 0, sells: 0 },
        }
    }

    /// Number of all trades.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.points.last().map_or(0, |last| last.buys + last.sells)
    }

    /// Time of the last trade.
    #[must_use]
    pub fn last_at(&self) -> Option<u64> {
        self.last_trade
    }

    /// Price after the last trade up to `time`, and the quote units traded until then; `None` before the first trade.
    #[must_use]
    pub fn at(&self, time: u64) -> Option<(u128, u128)> {
        let past = self.points.partition_point(|point| point.at <= time);
        let last = self.points.get(past.checked_sub(1)?)?;
        Some((last.price, last.volume))
    }

    /// Candles of `length` seconds, the first of which begins at `begin`; before the first trade the price is `opening`.
    #[must_use]
    pub fn candles(&self, begin: u64, length: u64, count: u64, opening: u128) -> Vec<Candle> {
        let mut next = self.points.partition_point(|point| point.at < begin);
        let unchanged = Point { at: 0, price: opening, volume: 0, buys: 0, sells: 0 };
        let mut before =
            next.checked_sub(1).and_then(|last| self.points.get(last)).copied().unwrap_or(unchanged);
        let candle = |number| {
            let at = begin + length * number;
            let open = before.price;
            let mut candle = Candle { at, open, high: open, low: open, close: open, bought: 0, sold: 0 };
            while let Some(point) = self.points.get(next).filter(|point| point.at < at + length) {
                candle.follow(&before, point);
                before = *point;
                next += 1;
            }
            candle
        };
        (0..count).map(candle).collect()
    }

    /// The trades after `now - span` seconds; a trade exactly that old is excluded.
    ///
    /// Clause: FIG-VOLUME, FIG-TXNS
    #[must_use]
    pub fn within(&self, now: u64, span: u64) -> Window {
        let Some(last) = self.points.last() else {
            return Window::default();
        };
        let opening = now.checked_sub(span);
        let outside = opening.map_or(0, |opening| self.points.partition_point(|point| point.at <= opening));
        match outside.checked_sub(1).map(|index| self.points[index]) {
            Some(before) => Window {
                volume: last.volume - before.volume,
                buys: last.buys - before.buys,
                sells: last.sells - before.sells,
                price_before: Some(before.price),
            },
            None => Window { volume: last.volume, buys: last.buys, sells: last.sells, price_before: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Candle, Trades, Window};
    use crate::event::Side;

    #[test]
    fn window_excludes_the_far_edge() {
        let mut trades = Trades::default();
        trades.push(100, Side::Buy, 7, 1);
        trades.push(160, Side::Sell, 5, 2);
        trades.push(160, Side::Buy, 3, 4);
        let all = Window { volume: 15, buys: 2, sells: 1, price_before: None };
        assert_eq!(trades.within(159, 60), all);
        assert_eq!(trades.within(160, 60), Window { volume: 8, buys: 1, sells: 1, price_before: Some(1) });
        assert_eq!(trades.within(220, 60), Window { price_before: Some(4), ..Window::default() });
        assert_eq!(trades.within(10, 60), all, "a clock behind the chain loses no trade");
    }

    #[test]
    fn candles_have_the_prices_and_the_volume_of_each_side() {
        let mut trades = Trades::default();
        for (at, side, volume, price) in [
            (59, Side::Buy, 1, 20),
            (60, Side::Buy, 2, 30),
            (70, Side::Sell, 4, 15),
            (119, Side::Buy, 8, 25),
            (180, Side::Sell, 16, 10),
        ] {
            trades.push(at, side, volume, price);
        }
        trades.reprice(239, 12);
        let candle = |at, [open, high, low, close]: [u128; 4], [bought, sold]: [u128; 2]| Candle {
            at,
            open,
            high,
            low,
            close,
            bought,
            sold,
        };
        let last = [
            candle(60, [20, 30, 15, 25], [10, 4]),
            candle(120, [25, 25, 25, 25], [0, 0]),
            candle(180, [25, 25, 10, 12], [0, 16]),
        ];
        assert_eq!(trades.candles(60, 60, 3, 7), last);
        assert_eq!(trades.candles(0, 60, 1, 7), [candle(0, [7, 20, 7, 20], [1, 0])]);
        assert_eq!(Trades::default().candles(0, 60, 1, 7), [candle(0, [7, 7, 7, 7], [0, 0])]);
    }

    #[test]
    fn a_price_moves_without_a_trade() {
        let mut trades = Trades::default();
        trades.push(1, Side::Buy, 7, 10);
        trades.reprice(5, 12);
        assert_eq!(trades.within(9, 9), Window { volume: 7, buys: 1, sells: 0, price_before: None });
        assert_eq!(trades.within(9, 4), Window { price_before: Some(12), ..Window::default() });
        assert_eq!(trades.last_at(), Some(1), "the move was no trade");
        assert_eq!([0, 1, 4, 5].map(|at| trades.at(at)), [None, Some((10, 7)), Some((10, 7)), Some((12, 7))]);
    }
}
