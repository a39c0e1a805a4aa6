//! What expressions mean, and what they refuse.

use serde_json::{Value, json};

use super::*;
use crate::{Path, Root, Schema, ScopeValue};

struct World(Value);

impl Scope for World {
    fn root(&self, path: &Path) -> Option<ScopeValue<'_>> {
        let value = self.0.get(path.root.kind())?.get(path.root.name())?;
        Some(match (&path.root, value) {
            (Root::Step(_), Value::Object(outputs)) => ScopeValue::Outputs(outputs),
            (Root::Step(_), _) => ScopeValue::Absent,
            _ => ScopeValue::Value(value),
        })
    }
}

fn parse(source: &str) -> Result<Expression, ExpressionError> {
    Expression::parse(source, &Limits::default())
}

fn world() -> World {
    World(json!({
        "input": {
            "five": 5, "five_point": 5.0, "half": 0.5, "big": u64::MAX, "least": i64::MIN, "none": null,
            "name": "Größe", "list": [1, 2.0, "x", null], "object": { "a": 1 }, "flag": true
        },
        "step": {
            "my-step": { "out": 7 },
            "done": { "nil": null, "text": "all good", "rows": [{ "id": 1 }], "a key": true },
            "skipped": null
        },
        "item": { "row": { "id": 3 } }
    }))
}

/// The value, or the fault with the text that it is about.
fn value(source: &str) -> String {
    let outcome = parse(source).and_then(|expression| expression.evaluate(&world()));
    match outcome {
        Ok(value) => value.to_string(),
        Err(error) => shown(source, &error),
    }
}

fn shown(source: &str, error: &ExpressionError) -> String {
    let suggestion = error
        .suggestion
        .as_ref()
        .map_or(String::new(), |suggestion| format!(" -> {suggestion}"));
    let about = source.get(error.range.clone()).unwrap();
    format!("[{about}] {error}{suggestion}")
}

fn holds(sources: &[&str]) {
    for source in sources {
        assert_eq!(value(source), "true", "{source}");
    }
}

fn table(sources: &[&str], outcome: impl Fn(&str) -> String) -> String {
    let rows: Vec<String> = sources
        .iter()
        .map(|source| format!("{source}    {}", outcome(source)))
        .collect();
    rows.join("\n")
}

#[test]
fn numbers_compare_by_value() {
    holds(&[
        "5 == 5.0",
        "input.five == input.five_point",
        "input.half < 1 && 1 > input.half",
        "input.big > 18446744073709551614",
        "input.big != 18446744073709551614.0",
        "input.big < 1.8446744073709551616e19",
        "9007199254740993 != 9007199254740992.0",
        "input.least == -9223372036854775808",
        "input.least < -9223372036854775807",
        "-0.0 == 0",
        "!(5 != 5.0)",
    ]);
}

#[test]
fn arithmetic_is_that_of_cel() {
    holds(&[
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "7 / 2 == 3 && -7 / 2 == -3 && 7 % 4 == 3 && -7 % 4 == -3",
        "7 / 2.0 == 3.5",
        "input.five / 2 == 2 && input.five_point / 2 == 2",
        "10 - 2 - 3 == 5",
        "\"a\" + 'b' == \"ab\"",
        "[1] + [2.0] == [1, 2]",
        "2 - -2 == 4",
        "- - 3 == 3",
        "input.big + 0 == input.big",
    ]);
}

#[test]
fn values_of_different_types_are_never_equal() {
    holds(&[
        "!(1 == '1')",
        "1 != \"1\"",
        "input.none != false",
        "true != 1",
        "input.object != input.list",
    ]);
}

#[test]
fn case_32_null_is_null() {
    holds(&[
        "null == null",
        "step.done.nil == null",
        "${step.done.nil} == null",
        "input.none == null",
        "step.skipped.anything == null",
        "step.done.text != null",
        "!(step.done.nil != null)",
    ]);
}

