//! The platform's one clock: the current time and how it passes; the engine advances the chains.
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The last second that every format of a time can show, Unix seconds: 9999-12-30 22:00:00 UTC, so that the year has four digits in every zone.
pub const LATEST_TIME: u64 = 253_402_207_200;

/// The way in which time passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockMode {
    /// Starts at the end of the seeded market and runs at the speed of the host's clock.
    #[default]
    Running,
    /// Starts at the end of the seeded market and stays there until it is moved.
    #[serde(rename = "fixed")]
    Manual,
    /// Equals the host's clock, or is ahead of it once it was moved; the seeded market ends at the last full hour (UTC).
    Real,
}

impl ClockMode {
    /// The mode's name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Manual => "fixed",
            Self::Real => "real",
        }
    }

    /// The mode's behaviour, in words.
    #[must_use]
    pub fn rule(self) -> &'static str {
        match self {
            Self::Running => "runs from a fixed moment",
            Self::Manual => "stands until it is moved",
            Self::Real => "this machine's time",
        }
    }
}

/// A moment of a clock to return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Moment {
    /// The clock's time, Unix seconds.
    pub shown: u64,
    reading: i64,
}

/// The clock; copies share one time.
#[derive(Clone, Debug)]
pub struct Clock {
    mode: ClockMode,
    /// Unix seconds while the clock is stopped; offset to the host's clock in seconds while it runs.
    reading: Arc<AtomicI64>,
}

impl Clock {
    /// A clock that starts at `now`, Unix seconds.
    #[must_use]
    pub fn starting_at(mode: ClockMode, now: u64) -> Self {
        let clock = Self { mode, reading: Arc::default() };
        clock.show(now);
        clock
    }

    /// The clock's mode.
    #[must_use]
    pub fn mode(&self) -> ClockMode {
        self.mode
    }

    /// The current time, Unix seconds; a running clock stops at [`LATEST_TIME`].
    #[must_use]
    pub fn now(&self) -> u64 {
        let reading = self.reading.load(Ordering::Acquire);
        let now = if self.stands() { reading } else { reading.saturating_add(host_seconds()) };
        u64::try_from(now).unwrap_or(0).min(LATEST_TIME)
    }

    /// The present moment, to return to later.
    #[must_use]
    pub fn moment(&self) -> Moment {
        Moment { shown: self.now(), reading: self.reading.load(Ordering::Acquire) }
    }

    /// The clock's time after a return to a moment, Unix seconds. The host's clock does not go back: only the offset is restored.
    #[must_use]
    pub fn after_return_to(&self, moment: Moment) -> u64 {
        match self.mode {
            ClockMode::Running | ClockMode::Manual => moment.shown,
            ClockMode::Real => {
                let now = moment.reading.saturating_add(host_seconds());
                u64::try_from(now).unwrap_or_default().min(LATEST_TIME)
            }
        }
    }

    /// The clock's behaviour, in words; of a real clock that was moved, how far it is ahead.
    #[must_use]
    pub fn told(&self) -> String {
        let ahead = self.reading.load(Ordering::Acquire);
        if self.mode != ClockMode::Real || ahead < 1 {
            return self.mode.rule().to_owned();
        }
        let units =
            [(ahead / 86_400, "d"), (ahead / 3_600 % 24, "h"), (ahead / 60 % 60, "min"), (ahead % 60, "s")];
        let shown =
            units.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}"));
        format!("{} ahead of this machine's time", shown.collect::<Vec<_>>().join(" "))
    }

    /// Whether time passes only when the clock is moved.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.mode == ClockMode::Manual
    }

    /// Sets the time to `now`, for every reader at once.
    pub fn show(&self, now: u64) {
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        let reading = if self.stands() { now } else { now.saturating_sub(host_seconds()) };
        self.reading.store(reading, Ordering::Release);
    }

    /// Sets the time to another clock's.
    pub fn follow(&self, other: &Self) {
        self.reading.store(other.reading.load(Ordering::Acquire), Ordering::Release);
    }

    /// Sets the clock `offset` seconds ahead of the host's clock; only for a running clock.
    pub fn run_ahead(&self, offset: i64) {
        assert!(!self.stands(), "a stopped clock has no offset");
        self.reading.store(offset, Ordering::Release);
    }
}

/// Mode and reading, as another process needs them to show the same time: `fixed 1772625600`, `running -42`.
impl fmt::Display for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.mode.name(), self.reading.load(Ordering::Acquire))
    }
}

/// The text does not describe a clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no clock: expected `running`, `fixed` or `real` and a number of seconds, for a time from 0 to {LATEST_TIME}"
)]
pub struct ParseClockError {
    /// The text.
    pub text: String,
}

