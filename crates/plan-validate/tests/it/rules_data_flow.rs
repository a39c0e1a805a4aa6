//! Rules of data flow and types: P4xx.

use plan_model::edit::Edit;
use plan_validate::{Expected, Finding};
use serde_json::{Value, json};

use crate::sample::{after, call, codes, findings, lines, plan, related, step, text, with};

fn fan_out(id: &str, over: &str, item: &str, body: &[&str]) -> Value {
    let config = json!({"over": over, "item_var": item, "spawn_steps": body});
    step(id, "FAN_OUT", config, json!({}))
}

#[test]
fn case_09_plan_outputs_name_no_body_step_and_no_name_twice() {
    let document = with(json!({
        "inputs": [{"name": "rows", "value_type": "array"}],
        "steps": [fan_out("each", "${input.rows}", "row", &["inner"]), after("inner", &[])],
        "outputs": [
            {"name": "x", "source": "${step.inner.x}"},
            {"name": "x", "source": "${step.each.results}"},
        ],
    }));
    assert_eq!(
        lines(&document),
        [
            "P410 /outputs/0/source: `inner` runs once for each item within `each`",
            "P202 /outputs/1/name: 2 plan outputs are named `x`",
        ]
    );
}

#[test]
fn case_19_literals_stay_text() {
    let script = json!({"language": "bash", "inline": "echo ${HOME} $1 ${step}"});
    let document = plan(json!([
        call(
            "a",
            json!({"range": "$100-$200", "name": "{{x}}", "group": "$1"}),
            json!({})
        ),
        step("code", "CODE_CALL", script, json!({})),
    ]));
    assert_eq!(
        lines(&document),
        [
            "P406 /steps/0/config/arguments/group: `$1` is text here, not a reference",
            "P406 /steps/0/config/arguments/name: `{{x}}` is text here, not a reference",
            "P406 /steps/0/config/arguments/range: `$100` is text here, not a reference",
        ]
    );
}

#[test]
fn case_20_a_reference_in_a_key_a_tool_name_or_code_is_refused() {
    let document = with(json!({
        "inputs": [{"name": "n", "value_type": "string"}],
        "steps": [
            call("a", json!({"${input.n}": 1}), json!({})),
            step("b", "TOOL_CALL", json!({"tool": "${input.n}", "arguments": {}}), json!({})),
            step("c", "CODE_CALL", json!({"language": "bash", "inline": "echo ${input.n}"}), json!({})),
            call("d", json!({"q": "${input.n}"}), json!({})),
        ],
    }));
    let found = findings(&document);
    let found: Vec<_> = found
        .iter()
        .map(|f| (f.code.as_str(), f.pointer.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("P408", "/steps/0/config/arguments/${input.n}"),
            ("P408", "/steps/1/config/tool"),
            ("P407", "/steps/2/config/inline"),
        ]
    );
}

#[test]
fn a_reference_in_code_is_shown_where_it_stands() {
    let document = with(json!({
        "inputs": [{"name": "n"}],
        "steps": [
            step("c", "CODE_CALL", json!({"language": "bash", "inline": "echo \"ü\"\n${input.n}", "args": ["${input.n}"]}), json!({})),
        ],
    }));
    let found = findings(&document);
    let span = found[0].span.expect("a document has spans");
    assert_eq!(
        document.to_string().get(span.start..span.end),
        Some("${input.n}")
    );
}

#[test]
fn every_kind_of_missing_name_is_found_with_what_is_there() {
    let document = with(json!({
        "inputs": [{"name": "topic"}],
        "config": {"base": "x"},
        "steps": [
            call("a", json!({"q": "${input.topik} ${conf.bsae} ${item.row}", "t": "${input.topic}", "s": "${conf.base}"}), json!({"outputs": [{"name": "hits"}]})),
            call("b", json!({"q": "${step.a.hit}", "r": "${step.a[0]}", "s": "${step.c.x}"}), json!({})),
        ],
    }));
    let found = findings(&document);
    let found: Vec<(String, Option<Expected>)> = found
        .iter()
        .map(|f| (f.line(), f.expected.clone()))
        .collect();
    let one_of = |names: &[&str]| {
        Some(Expected::OneOf(
            names.iter().map(ToString::to_string).collect(),
        ))
    };
    assert_eq!(
        found,
        [
            (
                "P402 /steps/0/config/arguments/q: there is no input `topik`".to_owned(),
                one_of(&["topic"]),
            ),
            (
                "P402 /steps/0/config/arguments/q: there is no config value `bsae`".to_owned(),
                one_of(&["base"]),
            ),
            (
                "P402 /steps/0/config/arguments/q: no fan-out around this place has the item `row`"
                    .to_owned(),
                None,
            ),
            ("P402 /steps/1/config/arguments/q: step `a` has no output `hit`".to_owned(), one_of(&["hits"])),
            ("P402 /steps/1/config/arguments/r: step `a` has its outputs by name, and so no `[0]`".to_owned(), one_of(&["hits"])),
            ("P402 /steps/1/config/arguments/s: there is no step `c`".to_owned(), one_of(&["a"])),
        ]
    );
}

