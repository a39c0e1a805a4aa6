//! A plan's metadata.

use super::{Decoder, Field, Place};
use crate::{Metadata, PlanId, PlanStatus, Timestamp};

pub(super) fn read(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> Metadata {
    let Some(at) = at else { return stand_in() };
    let [
        id,
        version,
        created_at,
        updated_at,
        compiled_by,
        intent,
        parent_plan_id,
        parent_version,
        status,
        solution_design,
    ] = cx.object(
        &at,
        "an object of metadata",
        [
            Field::required("id"),
            Field::required("version"),
            Field::required("created_at"),
            Field::required("updated_at"),
            Field::optional("compiled_by"),
            Field::optional("intent"),
            Field::optional("parent_plan_id"),
            Field::optional("parent_version"),
            Field::optional("status"),
            Field::optional("solution_design"),
        ],
    );
    let absent = stand_in();
    Metadata {
        id: plan_id(cx, id).unwrap_or(absent.id),
        version: cx.whole(version, 1).unwrap_or(absent.version),
        created_at: time(cx, created_at).unwrap_or_default(),
        updated_at: time(cx, updated_at).unwrap_or_default(),
        compiled_by: cx.text(compiled_by),
        intent: cx.text(intent),
        parent_plan_id: plan_id(cx, parent_plan_id),
        parent_version: cx.whole(parent_version, 1),
        status: cx.word(status).unwrap_or_default(),
        solution_design: cx.text(solution_design),
    }
}

fn stand_in() -> Metadata {
    Metadata {
        id: PlanId::of_bytes(&[]),
        version: 1,
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
        compiled_by: None,
        intent: None,
        parent_plan_id: None,
        parent_version: None,
        status: PlanStatus::default(),
        solution_design: None,
    }
}

fn plan_id(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> Option<PlanId> {
    let at = at?;
    let id = at.node.as_text().and_then(|text| PlanId::new(text).ok());
    if id.is_none() {
        cx.wrong_shape(&at, "a UUID", &[]);
    }
    id
}

fn time(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> Option<Timestamp> {
    let at = at?;
    let time = at
        .node
        .as_text()
        .and_then(|text| Timestamp::parse(text).ok());
    if time.is_none() {
        cx.wrong_shape(&at, "a time, such as `2026-01-31T12:00:00Z`", &[]);
    }
    time
}
