//! P405 unknown-path: a path into a value that, by its schema, can have no such path.
//!
//! One finding for each such path, with every place that reads it.

use std::collections::BTreeMap;

use plan_model::{Path, Root, Segment};

use super::further;
use crate::candidates::ranked;
use crate::facts::{DeadEnd, Facts, Site, Use};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;

pub(super) const RULE: Rule = Rule::new(
    "P405",
    "unknown-path",
    Severity::Error,
    include_str!("../../rules/P405-unknown-path.md"),
    Check::Plan(check),
);

/// A path, and for an item the fan-out around its reader: under another one it is another item.
type Key<'a> = (&'a Path, Option<usize>);

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut found: BTreeMap<Key<'_>, (DeadEnd, Vec<&Use<'_>>)> = BTreeMap::new();
    for read in facts.uses.iter().filter(|read| read.glance.inside()) {
        for path in read.reference.paths().filter(|path| leads_inside(path)) {
            let is_item = matches!(path.root, Root::Item(_));
            let scope = facts
                .reader_of(read)
                .filter(|_| is_item)
                .map(|step| match read.site {
                    // of its own fan-out, or of the one around the list
                    Site::Until | Site::Over => step,
                    _ => facts.owner(step).unwrap_or(step),
                });
            if let Some((_, places)) = found.get_mut(&(path, scope)) {
                places.push(read);
            } else if let Err(dead_end) = facts.follow(path, facts.reader_of(read)) {
                found.insert((path, scope), (dead_end, vec![read]));
            }
        }
    }
    for ((path, _), (dead_end, places)) in found {
        let mut places = places.into_iter();
        let Some(first) = places.next() else { continue };
        let places = places.map(|place| (place.pointer(), "read here too"));
        findings.add(further::places(finding(path, &dead_end, first), places));
    }
}

/// Whether a path goes on after what P402 looks at.
fn leads_inside(path: &Path) -> bool {
    match path.root {
        Root::Step(_) => path.segments.len() > 1,
        _ => !path.segments.is_empty(),
    }
}

fn finding(path: &Path, dead_end: &DeadEnd, read: &Use<'_>) -> Finding {
    let there = Path {
        root: path.root.clone(),
        segments: path
            .segments
            .iter()
            .take(dead_end.existing)
            .cloned()
            .collect(),
    };
    let wanted = path.segments.get(dead_end.existing);
    let message = format!(
        "{} {}, and so there is no {}",
        quoted(there.to_string()),
        dead_end.found,
        quoted(path.to_string()),
    );
    let names = dead_end.names.iter().map(String::as_str);
    let names = match wanted {
        Some(Segment::Name(wanted)) => ranked(wanted, names),
        Some(Segment::Index(_)) | None => Vec::new(),
    };
    RULE.at(read.pointer(), message).candidates(names)
}
