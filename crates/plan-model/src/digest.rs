//! The canonical form of a plan and its SHA-256.

mod canonical;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use canonical::{canonical_json, write_canonical};
pub(crate) use canonical::{sorted, write_shown, write_text};

/// A SHA-256, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        use sha2::Digest as _;
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of a JSON value in canonical form, which is hashed as it is written.
    pub fn of_json(value: &Value) -> Self {
        let mut hasher = Hasher::default();
        // hashing does not fail
        let _ = write_canonical(value, &mut hasher);
        hasher.finish()
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A digest being made of text.
#[derive(Debug, Default)]
pub(crate) struct Hasher(sha2::Sha256);

impl Hasher {
    pub(crate) fn update(&mut self, text: &str) {
        sha2::Digest::update(&mut self.0, text.as_bytes());
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(sha2::Digest::finalize(self.0).into())
    }
}

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.update(text);
        Ok(())
    }
}

/// A text that should have been a digest and is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not 64 hexadecimal digits in lower case")]
pub struct DigestError;

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: u8| match nibble {
            0..=9 => b'0' + nibble,
            _ => b'a' + nibble - 10,
        };
        let mut digits = [0; 64];
        for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 0xf)];
        }
        f.write_str(str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(DigestError),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(DigestError);
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_digest_is_written_as_hexadecimal_digits_and_read_back() {
        let digest = Digest::of_bytes(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(Digest::try_from(text.to_owned()), Ok(digest));
        for bad in [
            "",
            "ba78",
            &text.to_uppercase(),
            &format!("{text}00"),
            &text.replace('b', "g"),
        ] {
            assert_eq!(Digest::try_from(bad.to_owned()), Err(DigestError), "{bad}");
        }
    }

    #[test]
    fn the_digest_of_a_value_is_that_of_its_canonical_text() {
        let value = json!({ "b": [1, 2.5, null], "a": { "é": "\n" } });
        assert_eq!(
            Digest::of_json(&value),
            Digest::of_bytes(canonical_json(&value).as_bytes())
        );
    }
}