#[test]
fn members_and_functions_are_found() {
    holds(&[
        "1 in input.list && 2 in input.list && null in input.list && !(3 in input.list)",
        "'a' in input.object && !('b' in input.object)",
        "3 in [1, 2, 3.0]",
        "size(input.name) == 5 && input.name.size() == 5",
        "size(input.list) == 4 && size(input.object) == 1 && size([]) == 0 && size('') == 0",
        "contains(step.done.text, 'good') && step.done.text.contains(\"all\")",
        "step.done.text.startsWith('all') && step.done.text.endsWith('good')",
        "${step.done.text}.startsWith('all')",
        "!startsWith('b', 'a') && endsWith('a', '')",
        "has(step.done.text) && !has(step.done.txt) && has(step.done.nil)",
        "!has(step.skipped.x) && !has(input.none) && has(step.done.rows[0].id) && !has(step.done.rows[1])",
        "has(${step.skipped.x ?? input.five})",
        "'\\u00e9\\n\\x41\\\\\\'' == \"é\nA\\\\'\"",
    ]);
}

#[test]
fn references_stand_bare_or_in_braces() {
    holds(&[
        "${step.my-step.out} == 7",
        "step[\"my-step\"].out == 7",
        "step.done[\"a key\"]",
        "step.done.rows[0].id == 1",
        "item.row.id - 1 == 2",
        "input.five -1 == 4 && input.five-1 == 4",
        "input.five-input.five == 0",
        "${step.skipped.x ?? input.five} == 5",
        "input.flag ? true : false",
        "input.flag?input.flag:false",
        "false ? 1 == 1 : true ? true : false",
    ]);
    let expression =
        parse("${step.a.x ?? step.b.x} == step.c.y && step.d.s.contains(input.t)").unwrap();
    let references: Vec<String> = expression
        .reference_ranges()
        .into_iter()
        .map(|(reference, range)| format!("{reference} {range:?}"))
        .collect();
    assert_eq!(
        references,
        [
            "${step.a.x ?? step.b.x} 0..23",
            "${step.c.y} 27..35",
            "${step.d.s} 39..47",
            "${input.t} 57..64"
        ]
    );
}

#[test]
fn one_side_decides_even_if_the_other_fails() {
    holds(&[
        "true || 1 / 0 == 1",
        "1 / 0 == 1 || true",
        "!(false && 1 / 0 == 1)",
        "!(1 / 0 == 1 && false)",
        "has(step.done.txt) && step.done.txt == 'x' || true",
    ]);
}

