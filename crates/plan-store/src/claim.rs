//! Who drives a run: owners, claims and fences.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

/// How long a claim lives without being renewed: 15 seconds.
pub const CLAIM_TTL: Duration = Duration::from_secs(15);

/// How often an owner should renew its claim: every 5 seconds.
pub const CLAIM_RENEW: Duration = Duration::from_secs(5);

/// The most bytes in the name of an owner.
const OWNER_MAX: usize = 128;

/// Names one executor that drives runs: `[A-Za-z0-9._-]`, 1 to 128 bytes.
///
/// Two executors must never share a name while both live, or each takes the
/// other's claims for its own. [`OwnerId::random`] is the safe choice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(Arc<str>);

impl OwnerId {
    /// Checks `text` against the grammar of owner names.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn new(text: impl AsRef<str>) -> Result<Self, OwnerIdError> {
        let text = text.as_ref();
        if text.is_empty() {
            return Err(OwnerIdError::Empty);
        }
        if text.len() > OWNER_MAX {
            return Err(OwnerIdError::TooLong { actual: text.len() });
        }
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        match text.chars().find(|c| !fits(*c)) {
            Some(character) => Err(OwnerIdError::Character { character }),
            None => Ok(Self(text.into())),
        }
    }

    /// A name that nobody else has: 128 bits, drawn at random.
    pub fn random() -> Self {
        // the keys of `RandomState` are seeded by the operating system, once a
        // process, and differ in every instance
        let draw = || {
            let mut hasher = RandomState::new().build_hasher();
            hasher.write_u32(std::process::id());
            hasher.finish()
        };
        Self(format!("{:016x}{:016x}", draw(), draw()).into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for OwnerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// Why a text names no owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerIdError {
    /// The text is empty.
    #[error("is empty")]
    Empty,
    /// The text is too long.
    #[error("has {actual} bytes, over the limit of {OWNER_MAX}")]
    TooLong {
        /// Bytes that the text has.
        actual: usize,
    },
    /// The text holds a character that names of owners do not take.
    #[error("holds {character:?}, and an owner takes only letters, digits, `.`, `_` and `-`")]
    Character {
        /// The first such character.
        character: char,
    },
}

/// Counts the owners that a run has had. Who holds the highest fence may append.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(u64);

impl Fence {
    /// The fence of this number.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number of the fence.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// On whose behalf records are appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Writer {
    /// The owner of the run, which proves it by the fence of its claim.
    Fence(Fence),
    /// Anybody else: a person who answers, decides or cancels from another process.
    ///
    /// A store cannot see what records mean. The caller vouches that these are
    /// only cancel requests, answers and decisions.
    External,
}

/// What an owner wants of its claim on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Become the owner, or stay it.
    Acquire,
    /// Stay the owner for another [`CLAIM_TTL`].
    Renew,
    /// Stop being the owner, so that another may start at once.
    Release,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_named_in_characters_that_a_file_name_takes() {
        assert_eq!(
            OwnerId::new("host-1.pid_7").unwrap().as_str(),
            "host-1.pid_7"
        );
        assert_eq!(OwnerId::new(""), Err(OwnerIdError::Empty));
        assert_eq!(
            OwnerId::new("a/b"),
            Err(OwnerIdError::Character { character: '/' })
        );
        assert_eq!(
            OwnerId::new("x".repeat(129)),
            Err(OwnerIdError::TooLong { actual: 129 })
        );
    }

    #[test]
    fn random_owners_differ_and_are_valid() {
        let (one, two) = (OwnerId::random(), OwnerId::random());
        assert_ne!(one, two);
        assert_eq!(OwnerId::new(one.as_str()), Ok(one));
    }
}