#[test]
fn an_item_is_known_in_its_body_and_in_until_only() {
    let fan = json!({"over": "${input.rows}", "item_var": "row", "spawn_steps": ["inner"], "until": "item.row == 1 && step.inner.ok == true"});
    let document = with(json!({
        "inputs": [{"name": "rows", "value_type": "array"}],
        "steps": [
            step("each", "FAN_OUT", fan, json!({})),
            call("inner", json!({"q": "${item.row}"}), json!({})),
            call("outside", json!({"q": "${item.row}"}), json!({})),
        ],
    }));
    assert_eq!(
        lines(&document),
        ["P402 /steps/2/config/arguments/q: no fan-out around this place has the item `row`"]
    );
}

#[test]
fn a_step_reads_neither_itself_nor_its_own_fan_out() {
    let document = with(json!({
        "inputs": [{"name": "rows", "value_type": "array"}],
        "steps": [
            fan_out("each", "${input.rows}", "row", &["inner"]),
            call("inner", json!({"q": "${step.each.results}"}), json!({})),
            call("self", json!({"q": "${step.self.x}", "r": "again ${step.self.y}"}), json!({})),
        ],
    }));
    assert_eq!(
        lines(&document),
        [
            "P403 /steps/1/config/arguments/q: `inner` reads `each`, which ends only after it",
            "P403 /steps/2/config/arguments/q: `self` reads itself before it has ended",
        ]
    );
    assert_eq!(
        related(&findings(&document)[1]),
        ["/steps/2/config/arguments/r: read here too"]
    );
}

#[test]
fn a_body_step_is_read_within_its_fan_out_only() {
    let document = with(json!({
        "inputs": [{"name": "rows", "value_type": "array"}],
        "steps": [
            fan_out("each", "${input.rows}", "row", &["first", "nested"]),
            after("first", &[]),
            fan_out("nested", "${item.row.parts}", "part", &["deep"]),
            call("deep", json!({"q": "${step.first.x} ${item.part} ${item.row}"}), json!({})),
            step("all", "FAN_IN", json!({"from_steps": ["first"], "collect_field": "list"}), json!({})),
            call("out", json!({"q": "${step.deep.x}"}), json!({})),
        ],
    }));
    assert_eq!(
        lines(&document),
        [
            "P403 /steps/4/config/from_steps/0: `all` reads `first`, which runs once for each item within `each`",
            "P403 /steps/5/config/arguments/q: `out` reads `deep`, which runs once for each item within `nested`",
        ]
    );
}

#[test]
fn a_path_that_no_value_has_is_found_once() {
    let document = with(json!({
        "inputs": [{"name": "who", "value_type": "object", "schema": {"properties": {"mail": {"type": "string"}}, "additionalProperties": false}}],
        "config": {"urls": ["a", "b"], "deep": {"x": 1}},
        "steps": [
            call("a", json!({
                "a": "${input.who.phone}",
                "b": "${input.who.phone}",
                "c": "${input.who.mail.x}",
                "d": "${conf.urls[2]}",
                "e": "${conf.deep.y}",
                "f": "${conf.urls[1]} ${conf.deep.x} ${input.who.mail}",
            }), json!({})),
        ],
    }));
    assert_eq!(
        lines(&document),
        [
            "P405 /steps/0/config/arguments/a: `input.who` has only `mail`, and so there is no `input.who.phone`",
            "P405 /steps/0/config/arguments/c: `input.who.mail` is string, and so there is no `input.who.mail.x`",
            "P405 /steps/0/config/arguments/d: `conf.urls` has 2 elements, and so there is no `conf.urls[2]`",
            "P405 /steps/0/config/arguments/e: `conf.deep` has only `x`, and so there is no `conf.deep.y`",
        ]
    );
}

#[test]
fn an_open_result_may_have_any_path() {
    let document = plan(json!([
        after("a", &[]),
        call("b", json!({"q": "${step.a.whatever.deep[3]}"}), json!({})),
    ]));
    assert_eq!(lines(&document), [""; 0]);
}

