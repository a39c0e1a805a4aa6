//! Names of runs, requests and people, and the address of a step in a run.

mod step_path;

use std::fmt;
use std::sync::Arc;

use plan_model::Digest;
use serde::{Deserialize, Serialize};

pub use step_path::{StepPath, StepPathError};

/// Why a text is not a name of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The text is empty.
    #[error("is empty")]
    Empty,
    /// The text has more bytes than its kind allows.
    #[error("has {actual} bytes, over the limit of {limit}")]
    TooLong {
        /// Bytes that the text has.
        actual: usize,
        /// Bytes that it may have.
        limit: usize,
    },
    /// The text holds a character outside the grammar of its kind.
    #[error("holds {character:?} at byte {at}, which this kind of name does not take")]
    Character {
        /// The first such character.
        character: char,
        /// Its byte offset.
        at: usize,
    },
    /// The text is a name that a file system takes for a folder.
    #[error("is `.` or `..`, which name folders")]
    Dots,
}

/// Letters, digits, `.`, `_` and `-`: safe in a file name, a URL and a shell word.
fn check_token(text: &str) -> Result<(), NameError> {
    check_length(text, 128)?;
    match text
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
    {
        Some((at, character)) => Err(NameError::Character { character, at }),
        None if text == "." || text == ".." => Err(NameError::Dots),
        None => Ok(()),
    }
}

/// Any text without control characters.
fn check_person(text: &str) -> Result<(), NameError> {
    check_length(text, 256)?;
    match text.char_indices().find(|(_, c)| c.is_control()) {
        Some((at, character)) => Err(NameError::Character { character, at }),
        None => Ok(()),
    }
}

fn check_length(text: &str, limit: usize) -> Result<(), NameError> {
    match text.len() {
        0 => Err(NameError::Empty),
        actual if actual > limit => Err(NameError::TooLong { actual, limit }),
        _ => Ok(()),
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $check:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks `text` against the grammar of this kind of name.
            ///
            /// # Errors
            /// Says what is wrong with the text.
            pub fn new(text: impl AsRef<str>) -> Result<Self, NameError> {
                let text = text.as_ref();
                $check(text)?;
                Ok(Self(text.into()))
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                String::from(&*name.0)
            }
        }
    };
}

name!(
    /// The name of a run: `[A-Za-z0-9._-]{1,128}`, and neither `.` nor `..`.
    RunId,
    check_token
);
name!(
    /// The name of a request to a person, unique over all runs.
    RequestId,
    check_token
);
name!(
    /// Who asked for a run, answered a request or made a decision: any text of at most 256 bytes without control characters.
    PrincipalName,
    check_person
);
name!(
    /// The key under which a tool recognises a call that it has already made.
    IdempotencyKey,
    check_token
);

impl RunId {
    /// The id of a run that begins at `now`: sorts by time, and differs where `random` does.
    pub fn drawn(now: plan_model::Timestamp, random: u64) -> Self {
        let millis = now.as_millis().max(0);
        Self(format!("{millis:012x}-{random:016x}").into())
    }
}

impl IdempotencyKey {
    /// The key of a step's call: the same over retries and repeats after a crash, another after a reset.
    pub fn of(run: &RunId, step: &StepPath, generation: u32) -> Self {
        Self(derived(&[run.as_str(), &step.to_string(), &generation.to_string()]).into())
    }

    /// The key of one call that the agent of an attempt makes.
    pub fn of_agent_call(agent: &Self, attempt: u32, call: u32) -> Self {
        let parts = [
            "call",
            agent.as_str(),
            &attempt.to_string(),
            &call.to_string(),
        ];
        Self(derived(&parts).into())
    }
}

impl RequestId {
    /// The id of a step's request; `occurrence` counts the step's requests of the run from 1.
    pub(crate) fn of(run: &RunId, step: &StepPath, generation: u32, occurrence: u32) -> Self {
        let tail = derived(&[
            "request",
            run.as_str(),
            &step.to_string(),
            &generation.to_string(),
            &occurrence.to_string(),
        ]);
        Self(format!("req-{}", tail.get(..16).unwrap_or(&tail)).into())
    }
}

/// 32 hexadecimal digits that depend on every part, and on where one ends.
fn derived(parts: &[&str]) -> String {
    let mut text = String::with_capacity(128);
    for part in parts {
        text.push_str(part);
        // no part holds a NUL
        text.push('\0');
    }
    let mut digits = Digest::of_bytes(text.as_bytes()).to_string();
    digits.truncate(32);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_is_a_safe_file_name() {
        for good in ["a", "A.b_c-9", "...", &"x".repeat(128)] {
            assert!(RunId::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a b", "ä", "a\0", &"x".repeat(129)] {
            assert!(RunId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_key_depends_on_run_step_and_generation_alone() {
        let run = RunId::new("r").unwrap();
        let path = |text: &str| text.parse::<StepPath>().unwrap();
        let key = IdempotencyKey::of(&run, &path("a"), 0);
        assert_eq!(key, IdempotencyKey::of(&run, &path("a"), 0));
        assert_ne!(key, IdempotencyKey::of(&run, &path("b"), 0));
        assert_ne!(key, IdempotencyKey::of(&run, &path("a"), 1));
        assert_ne!(
            key,
            IdempotencyKey::of(&RunId::new("s").unwrap(), &path("a"), 0)
        );
        assert_ne!(
            IdempotencyKey::of(&run, &path("a"), 11),
            IdempotencyKey::of(&run, &path("a1"), 1),
            "the parts do not run together"
        );
    }

    #[test]
    fn an_error_says_where_a_name_goes_wrong() {
        assert_eq!(
            RunId::new("a/b").unwrap_err().to_string(),
            "holds '/' at byte 1, which this kind of name does not take"
        );
    }
}
