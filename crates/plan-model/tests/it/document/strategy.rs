//! Any plan that a document can hold.

mod step;

use plan_model::{
    ConfigKey, FailurePolicy, Input, InputKind, InputName, Metadata, Output, OutputName, Plan,
    PlanId, PlanLimits, PlanOutput, PlanStatus, Reference, Schema, Seconds, StepId, Template,
    Timestamp, ValueType,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use step::step;

/// Any plan.
pub(crate) fn plan() -> BoxedStrategy<Plan> {
    (
        metadata(),
        text(),
        option::of(text()),
        vec(input(), 0..3),
        btree_map(
            identifier().prop_map(|key| ConfigKey::new(key).unwrap()),
            value(),
            0..3,
        ),
        vec(step(), 0..5),
        vec(plan_output(), 0..3),
        limits(),
        prop_oneof![
            Just(FailurePolicy::Stop),
            Just(FailurePolicy::FinishIndependent)
        ],
    )
        .prop_map(
            |(
                metadata,
                name,
                description,
                inputs,
                config,
                steps,
                outputs,
                limits,
                failure_policy,
            )| Plan {
                metadata,
                name,
                description,
                inputs,
                config,
                steps,
                outputs,
                limits,
                failure_policy,
            },
        )
        .boxed()
}

/// Text with what writers of text get wrong.
fn text() -> BoxedStrategy<String> {
    prop_oneof![
        "[a-z ]{0,12}",
        any::<String>(),
        Just("${input.x}".to_owned()),
        Just("$${ \u{0}\u{7f}\u{2028}\"\\\n😀".to_owned()),
    ]
    .boxed()
}

fn identifier() -> BoxedStrategy<String> {
    "[A-Za-z_][A-Za-z0-9_-]{0,9}"
        .prop_filter("reserved words are no names", |name| {
            StepId::new(name).is_ok()
        })
        .boxed()
}

fn host_name() -> BoxedStrategy<String> {
    prop_oneof![identifier(), "[a-z][ -#%-~é日]{0,9}[a-z]"].boxed()
}

fn step_id() -> BoxedStrategy<StepId> {
    identifier().prop_map(|id| StepId::new(id).unwrap()).boxed()
}

fn output_name() -> BoxedStrategy<OutputName> {
    host_name()
        .prop_map(|name| OutputName::new(name).unwrap())
        .boxed()
}

fn seconds() -> BoxedStrategy<Seconds> {
    prop_oneof![0..5_u64, 0..100_000_000_u64]
        .prop_map(Seconds::from_millis)
        .boxed()
}

/// A number that the reader takes, in the way in which it holds it.
fn number() -> BoxedStrategy<Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1_000_000..1_000_000_i32)
            .prop_filter("a fraction", |n| n % 8 != 0)
            .prop_map(|n| Value::from(f64::from(n) / 8.0)),
    ]
    .boxed()
}

fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .boxed()
}

fn schema() -> BoxedStrategy<Schema> {
    prop_oneof![
        any::<bool>().prop_map(|schema| Schema(json!(schema))),
        Just(Schema(json!({ "type": "object", "minProperties": 1 }))),
    ]
    .boxed()
}

fn reference() -> BoxedStrategy<Reference> {
    prop_oneof![
        (identifier(), identifier())
            .prop_map(|(id, name)| format!("${{step.{id}.{name}[0][\"a b\"]}}")),
        identifier().prop_map(|name| format!("${{input.{name}}}")),
        (identifier(), identifier())
            .prop_map(|(id, name)| format!("${{step.{id} ?? conf.{name}.x}}")),
        identifier().prop_map(|name| format!("${{item.{name}}}")),
        identifier().prop_map(|name| format!("${{secret.{name}}}")),
    ]
    .prop_map(|text| Reference::parse(&text).unwrap())
    .boxed()
}

fn step_reference() -> BoxedStrategy<Reference> {
    (identifier(), identifier())
        .prop_map(|(id, name)| Reference::parse(&format!("${{step.{id}.{name}}}")).unwrap())
        .boxed()
}