#[test]
fn a_foreign_reference_to_something_here_is_a_warning() {
    let document = with(json!({
        "inputs": [{"name": "topic"}],
        "steps": [
            call("var1", json!({"q": "${input.topic}"}), json!({})),
            call("b", json!({
                "a": "$var1.Exchange Rate$",
                "b": "{{ input.topic }}",
                "c": "<node-0>",
                "d": "$topic",
                "e": "$[var1.rows[0]]",
                "f": "#E1",
                "g": "{{steps.var1.out}}",
            }), json!({})),
        ],
    }));
    let found = findings(&document);
    let instead: Vec<String> = found
        .iter()
        .map(|finding| match &finding.suggestions[0].edit {
            Some(Edit::Set { value, .. }) => format!("{} {value}", finding.code),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        instead,
        [
            r#"P412 "${step.var1[\"Exchange Rate\"]}""#,
            r#"P412 "${input.topic}""#,
            r#"P412 "${step.var1}""#,
            r#"P412 "${input.topic}""#,
            r#"P412 "${step.var1.rows[0]}""#,
            r#"P412 "${step.var1}""#,
            r#"P412 "${step.var1.out}""#,
        ]
    );
}

#[test]
fn a_foreign_reference_within_text_or_to_nothing_is_a_note() {
    let document = plan(json!([
        call("var1", json!({}), json!({})),
        call(
            "b",
            json!({"a": "5 * $var1.x$", "b": "<node-7>", "c": "$nobody", "d": "US$5 or 3 < 4"}),
            json!({})
        ),
    ]));
    assert_eq!(codes(&document), ["P406", "P406", "P406"]);
}

#[test]
fn a_shell_variable_that_is_a_plan_name_is_refused_in_what_a_script_is_given() {
    let script = json!({"language": "bash", "inline": "cat", "stdin": "$input.topic", "args": ["$input.nobody", "$HOME"], "env": {"T": "${input.topic}"}});
    let document = with(json!({
        "inputs": [{"name": "topic"}],
        "steps": [step("c", "CODE_CALL", script, json!({}))],
    }));
    let found = lines(&document);
    assert!(
        found.contains(
            &"P401 /steps/0/config/stdin: `$input.topic` is not in braces, and stays text"
                .to_owned()
        ),
        "{found:?}"
    );
    assert_eq!(
        found.iter().filter(|line| line.starts_with("P401")).count(),
        1
    );
}

#[test]
fn an_input_that_nothing_fits_is_refused() {
    let input = |more: Value| {
        let mut input = json!({"name": "n"});
        for (name, member) in more.as_object().unwrap() {
            input[name] = member.clone();
        }
        with(
            json!({"inputs": [input], "steps": [call("a", json!({"q": "${input.n}"}), json!({}))]}),
        )
    };
    for (declaration, expected) in [
        (
            json!({"value_type": "string", "schema": {"type": "integer"}}),
            "P409 /inputs/0/schema: no value of the type of the input `n` fits its schema",
        ),
        (
            json!({"value_type": "boolean", "default": 1}),
            "P409 /inputs/0/default: the default of the input `n` is of another type",
        ),
        (
            json!({"input_kind": "directory_path", "value_type": "object"}),
            "P409 /inputs/0/value_type: the input `n` names a path, and a path is text",
        ),
        (json!({"value_type": "integer", "default": 2.0}), ""),
        (json!({"value_type": "number", "default": 2}), ""),
        (json!({"input_kind": "file_path"}), ""),
        (json!({"default": null}), ""),
        (json!({"value_type": "string", "default": null}), ""),
    ] {
        assert_eq!(text(&input(declaration.clone())), expected, "{declaration}");
    }
    assert_eq!(codes(&input(json!({"schema": {"type": 5}}))), ["P409"]);
    let secret = json!({"value_type": "string", "sensitive": true, "schema": {"pattern": "^x"}, "default": "hunter2"});
    let found = findings(&input(secret));
    assert_eq!(found.len(), 1);
    assert!(!serde_json::to_string(&found).unwrap().contains("hunter2"));
}

#[test]
fn an_input_that_is_misspelt_where_it_is_read_is_not_unused_as_well() {
    let script = json!({"language": "bash", "inline": "echo ${input.a}", "stdin": "$input.b"});
    let document = with(json!({
        "inputs": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
        "steps": [step("x", "CODE_CALL", script, json!({})), call("y", json!({"q": "{{c}}"}), json!({}))],
    }));
    assert_eq!(codes(&document), ["P210", "P407", "P401", "P412"]);
}

fn helps(finding: &Finding) -> Vec<&str> {
    let suggestions = finding.suggestions.iter();
    suggestions.map(|it| it.title.as_str()).collect()
}

#[test]
fn a_planners_name_with_a_blank_is_proposed_in_quotes() {
    let list = |reference: &str| {
        json!({"steps": [
            {"name": "Image Editing", "tool": "fetch"},
            {"tool": "save", "args": {"a": reference}},
        ]})
    };
    let found = findings(&list("at ${step.Image Editing.url}"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "P401");
    assert_eq!(
        helps(&found[0]),
        [
            r#"a name that holds blanks or marks stands in quotes: `${step["Image Editing"].url}`"#,
            "write `$${` where the text is meant as it stands",
        ]
    );
    assert_eq!(codes(&list(r#"at ${step["Image Editing"].url}"#)), [""; 0]);
}

#[test]
fn a_quoted_name_of_no_step_is_an_unknown_reference_with_candidates() {
    let found = findings(&plan(json!([
        call("image-editing", json!({}), json!({})),
        call(
            "b",
            json!({"a": r#"${step["image editing"].url}"#}),
            json!({})
        ),
    ])));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code, "P402");
    let Some(Expected::OneOf(names)) = &found[0].expected else {
        panic!("{found:?}");
    };
    assert_eq!(names[0], "image-editing");
}
