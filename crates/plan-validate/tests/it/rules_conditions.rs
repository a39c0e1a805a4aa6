//! What conditions can come to: P502, P511 and P404.

use serde_json::{Value, json};

use crate::rules_control_flow::{flow, found};
use crate::sample::{after, call, findings, findings_under, related, step};

fn condition(id: &str, expression: &str, yes: &[&str], no: &[&str]) -> Value {
    let config = json!({"expression": expression, "true_steps": yes, "false_steps": no});
    step(id, "CONDITION", config, json!({}))
}

/// What is found of a condition with one branch.
fn of(expression: &str) -> Vec<String> {
    found(json!([
        call(
            "look",
            json!({}),
            json!({"outputs": [
                {"name": "n", "value_type": "integer"},
                {"name": "text", "value_type": "string"},
                {"name": "word", "value_type": "string", "schema": {"enum": ["good", "bad"]}},
                {"name": "any"},
            ]})
        ),
        condition("c", expression, &["yes"], &[]),
        after("yes", &["c"]),
    ]))
}

#[test]
fn sides_that_are_never_equal_are_found() {
    for (expression, expected) in [
        (
            "step.look.n == 'x'",
            "`==` is always false: integer is never equal to `\"x\"`",
        ),
        (
            "step.look.n != 'x'",
            "`!=` is always true: integer is never equal to `\"x\"`",
        ),
        (
            "step.look.word == 'god'",
            "`==` is always false: `\"good\"` or `\"bad\"` is never equal to `\"god\"`",
        ),
        (
            "input.n > 2 || step.look.n in ['a', 'b']",
            "`in` is always false: integer is never an element of array of string",
        ),
    ] {
        assert_eq!(
            of(expression),
            [format!("P502 /steps/1/config/expression: {expected}")],
            "{expression}"
        );
    }
    for fine in [
        "step.look.n == 5",
        "step.look.n == 5.0",
        "step.look.n == null",
        "step.look.any == 'x'",
        "step.look.text == 'x'",
        "step.look.word == 'bad'",
        "step.look.n in ['a', 5]",
        // both may be null where the step did not run
        "step.look.n == step.look.text",
    ] {
        assert_eq!(of(fine), [""; 0], "{fine}");
    }
}

#[test]
fn a_misspelt_word_has_the_words_that_there_are() {
    let document = flow(json!([
        step(
            "agree",
            "HUMAN_INTERACTION",
            json!({"prompt": "Go on?", "response_field": "ok", "approval_required": true, "on_reject": "continue"}),
            json!({"outputs": [{"name": "ok", "value_type": "string"}]})
        ),
        condition("c", "step.agree.ok == 'approve'", &["yes"], &[]),
        after("yes", &["c"]),
    ]));
    let findings = findings(&document);
    let wrong = findings.iter().find(|f| f.code == "P502").unwrap();
    let expected = serde_json::to_value(wrong.expected.as_ref().unwrap()).unwrap();
    assert_eq!(expected, json!({"one_of": ["approved", "rejected"]}));
}

#[test]
fn a_constant_is_one_finding_at_the_branch_that_it_closes_or_at_itself() {
    assert_eq!(
        of("1 < 2"),
        ["P502 /steps/1/config/expression: the expression is true in every run"]
    );
    assert_eq!(
        of("1 > 2"),
        ["P207 /steps/2: `yes` can never run: `c` always fails"]
    );
    // a faulty type is said once
    assert!(of("(step.look.text > 3) == 'x'")[0].starts_with("P501"));
}

