//! `grant.lock`: one permission a line, to be committed, reviewed and compared. Never made into a grant.
//!
//! ```text
//! file  = "# planwright grant, version 1" { line }
//! line  = subject [ " = " JSON ]
//! ```
//!
//! Names and values are JSON, so that a line reads one way only; lines are sorted as text. Blank lines and
//! lines that begin with `#` say nothing.

use std::fmt::{self, Write as _};

use plan_model::{Limits, canonical_json, document};
use serde_json::Value;

use super::permission::{Aspect, BUDGETS, Permissions, Subject};
use super::{ArgRule, GrantedRoot};
use crate::text;

/// The version that is written, and the newest that is read.
const VERSION: u64 = 1;
/// The first line, up to its version.
const HEADER: &str = "# planwright grant, version ";
/// How much deeper a value of a lock nests than the plan's value in it.
const WRAPPING: usize = 8;

/// Why a text cannot be compared with a grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The first line is not that of a lock.
    #[error("it does not begin with the line `# planwright grant, version 1`")]
    NotALock,
    /// A later release wrote the lock.
    #[error("it has version {found}, and this release reads version {supported}")]
    NewerVersion {
        /// The version of the lock, as written.
        found: String,
        /// The version that can be read.
        supported: u64,
    },
    /// A line that is no permission.
    #[error("line {line} is no permission: {reason}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it, as a clause.
        reason: String,
    },
    /// Two lines about one thing.
    #[error("line {line} repeats what line {first} is about")]
    Repeated {
        /// The line, from 1.
        line: usize,
        /// The earlier line.
        first: usize,
    },
}