#[test]
fn what_has_no_value_fails() {
    let sources = [
        "1 < '1'",
        "null < 1",
        "true > false",
        "[1] < [2]",
        "1 / 0 == 1",
        "1 % 0 == 1",
        "1.0 / 0 == 1",
        "1 % 0.5 == 1",
        "18446744073709551615 + 1 > 0",
        "-9223372036854775808 - 1 < 0",
        "18446744073709551615 * 18446744073709551615 > 0",
        "1e308 * 10 > 0",
        "1 + 'a' == 'a'",
        "-'a' == 'a'",
        "size(5) == 1",
        "contains('a', 1)",
        "1 in 'abc'",
        "1 in input.object",
        "input.five",
        "input.five && true",
        "!input.none",
        "step.done.txt == 1",
        "input.name.first == 1",
        "conf.missing == 1",
        "1 / 0 == 1 || false",
    ];
    insta::assert_snapshot!(table(&sources, value), @r#"
    1 < '1'    [1 < '1'] `<` does not take a number and a string
    null < 1    [null < 1] `<` does not take null and a number
    true > false    [true > false] `>` does not take a boolean and a boolean
    [1] < [2]    [[1] < [2]] `<` does not take a list and a list
    1 / 0 == 1    [1 / 0] a division by zero
    1 % 0 == 1    [1 % 0] a division by zero
    1.0 / 0 == 1    [1.0 / 0] a division by zero
    1 % 0.5 == 1    [1 % 0.5] `%` takes whole numbers
    18446744073709551615 + 1 > 0    [18446744073709551615 + 1] the result is too large
    -9223372036854775808 - 1 < 0    [-9223372036854775808 - 1] the result is too large
    18446744073709551615 * 18446744073709551615 > 0    [18446744073709551615 * 18446744073709551615] the result is too large
    1e308 * 10 > 0    [1e308 * 10] the result is too large
    1 + 'a' == 'a'    [1 + 'a'] `+` does not take a number and a string
    -'a' == 'a'    [-'a'] `-` takes a number, not a string
    size(5) == 1    [size(5)] `size` takes a string, a list or an object, not a number
    contains('a', 1)    [contains('a', 1)] `contains` takes two strings, not a string and a number
    1 in 'abc'    [1 in 'abc'] `in` does not take a number and a string
    1 in input.object    [1 in input.object] `in` does not take a number and an object
    input.five    [input.five] a boolean is needed, and this is a number
    input.five && true    [input.five] a boolean is needed, and this is a number
    !input.none    [input.none] a boolean is needed, and this is null
    step.done.txt == 1    [step.done.txt] `step.done.txt` leads nowhere: `step.done` has `a key`, `nil`, `rows` and `text`
    input.name.first == 1    [input.name.first] `input.name.first` leads nowhere: `input.name` is a string
    conf.missing == 1    [conf.missing] `conf.missing` leads nowhere: there is no `conf.missing` here
    1 / 0 == 1 || false    [1 / 0] a division by zero
    "#);
}

#[test]
fn what_does_not_parse_says_where_and_what_to_write() {
    let sources = [
        "",
        "  ",
        "1 ==",
        "1 == 2 3",
        "(1 == 1",
        "[1, 2",
        "1 ? 2",
        "== 1",
        "approved",
        "${step.review.verdict} == approved",
        "input.a and input.b",
        "not input.a",
        "input.a = 1",
        "input.a === 1",
        "input.a <> 1",
        "input.a & input.b",
        "input.a == True",
        "input.a is null",
        "'${step.a.x}' == 'yes'",
        "\"got ${step.a.x}\" == 'yes'",
        "\u{201c}yes\u{201d} == input.a",
        "step.my-step.out == 7",
        "step.my-step == 7",
        "input.a ?? input.b",
        "${step.a.x == 1",
        "${HOME} == 1",
        "step. == 1",
        "len(input.a) > 0",
        "matches(input.a, 'x')",
        "input.a.matches('x')",
        "${step.a}.x == 1",
        "size() == 1",
        "contains('a') == 1",
        "has(1)",
        "'open",
        "'\\q' == ''",
        "18446744073709551616 == 1",
        "1e999 == 1",
        "5px == 1",
        "input.a == #",
        "{} == {}",
        "foo.bar == 1",
    ];
    let outcome = |source: &str| shown(source, &parse(source).unwrap_err());
    insta::assert_snapshot!(table(&sources, outcome), @r#"
        [] the expression is empty
          [] the expression is empty
    1 ==    [] the expression ends where a value should stand
    1 == 2 3    [3] an operator should stand where `3` is
    (1 == 1    [] the expression ends where `)` should stand
    [1, 2    [] the expression ends where `]` should stand
    1 ? 2    [] the expression ends where `:` should stand
    == 1    [==] a value should stand where `==` is
    approved    [approved] `approved` is neither a path nor a function; text stands in quotes -> "approved"
    ${step.review.verdict} == approved    [approved] `approved` is neither a path nor a function; text stands in quotes -> "approved"
    input.a and input.b    [and] `and` is written `&&` -> &&
    not input.a    [not] `not` is written `!` -> !
    input.a = 1    [=] `=` is written `==` -> ==
    input.a === 1    [===] `===` is written `==` -> ==
    input.a <> 1    [<>] `<>` is written `!=` -> !=
    input.a & input.b    [&] `&` is written `&&` -> &&
    input.a == True    [True] `True` is written `true` -> true
    input.a is null    [is] `is` is written `==` -> ==
    '${step.a.x}' == 'yes'    ['${step.a.x}'] a reference inside quotes is text -> ${step.a.x}
    "got ${step.a.x}" == 'yes'    ["got ${step.a.x}"] a reference inside quotes is text
    “yes” == input.a    [“] `“` is written `"` -> "
    step.my-step.out == 7    [step.my-step.out] a name with a hyphen stands inside `${…}` -> ${step.my-step.out}
    step.my-step == 7    [step.my-step] a name with a hyphen stands inside `${…}` -> ${step.my-step}
    input.a ?? input.b    [??] `??` stands inside `${…}`
    ${step.a.x == 1    [=] only `.`, `[`, `??` or `}` may follow here
    ${HOME} == 1    [H] `HOME` is none of `input`, `conf`, `step`, `item` and `secret`
    step. == 1    [ ] a name is missing after `.`
    len(input.a) > 0    [len] there is no function `len`, only `size`, `has`, `contains`, `startsWith` and `endsWith` -> size
    matches(input.a, 'x')    [matches] there is no function `matches`, only `size`, `has`, `contains`, `startsWith` and `endsWith`
    input.a.matches('x')    [matches] there is no function `matches`, only `size`, `has`, `contains`, `startsWith` and `endsWith`
    ${step.a}.x == 1    [x] `.x` cannot be read here: a path stands inside `${…}`
    size() == 1    [size()] `size` takes 1 value, not 0
    contains('a') == 1    [contains('a')] `contains` takes 2 values, not 1
    has(1)    [has(1)] `has` takes a reference
    'open    ['open] the text is not closed
    '\q' == ''    [\] the text holds an unknown escape
    18446744073709551616 == 1    [18446744073709551616] the number is too large
    1e999 == 1    [1e999] the number is too large
    5px == 1    [5] a number ends in a letter
    input.a == #    [#] '#' means nothing here
    {} == {}    [{] '{' means nothing here
    foo.bar == 1    [foo] `foo` is neither a path nor a function; text stands in quotes -> "foo"
    "#);
}

#[test]
fn types_are_checked_before_there_are_values() {
    let schema = Schema(json!({
        "properties": {
            "text": { "type": "string" }, "count": { "type": "integer" }, "ratio": { "type": "number" },
            "list": { "type": "array", "items": { "type": "string" } }, "object": { "type": "object" },
            "flag": { "type": "boolean" }, "maybe": { "type": ["string", "null"] }
        }
    }));
    let input = Shape::of_schema(&schema);
    let shape_of = |reference: &Reference| {
        input
            .property(reference.first().root.name())
            .unwrap_or_default()
    };
    let outcome = |source: &str| {
        let errors = parse(source).unwrap().type_errors(&shape_of);
        let shown: Vec<String> = errors.iter().map(|error| shown(source, error)).collect();
        shown.join("; ")
    };
    for fine in [
        "input.flag",
        "input.unknown",
        "input.text == input.count",
        "input.maybe != null",
        "input.maybe > 'a'",
        "input.unknown > 'a' && input.unknown > 1",
        "input.count + input.ratio * 2 > 0.5",
        "'a' in input.list && 'a' in input.object && 1 in input.unknown",
        "size(input.text + 'a') + size(input.list) > 0",
        "(input.flag ? input.count : input.ratio) > 1",
        "!has(input.text) || input.text.contains('a')",
        "input.unknown % 2 == 0",
        "input.ratio % 2 == 0",
    ] {
        assert_eq!(outcome(fine), "", "{fine}");
    }
    let sources = [
        "input.text",
        "input.count",
        "input.list",
        "input.maybe",
        "size(input.list)",
        "1 + 1",
        "null",
        "input.text && input.flag",
        "!input.count",
        "input.text ? true : false",
        "input.text < 5",
        "input.flag < true",
        "input.text + 1 == 'a1'",
        "input.text - 1 == 1",
        "-input.text == 1",
        "input.text % 2 == 0",
        "2.5 % 2 == 0",
        "'a' in input.text",
        "1 in input.object",
        "1 in input.count",
        "input.list.contains('a')",
        "size(input.count) == 1",
        "input.count.startsWith('a')",
        "input.flag ? input.text : input.count",
    ];
    insta::assert_snapshot!(table(&sources, outcome), @r#"
    input.text    [input.text] a boolean is needed, and this is string -> input.text != ""
    input.count    [input.count] a boolean is needed, and this is integer -> input.count != 0
    input.list    [input.list] a boolean is needed, and this is array of string -> size(input.list) > 0
    input.maybe    [input.maybe] a boolean is needed, and this is string or null
    size(input.list)    [size(input.list)] a boolean is needed, and this is integer -> size(input.list) != 0
    1 + 1    [1 + 1] a boolean is needed, and this is integer
    null    [null] a boolean is needed, and this is null
    input.text && input.flag    [input.text] a boolean is needed, and this is string -> input.text != ""
    !input.count    [input.count] a boolean is needed, and this is integer -> (input.count != 0)
    input.text ? true : false    [input.text] a boolean is needed, and this is string -> input.text != ""
    input.text < 5    [input.text < 5] `<` orders two numbers or two strings, not string and `5`
    input.flag < true    [input.flag < true] `<` orders two numbers or two strings, not boolean and boolean
    input.text + 1 == 'a1'    [input.text + 1] `+` adds two numbers, two strings or two lists, not string and `1`
    input.text - 1 == 1    [input.text] `-` takes number, not string
    -input.text == 1    [input.text] `-` takes number, not string
    input.text % 2 == 0    [input.text] `%` takes integer, not string
    2.5 % 2 == 0    [2.5] `%` takes integer, not `2.5`
    'a' in input.text    ['a' in input.text] `in` looks into a list or an object, `contains` into a string -> input.text.contains('a')
    1 in input.object    [1] `in` an object takes string, not `1`
    1 in input.count    [input.count] `in` takes array or object, not integer
    input.list.contains('a')    [input.list.contains('a')] `contains` looks into a string, `in` into a list -> 'a' in input.list
    size(input.count) == 1    [input.count] `size` takes string or array or object, not integer
    input.count.startsWith('a')    [input.count] `startsWith` takes string, not integer
    input.flag ? input.text : input.count    [input.flag ? input.text : input.count] a boolean is needed, and this is string or integer
    "#);
}

#[test]
fn case_25c_bounds_hold() {
    let message = |source: &str| parse(source).unwrap_err().to_string();
    let nested = |depth: usize| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    assert!(parse(&nested(16)).is_ok());
    assert_eq!(
        message(&nested(17)),
        "the expression is nested over 16 levels deep"
    );
    let terms = |count: usize| format!("1{} > 0", "+1".repeat(count));
    assert!(parse(&terms(63)).is_ok());
    assert_eq!(message(&terms(64)), "the expression has over 64 operators");
    assert!(parse(&format!("{}true", "!".repeat(64))).is_ok());
    assert_eq!(
        message(&format!("{}true", "!".repeat(65))),
        "the expression has over 64 operators"
    );
    assert_eq!(
        message(&terms(10_000)),
        "the expression has 20005 bytes, over the limit of 1024"
    );
    assert_eq!(
        message(&nested(1_000)),
        "the expression has 2004 bytes, over the limit of 1024"
    );

    let limits = Limits {
        expression_bytes: 1 << 20,
        expression_depth: usize::MAX,
        expression_operators: usize::MAX,
        ..Limits::default()
    };
    for source in [
        nested(1_000),
        terms(10_000),
        "!".repeat(10_000),
        "true?".repeat(10_000),
        "[".repeat(10_000),
        "size(".repeat(10_000),
        format!("'a'{}", ".contains('a')".repeat(10_000)),
    ] {
        assert!(Expression::parse(&source, &limits).is_err());
    }
}

#[test]
fn the_largest_trees_are_checked_and_evaluated() {
    let limits = Limits {
        expression_bytes: 1 << 20,
        expression_depth: 64,
        expression_operators: 128,
        ..Limits::default()
    };
    for source in [
        format!("1{} > 0", "+1".repeat(127)),
        format!("{}true", "!".repeat(128)),
        format!("{}true{}", "(".repeat(64), ")".repeat(64)),
        format!("{}true{}", "true?".repeat(32), ":true".repeat(32)),
        format!("'a'{} || true", ".contains('a')".repeat(120)),
    ] {
        let expression = Expression::parse(&source, &limits).unwrap();
        let _ = expression.type_errors(&|_| Shape::any());
        let _ = expression.evaluate(&world());
        drop(expression);
    }
}
