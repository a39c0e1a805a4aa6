//! What steps with an effect may newly do.

use plan_model::{StepId, canonical_json};
use serde_json::Value;

use super::super::permission::{ASKED, Aspect, Subject, UNASKED};
use super::super::{ArgRule, SiteGrant, Target};
use super::{Compared, Widening, equal, widening};
use crate::text;

/// So many arguments are shown of a call that is new as a whole.
const MOST_ARGUMENTS: usize = 5;

impl Compared<'_> {
    /// Every step of the grant, with an effect or without.
    pub(super) fn sites(&mut self) {
        let grant = self.grant;
        for (step, site) in &grant.sites {
            if self.uses_no_more(step, site) {
                self.site(step, site);
            } else {
                let found = self.new_site(step, site);
                self.newly.push(found);
            }
        }
        for (step, relay) in &grant.sources.relays {
            self.relay(step, relay);
        }
    }

    fn uses_no_more(&self, step: &StepId, site: &SiteGrant) -> bool {
        let Some((old, new)) = self.both(step, Aspect::Uses) else {
            return false;
        };
        if equal(old, new) {
            return true;
        }
        let Target::Agent { tools, .. } = &site.target else {
            return false;
        };
        let listed = old.get("tools").and_then(Value::as_array);
        let fewer = listed.is_some_and(|listed| {
            tools
                .iter()
                .all(|tool| listed.iter().any(|old| old == tool.as_str()))
        });
        fewer && old.get("agent") == new.get("agent")
    }

    /// What the lock and the grant say about one aspect of a step.
    fn both(&self, step: &StepId, aspect: Aspect) -> Option<(&Value, &Value)> {
        let subject = Subject::Step(step.to_string(), aspect);
        Some((self.old.get(&subject)?, self.new.get(&subject)?))
    }

    fn new_site(&self, step: &StepId, site: &SiteGrant) -> Widening {
        let shown: Vec<String> = site
            .arguments
            .iter()
            .take(MOST_ARGUMENTS)
            .map(|(name, rule)| argument(name, rule))
            .collect();
        let mut message = may_newly(step, site);
        if !shown.is_empty() {
            message += " with ";
            message += &shown.join(", ");
        }
        match site.arguments.len().saturating_sub(shown.len()) {
            0 => {}
            rest => {
                message += " and ";
                message += &rest.to_string();
                message += " more";
            }
        }
        let subject = Subject::Step(step.to_string(), Aspect::Uses);
        let mut found = widening(&subject, Some(step), message);
        if !self.old.contains_key(&subject) {
            found.help = self.former_name(step).map(|former| {
                format!(
                    "the lock lets {}, which is gone, do the same: if it was only renamed, write the lock anew",
                    text::quoted(former)
                )
            });
        }
        found
    }

    /// A step of the lock that is gone and did exactly the same.
    fn former_name(&self, step: &StepId) -> Option<&str> {
        let does = |permissions: &super::Permissions, of: &str| -> Vec<(Aspect, String)> {
            let named = permissions
                .iter()
                .filter_map(|(subject, value)| match subject {
                    Subject::Step(step, aspect @ (Aspect::Uses | Aspect::Argument(_)))
                        if step == of =>
                    {
                        Some((aspect.clone(), canonical_json(value)))
                    }
                    _ => None,
                });
            named.collect()
        };
        let now = does(self.new, step.as_str());
        let mut uses = self
            .old
            .iter()
            .filter_map(|(subject, value)| match subject {
                Subject::Step(former, Aspect::Uses) if !self.new.contains_key(subject) => {
                    Some((former.as_str(), canonical_json(value)))
                }
                _ => None,
            });
        let target = now.iter().find(|(aspect, _)| *aspect == Aspect::Uses);
        let (_, target) = target?;
        // a second candidate would make it a guess
        let mut same = uses
            .by_ref()
            .filter(|(former, uses)| uses == target && does(self.old, former) == now);
        let (former, _) = same.next()?;
        same.next().is_none().then_some(former)
    }

    fn site(&mut self, step: &StepId, site: &SiteGrant) {
        for (name, rule) in &site.arguments {
            let subject = Subject::Step(step.to_string(), Aspect::Argument(name.clone()));
            if !self.takes_no_more(&subject, rule) {
                let message = format!("{} with {}", may_newly(step, site), argument(name, rule));
                self.add(&subject, Some(step), message);
            }
        }
        self.left_out(step, site);
        let attempts = Subject::Step(step.to_string(), Aspect::Attempts);
        let before = self.old.get(&attempts).and_then(Value::as_u64);
        if before.is_none_or(|before| site.max_attempts > before) {
            let former = before.map_or_else(String::new, |before| format!(", not {before}"));
            let now = match site.max_attempts {
                1 => "1 attempt".to_owned(),
                many => format!("{many} attempts"),
            };
            let message = format!("step {} may newly make {now}{former}", text::quoted(step));
            self.add(&attempts, Some(step), message);
        }
        self.seconds(step, site);
        self.approval(step, site);
        self.effects(step);
        self.within(step);
        self.behind(step, &site.behind, &may_newly(step, site));
    }

    fn takes_no_more(&self, subject: &Subject, rule: &ArgRule) -> bool {
        match (self.old.get(subject), self.new.get(subject)) {
            (Some(old), Some(new)) => {
                equal(old, new) || ArgRule::from_json(old).is_some_and(|old| rule.is_within(&old))
            }
            _ => false,
        }
    }

    /// Arguments that the lock wants to be given. Without them the tool's own defaults apply.
    fn left_out(&mut self, step: &StepId, site: &SiteGrant) {
        let first = Subject::Step(step.to_string(), Aspect::Argument(String::new()));
        let old = self.old;
        for (subject, rule) in old.range(first..) {
            let Subject::Step(of, Aspect::Argument(name)) = subject else {
                break;
            };
            if of != step.as_str() {
                break;
            }
            let may_lack = || {
                let rule = ArgRule::from_json(rule);
                rule.is_some_and(|rule| rule.permits(&Value::Null, &|_| None).is_ok())
            };
            if !site.arguments.contains_key(name) && !may_lack() {
                let message = format!("{} without {}", may_newly(step, site), text::quoted(name));
                self.add(subject, Some(step), message);
            }
        }
    }

    fn seconds(&mut self, step: &StepId, site: &SiteGrant) {
        let subject = Subject::Step(step.to_string(), Aspect::Seconds);
        let Some(old) = self.old.get(&subject).and_then(Value::as_str) else {
            return;
        };
        let now = site.timeout.map(|seconds| seconds.to_string());
        let limit = |text: &str| super::limit(&Value::from(text));
        let within = match (now.as_deref().map(limit), limit(old)) {
            (Some(Some(now)), Some(old)) => now <= old,
            _ => false,
        };
        if !within {
            let many = now.map_or_else(|| "for any time".to_owned(), |now| format!("for {now} s"));
            let message = format!(
                "step {} may newly act {many}, not {} s",
                text::quoted(step),
                text::capped(old)
            );
            self.add(&subject, Some(step), message);
        }
    }

    fn approval(&mut self, step: &StepId, site: &SiteGrant) {
        let subject = Subject::Step(step.to_string(), Aspect::Approval);
        let (old, new) = (self.old.get(&subject), self.new.get(&subject));
        let as_strict = match (old, new) {
            (Some(old), Some(new)) => equal(old, new) || old == UNASKED || new == ASKED,
            (_, new) => new.is_none_or(|new| new == ASKED),
        };
        if as_strict {
            return;
        }
        let how = match new.and_then(|new| new.get("given_by")) {
            Some(gate) => format!(
                "with no other approval than that of step {}",
                text::quoted(gate.as_str().unwrap_or_default())
            ),
            None => "unasked".to_owned(),
        };
        let message = format!("{} {how}", may_newly(step, site));
        self.add(&subject, Some(step), message);
    }

    fn effects(&mut self, step: &StepId) {
        let subject = Subject::Step(step.to_string(), Aspect::Effects);
        let words = |value: Option<&Value>| -> Vec<String> {
            let listed = value.and_then(Value::as_array).into_iter().flatten();
            listed
                .filter_map(|word| Some(word.as_str()?.to_owned()))
                .collect()
        };
        let before = words(self.old.get(&subject));
        for word in words(self.new.get(&subject)) {
            if before.contains(&word) {
                continue;
            }
            let what = match word.as_str() {
                "destructive" => "destroy",
                "open_world" => "reach the open world",
                "unrepeatable" => "act twice when it is repeated",
                _ => "change something",
            };
            let message = format!("step {} may newly {what}", text::quoted(step));
            self.add(&subject, Some(step), message);
        }
    }
}

fn argument(name: &str, rule: &ArgRule) -> String {
    format!(
        "{} = {}",
        text::quoted(name),
        text::capped(&rule.to_string())
    )
}

/// "step `mail` may newly call `send`"
fn may_newly(step: &StepId, site: &SiteGrant) -> String {
    let act = match &site.target {
        Target::Tool(tool) => format!("call {}", text::quoted(tool)),
        Target::Language(language) => format!("run {}", text::quoted(language)),
        Target::Model(model) => format!("ask the model {}", text::quoted(model)),
        agent @ Target::Agent { .. } => format!("use {agent}"),
    };
    format!("step {} may newly {act}", text::quoted(step))
}