#[test]
fn a_condition_on_an_approval_that_ends_the_run_decides_nothing() {
    let steps = |expression: &str, on_reject: &str| {
        found(json!([
            step(
                "agree",
                "HUMAN_INTERACTION",
                json!({"prompt": "Go on?", "response_field": "ok", "approval_required": true, "on_reject": on_reject}),
                json!({})
            ),
            condition("c", expression, &["yes"], &["no"]),
            after("yes", &["c"]),
            after("no", &["c"]),
            after("behind", &["no"]),
        ]))
    };
    for expression in [
        "${step.agree.ok}",
        "!step.agree.ok",
        "step.agree.ok == true && input.n > 2",
    ] {
        assert_eq!(
            steps(expression, "cancel"),
            [
                "P502 /steps/1/config/expression: `${step.agree.ok}` is always `true`: `agree` ends the run when it is rejected"
            ],
            "{expression}"
        );
        assert_eq!(steps(expression, "continue"), [""; 0], "{expression}");
    }
}

#[test]
fn an_approval_that_may_fail_is_worth_asking_about() {
    let steps = json!([
        step(
            "agree",
            "HUMAN_INTERACTION",
            json!({"prompt": "Go on?", "response_field": "ok", "approval_required": true}),
            json!({"on_error": "continue", "timeout_secs": 5})
        ),
        step(
            "c",
            "CONDITION",
            json!({"expression": "step.agree.ok == true", "true_steps": ["yes"], "false_steps": []}),
            json!({"join": "settled"})
        ),
        after("yes", &["c"]),
    ]);
    assert_eq!(found(steps), [""; 0]);
}

#[test]
fn a_join_of_the_other_branch_is_never_satisfied() {
    let steps = |join: &str| {
        json!([
            condition("c", "input.n > 2", &["yes"], &["no", "nay"]),
            after("no", &["c"]),
            after("nay", &["c"]),
            call(
                "yes",
                json!({}),
                json!({"depends_on": ["no", "nay"], "join": join})
            ),
            after("behind", &["yes"]),
        ])
    };
    assert_eq!(
        found(steps("any")),
        [
            "P511 /steps/3/join: `yes` can never run: it joins `any` of `no`, `nay`, and none of them runs where it is chosen"
        ]
    );
    assert_eq!(
        found(steps("settled")),
        [
            "P511 /steps/3/join: `yes` joins what it never gets: none of `no`, `nay` runs where it is chosen"
        ]
    );
    let findings = findings(&flow(steps("any")));
    let wrong = findings.iter().find(|f| f.code == "P511").unwrap();
    assert_eq!(related(wrong).len(), 3);
}

#[test]
fn each_way_of_a_join_can_be_closed_by_another_condition() {
    let steps = json!([
        condition("c", "input.n > 2", &["yes"], &["a"]),
        condition("d", "input.text == 'x'", &["yes"], &["b"]),
        after("a", &["c"]),
        after("b", &["d"]),
        call(
            "yes",
            json!({}),
            json!({"depends_on": ["a", "b"], "join": "any"})
        ),
    ]);
    assert_eq!(
        found(steps),
        [
            "P511 /steps/4/join: `yes` can never run: it joins `any` of `a`, `b`, and none of them runs where it is chosen"
        ]
    );
}

#[test]
fn a_join_of_what_never_runs_is_no_finding_of_its_own() {
    let steps = json!([
        condition("c", "1 > 2", &["a", "b"], &["no"]),
        after("a", &["c"]),
        after("b", &["c"]),
        after("no", &["c"]),
        call(
            "any",
            json!({}),
            json!({"depends_on": ["a", "b"], "join": "any"})
        ),
        call(
            "settled",
            json!({}),
            json!({"depends_on": ["a", "b"], "join": "settled"})
        ),
        after("behind", &["any"]),
    ]);
    assert_eq!(
        found(steps),
        [
            "P207 /steps/1: `a` can never run: `c` always fails",
            "P207 /steps/2: `b` can never run: `c` always fails",
        ]
    );
}

/// A join of two branches that reads one of them.
fn reading(argument: &Value, join: &str) -> Value {
    json!([
        condition("c", "input.n > 2", &["a"], &["b"]),
        after("a", &["c"]),
        after("b", &["c"]),
        call(
            "read",
            argument.clone(),
            json!({"depends_on": ["a", "b"], "join": join})
        ),
    ])
}