impl FromStr for Clock {
    type Err = ParseClockError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseClockError { text: text.to_owned() };
        let (mode, reading) = text.split_once(' ').ok_or_else(error)?;
        let mode = match mode {
            "running" => ClockMode::Running,
            "fixed" => ClockMode::Manual,
            "real" => ClockMode::Real,
            _ => return Err(error()),
        };
        let reading: i64 = reading.parse().map_err(|_| error())?;
        let now = if mode == ClockMode::Manual { reading } else { reading.saturating_add(host_seconds()) };
        // A clock that has stopped at its end keeps its offset, while the host's clock goes on.
        if now < 0 || u64::try_from(reading).is_ok_and(|reading| reading > LATEST_TIME) {
            return Err(error());
        }
        Ok(Self { mode, reading: Arc::new(AtomicI64::new(reading)) })
    }
}

/// Whole seconds of the host's clock, which the chains use too.
pub fn host_seconds() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Clock, ClockMode, FromStr, LATEST_TIME, host_seconds};

    #[test]
    fn display_parses_back() {
        for mode in [ClockMode::Manual, ClockMode::Running, ClockMode::Real] {
            let clock = Clock::starting_at(mode, 1_000);
            let other: Clock = clock.to_string().parse().unwrap();
            assert_eq!(other.mode(), mode);
            clock.show(5_000);
            other.follow(&clock.to_string().parse().unwrap());
            assert!((5_000..5_005).contains(&other.now()));
        }
        for text in
            ["", "fixed", "fixed x", "slow 5", "fixed -1", "fixed 253402207201", "running 253402207201"]
        {
            let error = Clock::from_str(text).unwrap_err();
            assert_eq!(error.text, text);
        }
    }

    #[test]
    fn a_real_clock_tells_how_far_it_was_moved() {
        let told = |reading: &str| Clock::from_str(reading).unwrap().told();
        assert_eq!(told("real 0"), "this machine's time");
        assert_eq!(told("real 90061"), "1 d 1 h 1 min 1 s ahead of this machine's time");
        assert_eq!(told("real 7200"), "2 h ahead of this machine's time");
        assert_eq!(told("running 7200"), ClockMode::Running.rule());
    }

    #[test]
    fn the_clock_of_the_host_does_not_go_back() {
        let host = u64::try_from(host_seconds()).unwrap();
        let clock = Clock::starting_at(ClockMode::Real, host);
        let earlier = clock.moment();
        clock.show(host + 500);
        assert!((host..host + 5).contains(&clock.after_return_to(earlier)));
        let ahead = super::Moment { shown: host - 100, ..clock.moment() };
        assert!((host + 500..host + 505).contains(&clock.after_return_to(ahead)));
        for mode in [ClockMode::Manual, ClockMode::Running] {
            let clock = Clock::starting_at(mode, 1_000);
            let earlier = clock.moment();
            clock.show(5_000);
            assert_eq!(clock.after_return_to(earlier), earlier.shown);
        }
    }

    #[test]
    fn no_clock_goes_past_the_last_time_that_can_be_shown() {
        assert_eq!(i64::try_from(LATEST_TIME).unwrap(), jiff::Timestamp::MAX.as_second());
        for mode in [ClockMode::Manual, ClockMode::Running, ClockMode::Real] {
            let clock = Clock::starting_at(mode, LATEST_TIME - 1_000);
            assert!((LATEST_TIME - 1_000..LATEST_TIME).contains(&clock.now()));
            clock.show(LATEST_TIME);
            assert_eq!(clock.now(), LATEST_TIME);
            clock.show(LATEST_TIME + 5);
            assert_eq!((clock.now(), clock.moment().shown), (LATEST_TIME, LATEST_TIME));
            assert_eq!(clock.after_return_to(clock.moment()), LATEST_TIME);
        }
        assert!(Clock::from_str("fixed 253402207200").is_ok());
        let since = i64::try_from(LATEST_TIME).unwrap() - host_seconds() + 500;
        for mode in ["running", "real"] {
            let clock: Clock = format!("{mode} {since}").parse().unwrap();
            assert_eq!(clock.now(), LATEST_TIME, "500 s after it has stopped at its end");
        }
    }

    #[test]
    fn running_clock_keeps_its_offset() {
        let clock = Clock::starting_at(ClockMode::Running, 1_000);
        assert!((1_000..1_005).contains(&clock.now()));
        clock.run_ahead(-7);
        let host = u64::try_from(host_seconds()).unwrap();
        assert!((host - 7..host).contains(&clock.now()));
    }
}