/// Templates as the parser makes them.
fn template() -> BoxedStrategy<Template> {
    prop_oneof![
        value().prop_map(|value| Template::parse(Template::Literal(value).to_value()).unwrap()),
        text_template(),
        (reference(), value()).prop_map(|(reference, value)| {
            let value = Template::Literal(value).to_value();
            Template::parse(json!({ "list": [reference.to_string(), value] })).unwrap()
        }),
    ]
    .boxed()
}

fn text_template() -> BoxedStrategy<Template> {
    prop_oneof![
        text().prop_map(|text| Template::Literal(Value::from(text))),
        reference().prop_map(Template::Reference),
        (text(), reference()).prop_map(|(text, reference)| {
            let text = Template::Literal(Value::from(text)).to_value();
            let text = text.as_str().unwrap_or_default().trim_end_matches('$');
            Template::parse(json!(format!("{text}: {reference}."))).unwrap()
        }),
    ]
    .boxed()
}

fn value_type() -> BoxedStrategy<ValueType> {
    prop_oneof![
        Just(ValueType::String),
        Just(ValueType::Number),
        Just(ValueType::Integer),
        Just(ValueType::Boolean),
        Just(ValueType::Object),
        Just(ValueType::Array),
        Just(ValueType::Any),
    ]
    .boxed()
}

fn timestamp() -> BoxedStrategy<Timestamp> {
    (0..4_000_000_000_000_i64)
        .prop_map(Timestamp::from_millis)
        .boxed()
}

fn plan_id() -> BoxedStrategy<PlanId> {
    any::<[u8; 16]>()
        .prop_map(PlanId::from_random_bytes)
        .boxed()
}

fn metadata() -> BoxedStrategy<Metadata> {
    (
        (plan_id(), 1..u64::MAX, timestamp(), timestamp()),
        (option::of(text()), option::of(text()), option::of(text())),
        (option::of(plan_id()), option::of(1..9_u64), any::<bool>()),
    )
        .prop_map(|(own, texts, parent)| Metadata {
            id: own.0,
            version: own.1,
            created_at: own.2,
            updated_at: own.3,
            compiled_by: texts.0,
            intent: texts.1,
            solution_design: texts.2,
            parent_plan_id: parent.0,
            parent_version: parent.1,
            status: if parent.2 {
                PlanStatus::Draft
            } else {
                PlanStatus::Published
            },
        })
        .boxed()
}

fn input() -> BoxedStrategy<Input> {
    (
        (
            identifier(),
            option::of(text()),
            value_type(),
            option::of(schema()),
        ),
        (any::<bool>(), option::of(value()), any::<bool>()),
        prop_oneof![
            Just(InputKind::Value),
            Just(InputKind::FilePath),
            Just(InputKind::OutputFilePath),
            Just(InputKind::DirectoryPath),
        ],
    )
        .prop_map(
            |(
                (name, description, value_type, schema),
                (required, default, sensitive),
                input_kind,
            )| Input {
                name: InputName::new(name).unwrap(),
                description,
                value_type,
                schema,
                required,
                default: default
                    .filter(|default| value_type == ValueType::Any || !default.is_null()),
                input_kind,
                sensitive,
            },
        )
        .boxed()
}

fn output() -> BoxedStrategy<Output> {
    (
        output_name(),
        option::of(text()),
        value_type(),
        option::of(schema()),
    )
        .prop_map(|(name, description, value_type, schema)| Output {
            name,
            description,
            value_type,
            schema,
        })
        .boxed()
}

fn plan_output() -> BoxedStrategy<PlanOutput> {
    (output_name(), option::of(text()), step_reference())
        .prop_map(|(name, description, source)| PlanOutput {
            name,
            description,
            source,
        })
        .boxed()
}

fn limits() -> BoxedStrategy<PlanLimits> {
    let count = || option::of(0..100_u64);
    (
        count(),
        count(),
        option::of(seconds()),
        count(),
        count(),
        count(),
    )
        .prop_map(|given| {
            let mut limits = PlanLimits::default();
            limits.max_tool_calls = given.0;
            limits.max_model_tokens = given.1;
            limits.max_wall_secs = given.2;
            limits.max_concurrency = given.3;
            limits.max_fan_out_items = given.4;
            limits.max_steps = given.5;
            limits
        })
        .boxed()
}
