//! References bound whole to arguments: types, kinds, paths, and what may be absent.
#![expect(clippy::needless_pass_by_value, reason = "a literal at every call")]

use plan_validate::{Finding, Severity, ToolCatalog};
use serde_json::{Value, json};

use crate::catalogs::catalog;
use crate::sample;

/// `make` delivers `out` of one schema, `take` has the argument `in` of another.
fn tools(out: &Value, taken: &Value) -> ToolCatalog {
    catalog(&json!({"planwright": 1, "tools": [
        {"name": "make", "output_schema": {"type": "object", "properties": {"out": out}, "required": ["out"]}},
        {"name": "take", "input_schema": {"type": "object", "properties": {"in": taken}, "required": ["in"]}},
    ]}))
}

fn lines(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(Finding::line).collect();
    lines.join("\n")
}

/// What is found when what `make` delivers is bound to what `take` takes.
fn found(out: Value, taken: Value, argument: &str) -> String {
    let plan = json!({"steps": [
        {"name": "m", "tool": "make", "args": {}},
        {"name": "t", "tool": "take", "args": {"in": argument}, "after": ["m"]},
    ]});
    lines(&sample::findings_under(&plan, &tools(&out, &taken)))
}

/// The reason alone; empty where nothing is found.
fn reason(out: Value, taken: Value) -> String {
    let found = found(out, taken, "${step.m.out}");
    found
        .split("does not fit: ")
        .nth(1)
        .unwrap_or(&found)
        .to_owned()
}

#[test]
fn ranges_lengths_and_choices_that_share_nothing_are_refused() {
    let cases = [
        (
            json!({"type": "integer", "maximum": 5}),
            json!({"type": "integer", "minimum": 6}),
        ),
        (
            json!({"type": "number", "exclusiveMaximum": 5}),
            json!({"type": "number", "minimum": 5}),
        ),
        (
            json!({"type": "string", "maxLength": 3}),
            json!({"type": "string", "minLength": 4}),
        ),
        (
            json!({"type": "array", "maxItems": 1}),
            json!({"type": "array", "minItems": 2}),
        ),
        (json!({"enum": ["a", "b"]}), json!({"enum": ["c"]})),
        (
            json!({"type": "integer", "maximum": 5}),
            json!({"enum": [6, 7]}),
        ),
        (
            json!({"type": ["string", "null"]}),
            json!({"type": "integer"}),
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}),
        ),
        (
            json!({"type": "object", "properties": {"n": {"type": "integer", "maximum": 1}}, "required": ["n"]}),
            json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 2}}}),
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
    ];
    let reasons: Vec<String> = cases
        .into_iter()
        .map(|(out, taken)| reason(out, taken))
        .collect();
    insta::assert_snapshot!(reasons.join("\n"), @r#"
    integer of at most 5 is never integer of at least 6
    number of under 5 is never number of at least 5
    string with at most 3 characters is never string with at least 4 characters
    array with at most 1 element is never array with at least 2 elements
    `"a"` or `"b"` is never `"c"`
    integer of at most 5 is never `6` or `7`
    string or null is never integer
    string or null is never integer or boolean
    in its member `n`, integer of at most 1 is never integer of at least 2
    in its element 0, string is never integer
    "#);
}

#[test]
fn what_may_fit_is_left_to_the_run() {
    let cases = [
        (
            json!({"type": "integer"}),
            json!({"type": "integer", "minimum": 6}),
        ),
        (
            json!({"type": "integer", "maximum": 5}),
            json!({"type": "integer", "minimum": 5}),
        ),
        (
            json!({"type": "string"}),
            json!({"type": "string", "minLength": 4}),
        ),
        (
            json!({"type": ["string", "null"]}),
            json!({"type": "string"}),
        ),
        (json!({"type": "number"}), json!({"type": "integer"})),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "integer"}}),
        ),
        (json!({"enum": ["a", "b"]}), json!({"enum": ["b", "c"]})),
        (
            json!({"type": "number", "maximum": 1}),
            json!({"not": {"type": "number"}}),
        ),
        (
            json!({"type": "string"}),
            json!({"type": "string", "pattern": "^[0-9]+$"}),
        ),
        (
            json!({}),
            json!({"type": "integer", "minimum": 3, "maximum": 3}),
        ),
        (
            json!({"const": 5.0}),
            json!({"type": "integer", "minimum": 5}),
        ),
        (
            json!({"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]}),
            json!({"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "a"}, "x": {}}, "required": ["kind", "x"]},
                {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]},
            ]}),
        ),
    ];
    for (out, taken) in cases {
        assert_eq!(reason(out.clone(), taken.clone()), "", "{out} into {taken}");
    }
}

