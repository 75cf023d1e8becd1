//! Volumes of all tokens are in one unit, whichever that is, and count what the chain logged: not nothing where most was traded.
use num_rational::BigRational;
use num_traits::Zero;

use super::range::VOLUMES;
use super::shown::{Shown, every_token};
use crate::prelude::*;
use crate::truth::ledger::Ledger;

/// How far fees and rates that change in a day may move the volumes of two tokens apart: three halves.
const APART: (u32, u32) = (3, 2);

/// A volume over what was logged, which is the same for every token but for fees and the edge of the window.
struct Share<'s> {
    shown: &'s Shown,
    share: BigRational,
    text: String,
}

/// The largest share that a token has at least, and the smallest that one has at most, are not far apart.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    for (name, (window, edge)) in VOLUMES {
        let (mut least, mut most): (Option<Share<'_>>, Option<Share<'_>>) = (None, None);
        let mut largest: Option<(BigRational, &Shown, bool)> = None;
        for shown in &every.shown {
            let launch = ledger.token(shown.address).filter(|launch| launch.asset.is_none());
            let Some((launch, figure)) = launch.zip(shown.row().figure(name)) else { continue };
            let logged = |now: u64, window: u64| {
                BigRational::from_integer(launch.within(now, window).map(|trade| &trade.volume).sum())
            };
            let (fewest, all) =
                (logged(shown.window.1, window - edge), logged(shown.window.0, window + edge));
            let share =
                |of: BigRational| Share { shown, share: figure.value() / of, text: figure.text().to_owned() };
            if !all.is_zero() {
                let at_least = share(all);
                if least.as_ref().is_none_or(|least| at_least.share > least.share) {
                    least = Some(at_least);
                }
            }
            if largest.as_ref().is_none_or(|(traded, ..)| fewest > *traded) {
                largest = Some((fewest.clone(), shown, figure.value().is_zero()));
            }
            if !fewest.is_zero() {
                let at_most = share(fewest);
                if most.as_ref().is_none_or(|most| at_most.share < most.share) {
                    most = Some(at_most);
                }
            }
        }
        if let Some((traded, shown, none)) = largest {
            let expected = format!("{name} of {} above 0, because {traded} wei were traded", shown.address);
            trial.require_or(&*shown.response, traded.is_zero() || !none, &expected, || "0".to_owned())?;
        }
        let Some((least, most)) = least.zip(most) else { continue };
        let apart = BigRational::new(APART.0.into(), APART.1.into());
        let expected = format!("{name} of every token in one unit");
        trial.require_or(&*most.shown.response, least.share <= &most.share * apart, &expected, || {
            let (one, other) = (least.shown.address, most.shown.address);
            format!(
                "{} of {other} is too little beside {} of {one}, by what the chain logged",
                most.text, least.text
            )
        })?;
    }
    Ok(())
}
