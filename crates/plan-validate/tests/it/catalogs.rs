//! Catalog files.

use plan_model::Limits;
use plan_model::document::{Document, parse};
use plan_validate::{Finding, ToolCatalog};
use serde_json::{Value, json};

use crate::sample;

pub(crate) fn document(value: &Value) -> Document {
    parse(value.to_string().as_bytes(), &Limits::default())
        .document
        .expect("JSON")
}

pub(crate) fn catalog(value: &Value) -> ToolCatalog {
    match ToolCatalog::from_document(&document(value)) {
        Ok(catalog) => catalog,
        Err(rejected) => panic!("{:?}", lines(rejected.findings())),
    }
}

pub(crate) fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(Finding::line).collect()
}

fn refused(value: &Value) -> String {
    let rejected = ToolCatalog::from_document(&document(value)).expect_err("a finding");
    lines(rejected.findings()).join("\n")
}

#[test]
fn without_the_mark_at_its_top_a_file_allows_nothing_by_itself() {
    let file = json!({"tools": [{"name": "a"}, {"name": "b", "allowlisted": true}]});
    let plan = json!({"steps": [{"tool": "a"}, {"tool": "b"}]});
    let findings = sample::findings_under(&plan, &catalog(&file));
    insta::assert_snapshot!(lines(&findings).join("\n"), @"P302 /steps/0/tool: the catalog does not allow the tool `a`");
    insta::assert_snapshot!(findings[0].suggestions[0].title, @"add `allowlisted: true` to the tool `a` of the catalog");
}

#[test]
fn every_fault_of_a_file_is_found_at_once() {
    insta::assert_snapshot!(refused(&json!({
        "planwright": 2,
        "tolls": [],
        "tools": [
            {"name": "", "timeout_secs": -1},
            {"config": {"kind": "subprocess", "command": " ", "args": "x"}},
            {"name": "c", "effects": {"readonly": true}, "max_concurrency": 0, "idempotency_key": "always"},
        ],
        "languages": {"ruby": {"cmd": "ruby"}},
        "agents": {"a": {"kind": "subprocess"}},
        "models": [{}],
    })), @r#"
        P901 /agents/a: the field `command` is missing
        P901 /languages/ruby: the field `command` is missing
        P901 /languages/ruby/cmd: the field `cmd` is not known here
        P901 /models/0: the field `name` is missing
        P901 /planwright: `2` is not `1`, the version of this format
        P901 /tolls: the field `tolls` is not known here, `tools` is
        P901 /tools/0/name: the tool name `` is empty
        P901 /tools/0/timeout_secs: `-1` is not a number of seconds from 0
        P901 /tools/1: the field `name` is missing
        P901 /tools/1/config/args: `"x"` is not an array
        P901 /tools/1/config/command: the command is blank
        P901 /tools/2/effects/readonly: the field `readonly` is not known here, `read_only` is
        P901 /tools/2/idempotency_key: `"always"` is not `none`, `env` or an object with `header`
        P901 /tools/2/max_concurrency: `0` is not a whole number from 1
        "#);
}

#[test]
fn case_16_names_that_look_alike_do_not_stand_side_by_side() {
    // a Cyrillic а, and the decomposed form of é
    for (a, b) in [("pay", "p\u{0430}y"), ("caf\u{e9}", "cafe\u{301}")] {
        let file = json!({"planwright": 1, "tools": [{"name": a}, {"name": b}]});
        let refused = refused(&file);
        assert!(refused.contains("looks like"), "{a} {b}");
        // what the eye misses is spelled out
        assert!(refused.contains("U+"), "{refused}");
    }
}

#[test]
fn twins_name_both_places() {
    let file = json!({"planwright": 1, "tools": [{"name": "pay"}, {"name": "p\u{0430}y"}, {"name": "pay"}]});
    let text = file.to_string();
    let document = parse(text.as_bytes(), &Limits::default()).document.unwrap();
    let rejected = ToolCatalog::from_document(&document).unwrap_err();
    let places: Vec<String> = rejected
        .findings()
        .iter()
        .map(|finding| format!("{} {}", finding.pointer, finding.related[0].pointer))
        .collect();
    assert_eq!(
        places,
        ["/tools/1/name /tools/0/name", "/tools/2/name /tools/0/name"]
    );
}

#[test]
fn case_25_a_tool_with_an_unusable_schema_is_quarantined_and_the_others_work() {
    let nested = (0..20).fold(
        json!({"type": "string"}),
        |schema, _| json!({"anyOf": [schema]}),
    );
    let file = json!({"planwright": 1, "tools": [
        {"name": "good", "input_schema": {"type": "object"}},
        {"name": "remote", "input_schema": {"$ref": "https://example.com/s.json"}},
        {"name": "backtracks", "input_schema": {"properties": {"a": {"type": "string", "pattern": "(a+)+\\1$"}}}},
        {"name": "looks_ahead", "output_schema": {"type": "string", "pattern": "^(?=.*x)y"}},
        {"name": "invalid", "input_schema": {"type": "nothing"}},
        {"name": "ring", "input_schema": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}},
        {"name": "nested", "input_schema": {"properties": {"a": nested}}},
        {"name": "catastrophic", "input_schema": {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}},
    ]});
    let catalog = catalog(&file);
    let held: Vec<&str> = catalog
        .tools()
        .filter(|tool| tool.quarantine.is_some())
        .map(|tool| tool.spec.name.as_str())
        .collect();
    assert_eq!(
        held,
        ["backtracks", "invalid", "looks_ahead", "remote", "ring"]
    );
    let plan = json!({"steps": [{"tool": "good", "args": {"x": 1}}]});
    assert!(sample::findings_under(&plan, &catalog).is_empty());
    // the classic catastrophe runs in linear time here
    let long = "a".repeat(50_000) + "!";
    let plan = json!({"steps": [{"tool": "catastrophic", "args": {"a": long}}]});
    assert_eq!(sample::findings_under(&plan, &catalog).len(), 1);
}