#[test]
fn paths_into_results_have_the_types_of_the_schema() {
    let out = json!({
        "$ref": "#/$defs/page",
        "$defs": {"page": {"type": "object", "properties": {
            "rows": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}, "additionalProperties": false}, "maxItems": 2},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false},
        }, "additionalProperties": false}},
    });
    let tools = catalog(&json!({"planwright": 1, "tools": [
        {"name": "make", "output_schema": out},
        {"name": "take", "input_schema": {"type": "object", "properties": {"in": {"type": "boolean"}}}},
    ]}));
    let found = |argument: &str| {
        let plan = json!({"steps": [
            {"name": "m", "tool": "make", "args": {}},
            {"name": "t", "tool": "take", "args": {"in": argument}, "after": ["m"]},
        ]});
        lines(&sample::findings_under(&plan, &tools))
    };
    insta::assert_snapshot!(
        ["rows[0].id", "rows[0].name", "rows[2]", "pair[1]", "pair[2]", "row"]
            .map(|path| found(&format!("${{step.m.{path}}}")))
            .join("\n"),
        @"
    P305 /steps/1/args/in: the argument `in` takes boolean, and ${step.m.rows[0].id} does not fit: integer is never boolean
    P405 /steps/1/args/in: `step.m.rows[0]` has only `id`, and so there is no `step.m.rows[0].name`
    P405 /steps/1/args/in: `step.m.rows` has at most 2 elements, and so there is no `step.m.rows[2]`
    P305 /steps/1/args/in: the argument `in` takes boolean, and ${step.m.pair[1]} does not fit: integer is never boolean
    P405 /steps/1/args/in: `step.m.pair` has at most 2 elements, and so there is no `step.m.pair[2]`
    P402 /steps/1/args/in: step `m` has no output `row`
    "
    );
}

#[test]
fn a_result_that_is_no_object_is_one_output() {
    let tools = catalog(&json!({"planwright": 1, "tools": [
        {"name": "make", "output_schema": {"type": "array", "items": {"type": "integer"}}},
        {"name": "take", "input_schema": {"type": "object", "properties": {"in": {"type": "boolean"}}}},
    ]}));
    let found = |argument: &str| {
        let plan = json!({"steps": [
            {"name": "m", "tool": "make", "args": {}},
            {"name": "t", "tool": "take", "args": {"in": argument}, "after": ["m"]},
        ]});
        lines(&sample::findings_under(&plan, &tools))
    };
    insta::assert_snapshot!(found("${step.m.result[0]}"), @"P305 /steps/1/args/in: the argument `in` takes boolean, and ${step.m.result[0]} does not fit: integer is never boolean");
    insta::assert_snapshot!(found("${step.m.rows}"), @"P402 /steps/1/args/in: step `m` has no output `rows`");
}

