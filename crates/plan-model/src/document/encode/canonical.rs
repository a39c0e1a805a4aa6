//! The outlet that writes canonical JSON.

use serde_json::Value;

use super::Outlet;
use crate::digest::{write_canonical, write_text};

/// Canonical JSON being written. Whoever calls brings members in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Canonical {
    text: String,
    follows_value: bool,
}

impl Canonical {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The text, once all that was opened is closed.
    pub(crate) fn finish(self) -> String {
        self.text
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

    fn value(&mut self, value: &Value) {
        self.begin();
        let _ = write_canonical(value, &mut self.text);
    }
}
