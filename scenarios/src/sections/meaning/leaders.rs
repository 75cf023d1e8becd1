//! The leaderboard: points and volume of every wallet follow from the logs of both chains.
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_rational::BigRational;
use serde::Deserialize;

use super::timed::{TimedReads, is_timed};
use crate::answers::reads::{LEADERBOARD, RawRow, figure};
use crate::model::bounds::Bounds;
use crate::model::figure::Figure;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::truth::ledger::Ledger;
use crate::truth::reference::points;

/// The largest limit of rows.
const MOST: usize = 100;

#[derive(Deserialize)]
struct Board {
    leaderboard: Vec<RawRow>,
    updated_at: String,
}

/// The activity of a wallet itself.
#[derive(Clone, Debug, Default)]
struct Own {
    /// Traded volume in wei, fees included.
    volume: BigInt,
    launches: u32,
}

/// Returns each wallet's V2 launches and its trades on V2 curves that raise the native coin.
fn own(ledger: &Ledger) -> BTreeMap<Address, Own> {
    let mut wallets: BTreeMap<Address, Own> = BTreeMap::new();
    for launch in ledger.launches.values().filter(|launch| launch.v2.is_some()) {
        wallets.entry(launch.creator).or_default().launches += 1;
        if launch.asset.is_none() {
            for trade in launch.trades.iter().filter(|trade| trade.on_curve) {
                wallets.entry(trade.trader).or_default().volume += &trade.volume;
            }
        }
    }
    wallets
}

/// Judges points, volume, ranks and time of the board.
pub(super) async fn board(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let (response, window) =
        TimedReads::begin(trial).await?.read(LEADERBOARD, &[param("limit", "100")]).await?;
    let board = board_in(trial, &response)?;
    is_timed(trial, &response, &json!(board.updated_at), "updated_at", window)?;
    rows_hold(trial, &response, ledger)?;
    if ledger.is_whole() { none_missing(trial, &response, &board, ledger) } else { Ok(()) }
}

/// Judges what each wallet of the board earned itself, and that no active wallet is missing.
pub(crate) async fn own_points(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let response = trial.read(LEADERBOARD, &[param("limit", "100")]).await?;
    let (board, mut wallets) = (board_in(trial, &response)?, own(ledger));
    for row in &board.leaderboard {
        let wallet = row.address("address");
        let wallet = wallet.ok_or_else(|| trial.failure(&response, "an address", readable(&row)));
        let Some(wallet) = trial.part(wallet)? else { continue };
        own_figures(trial, &response, row, wallets.remove(&wallet).unwrap_or_default())?;
    }
    none_missing(trial, &response, &board, ledger)
}

/// A board that is not full contains every active wallet.
fn none_missing(trial: &Trial<'_>, response: &Response, board: &Board, ledger: &Ledger) -> Verdict {
    let shown: BTreeSet<_> = board.leaderboard.iter().filter_map(|row| row.address("address")).collect();
    let missing = own(ledger).into_keys().find(|wallet| !shown.contains(wallet));
    let whole = shown.len() >= MOST || missing.is_none();
    trial.require_or(response, whole, "every wallet that traded or launched", || {
        format!("{} is missing", readable(&missing))
    })
}

/// Judges the figures of a row that follow from the wallet's own activity.
fn own_figures(trial: &Trial<'_>, response: &Response, row: &RawRow, own: Own) -> Verdict {
    let wallet = row.address("address").unwrap_or_default();
    let ether = BigRational::new(own.volume, BigInt::from(10).pow(18));
    let hundred = BigInt::from(100);
    for (name, exact) in [
        ("volume_eth", ether.clone()),
        ("trading_points", &ether * &hundred),
        ("creation_points", BigRational::from_integer(BigInt::from(own.launches) * &hundred)),
    ] {
        let Some(figure) = trial.part(figure(trial, response, row, name))? else { continue };
        let bounds = Bounds::exact(exact);
        let shown = bounds.shown_by(&figure);
        trial.require_or(response, shown, &format!("{name} of {wallet} = {bounds}"), || {
            figure.text().to_owned()
        })?;
    }
    Ok(())
}

/// Every row of an answer has the rank and the points of its wallet according to the chains; points are the sum of their parts.
pub(super) fn rows_hold(trial: &Trial<'_>, response: &Response, ledger: &Ledger) -> Verdict {
    let (mut wallets, mut shown) = (own(ledger), BTreeSet::new());
    let mut last: Option<Figure> = None;
    for (row, rank) in board_in(trial, response)?.leaderboard.iter().zip(1_u64..) {
        let wallet = row.address("address").unwrap_or_default();
        let rank_shown = row.figure("rank").and_then(|figure| figure.count());
        trial.require_equal(response, &format!("rank of {wallet}"), &Some(rank), &rank_shown)?;
        if ledger.is_whole() {
            own_figures(trial, response, row, wallets.remove(&wallet).unwrap_or_default())?;
        }
        trial.require_or(response, shown.insert(wallet), "each wallet once", || wallet.to_string())?;
        let number = |name| trial.part(figure(trial, response, row, name));
        let Some(points) = number("points")? else { continue };
        let parts = ["trading_points", "creation_points", "referral_points"].map(number);
        if let Some(parts) = parts.into_iter().collect::<Verdict<Option<Vec<Figure>>>>()? {
            let adds_up = points::shows(&points, &parts.iter().map(Figure::value).sum());
            let expected = "points that are the sum of their parts";
            trial.require_or(response, adds_up, expected, || format!("{} for {wallet}", points.text()))?;
        }
        let falls = last.as_ref().is_none_or(|more| points <= *more);
        let seen = || format!("{wallet} at {rank}");
        trial.require_or(response, falls, "no more points than the row before", seen)?;
        last = Some(points);
    }
    Ok(())
}

fn board_in(trial: &Trial<'_>, response: &Response) -> Verdict<Board> {
    trial.decoded(response, "leaderboard and updated_at")
}
