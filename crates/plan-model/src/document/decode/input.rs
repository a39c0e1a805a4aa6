//! An input of a plan.

use super::{Decoder, Field, Place};
use crate::{Input, InputName, ValueType};

pub(super) fn read(cx: &mut Decoder, at: &Place<'_, '_>) -> Input {
    let [
        name,
        description,
        value_type,
        schema,
        required,
        default,
        input_kind,
        sensitive,
    ] = cx.object(
        at,
        "an input, as an object",
        [
            Field::required("name"),
            Field::optional("description"),
            Field::optional("value_type"),
            Field::optional("schema"),
            Field::optional("required"),
            Field::nullable("default"),
            Field::optional("input_kind"),
            Field::optional("sensitive"),
        ],
    );
    let value_type = value_type_of(cx, value_type);
    // null is a default only where the type takes it
    let default = default.filter(|place| value_type == ValueType::Any || !place.node.is_null());
    Input {
        name: cx
            .identifier(name, "an input name")
            .unwrap_or_else(|| InputName::unchecked("")),
        description: cx.text(description),
        value_type,
        schema: cx.schema(schema),
        required: cx.truth(required).unwrap_or(true),
        default: cx.value(default),
        input_kind: cx.word(input_kind).unwrap_or_default(),
        sensitive: cx.truth(sensitive).unwrap_or(false),
    }
}

pub(super) fn value_type_of(cx: &mut Decoder, at: Option<Place<'_, '_>>) -> ValueType {
    cx.word(at).unwrap_or_default()
}
