//! Names as types, so that a step can never be taken for an input or a tool.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Why a text is not a valid name of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
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
    /// The text is a word with a meaning of its own.
    #[error("is a reserved word")]
    Reserved,
}

/// The most bytes in a name written in a native plan.
pub(crate) const NATIVE_MAX: usize = 64;
/// The most bytes in a name that came from an imported document or a host.
pub(crate) const IMPORTED_MAX: usize = 256;

/// Words that would shadow a reference namespace or a literal of the expression language.
pub(crate) const RESERVED: &[&str] = &[
    "input", "conf", "step", "item", "secret", "env", "true", "false", "null", "in",
];

/// What an identifier is, as a clause.
pub(crate) const IDENTIFIER: &str =
    "a letter or `_`, then letters, digits, `_` and `-`, and no reserved word";
/// What a name that a host chose is, as a clause.
pub(crate) const HOST_NAME: &str = "1 to 256 bytes of text without control characters";

/// `[A-Za-z_][A-Za-z0-9_-]*` of at most `limit` bytes, and no reserved word.
pub(crate) fn check_identifier(text: &str, limit: usize) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > limit {
        return Err(IdError::TooLong {
            actual: text.len(),
            limit,
        });
    }
    for (at, character) in text.char_indices() {
        let fits = character.is_ascii_alphabetic()
            || character == '_'
            || (at > 0 && (character.is_ascii_digit() || character == '-'));
        if !fits {
            return Err(IdError::Character { character, at });
        }
    }
    if RESERVED.contains(&text) {
        return Err(IdError::Reserved);
    }
    Ok(())
}

/// Any text without control characters, up to the imported limit: names that a host chose.
fn check_host_name(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.len() > IMPORTED_MAX {
        return Err(IdError::TooLong {
            actual: text.len(),
            limit: IMPORTED_MAX,
        });
    }
    match text
        .char_indices()
        .find(|(_, character)| character.is_control())
    {
        Some((at, character)) => Err(IdError::Character { character, at }),
        None => Ok(()),
    }
}

/// A kind of name, as the reader makes it: it reports a bad one and keeps it as it is.
pub(crate) trait Name: Sized {
    /// Checks a text against the grammar of this kind.
    fn check(text: &str) -> Result<(), IdError>;

    /// The name of a text that others may hold too.
    fn of_shared(text: Arc<str>) -> Self;
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks `text` against the grammar of this kind of name.
            ///
            /// # Errors
            /// Says what is wrong with the text.
            pub fn new(text: impl AsRef<str>) -> Result<Self, IdError> {
                let text = text.as_ref();
                let check: fn(&str) -> Result<(), IdError> = $check;
                check(text)?;
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

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                String::from(&*name.0)
            }
        }

        impl Name for $name {
            fn check(text: &str) -> Result<(), IdError> {
                let check: fn(&str) -> Result<(), IdError> = $check;
                check(text)
            }

            fn of_shared(text: Arc<str>) -> Self {
                Self(text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }
    };
}

name!(
    /// The id of a step: `[A-Za-z_][A-Za-z0-9_-]*`, at most 64 bytes in a native plan and 256 in an imported one.
    StepId,
    |text| check_identifier(text, IMPORTED_MAX)
);
name!(
    /// The name of a plan input: an identifier, as [`StepId`].
    InputName,
    |text| check_identifier(text, IMPORTED_MAX)
);
name!(
    /// The name of a plan's config value: an identifier, as [`StepId`].
    ConfigKey,
    |text| check_identifier(text, IMPORTED_MAX)
);
name!(
    /// The name of a step output or of a plan output: any text without control characters, up to 256 bytes.
    ///
    /// Outputs take their names from what tools return, and those are not identifiers.
    OutputName,
    check_host_name
);
name!(
    /// The variable that a fan-out binds to each item: an identifier, as [`StepId`].
    ItemName,
    |text| check_identifier(text, IMPORTED_MAX)
);
name!(
    /// The name of a tool, matched byte for byte.
    ToolName,
    check_host_name
);
name!(
    /// The name of a model in the catalog.
    ModelName,
    check_host_name
);
name!(
    /// The name of a code language in the catalog.
    LanguageName,
    check_host_name
);
name!(
    /// The name of an agent in the catalog.
    AgentName,
    check_host_name
);
name!(
    /// The name under which a host keeps a secret.
    SecretName,
    check_host_name
);

