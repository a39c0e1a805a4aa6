//! Planner's lists: names, edges, references, and where they come from.

use insta::assert_snapshot;
use plan_model::document::{DocumentKind, EdgePolicy, ReadOptions};
use plan_model::{StepConfig, Template};
use serde_json::json;

use super::{pointer, problems_of, read_text, read_with};

/// The steps of a list as `id <- depends_on`, with a mark where position alone is the reason.
fn edges(text: &str, policy: EdgePolicy) -> String {
    let mut options = ReadOptions::default();
    options.edges = policy;
    let (read, problems) = read_with(text, &options);
    assert_eq!(problems, []);
    assert_eq!(read.kind, DocumentKind::Planner);
    let plan = read.plan.unwrap();
    let line = |(index, step): (usize, &plan_model::Step)| {
        let mark = if read.origin.is_positional(index) {
            " (position)"
        } else {
            ""
        };
        let after: Vec<&str> = step.depends_on.iter().map(AsRef::as_ref).collect();
        format!("{} <- {}{mark}\n", step.id, after.join(", "))
    };
    plan.steps.iter().enumerate().map(line).collect()
}

const EDGES: &str = r#"{"steps": [
    {"name": "a", "tool": "t"},
    {"name": "b", "tool": "t"},
    {"name": "c", "tool": "t", "after": []},
    {"name": "d", "tool": "t", "after": "a"},
    {"name": "e", "tool": "t", "after": ["a", "b", "a", "e", "nowhere"]},
    {"name": "f", "tool": "t", "args": {"x": ["${step.a.y}"]}},
    {"tool": "t", "after": ["step_8"]},
    {"name": " ", "tool": "t", "args": {"x": "${input.y}"}}
]}"#;

