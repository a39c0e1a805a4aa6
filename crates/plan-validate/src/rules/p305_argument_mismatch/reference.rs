//! References against the argument's shape.

use plan_model::shape::Fit;
use plan_model::{Pointer, Reference, Root, Segment};

use super::RULE;
use crate::facts::{Facts, Site, step_pointer};
use crate::finding::{Expected, Finding, Severity};
use crate::findings::Findings;
use crate::rules::call::Call;
use crate::text;

pub(super) fn check(facts: &Facts<'_>, call: &Call<'_>, findings: &mut Findings) {
    for each in facts.uses_of(call.step) {
        let (Site::Argument(name), true) = (each.site, each.whole) else {
            continue;
        };
        let Some(argument) = call.tool.argument(name) else {
            continue;
        };
        let is_nested = !each.within.as_str().is_empty();
        let way: Vec<Segment> = each.within.segments().map(|s| segment(&s)).collect();
        let Ok(target) = argument.shape.at(&way) else {
            // the literal around it is what does not fit
            continue;
        };
        let shape = facts.reference_shape(each.reference, Some(call.step));
        match shape.fits(&target) {
            Fit::Always | Fit::Unknown => {}
            Fit::Rendered if !is_nested => {
                let message = format!("the value of {} is sent as text", each.reference);
                let finding = RULE.at(each.pointer(), message);
                findings.add(finding.severity(Severity::Note));
            }
            Fit::Rendered => {
                let found = shape.describe();
                findings.add(mismatch(facts, each, &target, &format!("is {found}")));
            }
            Fit::Never(reason) => findings.add(mismatch(
                facts,
                each,
                &target,
                &format!("does not fit: {reason}"),
            )),
        }
    }
}

fn segment(text: &str) -> Segment {
    text.parse()
        .map_or_else(|_| Segment::Name(text.to_owned()), Segment::Index)
}

fn mismatch(
    facts: &Facts<'_>,
    each: &crate::facts::Use<'_>,
    target: &plan_model::Shape,
    fault: &str,
) -> Finding {
    let Site::Argument(name) = each.site else {
        return RULE.at(each.pointer(), fault);
    };
    let message = format!(
        "the argument {} takes {}, and {} {fault}",
        text::quoted(name),
        target.describe(),
        each.reference
    );
    let finding = RULE
        .at(each.pointer(), message)
        .expected(Expected::Type(target.describe()));
    match declaration(facts, each.reference) {
        Some(place) => finding.related(place, "where the value comes from"),
        None => finding,
    }
}

/// Where the plan says what a reference reads.
fn declaration(facts: &Facts<'_>, reference: &Reference) -> Option<Pointer> {
    let path = &reference.first;
    match &path.root {
        Root::Input(name) => {
            let (index, _) = facts.input(name.as_str())?;
            Some(Pointer::root().join("inputs").join(index))
        }
        Root::Config(key) => Some(Pointer::root().join("config").join(key)),
        Root::Step(id) => {
            let index = facts.index_of(id)?;
            let declared = path.output().and_then(|name| {
                let mut outputs = facts.step(index)?.outputs.iter();
                outputs.position(|output| output.name == *name)
            });
            let step = step_pointer(index);
            Some(match declared {
                Some(output) => step.join("outputs").join(output),
                None => step,
            })
        }
        Root::Item(_) | Root::Secret(_) => None,
    }
}
