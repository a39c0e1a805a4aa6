//! Expressions against the `cel` crate, on what both can say.

use std::collections::BTreeMap;

use plan_model::{
    Expression, ExpressionError, Limits, Path, Reference, Scope, ScopeValue, Shape, ValueType,
};
use proptest::prelude::*;
use serde::Serialize;
use serde_json::Value;

/// What expressions read as `input`.
#[derive(Debug, Clone, Serialize)]
struct Inputs {
    a: i64,
    b: i64,
    half: f64,
    flag: bool,
    s: String,
    t: String,
    list: Vec<i64>,
    object: BTreeMap<String, i64>,
    nil: Option<i64>,
}

struct World(Value);

impl Scope for World {
    fn root(&self, path: &Path) -> Option<ScopeValue<'_>> {
        self.0.get(path.root.name()).map(ScopeValue::Value)
    }
}

fn inputs() -> impl Strategy<Value = Inputs> {
    (
        -9_i64..9,
        -9_i64..9,
        any::<bool>(),
        "[ab]{0,3}",
        "[ab]{0,2}",
        prop::collection::vec(-3_i64..3, 0..3),
        prop::collection::btree_map("[ab]", -3_i64..3, 0..2),
    )
        .prop_map(|(a, b, flag, s, t, list, object)| Inputs {
            a,
            b,
            half: 0.5,
            flag,
            s,
            t,
            list,
            object,
            nil: None,
        })
}

fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0_i64..9).prop_map(|n| n.to_string()),
        (1_i64..9).prop_map(|n| format!("-{n}")),
        Just("input.a".to_owned()),
        Just("input.b".to_owned()),
        Just("size(input.list)".to_owned()),
        Just("input.s.size()".to_owned()),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        (
            inner.clone(),
            prop::sample::select(vec!["+", "-", "*", "/", "%"]),
            inner,
            any::<bool>(),
        )
            .prop_map(|(a, operator, b, wrapped)| {
                if wrapped {
                    format!("({a} {operator} {b})")
                } else {
                    format!("{a} {operator} {b}")
                }
            })
    })
}

fn string() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[ab]{0,2}".prop_map(|text| format!("'{text}'")),
        Just("input.s".to_owned()),
        Just("input.t".to_owned()),
        Just(r#""\u0061\n\x62\\""#.to_owned()),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        (inner.clone(), inner).prop_map(|(a, b)| format!("({a} + {b})"))
    })
}

fn boolean() -> impl Strategy<Value = String> {
    let order = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("input.flag".to_owned()),
        Just("input.nil == null".to_owned()),
        Just("null != input.a".to_owned()),
        Just("input.half < 1.5 && input.half + 0.25 > 0.5".to_owned()),
        (number(), order.clone(), number())
            .prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
        (number(), order.clone()).prop_map(|(a, operator)| format!("{a} {operator} 1.5")),
        (string(), order, string()).prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
        (number(), number()).prop_map(|(a, b)| format!("{a} in [{b}, 1]")),
        number().prop_map(|a| format!("{a} in input.list")),
        string().prop_map(|a| format!("{a} in input.object")),
        (string(), string()).prop_map(|(a, b)| format!("{a}.contains({b})")),
        (string(), string()).prop_map(|(a, b)| format!("{a}.startsWith({b})")),
        (string(), string()).prop_map(|(a, b)| format!("{a}.endsWith({b})")),
        Just("has(input.a)".to_owned()),
        Just("has(input.zzz)".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) && {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} || ({b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!("(({a}) ? ({b}) : {c})")),
        ]
    })
}

fn ours(source: &str, inputs: &Inputs) -> Result<bool, ExpressionError> {
    let world = World(serde_json::to_value(inputs).unwrap());
    Expression::parse(source, &Limits::default())?.evaluate(&world)
}

fn theirs(source: &str, inputs: &Inputs) -> Option<bool> {
    let mut context = cel::Context::default();
    context.add_variable("input", inputs).unwrap();
    match cel::Program::compile(source).unwrap().execute(&context) {
        Ok(cel::Value::Bool(value)) => Some(value),
        _ => None,
    }
}

