//! What the environment says about how a device is set up. A word that means nothing is an error of the user's, not a reason to
//! run another schedule.

use crate::profile::size;
use hotfire_launch::Policy;

/// The meaning of a variable, if it is set.
fn variable<T>(name: &str, legal: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let text = std::env::var_os(name)?;
    let value = parse(&text.to_string_lossy());
    if value.is_none() {
        eprintln!("hotfire: {name} is {legal}, not {}", text.display());
        std::process::exit(125);
    }
    value
}

/// `HOTFIRE_POLICY`
pub(super) fn policy_of_environment() -> Policy {
    variable("HOTFIRE_POLICY", "eager, latest or random:SEED", parse_policy).unwrap_or(Policy::Eager)
}

/// `HOTFIRE_BLOCK_ORDER`: the seed.
pub(super) fn block_order_of_environment() -> Option<u64> {
    variable("HOTFIRE_BLOCK_ORDER", "random:SEED", |text| text.strip_prefix("random:")?.parse().ok())
}

/// `HOTFIRE_PDL`: whether a wait covers all that is in front in its stream.
pub(super) fn in_order_of_environment() -> bool {
    let parse = |text: &str| ["strict", "inorder"].iter().position(|&word| word == text);
    variable("HOTFIRE_PDL", "strict or inorder", parse) == Some(1)
}

/// `HOTFIRE_POOL`
pub(super) fn pool_of_environment() -> Option<u32> {
    variable("HOTFIRE_POOL", "a number of launches, 1 or more", |text| text.parse().ok().filter(|&slots| slots > 0))
}

/// `HOTFIRE_MEMORY`: bytes of device memory.
pub(super) fn memory_of_environment() -> Option<u64> {
    let parse = |text: &str| size(text).filter(|&bytes| bytes >= 16 << 20);
    variable("HOTFIRE_MEMORY", "a size such as 512M or 24G, 16M or more", parse)
}

fn parse_policy(text: &str) -> Option<Policy> {
    match text.split_once(':') {
        None if text == "eager" => Some(Policy::Eager),
        None if text == "latest" => Some(Policy::Latest),
        Some(("random", seed)) => seed.parse().ok().map(Policy::Random),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_have_names() {
        assert!(matches!(parse_policy("eager"), Some(Policy::Eager)));
        assert!(matches!(parse_policy("latest"), Some(Policy::Latest)));
        assert!(matches!(parse_policy("random:7"), Some(Policy::Random(7))));
        assert!(parse_policy("random").is_none() && parse_policy("random:x").is_none() && parse_policy("").is_none());
    }
}
