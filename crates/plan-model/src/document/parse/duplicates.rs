//! Members named twice.

use crate::document::problem::capped;
use crate::document::{ProblemKind, Span};

use super::Parser;

/// Up to so many members are compared each with each; more are sorted.
const FEW: usize = 12;

impl Parser<'_> {
    /// Reports the members of the innermost container that have the name of an earlier one.
    pub(super) fn report_duplicates(&mut self) {
        let Some(open) = self.open.last() else { return };
        if open.index < 2 {
            return;
        }
        let mut keys = std::mem::take(&mut self.scratch);
        keys.clear();
        let mut at = open.node + 1;
        while let Some(value) = self.nodes.get(at as usize + 1) {
            keys.push(at);
            at = value.next(at + 1);
        }
        let mut found = Vec::new();
        if keys.len() <= FEW {
            for (count, &key) in keys.iter().enumerate() {
                let text = self.string_at(key);
                let first = keys
                    .iter()
                    .take(count)
                    .find(|earlier| self.string_at(**earlier) == text);
                if let Some(&first) = first {
                    found.push((first, key));
                }
            }
        } else {
            keys.sort_by(|a, b| self.string_at(*a).cmp(self.string_at(*b)));
            let mut first = None;
            for &key in &keys {
                match first {
                    Some(first) if self.string_at(first) == self.string_at(key) => {
                        found.push((first, key));
                    }
                    _ => first = Some(key),
                }
            }
            // which of them are kept must not depend on the order of names
            found.sort_unstable_by_key(|(_, key)| *key);
        }
        self.scratch = keys;
        for (first, key) in found {
            self.report_duplicate(first, key);
        }
    }

    fn report_duplicate(&mut self, first: u32, key: u32) {
        let kind = ProblemKind::DuplicateKey {
            key: capped(self.string_at(key)),
            first: self.span_at(first),
        };
        let span = self.span_at(key);
        let pointer = (!self.problems.is_full()).then(|| {
            let parent = self.pointer(self.open.len().saturating_sub(1));
            parent.join(self.string_at(key))
        });
        self.problems
            .add(kind, span, || pointer.unwrap_or_default());
    }

    fn span_at(&self, node: u32) -> Span {
        self.nodes
            .get(node as usize)
            .map_or(Span::default(), |node| Span {
                start: node.start as usize,
                end: node.end as usize,
            })
    }
}
