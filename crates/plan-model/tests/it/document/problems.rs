//! Every kind of problem, with its place and its facts.

use insta::assert_snapshot;
use plan_model::Limits;
use plan_model::document::{Position, ProblemKind, parse};

use super::{plan_of, plan_with, problems_of, step};

#[test]
fn p101_syntax() {
    let check = |text: &str| {
        let parsed = parse(text.as_bytes(), &Limits::default());
        assert!(parsed.document.is_none(), "{text}");
        let [problem] = parsed.problems.as_slice() else {
            panic!("{text}: {:?}", parsed.problems)
        };
        let ProblemKind::InvalidJson { message } = &problem.kind else {
            panic!("{text}: {problem:?}")
        };
        let Position { line, column } = Position::in_text(text, problem.span.start);
        format!("{line}:{column} {message}\n")
    };
    let all: String = [
        "",
        " \n",
        "\u{FEFF}{}",
        "{}\n{}",
        "{} x",
        "[1,]",
        "{\"a\": 1,}",
        "{\"a\" 1}",
        "{a: 1}",
        "{'a': 1}",
        "{\"a\": 'b'}",
        "{\"a\": NaN}",
        "[-Infinity]",
        "[True]",
        "[nullx]",
        "[01]",
        "[+1]",
        "[.5]",
        "[1.]",
        "[1e]",
        "[0x10]",
        "[1 2]",
        "{\"a\": 1 \"b\": 2}",
        "[// c\n1]",
        "\"a\nb\"",
        "\"a\u{1}b\"",
        "\"\\ud800\"",
        "\"\\q\"",
        "{\n  \"é\": [1, \"abc",
        "{\"a\": [1",
    ]
    .into_iter()
    .map(check)
    .collect();
    assert_snapshot!(all, @r"
    1:1 the document ends too early
    2:1 the document ends too early
    1:1 the document begins with a byte order mark
    2:1 a second document follows the first
    1:4 something follows the end of the document
    1:4 a comma has no value after it
    1:9 a comma has no member after it
    1:6 a colon should stand between a member's name and its value
    1:2 a member's name in double quotes should stand here
    1:2 a member's name stands in single quotes, not double ones
    1:7 a string stands in single quotes, not double ones
    1:7 `NaN` is no JSON value
    1:3 a number needs a digit here
    1:2 `True` is written `true`
    1:2 a value should stand here
    1:2 a number begins with a needless zero
    1:2 a number does not begin with `+`
    1:2 a number does not begin with its point
    1:4 a number needs a digit after its point
    1:4 a number needs a digit in its exponent
    1:3 a number goes on in a way that JSON does not have
    1:4 a comma or `]` should stand here
    1:9 a comma or `}` should stand here
    1:2 JSON has no comments
    1:3 a string holds a line break, which is written `\n`
    1:3 a string holds the control character U+0001
    1:2 a string holds half of a surrogate pair
    1:2 a string holds an unknown escape
    2:12 a string is not closed
    1:9 the document ends too early
    ");
}

#[test]
fn p101_bytes_that_are_not_utf_8() {
    let check = |bytes: &[u8]| {
        let parsed = parse(bytes, &Limits::default());
        assert!(parsed.document.is_none());
        format!("{:?}\n", parsed.problems)
    };
    assert_snapshot!(check(b"{\"a\": \"\xFF\"}"), @r#"[Problem { kind: InvalidJson { message: "the byte 0xFF is not UTF-8" }, pointer: Pointer(""), span: Span { start: 7, end: 8 } }]"#);
    assert_snapshot!(check(b"\xFF\xFE{\0}\0"), @r#"[Problem { kind: InvalidJson { message: "the document is UTF-16, not UTF-8" }, pointer: Pointer(""), span: Span { start: 0, end: 2 } }]"#);
}

#[test]
fn p102_duplicate_keys() {
    let text = r#"{"steps": [], "a": {"path": 1, "pa\u0074h": 2, "x": 3, "path": 4}, "steps": []}"#;
    assert_snapshot!(problems_of(text), @r#"
    /a/path "pa\u0074h" DuplicateKey { key: "path", first: Span { start: 20, end: 26 } }
    /a/path "path" DuplicateKey { key: "path", first: Span { start: 20, end: 26 } }
    /steps "steps" DuplicateKey { key: "steps", first: Span { start: 1, end: 8 } }
    /a "a" UnknownField { field: "a", candidates: ["objective", "planner", "risk"], instead_of: None }
    "#);
}

#[test]
fn p102_duplicate_keys_among_many() {
    let members: Vec<String> = (0..50).map(|n| format!("\"k{n}\": {n}")).collect();
    let text = format!("{{{}, \"k7\": 0, \"\\u006b3\": 0}}", members.join(", "));
    let parsed = parse(text.as_bytes(), &Limits::default());
    let at: Vec<&str> = parsed.problems.iter().map(|p| p.pointer.as_str()).collect();
    assert_eq!(at, ["/k7", "/k3"]);
    assert_eq!(
        parsed.document.unwrap().to_value()["k7"],
        serde_json::json!(7)
    );
}

#[test]
fn p103_unknown_fields() {
    let text = plan_of(
        r#"{"id": "a", "name": "n", "retries": null, "colour": 1, "config": {
            "type": "HUMAN_INTERACTION", "promt": "x", "response_field": "y", "aproval_required": true}}"#,
    );
    assert_snapshot!(problems_of(&text), @r#"
    /steps/0/retries "retries" UnknownField { field: "retries", candidates: ["retry"], instead_of: None }
    /steps/0/colour "colour" UnknownField { field: "colour", candidates: ["description", "depends_on", "outputs", "timeout_secs", "retry", "join", "on_error"], instead_of: None }
    /steps/0/config/promt "promt" UnknownField { field: "promt", candidates: ["prompt"], instead_of: Some("prompt") }
    /steps/0/config/aproval_required "aproval_required" UnknownField { field: "aproval_required", candidates: ["approval_required"], instead_of: None }
    "#);
}

#[test]
fn p103_a_misspelt_required_field_is_one_problem() {
    let text = plan_of(r#"{"ID": "a", "name": "n", "conifg": {"type": "TOOL_CALL", "tool": "t"}}"#);
    assert_snapshot!(problems_of(&text), @r#"
    /steps/0/ID "ID" UnknownField { field: "ID", candidates: ["id"], instead_of: Some("id") }
    /steps/0/conifg "conifg" UnknownField { field: "conifg", candidates: ["config"], instead_of: Some("config") }
    "#);
    let text = plan_of(&step("a", r#"{"kind": "TOOL_CALL", "tool": "t"}"#));
    assert_snapshot!(problems_of(&text), @r#"/steps/0/config/kind "kind" UnknownField { field: "kind", candidates: ["type"], instead_of: Some("type") }"#);
}

#[test]
fn p104_wrong_shapes_are_all_reported() {
    let text = plan_with(
        r#""format": 2, "description": 1, "inputs": {}, "config": [], "outputs": [1],
        "limits": {"max_steps": -1, "max_wall_secs": 0.0001}, "failure_policy": "halt",
        "steps": [
            1,
            {"id": 3, "name": null, "config": "x", "depends_on": "a", "outputs": [{"value_type": "float"}],
             "timeout_secs": "5", "retry": {"max_attempts": 1.5, "retry_on": ["never"], "jitter": 0}, "join": "none"},
            {"id": "b", "name": "n", "config": {"type": "TOOL"}},
            {"id": "c", "name": "n", "config": {"tool": "t"}},
            {"id": "d", "name": "n", "config": {"type": "CODE_CALL", "language": "sh", "inline": [], "args": [1], "env": {"A": 1}}},
            {"id": "e", "name": "n", "config": {"type": "PROMPT_CALL", "model": "", "user_prompt": 5, "output_schema": 5, "temperature": "hot"}}
        ]"#,
    );
    assert_snapshot!(problems_of(&text), @r#"
    /format 2 WrongShape { expected: "1, the version of the format", one_of: [], actual: "`2`" }
    /description 1 WrongShape { expected: "text", one_of: [], actual: "`1`" }
    /inputs {} WrongShape { expected: "an array of inputs", one_of: [], actual: "an object" }
    /config [] WrongShape { expected: "an object of config values", one_of: [], actual: "an array" }
    /outputs/0 1 WrongShape { expected: "a plan output, as an object", one_of: [], actual: "`1`" }
    /limits/max_steps -1 WrongShape { expected: "a whole number from 0", one_of: [], actual: "`-1`" }
    /limits/max_wall_secs 0.0001 WrongShape { expected: "seconds from 0 with at most three decimals", one_of: [], actual: "`0.0001`" }
    /failure_policy "halt" WrongShape { expected: "one of `stop`, `finish_independent`", one_of: ["stop", "finish_independent"], actual: "the text `halt`" }
    /steps/0 1 WrongShape { expected: "a step, as an object", one_of: [], actual: "`1`" }
    /steps/1/id 3 WrongShape { expected: "a step id", one_of: [], actual: "`3`" }
    /steps/1/name null WrongShape { expected: "text", one_of: [], actual: "`null`" }
    /steps/1/config "x" WrongShape { expected: "a step's config, as an object", one_of: [], actual: "the text `x`" }
    /steps/1/depends_on "a" WrongShape { expected: "an array of step ids", one_of: [], actual: "the text `a`" }
    /steps/1/outputs/0 {"value_type": "float"} MissingField { field: "name" }
    /steps/1/outputs/0/value_type "float" WrongShape { expected: "one of `string`, `number`, `integer`, `boolean`, `object`, `array`, `any`", one_of: ["string", "number", "integer", "boolean", "object", "array", "any"], actual: "the text `float`" }
    /steps/1/timeout_secs "5" WrongShape { expected: "seconds from 0 with at most three decimals", one_of: [], actual: "the text `5`" }
    /steps/1/retry {"max_attempts": 1.5, "retry_on": ["neve MissingField { field: "delay_secs" }
    /steps/1/retry/max_attempts 1.5 WrongShape { expected: "a whole number from 0", one_of: [], actual: "`1.5`" }
    /steps/1/retry/retry_on/0 "never" WrongShape { expected: "one of `transient`, `rate_limited`, `timeout`, `auth`, `permission`, `not_found`, `endpoint_down`, `exit_status`, `output_contract`, `model_refused`, `model_truncated`", one_of: ["transient", "rate_limited", "timeout", "auth", "permission", "not_found", "endpoint_down", "exit_status", "output_contract", "model_refused", "model_truncated"], actual: "the text `never`" }
    /steps/1/retry/jitter 0 WrongShape { expected: "true or false", one_of: [], actual: "`0`" }
    /steps/1/join "none" WrongShape { expected: "one of `all`, `any`, `settled`", one_of: ["all", "any", "settled"], actual: "the text `none`" }
    /steps/2/config/type "TOOL" WrongShape { expected: "one of `TOOL_CALL`, `CODE_CALL`, `PROMPT_CALL`, `AGENT_CALL`, `HUMAN_INTERACTION`, `CONDITION`, `FAN_OUT`, `FAN_IN`", one_of: ["TOOL_CALL", "CODE_CALL", "PROMPT_CALL", "AGENT_CALL", "HUMAN_INTERACTION", "CONDITION", "FAN_OUT", "FAN_IN"], actual: "the text `TOOL`" }
    /steps/3/config {"tool": "t"} MissingField { field: "type" }
    /steps/4/config/inline [] WrongShape { expected: "text", one_of: [], actual: "an array" }
    /steps/4/config/args/0 1 WrongShape { expected: "text", one_of: [], actual: "`1`" }
    /steps/4/config/env/A 1 WrongShape { expected: "text", one_of: [], actual: "`1`" }
    /steps/5/config {"type": "PROMPT_CALL", "model": "", "us MissingField { field: "output_field" }
    /steps/5/config/model "" InvalidId { what: "a model name", text: "", error: Empty, grammar: "1 to 256 bytes of text without control characters" }
    /steps/5/config/user_prompt 5 WrongShape { expected: "text", one_of: [], actual: "`5`" }
    /steps/5/config/output_schema 5 WrongShape { expected: "a JSON Schema", one_of: [], actual: "`5`" }
    /steps/5/config/temperature "hot" WrongShape { expected: "a number", one_of: [], actual: "the text `hot`" }
    "#);
}

#[test]
fn p104_missing_fields() {
    assert_snapshot!(problems_of(r#"{"format": 1}"#), @r#"
    {"format": 1} MissingField { field: "metadata" }
    {"format": 1} MissingField { field: "name" }
    {"format": 1} MissingField { field: "steps" }
    "#);
    assert_snapshot!(problems_of(r#"{"plan": null}"#), @r#"
     {"plan": null} MissingField { field: "format_version" }
    /plan null WrongShape { expected: "a plan, as an object", one_of: [], actual: "`null`" }
    "#);
    assert_snapshot!(problems_of("[]"), @r#" [] WrongShape { expected: "a plan, a bundle or a planner's list, as an object", one_of: [], actual: "an array" }"#);
    let metadata = r#"{"metadata": {"id": "x", "version": 0, "created_at": "today", "updated_at": 5,
        "parent_plan_id": 1, "status": "done"}, "name": "p", "steps": []}"#;
    assert_snapshot!(problems_of(metadata), @r#"
    /metadata/id "x" WrongShape { expected: "a UUID", one_of: [], actual: "the text `x`" }
    /metadata/version 0 WrongShape { expected: "a whole number from 1", one_of: [], actual: "`0`" }
    /metadata/created_at "today" WrongShape { expected: "a time, such as `2026-01-31T12:00:00Z`", one_of: [], actual: "the text `today`" }
    /metadata/updated_at 5 WrongShape { expected: "a time, such as `2026-01-31T12:00:00Z`", one_of: [], actual: "`5`" }
    /metadata/parent_plan_id 1 WrongShape { expected: "a UUID", one_of: [], actual: "`1`" }
    /metadata/status "done" WrongShape { expected: "one of `draft`, `published`", one_of: ["draft", "published"], actual: "the text `done`" }
    "#);
}

#[test]
fn p105_inexact_numbers() {
    let text = r#"{"objective": "x", "steps": [{"tool": "t", "args":
        {"a": 18446744073709551616, "b": [1e400], "c": 0.123456789012345678, "d": 1e-400, "e": 12e0}}]}"#;
    assert_snapshot!(problems_of(text), @r#"
    /steps/0/args/a 18446744073709551616 InexactNumber { text: "18446744073709551616" }
    /steps/0/args/b/0 1e400 InexactNumber { text: "1e400" }
    /steps/0/args/c 0.123456789012345678 InexactNumber { text: "0.123456789012345678" }
    /steps/0/args/d 1e-400 InexactNumber { text: "1e-400" }
    "#);
}

#[test]
fn p106_documents_over_a_limit() {
    let mut limits = Limits::default();
    limits.document_bytes = 60;
    limits.depth = 3;
    limits.document_nodes = 6;
    limits.steps = 2;
    let check = |text: &str| {
        let parsed = parse(text.as_bytes(), &limits);
        assert!(parsed.document.is_none());
        let [problem] = parsed.problems.as_slice() else {
            panic!("{:?}", parsed.problems)
        };
        format!("{} {:?} {:?}", problem.pointer, problem.span, problem.kind)
    };
    assert_snapshot!(check(&" ".repeat(61)), @r#" Span { start: 0, end: 0 } TooLarge { what: "bytes", actual: 61, limit: 60 }"#);
    assert_snapshot!(check("{\"a\": [[[1]]]}"), @r#"/a/0/0 Span { start: 8, end: 9 } TooLarge { what: "levels of nesting", actual: 4, limit: 3 }"#);
    assert_snapshot!(check("[1, 2, 3, 4, 5, 6]"), @r#"/5 Span { start: 16, end: 17 } TooLarge { what: "values", actual: 7, limit: 6 }"#);
}

#[test]
fn p107_invalid_names() {
    let long = "x".repeat(65);
    let text = plan_with(&format!(
        r#""inputs": [{{"name": "a b"}}], "config": {{"input": 1}}, "outputs": [{{"name": "", "source": "${{step.1a.x}}"}}],
        "steps": [
            {{"id": "1a", "name": "n", "config": {{"type": "TOOL_CALL", "tool": "a\u0000"}}}},
            {{"id": "{long}", "name": "n", "depends_on": ["1a"], "config": {{"type": "FAN_OUT",
              "over": "1a.items", "item_var": "", "spawn_steps": ["é"]}}}}
        ]"#
    ));
    assert_snapshot!(problems_of(&text), @r#"
    /inputs/0/name "a b" InvalidId { what: "an input name", text: "a b", error: Character { character: ' ', at: 1 }, grammar: "a letter or `_`, then letters, digits, `_` and `-`, and no reserved word" }
    /config/input "input" InvalidId { what: "a config key", text: "input", error: Reserved, grammar: "a letter or `_`, then letters, digits, `_` and `-`, and no reserved word" }
    /outputs/0/name "" InvalidId { what: "an output name", text: "", error: Empty, grammar: "1 to 256 bytes of text without control characters" }
    /steps/0/id "1a" InvalidId { what: "a step id", text: "1a", error: Character { character: '1', at: 0 }, grammar: "a letter or `_`, then letters, digits, `_` and `-`, and no reserved word" }
    /steps/0/config/tool "a\u0000" InvalidId { what: "a tool name", text: "a\0", error: Character { character: '\0', at: 1 }, grammar: "1 to 256 bytes of text without control characters" }
    /steps/1/id "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx InvalidId { what: "a step id", text: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", error: TooLong { actual: 65, limit: 64 }, grammar: "a letter or `_`, then letters, digits, `_` and `-`, and no reserved word" }
    /steps/1/config/item_var "" InvalidId { what: "an item name", text: "", error: Empty, grammar: "a letter or `_`, then letters, digits, `_` and `-`, and no reserved word" }
    "#);
}

#[test]
fn p110_environment_references_are_noted() {
    let text = plan_of(&step(
        "a",
        r#"{"type": "TOOL_CALL", "tool": "t", "arguments": {"k": ["x ${env.KEY}", "${secret.S}"]}}"#,
    ));
    assert_snapshot!(problems_of(&text), @r#"/steps/0/config/arguments/k/0 "x ${env.KEY}" EnvironmentReference { name: "KEY" }"#);
}

#[test]
fn p401_malformed_references_are_found_in_the_text() {
    let text = plan_of(&step(
        "a",
        r#"{"type": "TOOL_CALL", "tool": "t", "arguments": {
            "k": ["${input.a}", {"x": "\u00e9 ${nothing.b} tail"}], "l": "${input.a"}}"#,
    ));
    assert_snapshot!(problems_of(&text), @r#"
    /steps/0/config/arguments/k/1/x nothing.b} MalformedReference { error: ReferenceError { message: "`nothing` is none of `input`, `conf`, `step`, `item` and `secret`", at: 5 }, in_quotes: None }
    /steps/0/config/arguments/l ${input.a MalformedReference { error: ReferenceError { message: "`${` is not closed by `}`", at: 0 }, in_quotes: None }
    "#);
}

#[test]
fn p408_references_in_names() {
    let text = plan_of(
        r#"{"id": "${input.a}", "name": "n", "depends_on": ["${step.b}"], "config": {"type": "TOOL_CALL", "tool": "${input.tool}",
            "arguments": {"${input.k}": {"${step.a.x}": 1, "${HOME}": 2}}}}"#,
    );
    assert_snapshot!(problems_of(&text), @r#"
    /steps/0/id "${input.a}" MisplacedReference { place: "a step id" }
    /steps/0/depends_on/0 "${step.b}" MisplacedReference { place: "a step id" }
    /steps/0/config/tool "${input.tool}" MisplacedReference { place: "a tool name" }
    /steps/0/config/arguments/${input.k} "${input.k}" MisplacedReference { place: "an object key" }
    /steps/0/config/arguments/${input.k}/${step.a.x} "${step.a.x}" MisplacedReference { place: "an object key" }
    "#);
}

#[test]
fn p410_sources_are_one_reference_to_a_step() {
    let text = plan_with(
        r#""steps": [], "outputs": [
            {"name": "a", "source": "${step.a.x}"},
            {"name": "b", "source": "${step.a.x ?? step.b.x}"},
            {"name": "c", "source": "text ${step.a.x}"},
            {"name": "d", "source": "${input.x}"},
            {"name": "e", "source": "a.x"},
            {"name": "f", "source": 1},
            {"name": "g", "source": "${step.}"}
        ]"#,
    );
    assert_snapshot!(problems_of(&text), @r#"
    /outputs/2/source "text ${step.a.x}" InvalidSource { actual: "the text `text ${step.a.x}`" }
    /outputs/3/source "${input.x}" InvalidSource { actual: "the text `${input.x}`" }
    /outputs/4/source "a.x" InvalidSource { actual: "the text `a.x`" }
    /outputs/5/source 1 WrongShape { expected: "text", one_of: [], actual: "`1`" }
    /outputs/6/source } MalformedReference { error: ReferenceError { message: "a name is missing after `.`", at: 7 }, in_quotes: None }
    "#);
}

#[test]
fn p501_expressions_that_do_not_parse() {
    let text = plan_of(&step("a", r#"{"type": "CONDITION", "expression": "1 +"}"#));
    let problems = problems_of(&text);
    assert!(
        problems.contains("/steps/0/config/expression"),
        "{problems}"
    );
    assert!(problems.contains("InvalidExpression"), "{problems}");
}

#[test]
fn p509_a_script_is_inline_or_a_file() {
    let text = plan_of(&[
        step("a", r#"{"type": "CODE_CALL", "language": "sh"}"#),
        step("b", r#"{"type": "CODE_CALL", "language": "sh", "inline": "x", "file": "y"}"#),
        step("c", r#"{"type": "CODE_CALL", "language": "sh", "inline": "echo ${step.a.x}", "file": null}"#),
    ].join(","));
    assert_snapshot!(problems_of(&text), @r#"
    /steps/0/config {"type": "CODE_CALL", "language": "sh"} NotExactlyOne { fields: ["inline", "file"], present: 0 }
    /steps/1/config {"type": "CODE_CALL", "language": "sh",  NotExactlyOne { fields: ["inline", "file"], present: 2 }
    "#);
}
