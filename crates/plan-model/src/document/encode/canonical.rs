//! The outlet that writes canonical JSON.

use std::fmt::Write;

use serde_json::Value;

use super::Outlet;
use crate::digest::{write_canonical, write_text};

/// Canonical JSON being written. Whoever calls brings members in the order of their names.
#[derive(Debug, Default)]
pub(crate) struct Canonical<W> {
    out: W,
    follows_value: bool,
}

// neither text nor hashes fail to be written

impl<W: Write> Canonical<W> {
    /// What was written to, once all that was opened is closed.
    pub(crate) fn finish(self) -> W {
        self.out
    }

    fn begin(&mut self) {
        if self.follows_value {
            self.put(',');
        }
        self.follows_value = true;
    }

    fn open(&mut self, mark: char) {
        self.begin();
        self.put(mark);
        self.follows_value = false;
    }

    fn close(&mut self, mark: char) {
        self.put(mark);
        self.follows_value = true;
    }

    fn put(&mut self, mark: char) {
        let _ = self.out.write_char(mark);
    }
}

impl<W: Write> Outlet for Canonical<W> {
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
        self.put(':');
        self.follows_value = false;
    }

    fn text(&mut self, text: &str) {
        self.begin();
        let _ = write_text(text, &mut self.out);
    }

    fn value(&mut self, value: &Value) {
        self.begin();
        let _ = write_canonical(value, &mut self.out);
    }
}
