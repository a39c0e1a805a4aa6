//! What is bound to an argument that does not take it: looked for once, told by several rules.
//!
//! One reference is told one fault, the first of these: its type (P305), its kind
//! (P311), what it is the path of (P310), that it may be absent (P306).

use plan_model::shape::Fit;
use plan_model::{InputKind, Pointer, Reference, Root, Shape, ValueType};

use super::{Facts, Site, Use};

/// A reference that an argument does not take, or takes in another form.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// Its place among the references that were looked at.
    pub(crate) read: usize,
    /// What stands there.
    pub(crate) target: Shape,
    /// What is wrong.
    pub(crate) fault: Fault,
}

/// What is wrong with a reference.
#[derive(Debug)]
pub(crate) enum Fault {
    /// No value fits; says why, as a clause.
    Never(String),
    /// It is sent as text.
    Rendered,
    /// It would have to become text where nothing becomes text.
    RenderedInside(Shape),
    /// It is of other kinds.
    Kind {
        is: Vec<Box<str>>,
        takes: Vec<Box<str>>,
    },
    /// It is the path of something else.
    Path { is: InputKind, takes: InputKind },
    /// It is null where an optional input is not given.
    Absent,
}

/// Every misfit among some references, in their order.
pub(super) fn of(facts: &Facts<'_>, reads: &[Use<'_>]) -> Vec<Misfit> {
    let mut misfits = Vec::new();
    for (read, each) in reads.iter().enumerate() {
        let (Some(step), Site::Argument(name), true) = (each.step, each.site, each.whole) else {
            continue;
        };
        let tool = facts.tool(step).filter(|tool| tool.quarantine.is_none());
        let Some(tool) = tool.filter(|tool| tool.input.is_some()) else {
            continue;
        };
        let Some(shape) = tool.argument_shape(name) else {
            continue;
        };
        let nested = if each.within.as_str().is_empty() {
            None
        } else {
            // the literal around it may be what does not fit
            let Some(target) = inside(shape, &each.within) else {
                continue;
            };
            Some(target)
        };
        let target = nested.as_ref().unwrap_or(shape);
        if target.is_any() && target.kinds().is_none() && target.path_kind().is_none() {
            continue;
        }
        let is_needed = nested.is_some() || tool.argument(name).is_some_and(|a| a.required);
        // a step that reads itself has that fault alone
        if let Some(fault) = fault(facts, each, target, (nested.is_some(), is_needed))
            && !each.steps().any(|source| source == step)
        {
            let target = target.clone();
            misfits.push(Misfit {
                read,
                target,
                fault,
            });
        }
    }
    misfits
}

/// What stands at a place inside an argument; `None` where no argument has it.
fn inside(shape: &Shape, way: &Pointer) -> Option<Shape> {
    let mut shape = shape.clone();
    for segment in way.segments() {
        let element = segment.parse().ok().and_then(|index| shape.element(index));
        let member = shape.property(&segment);
        shape = match (element, member) {
            (Some(element), Some(member)) => element.join(&member),
            (element, member) => element.or(member)?,
        };
    }
    Some(shape)
}

fn fault(
    facts: &Facts<'_>,
    read: &Use<'_>,
    target: &Shape,
    (is_nested, is_needed): (bool, bool),
) -> Option<Fault> {
    let shape = facts.shape_of(read);
    let fit = shape.fits(target);
    if let Fit::Never(reason) = fit {
        return Some(Fault::Never(reason));
    }
    if fit == Fit::Rendered && is_nested {
        return Some(Fault::RenderedInside(shape));
    }
    if let Some(fault) = other_kinds(&shape, target) {
        return Some(fault);
    }
    if let (Some(is), Some(takes)) = (shape.path_kind(), target.path_kind())
        && !takes_path(is, takes, read)
    {
        return Some(Fault::Path { is, takes });
    }
    if is_needed && !target.may_be_null() && may_be_absent(facts, read.reference) {
        return Some(Fault::Absent);
    }
    (fit == Fit::Rendered).then_some(Fault::Rendered)
}

/// The kinds of a value, or of its elements, where the target takes none of them.
fn other_kinds(shape: &Shape, target: &Shape) -> Option<Fault> {
    match (shape.kinds(), target.kinds()) {
        (Some(ours), Some(theirs)) => {
            let taken = |kind: &str| theirs.iter().any(|other| kind.eq_ignore_ascii_case(other));
            let none = !ours.iter().any(|kind| taken(kind));
            none.then(|| Fault::Kind {
                is: ours.to_vec(),
                takes: theirs.to_vec(),
            })
        }
        (None, None) => other_kinds(&elements(shape)?, &elements(target)?),
        _ => None,
    }
}

/// What the elements are, of what can be nothing but an array.
fn elements(shape: &Shape) -> Option<Shape> {
    shape.is_only(ValueType::Array).then(|| shape.item())?
}

fn takes_path(is: InputKind, takes: InputKind, read: &Use<'_>) -> bool {
    // what a step says it wrote is there for the next one
    let is_written = matches!(read.reference.first().root, Root::Step(_));
    is == takes || (is_written && is == InputKind::OutputFilePath && takes == InputKind::FilePath)
}

/// Whether a reference is null in a run that leaves its optional inputs out.
fn may_be_absent(facts: &Facts<'_>, reference: &Reference) -> bool {
    reference.paths().all(|path| match &path.root {
        Root::Input(name) => facts.input(name.as_str()).is_some_and(|(_, input)| {
            let default = input.default.as_ref();
            !input.required && default.is_none_or(serde_json::Value::is_null)
        }),
        _ => false,
    })
}