#[test]
fn edges_come_from_after_or_from_position() {
    assert_snapshot!(edges(EDGES, EdgePolicy::Position), @r"
    a <- 
    b <- a (position)
    c <- 
    d <- a
    e <- a, b, a, e, nowhere
    f <- e (position)
    step_7 <- step_8
    step_8 <- step_7 (position)
    ");
}

#[test]
fn under_data_flow_a_silent_step_that_reads_steps_has_its_edges_from_them_alone() {
    assert_snapshot!(edges(EDGES, EdgePolicy::DataFlow), @r"
    a <- 
    b <- a (position)
    c <- 
    d <- a
    e <- a, b, a, e, nowhere
    f <- 
    step_7 <- step_8
    step_8 <- step_7 (position)
    ");
}

#[test]
fn case_12_an_entry_of_after_that_is_no_name_is_refused() {
    let text = r#"{"steps": [
        {"name": "a", "tool": "t"},
        {"name": "b", "tool": "t", "after": [{"step": "a"}]},
        {"name": "c", "tool": "t", "after": [null]},
        {"name": "d", "tool": "t", "after": [1]},
        {"name": "e", "tool": "t", "after": ["a", 3, " "]},
        {"name": "f", "tool": "t", "after": null},
        {"name": "g", "tool": "t", "after": ""},
        {"name": "h", "tool": "t", "after": {"a": 1}}
    ]}"#;
    assert_snapshot!(problems_of(text), @r#"
    /steps/1/after/0 {"step": "a"} InvalidEdgeValue { actual: "an object" }
    /steps/2/after/0 null InvalidEdgeValue { actual: "`null`" }
    /steps/3/after/0 1 InvalidEdgeValue { actual: "`1`" }
    /steps/4/after/1 3 InvalidEdgeValue { actual: "`3`" }
    /steps/4/after/2 " " InvalidEdgeValue { actual: "the text ` `" }
    /steps/5/after null InvalidEdgeValue { actual: "`null`" }
    /steps/6/after "" InvalidEdgeValue { actual: "the text ``" }
    /steps/7/after {"a": 1} InvalidEdgeValue { actual: "an object" }
    "#);
    let (read, _) = read_text(text);
    let steps = &read.plan.as_ref().unwrap().steps;
    assert_eq!(steps[4].depends_on.len(), 3, "nothing is dropped");
    assert!(read.is_unread(&pointer("/steps/4/depends_on/1")));
    assert!(!read.is_unread(&pointer("/steps/4/depends_on/0")));
    assert!(read.is_unread(&pointer("/steps/5/depends_on")));
}

#[test]
fn case_14_unknown_keys_of_a_step_are_refused_with_candidates() {
    let text = r#"{"steps": [{"name": "a", "tool": "t", "depends_on": [], "After": [], "retries": 3, "arguments": {}}]}"#;
    assert_snapshot!(problems_of(text), @r#"
    /steps/0/depends_on "depends_on" UnknownField { field: "depends_on", candidates: ["after"], instead_of: None }
    /steps/0/After "After" UnknownField { field: "After", candidates: ["after"], instead_of: None }
    /steps/0/retries "retries" UnknownField { field: "retries", candidates: ["args", "after", "description"], instead_of: None }
    /steps/0/arguments "arguments" UnknownField { field: "arguments", candidates: ["args"], instead_of: None }
    "#);
}

#[test]
fn case_16_names_that_cannot_be_seen_are_refused() {
    let million = "n".repeat(1_000_000);
    for name in [
        "a\u{200B}b",
        "a\u{202E}b",
        "\\u0000",
        "\\u2066x",
        " a",
        "a ",
        million.as_str(),
    ] {
        let text = format!(r#"{{"steps": [{{"name": "{name}", "tool": "t"}}]}}"#);
        let problems = problems_of(&text);
        assert_eq!(problems.matches("InvalidId").count(), 1, "{problems}");
        assert_eq!(problems.lines().count(), 1, "{problems}");
    }
    let lone = r#"{"steps": [{"name": "\ud800", "tool": "t"}]}"#;
    assert!(problems_of(lone).contains("InvalidJson"));
}

#[test]
fn case_16_twins_are_not_equal() {
    let text = "{\"steps\": [
        {\"name\": \"caf\u{e9}\", \"tool\": \"t\"},
        {\"name\": \"cafe\u{301}\", \"tool\": \"t\"},
        {\"name\": \"c\", \"tool\": \"t\u{e9}\", \"after\": [\"cafe\u{301}\"]},
        {\"name\": \"d\", \"tool\": \"te\u{301}\", \"after\": [\"caf\u{e9}\"]}]}";
    let (read, problems) = read_text(text);
    assert_eq!(problems, []);
    let steps = read.plan.unwrap().steps;
    assert_ne!(steps[0].id, steps[1].id);
    assert_eq!(steps[2].depends_on, [steps[1].id.clone()]);
    assert_eq!(steps[3].depends_on, [steps[0].id.clone()]);
    assert_ne!(json!(steps[2].name.as_str()), json!(steps[3].name.as_str()));
}

#[test]
fn case_25a_names_with_blanks_become_slugs_and_are_found_by_name() {
    let text = r#"{
        "objective": "Edit the image.\nThen tell me.", "planner": "gpt", "risk": {"level": "low"},
        "steps": [
            {"name": "Image Editing", "tool": "Image Editing", "args": {"image": "${input.image}"}},
            {"name": "Object Detection", "tool": "Object Detection", "after": ["Image Editing"],
             "args": {"image": "${step[\"Image Editing\"].image}", "same": "${step.Image_Editing.image}"}}
        ]}"#;
    let (read, problems) = read_text(text);
    assert_eq!(problems, []);
    let plan = read.plan.unwrap();
    assert_eq!(plan.name, "Edit the image.");
    assert_eq!(
        plan.metadata.intent.as_deref(),
        Some("Edit the image.\nThen tell me.")
    );
    assert_eq!(plan.steps[0].id, "Image_Editing");
    assert_eq!(plan.steps[0].name, "Image Editing");
    assert_eq!(plan.steps[1].depends_on, ["Image_Editing"]);
    let StepConfig::ToolCall(call) = &plan.steps[1].config else {
        panic!("a list holds tool calls")
    };
    assert_eq!(call.arguments["image"], call.arguments["same"]);
    assert!(matches!(call.arguments["image"], Template::Reference(_)));
}

#[test]
fn a_name_that_is_used_twice_is_one_id_twice() {
    let text = r#"{"steps": [{"name": "a b", "tool": "t"}, {"name": "a b", "tool": "t"}, {"name": "a_b", "tool": "t"}]}"#;
    let steps = read_text(text).0.plan.unwrap().steps;
    assert_eq!(steps[0].id, steps[1].id);
    assert_eq!(steps[2].id, "a_b");
    assert_ne!(steps[0].id, steps[2].id);
}

#[test]
fn one_list_is_one_plan_whatever_its_spelling() {
    let id = |text| read_text(text).0.plan.unwrap().metadata.id;
    let one = id(r#"{"steps": [{"tool": "t", "args": {"x": 1.0}}], "risk": null}"#);
    let same = id(r#"{ "risk": null, "steps": [{"args": {"\u0078": 1}, "tool": "t"}]}"#);
    let other = id(r#"{"steps": [{"tool": "t", "args": {"x": 2}}], "risk": null}"#);
    assert_eq!(one, same);
    assert_ne!(one, other);
}

#[test]
fn a_list_is_known_by_its_members() {
    let kind = |text: &str| read_text(text).0.kind;
    assert_eq!(kind(r#"{"steps": []}"#), DocumentKind::Planner);
    assert_eq!(kind(r#"{"objective": "x"}"#), DocumentKind::Planner);
    assert_eq!(kind(r#"{"steps": [{"config": {}}]}"#), DocumentKind::Plan);
    assert_eq!(kind(r#"{"metadata": {}, "steps": []}"#), DocumentKind::Plan);
    assert_eq!(kind(r#"{"plan": {}}"#), DocumentKind::Bundle);
    assert_eq!(kind("{}"), DocumentKind::Plan);
}
