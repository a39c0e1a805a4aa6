//! Cases that were seen to go wrong elsewhere.

use std::fmt::Write as _;

use plan_model::document::{DocumentKind, ProblemKind, extract_plan, parse, read};
use plan_model::{Limits, StepConfig};

use super::{plan_of, pointer, problems_of, read_text, reading_as, step};

#[test]
fn case_04_a_misspelt_safety_field_is_refused() {
    let text = plan_of(&step(
        "ask",
        r#"{"type": "HUMAN_INTERACTION", "prompt": "Go?", "response_field": "ok", "aproval_required": true}"#,
    ));
    let (_, problems) = read_text(&text);
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}")
    };
    assert!(matches!(
        &problem.kind,
        ProblemKind::UnknownField { candidates, .. } if candidates == &["approval_required"]
    ));
}

#[test]
fn case_15_too_many_steps_are_one_problem() {
    let step = r#"{"name": 1, "oops": 2},"#;
    for text in [
        format!("{{\"steps\": [{}{{}}]}}", step.repeat(200_000)),
        plan_of(&format!("{}{{}}", step.repeat(200_000))),
        format!(
            "{{\"format_version\": 1, \"plan\": {}}}",
            plan_of(&format!("{}{{}}", step.repeat(200_000)))
        ),
    ] {
        let (read, problems) = read_text(&text);
        assert!(read.plan.is_none());
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}")
        };
        assert_eq!(
            problem.kind,
            ProblemKind::TooLarge {
                what: "steps",
                actual: 200_001,
                limit: 10_000
            }
        );
    }
}

#[test]
fn case_17_deep_nesting_is_refused_without_recursion() {
    let bombs = [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!(
            r#"{{"steps": [{{"tool": "t", "args": {{"x": {}1{}}}}}]}}"#,
            "[".repeat(400),
            "]".repeat(400)
        ),
    ];
    for bomb in bombs {
        let parsed = parse(bomb.as_bytes(), &Limits::default());
        assert!(parsed.document.is_none());
        let [problem] = parsed.problems.as_slice() else {
            panic!("{:?}", parsed.problems)
        };
        assert_eq!(
            problem.kind,
            ProblemKind::TooLarge {
                what: "levels of nesting",
                actual: 65,
                limit: 64
            }
        );
        extract_plan(&bomb);
    }
}

