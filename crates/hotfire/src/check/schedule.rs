//! Which of the legal schedules runs: what the options choose, the token that replays it, and the variables that tell the device.

use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// What a plain `hotfire check` runs: children at once, so that a parent that waits for one is seen to wait and still goes on.
pub const DEFAULT: Policy = Policy::Eager;

/// Which transition of the launch model is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// As early as possible.
    Eager,
    /// As late as possible.
    Latest,
    /// Any, by this seed.
    Random(u64),
    /// By a log of the device's own.
    Replay(String),
}

/// One schedule. Its text is the replay token: `random:17/blocks:3/pool:4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The policy.
    pub policy: Policy,
    /// The seed by which the blocks of a grid start; in increasing order if there is none.
    pub blocks: Option<u64>,
    /// Slots of the launch pool, if not as many as the program asks for.
    pub pool: Option<u32>,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.policy {
            Policy::Eager => f.write_str("eager")?,
            Policy::Latest => f.write_str("latest")?,
            Policy::Random(seed) => write!(f, "random:{seed}")?,
            Policy::Replay(log) => write!(f, "replay:{log}")?,
        }
        if let Some(seed) = self.blocks {
            write!(f, "/blocks:{seed}")?;
        }
        if let Some(size) = self.pool {
            write!(f, "/pool:{size}")?;
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(token: &str) -> Result<Schedule, String> {
        let mut parts = token.split('/');
        let policy = match parts.next().unwrap_or_default() {
            "eager" => Policy::Eager,
            "latest" => Policy::Latest,
            other => match other.split_once(':') {
                Some(("random", seed)) => Policy::Random(number(seed)?),
                Some(("replay", log)) if !log.is_empty() => Policy::Replay(log.to_owned()),
                _ => return Err("a token begins with eager, latest or random:SEED".to_owned()),
            },
        };
        let mut schedule = Schedule { policy, blocks: None, pool: None };
        for part in parts {
            match part.split_once(':') {
                Some(("blocks", seed)) if schedule.blocks.is_none() => schedule.blocks = Some(number(seed)?),
                Some(("pool", size)) if schedule.pool.is_none() => schedule.pool = Some(number(size)?),
                _ => return Err(format!("{part} is neither blocks:SEED nor pool:N, or is there twice")),
            }
        }
        Ok(schedule)
    }
}

fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text} is no number of that size"))
}

impl Schedule {
    /// Variables for the device; those without a value are to be unset, whatever the caller's environment has.
    pub fn variables(&self) -> [(&'static str, Option<OsString>); 3] {
        // The policy's own text: the device knows nothing of tokens.
        let policy = Schedule { blocks: None, pool: None, ..self.clone() }.to_string();
        [
            ("HOTFIRE_POLICY", Some(policy.into())),
            ("HOTFIRE_BLOCK_ORDER", self.blocks.map(|seed| format!("random:{seed}").into())),
            ("HOTFIRE_POOL", self.pool.map(|size| size.to_string().into())),
        ]
    }
}

/// `--policy`: with a seed only if it is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyOption {
    /// `eager`
    Eager,
    /// `latest`
    Latest,
    /// `random`, `random:SEED`
    Random(Option<u64>),
}

impl FromStr for PolicyOption {
    type Err = String;

    fn from_str(text: &str) -> Result<PolicyOption, String> {
        match text.split_once(':').map_or((text, None), |(name, seed)| (name, Some(seed))) {
            ("eager", None) => Ok(PolicyOption::Eager),
            ("latest", None) => Ok(PolicyOption::Latest),
            ("random", seed) => Ok(PolicyOption::Random(seed.map(number).transpose()?)),
            _ => Err("a policy is eager, latest, random or random:SEED".to_owned()),
        }
    }
}

/// `--seeds A..B`: B is not among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(pub Range<u64>);

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let (first, end) = text.split_once("..").ok_or("seeds are a range such as 0..64")?;
        let range = number(first)?..number(end)?;
        if range.is_empty() { Err(format!("there is no seed in {text}")) } else { Ok(Seeds(range)) }
    }
}

/// `--partition K/N`: the K-th of N parts, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    part: usize,
    of: usize,
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Partition, String> {
        let (part, of) = text.split_once('/').ok_or("a partition is K/N, such as 1/4")?;
        let (part, of) = (number(part)?, number(of)?);
        if (1..=of).contains(&part) {
            Ok(Partition { part, of })
        } else {
            Err(format!("parts are 1/{of} to {of}/{of}"))
        }
    }
}

/// What the options say of schedules, but for `--replay`.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// `--policy`
    pub policy: Option<PolicyOption>,
    /// `--seed`
    pub seed: Option<u64>,
    /// `--seeds`
    pub seeds: Option<Seeds>,
    /// `--block-order random`
    pub random_blocks: bool,
    /// `--pool`
    pub pool: Option<u32>,
    /// `--partition`
    pub partition: Option<Partition>,
}