/// A fan-out over what `make` delivers, whose body calls `make` again; `take` reads what is collected.
fn fanned(argument: &str) -> String {
    let call = |id: &str, tool: &str, arguments: Value, more: Value| {
        sample::step(
            id,
            "TOOL_CALL",
            json!({"tool": tool, "arguments": arguments}),
            more,
        )
    };
    let outputs = json!({"outputs": [{"name": "out"}]});
    let plan = sample::plan(json!([
        call("m", "make", json!({}), json!({})),
        sample::step(
            "each",
            "FAN_OUT",
            json!({"over": "m.out", "item_var": "one", "spawn_steps": ["b"]}),
            json!({})
        ),
        call("b", "list", json!({"seen": "${item.one}"}), outputs),
        call("t", "take", json!({"in": argument}), json!({})),
    ]));
    let tools = catalog(&json!({"planwright": 1, "tools": [
        {"name": "make", "output_schema": {"type": "object", "properties": {"out": {"type": "array", "items": {"type": "string"}}}, "required": ["out"]}},
        {"name": "list", "input_schema": {"type": "object", "properties": {"seen": {"type": "array"}}}, "output_schema": {"type": "object", "properties": {"out": {"type": "object", "properties": {"n": {"type": "string"}}, "additionalProperties": false}}, "required": ["out"]}},
        {"name": "take", "input_schema": {"type": "object", "properties": {"in": {"type": "integer"}}}},
    ]}));
    lines(&sample::findings_under(&plan, &tools))
}

#[test]
fn items_and_results_of_a_fan_out_have_the_types_of_their_tools() {
    insta::assert_snapshot!(fanned("${step.each.results[0].n}"), @"
    P305 /steps/2/config/arguments/seen: the argument `seen` takes array, and ${item.one} does not fit: string is never array
    P305 /steps/3/config/arguments/in: the argument `in` takes integer, and ${step.each.results[0].n} does not fit: string is never integer
    ");
    insta::assert_snapshot!(fanned("${step.each.results[0].m}"), @"
    P305 /steps/2/config/arguments/seen: the argument `seen` takes array, and ${item.one} does not fit: string is never array
    P405 /steps/3/config/arguments/in: `step.each.results[0]` has only `n`, and so there is no `step.each.results[0].m`
    ");
}

/// A plan whose inputs are bound to the arguments of `take`, of these schemas.
fn bound(inputs: Value, arguments: Value, schemas: Value) -> Vec<Finding> {
    let tools = catalog(&json!({"planwright": 1, "tools": [
        {"name": "take", "input_schema": {"type": "object", "properties": schemas, "required": ["in"]}},
        {"name": "write"},
    ]}));
    let plan = sample::with(json!({"inputs": inputs, "steps": [
        sample::step("t", "TOOL_CALL", json!({"tool": "take", "arguments": arguments}), json!({})),
    ]}));
    sample::findings_under(&plan, &tools)
}

fn optional(more: Value) -> Value {
    let mut input = json!({"name": "x", "required": false});
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    json!([input])
}

#[test]
fn an_input_that_may_be_absent_does_not_fit_what_needs_a_value() {
    let text = json!({"in": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}}, "more": {"type": "string"}, "free": {}});
    let codes =
        |input: Value, arguments: Value| lines(&bound(optional(input), arguments, text.clone()));
    let whole = json!({"in": "${input.x}"});
    insta::assert_snapshot!(codes(json!({"value_type": "string"}), whole.clone()), @"P306 /steps/0/config/arguments/in: the argument `in` needs a value, and ${input.x} has none where the input is left out");
    insta::assert_snapshot!(codes(json!({}), whole.clone()), @"P306 /steps/0/config/arguments/in: the argument `in` needs a value, and ${input.x} has none where the input is left out");
    assert_eq!(
        codes(json!({"value_type": "string", "default": "y"}), whole),
        ""
    );
    let inside = json!({"in": "a", "list": ["${input.x}"]});
    insta::assert_snapshot!(codes(json!({"value_type": "string"}), inside), @"P306 /steps/0/config/arguments/list/0: the argument `list` needs a value, and ${input.x} has none where the input is left out");
    for fine in [
        json!({"in": "a", "more": "${input.x}"}),
        json!({"in": "see ${input.x}"}),
        json!({"in": "a", "free": ["${input.x}"]}),
    ] {
        assert_eq!(
            codes(json!({"value_type": "string"}), fine.clone()),
            "",
            "{fine}"
        );
    }
    // of one reference there is one fault
    let wrong = codes(json!({"value_type": "array"}), json!({"in": "${input.x}"}));
    assert!(
        wrong.starts_with("P305") && !wrong.contains('\n'),
        "{wrong}"
    );
}

