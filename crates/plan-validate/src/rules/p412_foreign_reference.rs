//! P412 foreign-reference: a whole string that names something of this plan in another system's way.
//!
//! The tool would receive the text as it stands.

use plan_model::edit::Edit;
use plan_model::{ConfigKey, InputName, ItemName, Path, Reference, Root, Segment, StepId};

use super::foreign::{self, Target};
use super::literal_text::{self, LiteralText};
use super::p401_malformed_reference::in_shell_syntax;
use super::{known, scope};
use crate::facts::Facts;
use crate::finding::{Applicability, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::quoted;
use crate::visit::Visit;

pub(super) const RULE: Rule = Rule::new(
    "P412",
    "foreign-reference",
    Severity::Warning,
    include_str!("../../rules/P412-foreign-reference.md"),
    Check::Step(check),
);

fn check(facts: &Facts<'_>, visit: &Visit<'_, '_>, findings: &mut Findings) {
    literal_text::each_marked(visit, &mut |literal| {
        let Some(meant) = meant(facts, literal) else {
            return;
        };
        let root = &meant.first().root;
        let what = match root {
            Root::Input(_) => "an input",
            Root::Config(_) => "a config value",
            Root::Step(_) => "a step",
            Root::Item(_) => "an item",
            Root::Secret(_) => "a secret",
        };
        let message = format!(
            "{} is passed as it stands, though {} is {what} of this plan",
            quoted(literal.text),
            quoted(root.name()),
        );
        let reference = meant.to_string();
        findings.add(RULE.at(literal.pointer.clone(), message).suggest(
            format!("write {}", quoted(&reference)),
            Applicability::MaybeIncorrect,
            Some(Edit::Set {
                pointer: literal.pointer.clone(),
                value: reference.into(),
            }),
        ));
    });
}

/// The reference that a whole string seems to be meant as.
pub(super) fn meant(facts: &Facts<'_>, literal: &LiteralText<'_>) -> Option<Reference> {
    let foreign = foreign::whole(literal.text).filter(|_| literal.whole)?;
    if !in_shell_syntax(facts, literal).is_empty() {
        return None;
    }
    let names = Names(facts);
    match foreign.target {
        Target::Path(path) => names.path(path, literal.step),
        Target::Position(step) => names.result_of(step, literal.step),
        Target::Dollar(number) => names.result_of(number.checked_sub(1)?, literal.step),
    }
}

/// The names of a plan, as other systems would use them.
struct Names<'f, 'a>(&'f Facts<'a>);

impl Names<'_, '_> {
    /// All that a step delivers, or the one output that it declares. A step does not mean itself.
    fn result_of(&self, step: usize, from: usize) -> Option<Reference> {
        let named = self.0.step(step).filter(|_| step != from)?;
        let segments = match named.outputs.as_slice() {
            [only] => vec![Segment::Name(only.name.to_string())],
            _ => Vec::new(),
        };
        Some(Reference::to(Path {
            root: Root::Step(named.id.clone()),
            segments,
        }))
    }

    fn path(&self, path: &str, from: usize) -> Option<Reference> {
        let mut segments = segments(path);
        let name = text(segments.next()?)?;
        let mut rest: Vec<Segment> = segments.collect();
        let second = match rest.first() {
            Some(Segment::Name(second)) => Some(second.clone()),
            _ => None,
        };
        let with_kind = second.and_then(|second| match name.as_str() {
            "input" | "inputs" => Some(Root::Input(InputName::new(&second).ok()?)),
            "conf" | "config" => Some(Root::Config(ConfigKey::new(&second).ok()?)),
            "step" | "steps" => self.step(&second),
            "item" => Some(Root::Item(ItemName::new(&second).ok()?)),
            _ => None,
        });
        let root = match with_kind {
            Some(root) => {
                rest.remove(0);
                root
            }
            None => self.bare(&name, from)?,
        };
        let reference = Reference::to(Path {
            root,
            segments: rest,
        });
        known::is_known(self.0, &reference, Some(from)).then_some(reference)
    }

    /// What a name without its kind is: a step, else an input, else an item.
    fn bare(&self, name: &str, from: usize) -> Option<Root> {
        if let Some(step) = self.step(name) {
            return Some(step);
        }
        if self.0.input(name).is_some() {
            return Some(Root::Input(InputName::new(name).ok()?));
        }
        let is_item = scope::item_names(self.0, from, None).any(|item| item == name);
        is_item.then(|| ItemName::new(name).ok().map(Root::Item))?
    }

    /// A step by its id or by what people call it.
    fn step(&self, name: &str) -> Option<Root> {
        let id = StepId::new(name).ok();
        if let Some(id) = id.filter(|id| self.0.index_of(id).is_some()) {
            return Some(Root::Step(id));
        }
        let step = self.0.step(self.0.titled(name)?)?;
        Some(Root::Step(step.id.clone()))
    }
}

fn text(segment: Segment) -> Option<String> {
    match segment {
        Segment::Name(name) => Some(name),
        Segment::Index(_) => None,
    }
}

/// `a.out[0]` in its parts.
fn segments(path: &str) -> impl Iterator<Item = Segment> {
    path.split(['.', '['])
        .map(|part| part.trim_end_matches(']').trim())
        .filter(|part| !part.is_empty())
        .map(|part| match part.parse() {
            Ok(index) => Segment::Index(index),
            Err(_) => Segment::Name(part.trim_matches(['"', '\'']).to_owned()),
        })
}