impl Choice {
    /// The schedules to run, in this order.
    pub fn schedules(&self) -> Result<Vec<Schedule>, String> {
        let fixed = match self.policy {
            Some(PolicyOption::Eager) => Some(Policy::Eager),
            Some(PolicyOption::Latest) => Some(Policy::Latest),
            Some(PolicyOption::Random(_)) => None,
            None => (self.seeds.is_none()).then_some(DEFAULT),
        };
        let written = match self.policy {
            Some(PolicyOption::Random(seed)) => seed,
            _ => None,
        };
        if written.is_some() && (self.seed.is_some() || self.seeds.is_some()) {
            return Err("the seed stands both in --policy and in --seed or --seeds".to_owned());
        }
        if (self.seed.is_some() || self.seeds.is_some()) && fixed.is_some() && !self.random_blocks {
            return Err("a seed changes nothing without --policy random or --block-order random".to_owned());
        }
        let seeds = match &self.seeds {
            Some(Seeds(range)) => range.clone(),
            None => {
                let seed = written.or(self.seed).unwrap_or(0);
                seed..seed.checked_add(1).ok_or("that seed is too large")?
            }
        };
        let Partition { part, of } = self.partition.unwrap_or(Partition { part: 1, of: 1 });
        let schedule = |seed| Schedule {
            policy: fixed.clone().unwrap_or(Policy::Random(seed)),
            blocks: self.random_blocks.then_some(seed),
            pool: self.pool,
        };
        Ok(seeds.skip(part - 1).step_by(of).map(schedule).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(choice: Choice) -> Vec<String> {
        choice.schedules().unwrap().iter().map(Schedule::to_string).collect()
    }

    #[test]
    fn tokens_are_read_as_they_are_written() {
        for token in ["eager", "latest/pool:4", "random:17", "random:17/blocks:3/pool:4", "replay:1,2,3/blocks:0"] {
            let schedule: Schedule = token.parse().unwrap();
            assert_eq!(schedule.to_string(), token);
        }
        for wrong in ["", "random", "random:x", "eagerly", "eager/pool:-1", "eager/pool:1/pool:2", "eager/x", "replay:"]
        {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_device_is_told_in_variables() {
        let schedule: Schedule = "random:17/blocks:3".parse().unwrap();
        let variables = schedule.variables().map(|(name, value)| (name, value.map(|v| v.into_string().unwrap())));
        assert_eq!(variables[0], ("HOTFIRE_POLICY", Some("random:17".into())));
        assert_eq!(variables[1], ("HOTFIRE_BLOCK_ORDER", Some("random:3".into())));
        assert_eq!(variables[2], ("HOTFIRE_POOL", None));
    }

    #[test]
    fn options_choose_schedules() {
        let policy = |text: &str| Some(text.parse().unwrap());
        assert_eq!(tokens(Choice::default()), ["eager"]);
        assert_eq!(tokens(Choice { policy: policy("latest"), pool: Some(4), ..Choice::default() }), ["latest/pool:4"]);
        assert_eq!(tokens(Choice { policy: policy("random"), seed: Some(7), ..Choice::default() }), ["random:7"]);
        assert_eq!(tokens(Choice { policy: policy("random:9"), ..Choice::default() }), ["random:9"]);
        let blocks = Choice { random_blocks: true, seed: Some(3), ..Choice::default() };
        assert_eq!(tokens(blocks), ["eager/blocks:3"]);
        let many = Choice { seeds: Some("2..5".parse().unwrap()), random_blocks: true, ..Choice::default() };
        assert_eq!(tokens(many.clone()), ["random:2/blocks:2", "random:3/blocks:3", "random:4/blocks:4"]);
        assert_eq!(tokens(Choice { policy: policy("latest"), ..many })[0], "latest/blocks:2");
    }

    #[test]
    fn parts_cover_every_seed_once() {
        let part = |k| {
            let partition = Some(format!("{k}/3").parse().unwrap());
            tokens(Choice { seeds: Some("0..8".parse().unwrap()), partition, ..Choice::default() })
        };
        assert_eq!(part(2), ["random:1", "random:4", "random:7"]);
        let mut all: Vec<_> = (1..=3).flat_map(part).collect();
        all.sort();
        assert_eq!(all, (0..8).map(|seed| format!("random:{seed}")).collect::<Vec<_>>());
    }

    #[test]
    fn options_that_do_nothing_are_errors() {
        let seeds = Some(Seeds(0..4));
        assert!(Choice { seed: Some(1), ..Choice::default() }.schedules().is_err());
        assert!(
            Choice { seeds: seeds.clone(), policy: Some(PolicyOption::Latest), ..Choice::default() }
                .schedules()
                .is_err()
        );
        let twice = Choice { seeds, policy: Some(PolicyOption::Random(Some(1))), ..Choice::default() };
        assert!(twice.schedules().is_err());
        assert!(
            "4..4".parse::<Seeds>().is_err()
                && "0/4".parse::<Partition>().is_err()
                && "5/4".parse::<Partition>().is_err()
        );
    }
}
