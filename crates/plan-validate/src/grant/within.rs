//! Whether one rule takes no more than another, as far as that can be proved.

use super::ArgRule;
use super::rule::{is_host, less};
use crate::path;

impl ArgRule {
    /// Whether every value that this rule takes is one that `other` takes, whatever references read.
    ///
    /// False where it cannot be proved. Recurses as deep as rules are nested.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (_, Self::Any) => true,
            (_, Self::All(others)) => others.iter().all(|other| self.is_within(other)),
            (Self::All(rules), _) => rules.iter().any(|rule| rule.is_within(other)),
            // a rule that reads nothing says the same under every reading
            (Self::Exact(value), _) => other.permits(value, &|_| None).is_ok(),
            (Self::OneOf(values), _) => values
                .iter()
                .all(|value| other.permits(value, &|_| None).is_ok()),
            (Self::From(read, within), Self::From(other_read, other_within))
                if read == other_read =>
            {
                within.is_within(other_within)
            }
            (Self::From(_, within), _) => **within != Self::Any && within.is_within(other),
            (
                Self::Range { min, max },
                Self::Range {
                    min: other_min,
                    max: other_max,
                },
            ) => {
                let above = other_min
                    .as_ref()
                    .is_none_or(|other| min.as_ref().is_some_and(|min| !less(min, other)));
                let below = other_max
                    .as_ref()
                    .is_none_or(|other| max.as_ref().is_some_and(|max| !less(other, max)));
                above && below
            }
            (Self::Subpath(root), Self::Subpath(other)) => path::is_inside(root, other),
            (
                Self::Url { schemes, hosts },
                Self::Url {
                    schemes: other_schemes,
                    hosts: other_hosts,
                },
            ) => {
                let scheme = |scheme: &String| {
                    let mut others = other_schemes.iter();
                    others.any(|other| other.eq_ignore_ascii_case(scheme))
                };
                let host = |host: &String| {
                    let mut others = other_hosts.iter();
                    others.any(|other| covers(other, host))
                };
                schemes.iter().all(scheme) && hosts.iter().all(host)
            }
            _ => false,
        }
    }
}

/// Whether one host of a rule stands for every host that another stands for.
fn covers(known: &str, host: &str) -> bool {
    if known.eq_ignore_ascii_case(host) {
        return true;
    }
    match host.strip_prefix("*.") {
        Some(parent) => known.starts_with("*.") && is_host(known, parent),
        None => is_host(known, host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn url(schemes: &[&str], hosts: &[&str]) -> ArgRule {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        ArgRule::Url {
            schemes: owned(schemes),
            hosts: owned(hosts),
        }
    }

    fn range(min: Option<i64>, max: Option<i64>) -> ArgRule {
        ArgRule::Range {
            min: min.map(Into::into),
            max: max.map(Into::into),
        }
    }

    fn from(reference: &str, within: ArgRule) -> ArgRule {
        ArgRule::From(reference.parse().unwrap(), Box::new(within))
    }

    #[test]
    fn a_rule_is_within_a_wider_one_and_not_the_other_way_round() {
        let bob = || ArgRule::Exact(json!("bob"));
        for (narrow, wide) in [
            (bob(), ArgRule::Any),
            (bob(), ArgRule::OneOf(vec![json!("bob"), json!("eve")])),
            (ArgRule::OneOf(vec![]), bob()),
            (ArgRule::Exact(json!(3)), range(None, Some(3))),
            (range(Some(1), Some(2)), range(None, Some(3))),
            (range(None, Some(2)), range(None, Some(3))),
            (
                ArgRule::Exact(json!("/data/x")),
                ArgRule::Subpath("/data".to_owned()),
            ),
            (
                ArgRule::Subpath("/data/x".to_owned()),
                ArgRule::Subpath("/data".to_owned()),
            ),
            (
                url(&["https"], &["a.example.org"]),
                url(&["https", "http"], &["*.example.org"]),
            ),
            (
                url(&["https"], &["*.a.example.org"]),
                url(&["https"], &["*.example.org"]),
            ),
            (bob().and(range(None, None)), bob()),
            (
                from("${input.to}", bob()),
                from("${input.to}", ArgRule::Any),
            ),
            (from("${input.to}", bob()), bob()),
        ] {
            assert!(narrow.is_within(&wide), "{narrow} within {wide}");
            assert!(!wide.is_within(&narrow), "{wide} not within {narrow}");
        }
    }

    #[test]
    fn rules_that_read_different_things_are_not_within_each_other() {
        let to = from("${input.to}", ArgRule::Any);
        let hits = from("${step.find.hits}", ArgRule::Any);
        let literal = ArgRule::Exact(json!("${input.to}"));
        for (a, b) in [(&to, &hits), (&to, &literal)] {
            assert!(!a.is_within(b) && !b.is_within(a));
        }
        assert!(!url(&["https"], &["*.example.org"]).is_within(&url(&["https"], &["example.org"])));
        assert!(!url(&["ftp"], &["example.org"]).is_within(&url(&["https"], &["example.org"])));
    }
}