/// The canonical text of permissions.
pub(super) fn write(permissions: &Permissions) -> String {
    let mut lines: Vec<String> = permissions
        .iter()
        .map(|(subject, value)| {
            if subject.has_value() {
                format!("{subject} = {}", json(value))
            } else {
                subject.to_string()
            }
        })
        .collect();
    lines.sort_unstable();
    let mut text = format!("{HEADER}{VERSION}\n");
    for line in lines {
        // writing to a String does not fail
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The permissions of a lock.
pub(super) fn parse(text: &str) -> Result<Permissions, LockError> {
    let mut lines = text.lines().enumerate();
    let version = lines
        .next()
        .and_then(|(_, line)| line.strip_prefix(HEADER))
        .ok_or(LockError::NotALock)?;
    match version.trim_end().parse::<u64>() {
        Ok(VERSION) => {}
        Ok(newer) if newer > VERSION => {
            return Err(LockError::NewerVersion {
                found: newer.to_string(),
                supported: VERSION,
            });
        }
        _ => return Err(LockError::NotALock),
    }
    let mut permissions = Permissions::new();
    let mut places = std::collections::BTreeMap::new();
    for (index, line) in lines {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let number = index + 1;
        let (subject, value) =
            permission(line.trim_end()).map_err(|reason| LockError::Malformed {
                line: number,
                reason,
            })?;
        if let Some(&first) = places.get(&subject) {
            return Err(LockError::Repeated {
                line: number,
                first,
            });
        }
        places.insert(subject.clone(), number);
        permissions.insert(subject, value);
    }
    Ok(permissions)
}

fn permission(line: &str) -> Result<(Subject, Value), String> {
    let mut words = Words(line);
    let subject = subject(&mut words)?;
    if !subject.has_value() {
        return match words.0 {
            "" => Ok((subject, Value::Null)),
            rest => Err(format!("{} is left over", text::quoted(rest))),
        };
    }
    let rest = words
        .0
        .strip_prefix("= ")
        .ok_or("it lacks ` = ` and a value")?;
    let mut limits = Limits::default();
    limits.depth += WRAPPING;
    let parsed = document::parse(rest.as_bytes(), &limits);
    let value = match (parsed.document, parsed.problems.first()) {
        (Some(document), None) => document.to_value(),
        _ => return Err("its value is not JSON".to_owned()),
    };
    if is_value(&subject, &value) {
        Ok((subject, value))
    } else {
        Err("its value is of another kind".to_owned())
    }
}

fn subject(words: &mut Words<'_>) -> Result<Subject, String> {
    Ok(match words.word() {
        "tool" => Subject::Tool(words.text()?),
        "model" => Subject::Model(words.text()?),
        "language" => Subject::Language(words.text()?),
        "agent" => Subject::Agent(words.text()?),
        "secret" => Subject::Secret(words.text()?),
        "root" => match words.word() {
            "scratch" => Subject::Root(GrantedRoot::Scratch),
            "anywhere" => Subject::Root(GrantedRoot::Anywhere),
            "folder" => Subject::Root(GrantedRoot::Folder(words.text()?)),
            "input" => Subject::input_root(&words.text()?)
                .ok_or("its input has a name that none can have")?,
            other => return Err(format!("{} is no kind of root", text::quoted(other))),
        },
        "budget" => {
            let name = words.word();
            let known = BUDGETS.iter().find(|(budget, _)| *budget == name);
            let (budget, _) =
                known.ok_or_else(|| format!("{} is no budget", text::quoted(name)))?;
            Subject::Budget((*budget).to_owned())
        }
        "sandbox" => match words.word() {
            mode @ ("best_effort" | "off") => Subject::Sandbox(mode.to_owned()),
            other => return Err(format!("{} is nothing of a sandbox", text::quoted(other))),
        },
        "config" => Subject::Config(words.text()?),
        "input" => {
            let name = words.text()?;
            match words.word() {
                "takes" => Subject::Takes(name),
                "default" => Subject::Default(name),
                other => {
                    return Err(format!("{} is nothing of an input", text::quoted(other)));
                }
            }
        }
        "step" => {
            let step = words.text()?;
            let aspect = match words.word() {
                "argument" => Aspect::Argument(words.text()?),
                word => {
                    let known = Aspect::WORDS.into_iter().find(|(known, _)| *known == word);
                    let (_, aspect) = known
                        .ok_or_else(|| format!("{} is nothing of a step", text::quoted(word)))?;
                    aspect
                }
            };
            Subject::Step(step, aspect)
        }
        other => return Err(format!("{} is no kind of permission", text::quoted(other))),
    })
}

/// Whether a value can be what a lock says about a subject.
fn is_value(subject: &Subject, value: &Value) -> bool {
    match subject {
        Subject::Tool(_) => value.is_string(),
        Subject::Model(_) | Subject::Language(_) | Subject::Agent(_) => {
            value.is_string() || value.is_null()
        }
        // seconds may have a fraction, and are text for that
        Subject::Budget(_) => value.is_u64() || value.is_string(),
        Subject::Step(_, Aspect::Attempts) => value.is_u64(),
        Subject::Step(_, Aspect::Argument(_)) => ArgRule::from_json(value).is_some(),
        Subject::Step(_, Aspect::Within | Aspect::Decides | Aspect::Seconds) => value.is_string(),
        Subject::Step(_, Aspect::Behind | Aspect::Effects) => value.is_array(),
        Subject::Step(_, Aspect::Approval) => value.is_string() || value.is_object(),
        Subject::Step(_, Aspect::Uses | Aspect::Items | Aspect::Collects | Aspect::Asks)
        | Subject::Takes(_)
        | Subject::Default(_) => value.is_object(),
        _ => true,
    }
}

/// The rest of a line.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// The next word.
    fn word(&mut self) -> &'a str {
        let (word, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        word
    }

    /// The next word, which is a JSON string.
    fn text(&mut self) -> Result<String, String> {
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter::<String>();
        let Some(Ok(text)) = values.next() else {
            return Err("a name is not a JSON string".to_owned());
        };
        let rest = self.0.get(values.byte_offset()..).unwrap_or_default();
        self.0 = rest.strip_prefix(' ').unwrap_or(rest);
        Ok(text)
    }
}

/// Canonical JSON in which nothing hides: characters that do not show are escaped.
fn json(value: &Value) -> String {
    let canonical = canonical_json(value);
    if !canonical.chars().any(text::unprintable) {
        return canonical;
    }
    let mut shown = String::with_capacity(canonical.len());
    for c in canonical.chars() {
        if text::unprintable(c) {
            // such characters stand in strings alone
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |text: &str| json(&Value::from(text));
        match self {
            Self::Tool(name) => write!(f, "tool {}", text(name)),
            Self::Model(name) => write!(f, "model {}", text(name)),
            Self::Language(name) => write!(f, "language {}", text(name)),
            Self::Agent(name) => write!(f, "agent {}", text(name)),
            Self::Secret(name) => write!(f, "secret {}", text(name)),
            Self::Sandbox(mode) => write!(f, "sandbox {mode}"),
            Self::Root(GrantedRoot::Scratch) => f.write_str("root scratch"),
            Self::Root(GrantedRoot::Anywhere) => f.write_str("root anywhere"),
            Self::Root(GrantedRoot::Input(name)) => write!(f, "root input {}", text(name.as_str())),
            Self::Root(GrantedRoot::Folder(folder)) => write!(f, "root folder {}", text(folder)),
            Self::Budget(name) => write!(f, "budget {name}"),
            Self::Config(key) => write!(f, "config {}", text(key)),
            Self::Takes(name) => write!(f, "input {} takes", text(name)),
            Self::Default(name) => write!(f, "input {} default", text(name)),
            Self::Step(step, Aspect::Argument(name)) => {
                write!(f, "step {} argument {}", text(step), text(name))
            }
            Self::Step(step, aspect) => {
                let word = Aspect::WORDS.iter().find(|(_, known)| known == aspect);
                write!(
                    f,
                    "step {} {}",
                    text(step),
                    word.map_or("", |(word, _)| word)
                )
            }
        }
    }
}