#[test]
fn case_18_texts_that_readers_differ_on_are_refused_or_normalised() {
    let kinds = |text: &str| problems_of(text);
    assert!(kinds(r#"{"path": 1, "path": 2}"#).contains("DuplicateKey"));
    assert!(kinds(r#"{"path": 1, "pa\u0074h": 2}"#).contains("DuplicateKey"));
    assert!(
        kinds(r#"{"steps": [{"tool": "t", "args": {"x": 18446744073709551616}}]}"#)
            .contains("InexactNumber")
    );
    assert!(kinds(r#"{"steps": [{"tool": "t", "args": {"x": 1e400}}]}"#).contains("InexactNumber"));
    for text in ["{} {}", "{}x", "\u{FEFF}{}", "{}\0"] {
        assert!(kinds(text).contains("InvalidJson"), "{text}");
    }
    let value = |text: &str| {
        parse(text.as_bytes(), &Limits::default())
            .document
            .unwrap()
            .to_value()
            .to_string()
    };
    assert_eq!(
        value("[-0, -0.0, 1.0, 1e2, 18446744073709551615]"),
        "[0,0,1,100,18446744073709551615]"
    );
}

#[test]
fn case_19_literals_of_other_systems_stay_text() {
    let text = plan_of(&[
        step("a", r#"{"type": "TOOL_CALL", "tool": "t", "arguments": {"x": "$100-$200", "y": "{{x}} $1 $${HOME}"}}"#),
        step("b", r#"{"type": "CODE_CALL", "language": "sh", "inline": "echo ${HOME} ${step.a.x}"}"#),
    ].join(","));
    assert_eq!(problems_of(&text), "");
}

#[test]
fn case_25b_an_inxm_bundle_has_no_finding() {
    let text = r#"{"format_version": 1, "exported_at": "2026-01-31T12:00:00Z", "app_version": "1.4.2",
        "plan": {
            "metadata": {"id": "3f2a8c1e-0b7d-4e55-9c7a-0d4b6a1f2e90", "version": 3, "created_at": "2026-01-31T12:00:00Z",
                "updated_at": "2026-01-31T12:00:00+01:00", "compiled_by": null, "intent": "x", "parent_plan_id": null,
                "parent_version": null, "status": "published", "solution_design": null},
            "name": "p", "description": null,
            "inputs": [{"name": "folder", "description": null, "value_type": "string", "required": true,
                "default": null, "input_kind": "directory_path"}],
            "config": {},
            "steps": [
                {"id": "list", "name": "List", "description": null, "depends_on": [], "retry": null, "timeout_secs": null,
                 "config": {"type": "CODE_CALL", "language": "python", "inline": "print('x')", "file": null, "args": [],
                    "stdin": null, "env": {}, "working_dir": null, "timeout_secs": 60},
                 "outputs": [{"name": "text", "description": null, "value_type": "string"}]},
                {"id": "agent", "name": "Agent", "depends_on": ["list"], "outputs": [], "retry": null,
                 "config": {"type": "AGENT_CALL", "objective": "do", "working_dir": "${input.folder}", "agent": null,
                    "tools": null, "max_turns": null, "timeout_secs": null}},
                {"id": "ask", "name": "Ask", "depends_on": ["agent"],
                 "outputs": [{"name": "answer", "value_type": "string"}],
                 "config": {"type": "HUMAN_INTERACTION", "prompt": "ok?", "response_field": "answer",
                    "approval_required": true, "on_reject": null}},
                {"id": "each", "name": "Each", "depends_on": ["ask"], "outputs": [],
                 "config": {"type": "FAN_OUT", "over": "list.text", "item_var": "it", "spawn_steps": ["one"],
                    "until": null, "max_parallel": null, "on_item_error": null}},
                {"id": "one", "name": "One", "depends_on": [], "outputs": [], "config": {"type": "TOOL_CALL",
                    "tool": "t", "arguments": {"x": "${item.it}", "y": null}}}
            ],
            "outputs": [{"name": "out", "description": null, "source": "${step.list.text}"}]
        },
        "tools": [{"name": "t", "config": {"kind": "subprocess"}}]}"#;
    let (read, problems) = read_text(text);
    assert_eq!(problems, []);
    assert_eq!(read.kind, DocumentKind::Bundle);
    let (place, tools) = read.tools.unwrap();
    assert_eq!(place.as_str(), "/tools");
    assert_eq!(tools[0]["name"], "t");
    let plan = read.plan.unwrap();
    assert_eq!(plan.inputs[0].default, None);
    assert_eq!(plan.steps[0].retry, None);
    let StepConfig::AgentCall(agent) = &plan.steps[1].config else {
        panic!("the second step is an agent")
    };
    assert_eq!(agent.tools, None);
    assert_eq!(
        read.origin.locate(&pointer("/steps/4")).as_str(),
        "/plan/steps/4"
    );
}

#[test]
fn a_kind_that_was_asked_for_is_not_guessed() {
    let text = r#"{"steps": [{"tool": "t"}]}"#;
    let document = parse(text.as_bytes(), &Limits::default()).document.unwrap();
    let read = read(&document, &reading_as(DocumentKind::Plan));
    assert_eq!(read.kind, DocumentKind::Plan);
    assert!(!read.problems.is_empty());
}

#[test]
fn problems_are_counted_once_there_are_a_thousand() {
    let mut text = String::from("{\"steps\": [");
    for index in 0..3_000 {
        let _ = write!(text, "{}1", if index == 0 { "" } else { "," });
    }
    text.push_str("]}");
    let (read, problems) = read_text(&text);
    assert_eq!((problems.len(), read.further), (1_000, 2_000));
    assert_eq!(read.plan.as_ref().unwrap().steps.len(), 3_000);
    assert!(read.is_unread(&pointer("/steps/2999")));
}

#[test]
fn problems_below_an_endless_key_cost_little() {
    let numbers = "1e400,".repeat(20_000);
    let text = format!("{{\"{}\": [{numbers}0]}}", "k".repeat(8 << 20));
    let parsed = parse(text.as_bytes(), &Limits::default());
    assert_eq!(parsed.problems.len() + parsed.further, 20_000);
    let kept: usize = parsed
        .problems
        .iter()
        .map(|p| p.pointer.as_str().len())
        .sum();
    assert!(kept < 10 << 20);
}
