//! One part of a run that is split over machines: `--shard 2/5`.
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of a run that one machine takes: every item whose place, divided by the number of parts, leaves the same remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Shard {
    /// Which part, from 1.
    pub(crate) part: usize,
    /// How many parts there are.
    pub(crate) of: usize,
}

impl Shard {
    /// Whether the item at this place, from 0, belongs to it.
    fn takes(self, place: usize) -> bool {
        place % self.of == self.part - 1
    }

    /// The items that belong to it, all of them without a shard.
    pub(crate) fn select<T>(shard: Option<Self>, items: Vec<T>, by_all: impl Fn(&T) -> bool) -> Vec<T> {
        let Some(shard) = shard else { return items };
        let own = |(place, item): &(usize, T)| shard.takes(*place) || by_all(item);
        items.into_iter().enumerate().filter(own).map(|(_, item)| item).collect()
    }

    /// Checks that these are all parts of one run, each once; the error states what is wrong with them.
    pub(crate) fn complete(shards: &[Option<Self>]) -> Result<(), String> {
        let mut parts = Vec::new();
        for shard in shards {
            parts.push(shard.ok_or("several runs are merged only where each was given --shard")?);
        }
        let of = parts.first().map_or(0, |shard| shard.of);
        if let Some(other) = parts.iter().find(|shard| shard.of != of) {
            return Err(format!("{other} is no part of a run that was split into {of}"));
        }
        for part in 1..=of {
            let wanted = Self { part, of };
            match parts.iter().filter(|shard| **shard == wanted).count() {
                0 => return Err(format!("the shard {wanted} is missing")),
                1 => {}
                count => return Err(format!("the shard {wanted} is there {count} times")),
            }
        }
        Ok(())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.part, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers =
            text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Self { part, of }),
            _ => Err("a shard is K/N, with K from 1 to N".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    fn shard(text: &str) -> Shard {
        text.parse().unwrap()
    }

    #[test]
    fn shards_take_everything_once() {
        for of in 1..=7 {
            let shards: Vec<Shard> = (1..=of).map(|part| Shard { part, of }).collect();
            for place in 0..100 {
                assert_eq!(shards.iter().filter(|shard| shard.takes(place)).count(), 1, "{place} of {of}");
            }
        }
        let items = vec!["a", "b", "c", "d", "all"];
        assert_eq!(Shard::select(Some(shard("2/3")), items.clone(), |item| *item == "all"), ["b", "all"]);
        assert_eq!(
            Shard::select(Some(shard("1/3")), items.clone(), |item| *item == "all"),
            ["a", "d", "all"]
        );
        assert_eq!(Shard::select(None, items.clone(), |_| false), items);
    }

    #[test]
    fn what_is_missing_or_too_much_is_named() {
        let complete = |texts: &[&str]| {
            Shard::complete(&texts.iter().map(|text| text.parse().ok()).collect::<Vec<Option<Shard>>>())
        };
        assert_eq!(complete(&["2/3", "1/3", "3/3"]), Ok(()));
        assert_eq!(complete(&["1/1"]), Ok(()));
        assert!(complete(&["1/3", "3/3"]).unwrap_err().contains("2/3 is missing"));
        assert!(complete(&["1/2", "2/2", "2/2"]).unwrap_err().contains("2/2 is there 2 times"));
        assert!(complete(&["1/2", "2/3"]).unwrap_err().contains("2/3 is no part"));
        assert!(complete(&["1/2", "none"]).unwrap_err().contains("--shard"));
    }
}