#[test]
fn what_may_have_been_skipped_is_read_as_null() {
    let argument = json!({"q": "About ${step.a.x}"});
    assert_eq!(
        found(reading(&argument, "any")),
        [
            "P404 /steps/3/config/arguments/q: `read` runs even where `a` did not, and `${step.a.x}` is null then"
        ]
    );
    assert_eq!(
        found(reading(&json!({"q": "${step.a.x ?? step.b.x}"}), "any")),
        [""; 0]
    );
    // the one step that `any` waits for has succeeded
    let steps = json!([
        condition("c", "input.n > 2", &["a"], &[]),
        after("a", &["c"]),
        call("read", json!({"q": "${step.a.x}"}), json!({"join": "any"})),
    ]);
    assert_eq!(found(steps), [""; 0]);
    // every way of the join comes after what is read
    let steps = json!([
        call("first", json!({}), json!({"on_error": "continue"})),
        condition("c", "input.n > 2", &["a"], &["b"]),
        after("a", &["c", "first"]),
        after("b", &["c", "first"]),
        call(
            "read",
            json!({"q": "${step.first.x}"}),
            json!({"depends_on": ["a", "b"], "join": "any"})
        ),
    ]);
    assert_eq!(found(steps), [""; 0]);
}

#[test]
fn what_settles_is_read_as_null_only_where_a_failure_lets_the_run_go_on() {
    let steps = |on_error: &str| {
        found(json!([
            call("a", json!({}), json!({"on_error": on_error})),
            call(
                "read",
                json!({"q": "${step.a.x}"}),
                json!({"join": "settled"})
            ),
        ]))
    };
    assert_eq!(steps("fail"), [""; 0]);
    assert_eq!(
        steps("continue"),
        [
            "P404 /steps/1/config/arguments/q: `read` runs even where `a` did not, and `${step.a.x}` is null then"
        ]
    );
}

#[test]
fn null_where_nothing_takes_it_is_an_error() {
    let document: Value = serde_json::from_str(
        r#"{"planwright": 1, "tools": [
            {"name": "search", "input_schema": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}, "more": {"type": "string"}}}}
        ]}"#,
    )
    .unwrap();
    let parsed = plan_model::document::parse(
        document.to_string().as_bytes(),
        &plan_model::Limits::default(),
    );
    let catalog = plan_validate::ToolCatalog::from_document(&parsed.document.unwrap()).unwrap();
    let severities = |argument: &Value| {
        let mut steps = reading(argument, "any");
        for index in [1, 2] {
            steps[index]["config"]["arguments"] = json!({"q": "x"});
        }
        let findings = findings_under(&flow(steps), &catalog);
        let of = findings.iter().filter(|finding| finding.code == "P404");
        of.map(|finding| (finding.severity.to_string(), finding.message.clone()))
            .collect::<Vec<_>>()
    };
    let required = severities(&json!({"q": "${step.a.x}"}));
    assert_eq!(
        required,
        [(
            "error".to_owned(),
            "`read` runs even where `a` did not, and `${step.a.x}` is null then, which the argument `q` does not take".to_owned()
        )]
    );
    // an optional argument that takes no null is left out
    let optional = severities(&json!({"q": "x", "more": "${step.a.x}"}));
    assert_eq!(optional[0].0, "warning");
}

#[test]
fn a_condition_without_a_value_where_a_step_was_skipped_is_an_error() {
    let steps = |expression: &str| {
        let mut steps = reading(&json!({}), "any");
        steps[3] = step(
            "read",
            "CONDITION",
            json!({"expression": expression, "true_steps": [], "false_steps": []}),
            json!({"depends_on": ["a", "b"], "join": "any"}),
        );
        found(steps)
    };
    assert_eq!(
        steps("step.a.x > 3"),
        [
            "P404 /steps/3/config/expression: `read` runs even where `a` did not, and `${step.a.x}` is null then, which leaves the expression without a value"
        ]
    );
    assert_eq!(steps("step.a.x == 'done'"), [""; 0]);
    assert_eq!(steps("has(step.a.x) && step.a.x > 3"), [""; 0]);
}
