//! Names that come again share their text.

use std::cell::RefCell;
use std::sync::Arc;

use crate::id::Name;

/// So many names are remembered.
const SLOTS: usize = 128;
/// Longer names are rare, and not compared.
const LONGEST: usize = 64;

/// The names that were read last. A plan calls few tools often, their outputs have few names, and a step names its
/// neighbours: what is kept once is allocated once, and found in the cache by whoever looks at it later.
#[derive(Debug)]
pub(crate) struct SharedNames(RefCell<Vec<Option<Arc<str>>>>);

impl SharedNames {
    pub(crate) fn new() -> Self {
        Self(RefCell::new(vec![None; SLOTS]))
    }

    /// A name of this text, which was checked or reported.
    pub(crate) fn name<T: Name>(&self, text: &str) -> T {
        T::of_shared(self.text(text))
    }

    /// Each text has one slot, which remembers the last one.
    fn text(&self, text: &str) -> Arc<str> {
        let mut slots = self.0.borrow_mut();
        let Some(slot) = slots
            .get_mut(slot_of(text))
            .filter(|_| text.len() <= LONGEST)
        else {
            return text.into();
        };
        match slot {
            Some(known) if **known == *text => Arc::clone(known),
            _ => Arc::clone(slot.insert(text.into())),
        }
    }
}

fn slot_of(text: &str) -> usize {
    let mixed = text.bytes().take(LONGEST).fold(0_usize, |mixed, byte| {
        mixed.wrapping_mul(31).wrapping_add(byte.into())
    });
    mixed % SLOTS
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, SLOTS, SharedNames};
    use crate::StepId;

    fn is_shared(names: &SharedNames, text: &str) -> bool {
        let first: StepId = names.name(text);
        let second: StepId = names.name(text);
        assert_eq!(first.as_str(), text);
        assert_eq!(second.as_str(), text);
        std::ptr::eq(first.as_str(), second.as_str())
    }

    #[test]
    fn a_name_that_comes_again_is_the_same_text() {
        let names = SharedNames::new();
        for index in 0..SLOTS * 3 {
            assert!(is_shared(&names, &format!("s{index}")));
        }
        assert!(is_shared(&names, &"n".repeat(LONGEST)));
    }

    #[test]
    fn long_names_are_kept_each_for_itself() {
        assert!(!is_shared(&SharedNames::new(), &"n".repeat(LONGEST + 1)));
    }
}
