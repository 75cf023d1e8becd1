//! Measures a quoter in any language against the platform's own quotes: the same cases, in interleaved rounds, and figures
//! only if every answer is exact.
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use slipway_sim::vectors::{CaseAnswer, CaseKind, Question, Questions};

use super::QuotesError;
use super::quoter::Quoter;

/// Minimum time of a round of quotes in this process: shorter ones measure the clock.
const ROUND: Duration = Duration::from_millis(1);
/// Number of rounds; each measures every side in turn.
const ROUNDS: usize = 11;
/// How long to wait for the first answer before the quoter counts as one that answers only at the end of its input.
const FIRST_ANSWER: Duration = Duration::from_secs(5);
/// Cases per round whose answers are timed one by one.
const TIMED: usize = 100;

/// The cases, with the exact answers.
pub(crate) struct Cases {
    pub(crate) kind: CaseKind,
    questions: Vec<Question>,
    lines: Vec<String>,
    answers: Vec<CaseAnswer>,
}

/// One side of the comparison, with its measurements.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) name: String,
    /// Quotes per second, for each round.
    pub(crate) rates: Vec<u128>,
    /// Nanoseconds from a question to its answer.
    pub(crate) latencies: Vec<u128>,
    /// Peak memory of the processes, bytes.
    pub(crate) memory: Option<u64>,
}

/// An answer that is not exact; it voids every figure.
#[derive(Debug, Serialize)]
pub(crate) struct WrongAnswer {
    /// Number of the case, from 1.
    pub(crate) number: usize,
    pub(crate) case: Value,
    pub(crate) member: &'static str,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// A measurement that has ended.
pub(crate) struct Measurement {
    pub(super) cases: Cases,
    pub(super) seed: u64,
    /// The sides, or the wrong answer that voids it.
    pub(super) sides: Result<Vec<Side>, Box<WrongAnswer>>,
}

impl Cases {
    pub(crate) fn new(kind: CaseKind, seed: u64, count: usize) -> Self {
        let questions: Vec<Question> = Questions::new(kind, seed).take(count).collect();
        Self {
            kind,
            lines: questions.iter().map(|question| question.asked().to_string()).collect(),
            answers: questions.iter().map(Question::answer).collect(),
            questions,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.questions.len()
    }

    fn judge(&self, at: usize, line: &str) -> Result<(), Box<WrongAnswer>> {
        let text = line.trim();
        // Members as raw text: a float would lose digits of a number.
        let object: Option<BTreeMap<String, Box<RawValue>>> = serde_json::from_str(text).ok();
        for (place, &member) in self.kind.answers().iter().enumerate() {
            let given = match &object {
                Some(object) => object.get(member).map(|value| value.get()),
                // A bare amount is the first member.
                None => (place == 0).then_some(text),
            };
            let Some(given) = given.or((place == 0).then_some(line)) else { continue };
            let digits = given.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(given);
            let expected = self.answers[at].member(member);
            let amount = digits.parse::<u128>();
            if amount != Ok(expected) {
                return Err(Box::new(WrongAnswer {
                    number: at + 1,
                    case: self.questions[at].answered(),
                    member,
                    expected: expected.to_string(),
                    actual: amount.map_or(digits.to_owned(), |amount| amount.to_string()),
                }));
            }
        }
        Ok(())
    }

    fn judge_all(&self, lines: &[String]) -> Result<(), Box<WrongAnswer>> {
        lines.iter().enumerate().try_for_each(|(at, line)| self.judge(at, line))
    }
}

/// Measures quoters and the quotes of this process in turn.
impl Measurement {
    /// Measures quoters against the platform's own code.
    pub(crate) fn make(cases: Cases, seed: u64, quoters: Vec<Quoter>) -> Result<Self, QuotesError> {
        let sides = measure(&cases, quoters)?;
        Ok(Self { cases, seed, sides })
    }
}

fn measure(
    cases: &Cases,
    mut quoters: Vec<Quoter>,
) -> Result<Result<Vec<Side>, Box<WrongAnswer>>, QuotesError> {
    let mut sides = vec![Side::named("native, in this process")];
    for quoter in &mut quoters {
        sides.push(Side::named(&quoter.name));
        quoter.begin(&cases.lines[0], FIRST_ANSWER)?;
    }
    for _ in 0..ROUNDS {
        sides[0].measure_native(cases);
        for (quoter, side) in quoters.iter_mut().zip(&mut sides[1..]) {
            if let Err(wrong) = side.measure(cases, quoter)? {
                return Ok(Err(wrong));
            }
        }
    }
    Ok(Ok(sides))
}

impl Side {
    fn named(name: &str) -> Self {
        Self { name: name.to_owned(), rates: Vec::new(), latencies: Vec::new(), memory: None }
    }

