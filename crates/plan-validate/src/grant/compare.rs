//! What a grant permits and a lock does not.

mod flow;
mod site;

use std::collections::BTreeSet;

use plan_model::{StepId, canonical_json};
use serde::Serialize;
use serde_json::Value;

use super::permission::{self, Aspect, BUDGETS, Permissions, Subject, UNBOUNDED};
use super::{Grant, GrantedRoot, LockError, lock};
use crate::{path, text};

/// How a grant and the lock of an earlier one differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// What the grant permits and the lock does not: whatever is not provably in the lock.
    pub newly: Vec<Widening>,
    /// What the lock permits and the grant does not, in words.
    pub no_longer: Vec<String>,
    /// Whether the lock is exactly that of the grant.
    pub same: bool,
}

/// One thing that a grant permits and a lock does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Widening {
    /// What it is about, as the line of the lock begins: the same for the same thing in every plan.
    pub subject: String,
    /// The step that may do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What may be done, in words.
    pub message: String,
    /// What to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl std::fmt::Display for Widening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Grant {
    /// What this grant permits and the lock of an earlier grant does not.
    ///
    /// Empty means: every call that this grant permits is one that the grant of the lock permitted, the tools
    /// being the same by digest. What cannot be proved to be within the lock is in the answer.
    ///
    /// # Errors
    /// Why the text is no lock.
    ///
    /// ```
    /// # use plan_validate::{Context, Policy, ToolCatalog, check};
    /// # let catalog = ToolCatalog::from_names(["send"]).unwrap();
    /// # let policy = Policy::default();
    /// # let cx = Context::new(&catalog, &policy);
    /// let before = check(r#"{"steps": [{"name": "mail", "tool": "send", "args": {"to": "alice"}}]}"#, &cx)?;
    /// let after = check(r#"{"steps": [{"name": "mail", "tool": "send", "args": {"to": "eve"}}]}"#, &cx)?;
    /// let newly = after.grant().newly(&before.grant().lock()).unwrap();
    /// assert_eq!(newly[0].message, r#"step `mail` may newly call `send` with `to` = "eve""#);
    /// # Ok::<(), plan_validate::PlanRejected>(())
    /// ```
    pub fn newly(&self, lock: &str) -> Result<Vec<Widening>, LockError> {
        Ok(self.compare(lock)?.newly)
    }

    /// How this grant and the lock of an earlier one differ, in both directions.
    ///
    /// # Errors
    /// Why the text is no lock.
    pub fn compare(&self, lock: &str) -> Result<Comparison, LockError> {
        let old = lock::parse(lock)?;
        let new = permission::of(self);
        let same = old.len() == new.len()
            && new
                .iter()
                .all(|(subject, value)| old.get(subject).is_some_and(|old| equal(old, value)));
        let mut compared = Compared {
            grant: self,
            new: &new,
            old: &old,
            newly: Vec::new(),
            implied: Vec::new(),
        };
        if !same {
            compared.sites();
            for (subject, value) in &new {
                compared.subject(subject, value);
            }
            if compared.newly.is_empty() {
                compared.newly = std::mem::take(&mut compared.implied);
            }
        }
        Ok(Comparison {
            newly: compared.newly,
            no_longer: no_longer(&new, &old),
            same,
        })
    }
}

/// Both sides, and what was found.
struct Compared<'a> {
    grant: &'a Grant,
    new: &'a Permissions,
    old: &'a Permissions,
    newly: Vec<Widening>,
    /// What something else that is new brings with it, said only where nothing else is.
    implied: Vec<Widening>,
}