proptest! {
    #[test]
    fn both_give_the_same_value(source in boolean(), inputs in inputs()) {
        let parsed = Expression::parse(&source, &Limits::default());
        prop_assume!(parsed.is_ok(), "over the bounds");
        prop_assert_eq!(ours(&source, &inputs).ok(), theirs(&source, &inputs), "{}", source);
    }

    #[test]
    fn what_is_well_typed_is_found_so(source in boolean(), inputs in inputs()) {
        let Ok(expression) = Expression::parse(&source, &Limits::default()) else { return Ok(()); };
        let world = serde_json::to_value(&inputs).unwrap();
        let shape_of = |reference: &Reference| {
            world.get(reference.first().root.name()).map_or_else(Shape::any, Shape::of_value)
        };
        prop_assert!(expression.type_errors(&shape_of).is_empty(), "{}", source);
    }

    #[test]
    fn an_ill_typed_expression_never_has_a_value(source in anything(), inputs in inputs()) {
        let Ok(expression) = Expression::parse(&source, &Limits::default()) else { return Ok(()); };
        let world = serde_json::to_value(&inputs).unwrap();
        let shape_of = |reference: &Reference| {
            world.get(reference.first().root.name()).map_or_else(Shape::any, Shape::of_value)
        };
        let whole_is_ill_typed = expression
            .type_errors(&shape_of)
            .iter()
            .any(|error| error.range == (0..source.len()));
        if whole_is_ill_typed {
            prop_assert!(expression.evaluate(&World(world)).is_err(), "{}", source);
        }
    }

    #[test]
    fn no_text_breaks_the_parser(source in any::<String>()) {
        check_ranges(&source);
    }

    #[test]
    fn no_run_of_tokens_breaks_the_parser(source in anything()) {
        check_ranges(&source);
    }
}

#[test]
fn both_know_these_forms() {
    let inputs = Inputs {
        a: 7,
        b: -2,
        half: 0.5,
        flag: true,
        s: "abb".to_owned(),
        t: "b".to_owned(),
        list: vec![1, 7],
        object: [("b".to_owned(), 1)].into(),
        nil: None,
    };
    for source in [
        "input.a == 7.0 && 7 == 7.0",
        "input.a / 2 == 3 && input.b / 3 == 0 && input.a % -4 == 3",
        "input.half * 2.0 == 1.0",
        "input.nil == null && null == null && !(null == false)",
        "input.a in input.list && input.t in input.object",
        "size(input.s) == 3 && input.list.size() == 2",
        "input.s.contains(input.t) && input.s.endsWith('bb') && !input.s.startsWith('b')",
        "has(input.a) && !has(input.zzz)",
        "true || 1 / 0 == 1",
        "1 / 0 == 1 || true",
        "input.flag ? input.a > input.b : false",
        "'1' != '2' && [1, 2] == [1.0, 2]",
    ] {
        assert_eq!(ours(source, &inputs), Ok(true), "{source}");
        assert_eq!(theirs(source, &inputs), Some(true), "{source}");
    }
}

/// Tokens in any order.
fn anything() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "1",
        "0",
        "2.5",
        "'a'",
        "input.a",
        "input.s",
        "${input.list}",
        "input.object",
        "null",
        "true",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "<",
        ">=",
        "in",
        "&&",
        "||",
        "!",
        "?",
        ":",
        "size",
        "size(",
        "has(",
        ".contains(",
        "startsWith(",
        "word",
        "$",
        "${",
        "\"",
        "é",
    ]);
    prop::collection::vec(token, 0..10).prop_map(|tokens| tokens.join(" "))
}

fn check_ranges(source: &str) {
    match Expression::parse(source, &Limits::default()) {
        Ok(expression) => {
            assert_eq!(expression.source(), source);
            for error in expression.type_errors(&|_| Shape::declared(ValueType::String, None)) {
                assert!(source.get(error.range).is_some());
            }
        }
        Err(error) => assert!(source.get(error.range).is_some(), "{source}"),
    }
}