#[test]
fn a_path_is_bound_to_what_takes_such_a_path() {
    let kinds = ["file_path", "output_file_path", "directory_path"];
    let mut table = String::new();
    for is in kinds {
        for takes in kinds {
            for keyword in ["x-path-kind", "x-inxm-input-kind"] {
                let inputs = json!([{"name": "x", "value_type": "string", "input_kind": is}]);
                let schema = json!({"in": {"type": "string", keyword: takes}});
                let findings = bound(inputs, json!({"in": "${input.x}"}), schema);
                let found: Vec<&str> = findings
                    .iter()
                    .map(|finding| {
                        assert_eq!(finding.code, "P310");
                        finding.severity.as_str()
                    })
                    .collect();
                let row = format!("{is} into {takes}: {}\n", found.join(", "));
                if keyword == "x-path-kind" {
                    table.push_str(&row);
                } else {
                    assert!(table.ends_with(&row));
                }
            }
        }
    }
    insta::assert_snapshot!(table.replace(": \n", ": fine\n"), @"
    file_path into file_path: fine
    file_path into output_file_path: warning
    file_path into directory_path: error
    output_file_path into file_path: error
    output_file_path into output_file_path: fine
    output_file_path into directory_path: error
    directory_path into file_path: error
    directory_path into output_file_path: error
    directory_path into directory_path: fine
    ");
}

#[test]
fn a_path_that_a_step_before_may_have_written_is_a_file() {
    let tools = catalog(&json!({"planwright": 1, "tools": [
        {"name": "read", "input_schema": {"type": "object", "properties": {"in": {"type": "string", "x-path-kind": "file_path"}}}},
        {"name": "write", "output_schema": {"type": "object", "properties": {"path": {"type": "string", "x-path-kind": "output_file_path"}, "folder": {"type": "string", "x-path-kind": "directory_path"}}, "required": ["path", "folder"]}},
    ]}));
    let call = |id: &str, tool: &str, arguments: Value| {
        sample::step(
            id,
            "TOOL_CALL",
            json!({"tool": tool, "arguments": arguments}),
            json!({}),
        )
    };
    let found = |written: &str, read: &str| {
        let reader = sample::step(
            "r",
            "TOOL_CALL",
            json!({"tool": "read", "arguments": {"in": read}}),
            json!({"depends_on": ["w"]}),
        );
        let plan = sample::with(json!({
            "inputs": [{"name": "x", "value_type": "string", "input_kind": "output_file_path"}],
            "steps": [call("w", "write", json!({"to": written})), reader],
        }));
        let findings = sample::findings_under(&plan, &tools);
        let findings = findings
            .into_iter()
            .filter(|finding| finding.code != "P210");
        lines(&findings.collect::<Vec<_>>())
    };
    assert_eq!(found("${input.x}", "${input.x}"), "");
    assert_eq!(found("x", "${step.w.path}"), "");
    insta::assert_snapshot!(found("x", "${input.x}"), @"P310 /steps/1/config/arguments/in: the argument `in` takes the path of a file that is there, and ${input.x} is that of a file to be written");
    insta::assert_snapshot!(found("x", "${step.w.folder}"), @"P310 /steps/1/config/arguments/in: the argument `in` takes the path of a file that is there, and ${step.w.folder} is that of a folder");
}

#[test]
fn kinds_are_compared_where_both_are_known() {
    let kind = |kind: Value| json!({"type": "string", "x-kind": kind});
    let list = |kind: Value| json!({"type": "array", "items": {"type": "string", "x-kind": kind}});
    for (out, taken) in [
        (kind(json!("image")), kind(json!("image"))),
        (kind(json!("image")), kind(json!("Image"))),
        (kind(json!("image")), kind(json!(["text", "image"]))),
        (kind(json!(["text", "image"])), kind(json!("text"))),
        (kind(json!("image")), json!({"type": "string"})),
        (json!({"type": "string"}), kind(json!("image"))),
        (list(json!("image")), list(json!("image"))),
    ] {
        assert_eq!(
            found(out.clone(), taken.clone(), "${step.m.out}"),
            "",
            "{out} into {taken}"
        );
    }
    insta::assert_snapshot!(found(kind(json!("image")), kind(json!(["text", "audio"])), "${step.m.out}"), @"P311 /steps/1/args/in: the argument `in` takes the kind `audio`, `text`, and ${step.m.out} is of the kind `image`");
    insta::assert_snapshot!(found(list(json!("image")), list(json!("text")), "${step.m.out}"), @"P311 /steps/1/args/in: the argument `in` takes the kind `text`, and ${step.m.out} is of the kind `image`");
    // text that holds a value is of no kind
    assert_eq!(
        found(
            kind(json!("image")),
            kind(json!("text")),
            "see ${step.m.out}"
        ),
        ""
    );
    // a wrong type is told as that alone
    let wrong = found(
        json!({"type": "object", "x-kind": "image"}),
        kind(json!("text")),
        "${step.m.out}",
    );
    assert!(
        wrong.starts_with("P305") && !wrong.contains('\n'),
        "{wrong}"
    );
}

#[test]
fn a_structure_inside_a_text_is_told_once() {
    let rows = json!({"type": ["array", "null"], "items": {"type": "object"}});
    insta::assert_snapshot!(found(rows.clone(), json!({}), "Rows: ${step.m.out}, again ${step.m.out}"), @"P411 /steps/1/args/in: ${step.m.out} is array of object or null, and its JSON becomes part of a text");
    for (out, argument) in [
        (rows.clone(), "${step.m.out}"),
        (rows, "first: ${step.m.out[0].name}"),
        (json!({"type": ["array", "string"]}), "Rows: ${step.m.out}"),
        (json!({}), "Rows: ${step.m.out}"),
    ] {
        assert_eq!(
            found(out.clone(), json!({}), argument),
            "",
            "{out} in {argument}"
        );
    }
}

/// The findings about models: code and severity.
fn models(
    catalog_of: Value,
    policy: &plan_validate::Policy,
    names: &[&str],
) -> Vec<(String, Severity)> {
    let prompt = |(index, model): (usize, &&str)| {
        let config = json!({"model": model, "user_prompt": "hello", "output_field": "text"});
        sample::step(&format!("p{index}"), "PROMPT_CALL", config, json!({}))
    };
    let steps: Vec<Value> = names.iter().enumerate().map(prompt).collect();
    let plan = sample::plan(steps.into());
    let catalog = catalog(&catalog_of);
    let cx = plan_validate::Context::new(&catalog, policy);
    let findings = match plan_validate::check(&plan.to_string(), &cx) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    };
    findings
        .iter()
        .map(|finding| {
            (
                format!("{} {}", finding.code, finding.pointer),
                finding.severity,
            )
        })
        .collect()
}