impl Compared<'_> {
    fn add(&mut self, subject: &Subject, step: Option<&StepId>, message: String) {
        self.newly.push(widening(subject, step, message));
    }

    /// What is not about a step.
    fn subject(&mut self, subject: &Subject, value: &Value) {
        let old = self.old.get(subject);
        if old.is_some_and(|old| equal(old, value)) {
            return;
        }
        match subject {
            Subject::Tool(name) => {
                let name = text::quoted(name);
                if old.is_some() {
                    let mut found = widening(
                        subject,
                        None,
                        format!("{name} may newly do something else: the tool itself has changed"),
                    );
                    found.help = Some("its schemas, effects or configuration are not what they were when the lock was written".to_owned());
                    self.newly.push(found);
                } else {
                    self.imply(subject, format!("the plan may newly call {name}"));
                }
            }
            Subject::Model(name) => self.named(subject, old, "ask the model", name),
            Subject::Language(name) => self.named(subject, old, "run", name),
            Subject::Agent(name) => self.named(subject, old, "use the agent", name),
            Subject::Takes(name) => self.takes(subject, name, old, value),
            Subject::Secret(name) => {
                self.add(
                    subject,
                    None,
                    format!("the plan may newly read the secret {}", text::quoted(name)),
                );
            }
            Subject::Root(root) => {
                if !self.reaches(root) {
                    self.add(subject, None, format!("the plan may newly reach {root}"));
                }
            }
            Subject::Sandbox(mode) => {
                if mode == "off" {
                    self.add(
                        subject,
                        None,
                        "scripts may newly run without a sandbox".to_owned(),
                    );
                } else if !self.old.contains_key(&Subject::Sandbox("off".to_owned())) {
                    let message = "scripts may newly run where there is no sandbox".to_owned();
                    self.add(subject, None, message);
                }
            }
            Subject::Budget(name) => self.budget(subject, name, old, value),
            Subject::Config(key) => {
                let message = format!(
                    "`${{conf.{}}}` may newly be {}",
                    text::capped(key),
                    shown(value)
                );
                self.add(subject, None, message);
            }
            Subject::Default(name) => {
                let what = match value.get("is") {
                    Some(value) => shown(value),
                    None => "another value".to_owned(),
                };
                let name = text::quoted(name);
                let message =
                    format!("the input {name} may newly be {what} where the caller says nothing");
                self.add(subject, None, message);
            }
            Subject::Step(..) => {}
        }
    }

    fn imply(&mut self, subject: &Subject, message: String) {
        self.implied.push(widening(subject, None, message));
    }

    /// A model, a language or an agent.
    fn named(&mut self, subject: &Subject, old: Option<&Value>, act: &str, name: &str) {
        let name = text::quoted(name);
        if old.is_none() {
            self.imply(subject, format!("the plan may newly {act} {name}"));
            return;
        }
        let mut found = widening(
            subject,
            None,
            format!(
                "{name} may newly do something else: what the host runs by this name has changed"
            ),
        );
        found.help = Some(
            "what the catalog says of it is not what it was when the lock was written".to_owned(),
        );
        self.newly.push(found);
    }

    fn takes(&mut self, subject: &Subject, name: &str, old: Option<&Value>, value: &Value) {
        let name = text::quoted(name);
        let Some(old) = old else {
            self.imply(subject, format!("the plan may newly read the input {name}"));
            return;
        };
        let same = |member: &str| match (old.get(member), value.get(member)) {
            (Some(old), Some(new)) => equal(old, new),
            _ => false,
        };
        let any = old.get("value_type").is_some_and(|old| old == "any");
        let unruled = old.get("schema").is_some_and(Value::is_null);
        let typed = same("schema") && same("value_type") || unruled && (any || same("value_type"));
        let given = same("optional") || value.get("optional") == Some(&Value::Bool(false));
        if !(typed && given && same("input_kind")) {
            self.add(
                subject,
                None,
                format!("the input {name} may newly take other values"),
            );
        }
        let hidden = |value: &Value| value.get("sensitive") == Some(&Value::Bool(true));
        if hidden(old) && !hidden(value) {
            self.add(
                subject,
                None,
                format!("the value of the input {name} may newly be shown"),
            );
        }
    }

    fn reaches(&self, root: &GrantedRoot) -> bool {
        self.old.keys().any(|subject| match (subject, root) {
            (Subject::Root(GrantedRoot::Anywhere), _) => true,
            (Subject::Root(GrantedRoot::Folder(old)), GrantedRoot::Folder(new)) => {
                path::is_inside(new, old)
            }
            (Subject::Root(old), new) => old == new,
            _ => false,
        })
    }

    fn budget(&mut self, subject: &Subject, name: &str, old: Option<&Value>, value: &Value) {
        let (before, now) = (old.map(limit), limit(value));
        let within = match (before, now) {
            (Some(None), _) => true,
            (Some(Some(before)), Some(now)) => now <= before,
            _ => false,
        };
        if within {
            return;
        }
        let what = BUDGETS.iter().find(|(known, _)| *known == name);
        let what = what.map_or(name, |(_, what)| what);
        let bare = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let amount = match now {
            Some(_) => format!("up to {} {what}", bare(value)),
            None => format!("any number of {what}"),
        };
        let former = old.map_or_else(String::new, |old| format!(", not {}", bare(old)));
        self.add(
            subject,
            None,
            format!("the plan may newly use {amount}{former}"),
        );
    }
}

fn widening(subject: &Subject, step: Option<&StepId>, message: String) -> Widening {
    Widening {
        subject: subject.to_string(),
        step: step.cloned(),
        message,
        help: None,
    }
}

/// What the lock permits and the grant has nothing about. Of a step that is gone, one thing.
fn no_longer(new: &Permissions, old: &Permissions) -> Vec<String> {
    let here: BTreeSet<&str> = new.keys().filter_map(step_of).collect();
    let gone = |step: &str| !here.contains(step);
    let mut said = Vec::new();
    for subject in old.keys().filter(|subject| !new.contains_key(*subject)) {
        said.push(match subject {
            Subject::Step(
                step,
                Aspect::Uses | Aspect::Items | Aspect::Collects | Aspect::Asks | Aspect::Decides,
            ) if gone(step) => {
                format!("step {} is no longer there", text::quoted(step))
            }
            Subject::Step(step, _) if gone(step) => continue,
            subject => format!("{} is no longer there", text::quoted(subject.to_string())),
        });
    }
    said
}

fn step_of(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Step(step, _) => Some(step),
        _ => None,
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    a == b || canonical_json(a) == canonical_json(b)
}

/// A value as a message shows it.
fn shown(value: &Value) -> String {
    text::capped(&canonical_json(value)).into_owned()
}

/// A budget in thousandths; `None` where it has no end, or where that cannot be told.
fn limit(value: &Value) -> Option<u128> {
    if let Some(whole) = value.as_u64() {
        return Some(u128::from(whole) * 1000);
    }
    let text = value.as_str().filter(|text| *text != UNBOUNDED)?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let thousandths = format!("{fraction:0<3}");
    if thousandths.len() != 3 {
        return None;
    }
    Some(whole.parse::<u64>().map(u128::from).ok()? * 1000 + thousandths.parse::<u128>().ok()?)
}