    fn measure_native(&mut self, cases: &Cases) {
        let (begun, mut quotes) = (Instant::now(), 0);
        while begun.elapsed() < ROUND {
            for question in &cases.questions {
                black_box(black_box(question).answer());
            }
            quotes += cases.len();
        }
        self.rates.push(rate(quotes, begun.elapsed()));
        for question in cases.questions.iter().take(TIMED) {
            let begun = Instant::now();
            black_box(black_box(question).answer());
            self.latencies.push(begun.elapsed().as_nanos());
        }
    }

    fn measure(
        &mut self,
        cases: &Cases,
        quoter: &mut Quoter,
    ) -> Result<Result<(), Box<WrongAnswer>>, QuotesError> {
        let begun = Instant::now();
        let answers = quoter.answer_all(&cases.lines)?;
        self.rates.push(rate(cases.len(), begun.elapsed()));
        if let Err(wrong) = cases.judge_all(&answers) {
            return Ok(Err(wrong));
        }
        for (at, line) in cases.lines.iter().enumerate().take(TIMED) {
            let begun = Instant::now();
            let Some(answer) = quoter.answer_one(line)? else { break };
            self.latencies.push(begun.elapsed().as_nanos());
            if let Err(wrong) = cases.judge(at, &answer) {
                return Ok(Err(wrong));
            }
        }
        self.memory = self.memory.max(quoter.memory());
        Ok(Ok(()))
    }

    /// Median rate of the rounds.
    pub(crate) fn rate(&self) -> u128 {
        percentile(&self.rates, 50).unwrap_or_default()
    }

    /// A percentile of the latencies; `None` if the quoter answers only at the end of its input.
    pub(crate) fn latency(&self, percent: usize) -> Option<u128> {
        percentile(&self.latencies, percent)
    }
}

fn rate(quotes: usize, took: Duration) -> u128 {
    quotes as u128 * 1_000_000_000 / took.as_nanos().max(1)
}

fn percentile(values: &[u128], percent: usize) -> Option<u128> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied()
}

#[cfg(test)]
mod tests {
    use slipway_sim::vectors::CaseKind;

    use super::{Cases, percentile};

    #[test]
    fn answers_may_be_text_or_objects_and_one_unit_is_an_error() {
        let cases = Cases::new(CaseKind::Curve, 1, 50);
        for (at, exact) in cases.answers.iter().enumerate() {
            let (out, cost) = (exact.amount_out, exact.cost);
            for right in [
                out.to_string(),
                format!("\"{out}\""),
                format!("{{\"amountOut\":{out}}}"),
                format!("{{\"amountOut\":\"{out}\",\"cost\":\"{cost}\"}}"),
            ] {
                assert!(cases.judge(at, &right).is_ok(), "{right}");
            }
            let more = out + 1;
            for (wrong, member) in [
                (more.to_string(), "amountOut"),
                (format!("{{\"amountOut\":\"{more}\"}}"), "amountOut"),
                (format!("{{\"amountOut\":\"{out}\",\"cost\":\"{}\"}}", cost + 1), "cost"),
                ("{}".to_owned(), "amountOut"),
                ("1e3".to_owned(), "amountOut"),
                (String::new(), "amountOut"),
            ] {
                assert_eq!(cases.judge(at, &wrong).unwrap_err().member, member, "{wrong}");
            }
        }
    }

    #[test]
    fn percentiles_are_of_the_sorted_values() {
        assert_eq!(percentile(&[3, 1, 2], 50), Some(2));
        assert_eq!(percentile(&[3, 1, 2], 100), Some(3));
        assert_eq!(percentile(&[], 50), None);
    }
}