#[test]
fn a_model_is_unknown_once() {
    let policy = plan_validate::Policy::default();
    let listed = json!({"planwright": 1, "models": [{"name": "small"}]});
    let silent = json!({"planwright": 1});
    let at = |code: &str, step: usize| format!("{code} /steps/{step}/config/model");
    assert_eq!(
        models(listed.clone(), &policy, &["small", "big", "big"]),
        [(at("P308", 1), Severity::Error)]
    );
    assert_eq!(
        models(silent.clone(), &policy, &["small", "big", "big"]),
        [
            (at("P308", 0), Severity::Warning),
            (at("P308", 1), Severity::Warning)
        ]
    );
    assert_eq!(
        models(json!({"planwright": 1, "models": []}), &policy, &["small"]),
        [(at("P308", 0), Severity::Error)]
    );
    let text = json!({"models": ["small"]}).to_string();
    let parsed = plan_model::document::parse(text.as_bytes(), &plan_model::Limits::default());
    let policy = plan_validate::Policy::from_document(&parsed.document.unwrap()).unwrap();
    assert_eq!(
        models(silent, &policy, &["small", "big"]),
        [(at("P302", 1), Severity::Error)]
    );
    assert_eq!(
        models(listed, &policy, &["small", "big"]),
        [(at("P308", 1), Severity::Error)]
    );
}