macro_rules! unchecked {
    ($($name:ident)+) => {$(
        impl $name {
            /// A name that was not checked: the reader's stand-in for one that it has reported.
            pub(crate) fn unchecked(text: &str) -> Self {
                Self(text.into())
            }
        }
    )+};
}

unchecked! { StepId InputName OutputName ItemName ToolName ModelName LanguageName }

/// The identity of a plan over all its versions: a UUID in lower case with hyphens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlanId(uuid::Uuid);

impl PlanId {
    /// Reads a UUID in its hyphenated form.
    ///
    /// # Errors
    /// When the text is not a UUID.
    pub fn new(text: &str) -> Result<Self, PlanIdError> {
        uuid::Uuid::try_parse(text)
            .map(Self)
            .map_err(|_| PlanIdError)
    }

    /// The UUID of version 5 that names `bytes` in Planwright's namespace: the same bytes, the same id.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        // the namespace is itself a name-based UUID, so that anybody can derive it
        let namespace = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, b"urn:planwright:plan");
        Self(uuid::Uuid::new_v5(&namespace, bytes))
    }

    /// An id made of 16 bytes that the caller drew at random.
    pub fn from_random_bytes(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }
}

/// A text that should have been a UUID and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a UUID, such as `3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90`")]
pub struct PlanIdError;

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), f)
    }
}

impl fmt::Debug for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for PlanId {
    type Error = PlanIdError;

    fn try_from(text: String) -> Result<Self, PlanIdError> {
        Self::new(&text)
    }
}

impl From<PlanId> for String {
    fn from(id: PlanId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_follow_the_grammar() {
        for text in ["a", "_", "A9", "fetch-page_2", "inputs", &"x".repeat(256)] {
            assert_eq!(StepId::new(text).unwrap().as_str(), text);
        }
        assert_eq!(StepId::new(""), Err(IdError::Empty));
        assert_eq!(StepId::new("input"), Err(IdError::Reserved));
        let too_long = "x".repeat(257);
        assert!(matches!(
            StepId::new(&too_long),
            Err(IdError::TooLong {
                actual: 257,
                limit: 256
            })
        ));
        for (text, character, at) in [
            ("9a", '9', 0),
            ("-a", '-', 0),
            ("a b", ' ', 1),
            ("é", 'é', 0),
            ("a.b", '.', 1),
        ] {
            assert_eq!(
                InputName::new(text),
                Err(IdError::Character { character, at }),
                "{text}"
            );
        }
    }

    #[test]
    fn case_16_odd_characters_are_refused_in_ids_and_never_folded() {
        for text in ["a\u{200b}", "a\u{202e}b", "\u{0430}dmin", "a\0", "e\u{301}"] {
            assert!(StepId::new(text).is_err(), "{text:?}");
        }
        assert!(ToolName::new("a\0").is_err());
        let (latin, cyrillic) = (
            ToolName::new("admin").unwrap(),
            ToolName::new("\u{0430}dmin").unwrap(),
        );
        assert_ne!(latin, cyrillic);
        let (composed, decomposed) = (
            ToolName::new("\u{e9}").unwrap(),
            ToolName::new("e\u{301}").unwrap(),
        );
        assert_ne!(composed, decomposed);
    }

    #[test]
    fn host_names_are_any_printable_text() {
        for text in ["Image Editing", "org/tool@1.2", "größe", "input"] {
            assert_eq!(ToolName::new(text).unwrap().as_str(), text);
        }
        assert_eq!(OutputName::new(""), Err(IdError::Empty));
        assert!(matches!(
            SecretName::new("a\nb"),
            Err(IdError::Character {
                character: '\n',
                at: 1
            })
        ));
    }

    #[test]
    fn a_plan_id_is_a_uuid_in_one_spelling() {
        let text = "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90";
        assert_eq!(PlanId::new(&text.to_uppercase()).unwrap().to_string(), text);
        assert_eq!(PlanId::new("3f2a"), Err(PlanIdError));
        assert_eq!(PlanId::of_bytes(b"a"), PlanId::of_bytes(b"a"));
        assert_ne!(PlanId::of_bytes(b"a"), PlanId::of_bytes(b"b"));
        let random = PlanId::from_random_bytes([0xff; 16]).to_string();
        assert_eq!(random, "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
