//! `slipway quotes answer`: answers cases with the platform's own quotes, like a quoter.
use std::io::{BufRead as _, Write as _};

use serde_json::Value;
use slipway_math::curve::{Curve, Position};
use slipway_math::pool::Pool;
use slipway_sim::vectors::{CaseAnswer, CaseKind, MOST_HOPS, Question, Trade};

use super::QuotesError;
use crate::arguments::{AnswerArguments, QuoteKind};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal::output::OutputError;

/// Answers cases one by one, like any quoter.
pub(super) fn run(arguments: &AnswerArguments) -> Result<Exit, CommandError> {
    let failed = |source| OutputError { source };
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for (line, number) in input.lines().zip(1_u64..) {
        let line = line.map_err(failed)?;
        let question = question(arguments.kind, &line);
        let question = question.ok_or_else(|| QuotesError::Case { number, line: line.clone() })?;
        let answer = question.answer();
        let members = question.kind().answers();
        let error = if number % 10 == 0 { u128::from(arguments.error) } else { 0 };
        let first = answer.member(members[0]) + error;
        let line = if members.len() == 1 {
            format!("{first}\n")
        } else {
            let CaseAnswer { cost, refund, .. } = answer;
            format!("{{\"amountOut\":\"{first}\",\"cost\":\"{cost}\",\"refund\":\"{refund}\"}}\n")
        };
        output.write_all(line.as_bytes()).and_then(|()| output.flush()).map_err(failed)?;
    }
    Ok(Exit::Conformant)
}

fn question(kind: QuoteKind, line: &str) -> Option<Question> {
    let case: Value = serde_json::from_str(line).ok()?;
    let amount = |name: &str| case[name].as_str()?.parse::<u128>().ok();
    let position = || Some(Position { sold: amount("sold")?, contributions: amount("netContributions")? });
    let trade = || {
        let amount_in = amount("amountIn")?;
        match case["operation"].as_str()? {
            "buy" => Some(Trade::Buy(amount_in)),
            "sell" => Some(Trade::Sell(amount_in)),
            _ => None,
        }
    };
    let curve = || {
        let gain = u32::try_from(case["gainBps"].as_u64()?).ok()?;
        Curve::new(amount("targetRaise")?, gain).ok()
    };
    Some(match kind.into() {
        CaseKind::Inverse => {
            Question::Inverse { curve: curve()?, position: position()?, tokens: amount("amountOut")? }
        }
        CaseKind::Route => route(&case["hops"], amount("amountIn")?)?,
        CaseKind::Curve => Question::Curve {
            curve: curve()?,
            split_bps: u16::try_from(case["creatorFeeSplitBps"].as_u64()?).ok()?,
            position: position()?,
            trade: trade()?,
        },
        CaseKind::Pool => Question::Pool {
            pool: Pool {
                sqrt_price_x96: case["sqrtPriceX96"].as_str()?.parse().ok()?,
                liquidity: amount("liquidity").filter(|liquidity| *liquidity > 0)?,
            },
            zero_for_one: case["zeroForOne"].as_bool()?,
            amount_in: amount("amountIn")?,
        },
        CaseKind::V1 => Question::V1 { position: position()?, trade: trade()? },
        CaseKind::Swap => Question::Swap {
            reserve_in: amount("reserveIn")?,
            reserve_out: amount("reserveOut")?,
            amount_in: amount("amountIn")?,
        },
    })
}

fn route(asked: &Value, amount_in: u128) -> Option<Question> {
    let asked = asked.as_array()?;
    let mut hops = [(0, 0); MOST_HOPS];
    for (place, hop) in asked.iter().enumerate() {
        let amount = |name: &str| hop[name].as_str()?.parse().ok();
        *hops.get_mut(place)? = (amount("reserveIn")?, amount("reserveOut")?);
    }
    Some(Question::Route { hops, length: asked.len(), amount_in })
}
