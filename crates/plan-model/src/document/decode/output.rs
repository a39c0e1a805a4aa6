//! Outputs of a step, and what a plan publishes of them.

use super::input::value_type_of;
use super::{Decoder, Field, Place, describe};
use crate::document::ProblemKind;
use crate::{Output, OutputName, Path, PlanOutput, Reference, Root, StepId, Template};

/// An output of a step.
pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> Output {
    let [name, description, value_type, schema] = cx.object(
        at,
        "an output, as an object",
        [
            Field::required("name"),
            Field::optional("description"),
            Field::optional("value_type"),
            Field::optional("schema"),
        ],
    );
    Output {
        name: output_name(cx, name),
        description: cx.text(description),
        value_type: value_type_of(cx, value_type),
        schema: cx.schema(schema),
    }
}

/// An output of the plan.
pub(super) fn read_published(cx: &mut Decoder, at: &Place<'_, '_>) -> PlanOutput {
    let [name, description, source] = cx.object(
        at,
        "a plan output, as an object",
        [
            Field::required("name"),
            Field::optional("description"),
            Field::required("source"),
        ],
    );
    PlanOutput {
        name: output_name(cx, name),
        description: cx.text(description),
        source: source_of(cx, source).unwrap_or_else(stand_in),
    }
}

pub(super) fn output_name(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> OutputName {
    cx.host_name(at, "an output name")
        .unwrap_or_else(|| OutputName::unchecked(""))
}

/// Exactly one reference, all of whose alternatives read a step.
fn source_of(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> Option<Reference> {
    let at = at?;
    let reads_step = |path: &Path| matches!(path.root, Root::Step(_));
    match cx.text_template(Some(at))? {
        Template::Reference(reference) if reference.paths().all(reads_step) => Some(reference),
        _ => {
            if !cx.is_stand_in(&at) {
                cx.stand_in(&at);
                let actual = describe(at.node);
                cx.report(&at, ProblemKind::InvalidSource { actual });
            }
            None
        }
    }
}

/// A reference to nothing.
pub(super) fn stand_in() -> Reference {
    Reference::to(Path {
        root: Root::Step(StepId::unchecked("")),
        segments: Vec::new(),
    })
}
