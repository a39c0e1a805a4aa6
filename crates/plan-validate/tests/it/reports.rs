//! How findings look.

use plan_validate::render::{Colour, json, pretty};
use plan_validate::{Context, Policy, ToolCatalog, check, check_answer, check_plan};
use serde_json::json;

use crate::sample;

const REFUSED: &str = r#"{
  "steps": [
    {"name": "find", "tool": "serach", "args": {"query": "${input.topic}"}},
    {"name": "tell", "tool": "send", "args": {"to": "alice"}, "after": ["fnid"]}
  ]
}"#;

fn catalog() -> ToolCatalog {
    ToolCatalog::from_names(["search", "send"]).unwrap()
}

#[test]
fn a_report_shows_each_place() {
    let rejected = check(REFUSED, &Context::new(&catalog(), &Policy::default())).unwrap_err();
    insta::assert_snapshot!(pretty(rejected.findings(), "plan.json", REFUSED, Colour::Never), @r#"
        error[P402]: there is no input `topic`
         --> plan.json:3:58
          |
        3 |     {"name": "find", "tool": "serach", "args": {"query": "${input.topic}"}},
          |                                                          ^^^^^^^^^^^^^^^^ unknown-reference

        error[P301]: there is no tool `serach`
         --> plan.json:3:30
          |
        3 |     {"name": "find", "tool": "serach", "args": {"query": "${input.topic}"}},
          |                              ^^^^^^^^ unknown-tool
          |
          = help: one of `search`, `send`

        error[P204]: there is no step `fnid`
         --> plan.json:4:73
          |
        4 |     {"name": "tell", "tool": "send", "args": {"to": "alice"}, "after": ["fnid"]}
          |                                                                         ^^^^^^ unknown-dependency
          |
          = help: only `find` can stand here
        "#);
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let rejected = check(REFUSED, &Context::new(&catalog(), &Policy::default())).unwrap_err();
    let plain = pretty(rejected.findings(), "plan.json", REFUSED, Colour::Never);
    let coloured = pretty(rejected.findings(), "plan.json", REFUSED, Colour::Always);
    let mut stripped = String::new();
    let mut parts = coloured.split('\u{1b}');
    stripped.push_str(parts.next().unwrap());
    for part in parts {
        stripped.push_str(part.split_once('m').unwrap().1);
    }
    assert_ne!(plain, coloured);
    let trimmed = |text: &str| {
        text.lines()
            .map(str::trim_end)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(trimmed(&stripped), trimmed(&plain));
}

#[test]
fn one_line_of_sixteen_mebibytes_gives_a_short_report() {
    let text = format!(
        r#"{{"steps":[{{"tool":"serach","args":{{"a":"{}"}}}}]}}"#,
        "x".repeat(15 << 20)
    );
    let rejected = check(&text, &Context::new(&catalog(), &Policy::default())).unwrap_err();
    let report = pretty(rejected.findings(), "plan.json", &text, Colour::Never);
    assert!(report.len() < 2_000, "{}", report.len());
}

#[test]
fn the_json_of_a_refused_plan_has_its_findings() {
    let rejected = check(REFUSED, &Context::new(&catalog(), &Policy::default())).unwrap_err();
    let value = json(Err(&rejected));
    assert_eq!(value["valid"], json!(false));
    assert_eq!(value["truncated"], json!(0));
    let finding = &value["findings"][1];
    assert_eq!(finding["code"], json!("P301"));
    assert_eq!(finding["severity"], json!("error"));
    assert_eq!(finding["pointer"], json!("/steps/0/tool"));
    assert_eq!(
        (&finding["span"]["line"], &finding["span"]["column"]),
        (&json!(3), &json!(30))
    );
}

#[test]
fn the_json_of_a_checked_plan_has_everything_that_was_derived() {
    let text = sample::plan(json!([
        {"id": "a", "name": "A", "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {"q": 1}}},
        {"id": "b", "name": "B", "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {"q": 2}}},
        {"id": "c", "name": "C", "config": {"type": "TOOL_CALL", "tool": "send", "arguments": {"x": "${step.a.y}"}}, "depends_on": ["b"]},
    ])).to_string();
    let plan = check(&text, &Context::new(&catalog(), &Policy::default())).unwrap();
    let value = json(Ok(&plan));
    assert_eq!(value["valid"], json!(true));
    assert_eq!(value["parallel_groups"], json!([["a", "b"], ["c"]]));
    assert_eq!(value["edges"], json!({"a": [], "b": [], "c": ["a", "b"]}));
    assert_eq!(value["plan"]["digest"], json!(plan.digest().to_string()));
    assert_eq!(
        value["grant"]["sites"]["c"]["arguments"]["x"],
        json!({"from": "${step.a.y}"})
    );
    assert_eq!(value["bounds"]["tool_calls"], json!(3));
    assert_eq!(serde_json::to_value(&plan).unwrap(), value);
}

#[test]
fn a_plan_built_in_code_is_checked_like_its_document() {
    let text = sample::plan(json!([
        {"id": "a", "name": "A", "config": {"type": "TOOL_CALL", "tool": "search", "arguments": {"q": "${input.x}"}}},
    ])).to_string();
    let cx = (catalog(), Policy::default());
    let cx = Context::new(&cx.0, &cx.1);
    let good = text.replace("${input.x}", "x");
    let plan = check(&good, &cx).unwrap();
    assert_eq!(
        check_plan(plan.plan(), &cx).unwrap().digest(),
        plan.digest()
    );
    let mut bad = plan.plan().clone();
    bad.steps.clear();
    assert_eq!(check_plan(bad, &cx).unwrap_err().findings()[0].code, "P201");
}

#[test]
fn an_answer_is_pointed_at_where_it_stands() {
    let answer = format!("Sure!\n```json\n{REFUSED}\n```\n");
    let rejected =
        check_answer(&answer, &Context::new(&catalog(), &Policy::default())).unwrap_err();
    let unknown = rejected
        .findings()
        .iter()
        .find(|finding| finding.code == "P301")
        .unwrap();
    let span = unknown.span.unwrap();
    assert_eq!(answer.get(span.start..span.end), Some("\"serach\""));
    assert_eq!(span.line, 5);
}

#[test]
fn severities_of_a_policy_hold_except_for_errors() {
    let text = json!({"steps": [
        {"name": "a", "tool": "search"},
        {"name": "b", "tool": "search", "after": ["a", "a"]},
    ]})
    .to_string();
    let severity = |policy: &Policy| match check(&text, &Context::new(&catalog(), policy)) {
        Ok(plan) => plan
            .warnings()
            .first()
            .map(|finding| finding.severity.as_str()),
        Err(rejected) => rejected
            .findings()
            .first()
            .map(|finding| finding.severity.as_str()),
    };
    assert_eq!(severity(&Policy::default()), Some("warning"));
    assert_eq!(severity(&Policy::default().severity("P206", None)), None);
    let error = Some(plan_validate::Severity::Error);
    assert_eq!(
        severity(&Policy::default().severity("repeated-dependency", error)),
        Some("error")
    );
    let misspelt = check(
        REFUSED,
        &Context::new(&catalog(), &Policy::default().severity("P301", None)),
    );
    assert_eq!(misspelt.unwrap_err().findings()[1].code, "P301");
}

#[test]
fn a_text_that_is_no_json_is_shown_with_its_line_and_column() {
    let shown = |text: &str| {
        let catalog = ToolCatalog::from_names(["search"]).unwrap();
        let policy = Policy::default();
        let rejected = check(text, &Context::new(&catalog, &policy)).unwrap_err();
        let parsed = plan_model::document::parse(text.as_bytes(), &plan_model::Limits::default());
        assert_eq!(
            plan_validate::problem_findings(&parsed),
            rejected.findings()
        );
        let span = json(Err(&rejected))["findings"][0]["span"].clone();
        let place = format!("{}:{}", span["line"], span["column"]);
        let shown = pretty(rejected.findings(), "plan.json", text, Colour::Never);
        format!("{place}\n{}", shown.trim_end())
    };
    let texts = [
        "{",
        "",
        "# a plan\nsteps:\n  - tool: search\n",
        "{\n  \"steps\": [\n    {\"tool\": \"größe\" \"args\": {}}\n  ]\n}",
    ];
    insta::assert_snapshot!(texts.map(shown).join("\n\n"), @r#"
    1:2
    error[P101]: the document ends too early
     --> plan.json:1:2
      |
    1 | {
      |  ^ invalid-json

    1:1
    error[P101]: the document ends too early
     --> plan.json:1:1
      |
    1 |
      | ^ invalid-json

    1:1
    error[P101]: JSON has no comments
     --> plan.json:1:1
      |
    1 | # a plan
      | ^ invalid-json

    3:22
    error[P101]: a comma or `}` should stand here
     --> plan.json:3:22
      |
    3 |     {"tool": "größe" "args": {}}
      |                      ^ invalid-json
    "#);
}

#[test]
fn a_report_shows_what_a_suggestion_changes() {
    let text = "{\"steps\": [\n  {\"name\": \"a\", \"tool\": \"search\"},\n  {\"name\": \"größe 你好\",\t\"tool\": \"send\", \"after\": [\"a\", \"a\"]}\n]}";
    let plan = check(text, &Context::new(&catalog(), &Policy::default())).unwrap();
    insta::assert_snapshot!(pretty(plan.warnings(), "plan.json", text, Colour::Never).trim_end(), @r#"
    warning[P206]: `a` is a dependency already
     --> plan.json:3:55
      |
    3 |   {"name": "größe 你好", "tool": "send", "after": ["a", "a"]}
      |                                                         ^^^ repeated-dependency
      |
    note: named here first
     --> plan.json:3:50
      |
    3 |   {"name": "größe 你好", "tool": "send", "after": ["a", "a"]}
      |                                                    ^^^
    help: remove this entry
      |
    3 -   {"name": "größe 你好", "tool": "send", "after": ["a", "a"]}
    3 +   {"name": "größe 你好", "tool": "send", "after": ["a"]}
      |
    "#);
}

#[test]
fn a_place_of_many_lines_and_its_further_places_are_shown() {
    let text = "{\"steps\": [\n  {\n    \"name\": \"a\",\n    \"tool\": \"serach\"\n  },\n  {\"tool\": \"serach\"},\n  [\n    1\n  ]\n]}";
    let rejected = check(text, &Context::new(&catalog(), &Policy::default())).unwrap_err();
    insta::assert_snapshot!(pretty(rejected.findings(), "plan.json", text, Colour::Never).trim_end(), @r#"
    error[P301]: there is no tool `serach`
     --> plan.json:4:13
      |
    4 |     "tool": "serach"
      |             ^^^^^^^^ unknown-tool
      |
      = help: one of `search`, `send`
    note: the same tool
     --> plan.json:6:12
      |
    6 |   {"tool": "serach"},
      |            ^^^^^^^^

    error[P104]: an array is not a step, as an object
     --> plan.json:7:3
      |
    7 | /   [
    8 | |     1
    9 | |   ]
      | |___^ wrong-shape
      |
      = help: expected a step, as an object
    "#);
}