#[test]
fn built_in_languages_have_their_aliases() {
    let names: Vec<String> = ToolCatalog::builder()
        .build()
        .unwrap()
        .languages()
        .keys()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        names,
        [
            "bash",
            "javascript",
            "js",
            "node",
            "py",
            "python",
            "python3",
            "sh",
            "shell"
        ]
    );
}

#[test]
fn a_tool_is_digested_by_what_it_is_and_not_by_what_is_said_of_it() {
    let digest = |tool: Value| {
        let catalog = catalog(&json!({"planwright": 1, "tools": [tool]}));
        catalog.tools().next().unwrap().digest
    };
    let tool = digest(json!({"name": "a", "config": {"kind": "subprocess", "command": "x"}}));
    assert_eq!(
        tool,
        digest(
            json!({"name": "a", "description": "says", "config": {"kind": "subprocess", "command": "x"}})
        )
    );
    for other in [
        json!({"name": "a", "config": {"kind": "subprocess", "command": "y"}}),
        json!({"name": "a", "config": {"kind": "subprocess", "command": "x"}, "effects": {"read_only": true}}),
        json!({"name": "a", "config": {"kind": "subprocess", "command": "x"}, "input_schema": {}}),
    ] {
        assert_ne!(tool, digest(other));
    }
}

#[test]
fn http_methods_say_what_they_do() {
    let effects = |method: &str| {
        let config = json!({"kind": "http", "base_url": "https://example.com", "method": method});
        let catalog =
            catalog(&json!({"planwright": 1, "tools": [{"name": "a", "config": config}]}));
        let effects = catalog.tools().next().unwrap().spec.effects;
        (effects.read_only.holds, effects.idempotent.holds)
    };
    assert_eq!(effects("GET"), (true, true));
    assert_eq!(effects("DELETE"), (false, true));
    assert_eq!(effects("POST"), (false, false));
}

#[test]
fn a_tool_name_that_only_looks_right_is_unknown_and_the_help_says_so() {
    let catalog = ToolCatalog::from_names(["pay"]).unwrap();
    for name in ["p\u{0430}y", "Pay", "pa_y"] {
        let findings = sample::findings_under(&json!({"steps": [{"tool": name}]}), &catalog);
        let unknown = findings
            .iter()
            .find(|finding| finding.code == "P301")
            .expect("P301");
        assert!(
            unknown.suggestions[0]
                .title
                .contains("the tool `pay` looks like it"),
            "{name}"
        );
    }
}

#[test]
fn candidates_are_the_tools_that_take_the_arguments() {
    let catalog = catalog(&json!({"planwright": 1, "tools": [
        {"name": "fetch_page", "input_schema": {"properties": {"url": {}}, "required": ["url"]}},
        {"name": "fetch_mail", "input_schema": {"properties": {"box": {}}, "required": ["box"]}},
        {"name": "open", "input_schema": {"properties": {"url": {}}}},
    ]}));
    let plan = json!({"steps": [{"tool": "fetch_pages", "args": {"url": "x"}}]});
    let findings = sample::findings_under(&plan, &catalog);
    let names = Some(plan_validate::Expected::OneOf(vec![
        "fetch_page".to_owned(),
        "open".to_owned(),
    ]));
    assert_eq!(findings[0].expected, names);
}
