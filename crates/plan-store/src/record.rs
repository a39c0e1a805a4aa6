//! The journal of a run as a store sees it: numbered bytes.

use std::fmt;

use crate::RunHead;

/// One record of a journal: bytes that mean nothing to a store.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Record(Vec<u8>);

impl Record {
    /// A record of these bytes; any bytes, also none.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Shows the size and the beginning only, so that a log line stays a line.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..64).unwrap_or(&self.0);
        write!(
            f,
            "Record({} bytes, `{}`",
            self.0.len(),
            shown.escape_ascii()
        )?;
        f.write_str(if shown.len() < self.0.len() {
            "…)"
        } else {
            ")"
        })
    }
}

/// A place in a journal: how many records lie before it.
///
/// The first record has sequence 1, and a journal of three records ends at 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sequence(u64);

impl Sequence {
    /// Before the first record.
    pub const START: Self = Self(0);

    /// After so many records.
    pub const fn new(records: u64) -> Self {
        Self(records)
    }

    /// How many records lie before this place.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// This place and so many records on.
    #[must_use]
    pub fn plus(self, records: usize) -> Self {
        Self(
            self.0
                .saturating_add(u64::try_from(records).unwrap_or(u64::MAX)),
        )
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A bounded piece of a journal, with the head of its run, all of one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalPage {
    /// The run as lists show it.
    pub head: RunHead,
    /// The records that follow the place which was asked for, in order.
    pub records: Vec<Record>,
    /// The end of the whole journal.
    pub end: Sequence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_record_is_shown_in_one_short_line() {
        let shown = format!("{:?}", Record::new(vec![b'\n'; 4096]));
        assert!(shown.starts_with("Record(4096 bytes, `\\n\\n"), "{shown}");
        assert!(shown.len() < 200, "{shown}");
        assert_eq!(format!("{:?}", Record::new("{}")), "Record(2 bytes, `{}`)");
    }

    #[test]
    fn a_sequence_counts_records_and_never_wraps() {
        assert_eq!(Sequence::START.plus(3), Sequence::new(3));
        assert_eq!(Sequence::new(u64::MAX).plus(1), Sequence::new(u64::MAX));
    }
}
