//! Whether a call may go on to another URL than the one that it was given.

use plan_model::{StepId, ToolName};
use serde_json::Value;

use super::call::Refusal;
use super::rule::split_url;
use super::{ArgRule, Grant, Target};
use crate::text;

impl Grant {
    /// Whether a call of a tool may go on to `url`, where it was given its URL as `argument` and the other side
    /// names another one, as a redirect does.
    ///
    /// What the policy says about the argument holds for `url` too. That the plan wrote a value out, or takes it from
    /// somewhere, says where the call begins, and does not speak of where the other side sends it.
    ///
    /// # Errors
    /// The reason.
    pub fn permits_url(
        &self,
        step: &StepId,
        tool: &ToolName,
        argument: &str,
        url: &str,
    ) -> Result<(), Refusal> {
        let site = self
            .site(step)
            .ok_or_else(|| Refusal::NoSite { step: step.clone() })?;
        let rule = match &site.target {
            Target::Tool(granted) if granted == tool => site.arguments.get(argument),
            Target::Agent { tools, .. } if tools.contains(tool) => {
                site.arguments.get(&format!("tools.{tool}.{argument}"))
            }
            other => {
                return Err(Refusal::OtherTarget {
                    step: step.clone(),
                    granted: other.to_string(),
                    asked: format!("the tool {}", text::quoted(tool)),
                });
            }
        };
        rule.map_or(Ok(()), |rule| rule.permits_onward(url))
            .map_err(|reason| Refusal::Onward {
                step: step.clone(),
                argument: text::quoted(argument),
                reason,
            })
    }
}

impl ArgRule {
    /// Whether a call that was given a value under this rule may go on to `url`.
    fn permits_onward(&self, url: &str) -> Result<(), String> {
        match self {
            Self::Exact(_) | Self::Built(_) | Self::Any => Ok(()),
            Self::From(_, within) => within.permits_onward(url),
            Self::All(rules) => rules.iter().try_for_each(|rule| rule.permits_onward(url)),
            // a host that lists URLs means these servers
            Self::OneOf(values) => {
                let server = server_of(url);
                let mut listed = values.iter().filter_map(Value::as_str);
                if server.is_some() && listed.any(|known| server_of(known) == server) {
                    Ok(())
                } else {
                    Err("is at none of the servers of the allowed values".to_owned())
                }
            }
            // a URL without a path is written with and without its slash
            Self::Schema(_) => self.takes(url).or_else(|reason| {
                let bare = url.strip_suffix('/').ok_or(reason)?;
                self.takes(bare)
            }),
            Self::Url { .. } | Self::Range { .. } | Self::Subpath(_) => self.takes(url),
        }
    }

    fn takes(&self, url: &str) -> Result<(), String> {
        self.permits(&Value::String(url.to_owned()), &|_| None)
    }
}

fn server_of(url: &str) -> Option<(String, String)> {
    let (scheme, host) = split_url(url)?;
    Some((scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn goes(rule: &ArgRule, url: &str) -> bool {
        rule.permits_onward(url).is_ok()
    }

    #[test]
    fn what_the_policy_says_holds_for_every_url() {
        let url = ArgRule::Url {
            schemes: vec!["https".to_owned()],
            hosts: vec!["*.example.com".to_owned()],
        };
        let exact = ArgRule::Exact(json!("https://a.example.com/"));
        let both = exact.clone().and(url.clone());
        let read = ArgRule::From("${input.at}".parse().unwrap(), Box::new(url.clone()));
        for rule in [&url, &both, &read] {
            assert!(goes(rule, "https://b.example.com/x"), "{rule}");
            assert!(!goes(rule, "http://b.example.com/x"), "{rule}");
            assert!(!goes(rule, "https://example.net/"), "{rule}");
        }
        assert!(goes(&exact, "https://elsewhere.test/"));
    }

    #[test]
    fn a_schema_takes_a_server_with_and_without_its_slash() {
        let rule = ArgRule::Schema(plan_model::Schema(
            json!({"type": "string", "pattern": "^https://example\\.com(/a.*)?$"}),
        ));
        assert!(goes(&rule, "https://example.com/"));
        assert!(goes(&rule, "https://example.com/ab"));
        assert!(!goes(&rule, "https://example.com/b"));
    }

    #[test]
    fn listed_urls_stand_for_their_servers() {
        let rule = ArgRule::OneOf(vec![json!("https://example.com/a"), json!(3)]);
        assert!(goes(&rule, "https://EXAMPLE.com/b"));
        assert!(!goes(&rule, "http://example.com/a"));
        assert!(!goes(&rule, "https://example.org/a"));
        assert!(!goes(&rule, "no url"));
    }
}
