//! JSON Pointers (RFC 6901): where in a document something stands.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A JSON Pointer. The empty pointer is the whole document.
///
/// Pointers are ordered as a reader meets them: segment by segment, numbers by value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pointer(String);

/// A text that should have been a JSON Pointer and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a JSON Pointer, such as `/steps/0/id`")]
pub struct PointerError;

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a pointer: nothing, or segments that each begin with `/`.
    ///
    /// # Errors
    /// When the text is neither, or a `~` in it is followed by neither `0` nor `1`.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        let begins_well = text.is_empty() || text.starts_with('/');
        let mut escapes = text.split('~').skip(1);
        if begins_well && escapes.all(|rest| rest.starts_with(['0', '1'])) {
            Ok(Self(text.to_owned()))
        } else {
            Err(PointerError)
        }
    }

    /// The pointer with one more member name or index.
    #[must_use]
    pub fn join(&self, segment: impl fmt::Display) -> Self {
        let mut longer = self.clone();
        longer.push(segment);
        longer
    }

    /// Appends a member name or index, escaped.
    pub fn push(&mut self, segment: impl fmt::Display) {
        use fmt::Write as _;
        self.0.push('/');
        let start = self.0.len();
        // writing to a String does not fail
        let _ = write!(self.0, "{segment}");
        if self
            .0
            .get(start..)
            .is_some_and(|added| added.contains(['~', '/']))
        {
            let escaped = self
                .0
                .split_off(start)
                .replace('~', "~0")
                .replace('/', "~1");
            self.0.push_str(&escaped);
        }
    }

    /// Removes the last segment; the whole document stays itself.
    pub fn pop(&mut self) {
        self.0.truncate(self.0.rfind('/').unwrap_or(0));
    }

    /// The text form: empty, or `/a/0/b`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segments, unescaped.
    pub fn segments(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.0.split('/').skip(1).map(|segment| {
            if segment.contains('~') {
                segment.replace("~1", "/").replace("~0", "~").into()
            } else {
                segment.into()
            }
        })
    }

    /// Whether this is `ancestor` or stands inside it.
    pub fn is_within(&self, ancestor: &Self) -> bool {
        self.0
            .strip_prefix(ancestor.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Pointer {
    type Error = PointerError;

    fn try_from(text: String) -> Result<Self, PointerError> {
        Self::parse(&text)
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

impl PartialOrd for Pointer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pointer {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |segment: &str| {
            (
                segment.parse::<u64>().map_or(u64::MAX, |n| n),
                segment.to_owned(),
            )
        };
        let (mut ours, mut theirs) = (self.0.split('/'), other.0.split('/'));
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return Ordering::Equal,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(a), Some(b)) if a == b => {}
                (Some(a), Some(b)) => return key(a).cmp(&key(b)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_escaped_and_read_back() {
        let mut pointer = Pointer::root().join("a/b").join("~1").join(0).join("");
        assert_eq!(pointer.as_str(), "/a~1b/~01/0/");
        assert_eq!(
            pointer.segments().collect::<Vec<_>>(),
            ["a/b", "~1", "0", ""]
        );
        pointer.pop();
        pointer.pop();
        assert_eq!(pointer.as_str(), "/a~1b/~01");
        let mut root = Pointer::root();
        root.pop();
        assert_eq!(root, Pointer::root());
        assert_eq!(root.segments().count(), 0);
    }

    #[test]
    fn only_pointers_are_read() {
        for text in ["", "/", "/a/0", "/a~0b~1"] {
            assert_eq!(Pointer::parse(text).unwrap().as_str(), text);
        }
        for text in ["a", "#/a", "/a~", "/a~2"] {
            assert_eq!(Pointer::parse(text), Err(PointerError), "{text}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_value_and_parents_come_first() {
        let sorted = ["", "/a", "/a/2", "/a/10", "/a/10/x", "/a/b", "/b"];
        let mut pointers: Vec<Pointer> = sorted
            .iter()
            .rev()
            .map(|text| Pointer::parse(text).unwrap())
            .collect();
        pointers.sort();
        let texts: Vec<&str> = pointers.iter().map(Pointer::as_str).collect();
        assert_eq!(texts, sorted);
    }

    #[test]
    fn within_means_whole_segments() {
        let at = |text| Pointer::parse(text).unwrap();
        assert!(at("/a/b").is_within(&at("/a")));
        assert!(at("/a").is_within(&at("/a")));
        assert!(at("/a").is_within(&Pointer::root()));
        assert!(!at("/ab").is_within(&at("/a")));
    }
}
