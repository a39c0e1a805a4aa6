//! The outlet that writes canonical JSON.

use std::fmt;

use serde_json::Value;

use super::Outlet;
use crate::Digest;
use crate::digest::{Hasher, write_canonical, write_shown, write_text};

/// How much text is kept before it is hashed.
const CHUNK: usize = 32 * 1024;

/// Canonical JSON being written. Whoever calls brings members in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Canonical {
    text: String,
    /// Takes the text away as it grows, where only the digest is wanted.
    hasher: Option<Hasher>,
    follows_value: bool,
}

impl Canonical {
    /// Canonical JSON of which only the digest is wanted.
    pub(crate) fn hashed() -> Self {
        Self {
            hasher: Some(Hasher::default()),
            ..Self::default()
        }
    }

    /// The text, once all that was opened is closed. Of what is hashed: nothing.
    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// The digest of the text, once all that was opened is closed.
    pub(crate) fn digest(self) -> Digest {
        let mut hasher = self.hasher.unwrap_or_default();
        hasher.update(&self.text);
        hasher.finish()
    }

    fn begin(&mut self) {
        if self.follows_value {
            self.text.push(',');
        }
        self.follows_value = true;
    }

    fn open(&mut self, mark: char) {
        self.begin();
        self.text.push(mark);
        self.follows_value = false;
    }

    fn close(&mut self, mark: char) {
        self.text.push(mark);
        self.follows_value = true;
        if let Some(hasher) = &mut self.hasher
            && self.text.len() >= CHUNK
        {
            hasher.update(&self.text);
            self.text.clear();
        }
    }
}

impl Outlet for Canonical {
    fn open_object(&mut self) {
        self.open('{');
    }

    fn close_object(&mut self) {
        self.close('}');
    }

    fn open_array(&mut self) {
        self.open('[');
    }

    fn close_array(&mut self) {
        self.close(']');
    }

    fn key(&mut self, key: &str) {
        self.text(key);
        self.text.push(':');
        self.follows_value = false;
    }

    // writing to a String does not fail

    fn text(&mut self, text: &str) {
        self.begin();
        let _ = write_text(text, &mut self.text);
    }

    fn shown(&mut self, text: &dyn fmt::Display) {
        self.begin();
        let _ = write_shown(text, &mut self.text);
    }

    fn value(&mut self, value: &Value) {
        self.begin();
        let _ = write_canonical(value, &mut self.text);
    }
}
