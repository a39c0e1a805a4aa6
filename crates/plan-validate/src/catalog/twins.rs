//! Tools whose names are one, or cannot be told apart by eye.

use std::collections::BTreeMap;

use plan_model::{Pointer, ToolName};
use unicode_security::skeleton;

use crate::finding::Finding;
use crate::rules::INVALID_CATALOG;
use crate::text;

/// The names that were taken, with their places and how they look.
#[derive(Debug, Default)]
pub(super) struct Names {
    places: BTreeMap<ToolName, Pointer>,
    looks: BTreeMap<String, ToolName>,
}

/// What is wrong with one more name.
#[derive(Debug)]
pub(super) enum Twin {
    /// It is taken.
    Same(Finding),
    /// It looks like one that is taken.
    Alike(Finding),
}

impl Names {
    /// Takes a name at its place, and says whether another one is it or looks like it.
    pub(super) fn take(&mut self, name: &ToolName, at: &Pointer) -> Option<Twin> {
        if let Some(first) = self.places.get(name) {
            let message = format!("two tools are called {}", text::quoted(name));
            return Some(Twin::Same(
                INVALID_CATALOG
                    .at(at.clone(), message)
                    .related(first.clone(), "the first one")
                    .help("rename one of them, or take it out"),
            ));
        }
        let look: String = skeleton(name.as_str()).collect();
        // two plain ASCII names can be told apart where it matters: byte for byte
        let twin = self
            .looks
            .get(&look)
            .filter(|twin| !(twin.as_str().is_ascii() && name.as_str().is_ascii()));
        let alike = twin.and_then(|twin| {
            let first = self.places.get(twin)?;
            let message = format!(
                "the tool name {} looks like {}",
                spelled(name),
                spelled(twin)
            );
            Some(Twin::Alike(
                INVALID_CATALOG
                    .at(at.clone(), message)
                    .related(first.clone(), "the one that it looks like")
                    .help("rename one of them, so that a person can tell them apart"),
            ))
        });
        self.looks.entry(look).or_insert_with(|| name.clone());
        self.places.insert(name.clone(), at.clone());
        alike
    }
}

/// A name in backticks; characters that are not ASCII are named, since they are what the eye misses.
fn spelled(name: &ToolName) -> String {
    const MOST: usize = 4;
    let mut odd = name.as_str().chars().filter(|c| !c.is_ascii());
    let mut points: Vec<String> = odd
        .by_ref()
        .take(MOST)
        .map(|c| format!("U+{:04X}", u32::from(c)))
        .collect();
    if odd.next().is_some() {
        points.push("…".to_owned());
    }
    if points.is_empty() {
        text::quoted(name)
    } else {
        format!("{} (with {})", text::quoted(name), points.join(", "))
    }
}
