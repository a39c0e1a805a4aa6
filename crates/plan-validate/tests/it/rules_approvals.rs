//! Approvals of a plan: which calls they approve (P603), and what their prompts lack (P611).
#![expect(clippy::needless_pass_by_value, reason = "a literal at every call")]

use plan_model::{Declared, StepId, ToolName, ToolSpec};
use plan_validate::{
    Approval, Context, EffectKind, Finding, Policy, ToolCatalog, Unapproved, check,
};
use serde_json::{Value, json};

use crate::sample::{step, with};

/// `find` reads, `wipe` destroys, and of `act` nobody says anything.
fn catalog() -> ToolCatalog {
    let named = |name: &str| ToolSpec::named(ToolName::new(name).unwrap());
    let mut find = named("find");
    find.effects.read_only = Declared::said(true);
    let mut wipe = named("wipe");
    wipe.effects.read_only = Declared::said(false);
    wipe.effects.destructive = Declared::said(true);
    [find, wipe, named("act")]
        .into_iter()
        .fold(ToolCatalog::builder(), plan_validate::CatalogBuilder::tool)
        .build()
        .unwrap()
}

fn denies() -> Policy {
    Policy::default()
        .require_approval_for(EffectKind::Destructive)
        .without_approval(Unapproved::Deny)
}

fn asks() -> Policy {
    Policy::default().require_approval_for(EffectKind::Destructive)
}

fn call(id: &str, tool: &str, arguments: Value, more: Value) -> Value {
    step(
        id,
        "TOOL_CALL",
        json!({"tool": tool, "arguments": arguments}),
        more,
    )
}

/// The call that destroys.
fn wipe(more: Value) -> Value {
    call("wipe", "wipe", json!({}), more)
}

fn find(id: &str, more: Value) -> Value {
    call(id, "find", json!({}), more)
}

/// An approval; `config` and `more` add or replace members.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn gate(id: &str, config: Value, more: Value) -> Value {
    let mut full = json!({"prompt": "Go on?", "response_field": "ok", "approval_required": true});
    for (name, value) in config.as_object().unwrap() {
        full[name] = value.clone();
    }
    step(id, "HUMAN_INTERACTION", full, more)
}

fn condition(id: &str, expression: &str, yes: &[&str], no: &[&str]) -> Value {
    let config = json!({"expression": expression, "true_steps": yes, "false_steps": no});
    step(id, "CONDITION", config, json!({}))
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn plan(steps: Value) -> Value {
    with(json!({
        "inputs": [
            {"name": "yes", "value_type": "boolean"},
            {"name": "path", "value_type": "string"},
            {"name": "rows", "value_type": "array"},
        ],
        "steps": steps,
    }))
}

fn found(steps: &Value, policy: &Policy) -> Vec<Finding> {
    let text = plan(steps.clone()).to_string();
    let mut findings = match check(&text, &Context::new(&catalog(), policy)) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    };
    findings.retain(|finding| finding.code != "P210");
    findings
}

/// How the call of `wipe` is approved under a policy that asks, and what one that denies finds.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn approved(steps: Value) -> String {
    let text = plan(steps.clone()).to_string();
    let checked = match check(&text, &Context::new(&catalog(), &asks())) {
        Ok(plan) => plan,
        Err(rejected) => panic!("{rejected}\n{:#?}", rejected.findings()),
    };
    let site = checked.grant().site(&StepId::new("wipe").unwrap()).unwrap();
    let is_asked = checked.bounds().asks.iter().any(|ask| ask.step == *"wipe");
    let denied: Vec<String> = found(&steps, &denies())
        .iter()
        .filter(|finding| finding.code == "P603")
        .map(Finding::line)
        .collect();
    match &site.approval {
        Approval::GivenBy(approval) => {
            assert!(!is_asked, "nobody is asked twice");
            assert_eq!(denied, [""; 0]);
            format!("given by {approval}")
        }
        Approval::AskAtCall(_) => {
            assert!(is_asked);
            denied.join("\n")
        }
        Approval::NotNeeded => "not needed".to_owned(),
    }
}

#[test]
fn case_22_an_approval_on_the_only_way_is_given() {
    let steps = json!([
        gate("agree", json!({}), json!({})),
        wipe(json!({"depends_on": ["agree"]}))
    ]);
    assert_eq!(approved(steps.clone()), "given by agree");
    let text = plan(steps).to_string();
    let checked = check(&text, &Context::new(&catalog(), &asks())).unwrap();
    let asks: Vec<_> = checked
        .bounds()
        .asks
        .iter()
        .map(|ask| ask.step.as_str())
        .collect();
    assert_eq!(asks, ["agree"]);
    assert!(
        checked
            .grant()
            .to_string()
            .contains("once step `agree` was approved")
    );
}

#[test]
fn case_22_a_call_without_an_approval_is_refused_where_policy_denies_and_asked_where_it_asks() {
    let steps = json!([
        find("look", json!({})),
        wipe(json!({"depends_on": ["look"]}))
    ]);
    assert_eq!(
        approved(steps),
        "P603 /steps/1: `wipe` runs without an approval by way of `look` -> `wipe`, and the policy denies calls that may destroy without one"
    );
    assert_eq!(
        approved(json!([wipe(json!({}))])),
        "P603 /steps/0: `wipe` runs without an approval as a first step, and the policy denies calls that may destroy without one"
    );
}

#[test]
fn case_22_the_way_around_an_approval_is_named() {
    let steps = json!([
        gate("agree", json!({}), json!({})),
        find("look", json!({})),
        find("short", json!({"depends_on": ["look"]})),
        wipe(json!({"depends_on": ["agree", "short"], "join": "any"})),
    ]);
    assert_eq!(
        approved(steps.clone()),
        "P603 /steps/3: `wipe` runs without an approval by way of `look` -> `short` -> `wipe`, and the policy denies calls that may destroy without one"
    );
    let findings = found(&steps, &denies());
    let refused = findings
        .iter()
        .find(|finding| finding.code == "P603")
        .unwrap();
    let related = crate::sample::related(refused);
    assert_eq!(
        related,
        [
            "/steps/2: on the way to the call",
            "/steps/1: on the way to the call",
            "/steps/0: not on every way to the call",
        ]
    );
}

#[test]
fn case_22_what_every_way_shares_is_given() {
    let steps = json!([
        gate("agree", json!({}), json!({})),
        find("left", json!({"depends_on": ["agree"]})),
        find("right", json!({"depends_on": ["agree"]})),
        wipe(json!({"depends_on": ["left", "right"], "join": "any"})),
    ]);
    assert_eq!(approved(steps), "given by agree");
}

#[test]
fn case_22_an_approval_that_may_fail_and_let_the_run_go_on_counts_only_where_its_success_is_waited_for()
 {
    let steps = |join: &str| {
        json!([
            gate(
                "agree",
                json!({}),
                json!({"on_error": "continue", "timeout_secs": 60})
            ),
            wipe(json!({"depends_on": ["agree"], "join": join})),
        ])
    };
    assert_eq!(approved(steps("all")), "given by agree");
    assert_eq!(approved(steps("any")), "given by agree");
    assert!(approved(steps("settled")).starts_with("P603 /steps/1"));
    // a failure ends the run, so what settles has succeeded
    let strict = json!([
        gate("agree", json!({}), json!({"timeout_secs": 60})),
        wipe(json!({"depends_on": ["agree"], "join": "settled"})),
    ]);
    assert_eq!(approved(strict), "given by agree");
}

#[test]
fn case_22_an_approval_that_goes_on_when_rejected_counts_through_the_branch_of_its_answer() {
    let through = |expression: &str, yes: &[&str], no: &[&str]| {
        approved(json!([
            gate("agree", json!({"on_reject": "continue"}), json!({})),
            condition("ask", expression, yes, no),
            wipe(json!({"depends_on": ["ask"]})),
        ]))
    };
    let given = "given by agree";
    for (expression, side) in [
        ("${step.agree.ok}", true),
        ("step.agree.ok == true", true),
        ("step.agree.ok && input.yes", true),
        ("input.yes && true == step.agree.ok", true),
        ("!step.agree.ok", false),
        ("step.agree.ok != true", false),
        ("!step.agree.ok || input.yes", false),
        ("step.agree.ok ? input.yes : false", true),
    ] {
        let (right, wrong) = if side {
            (
                through(expression, &["wipe"], &[]),
                through(expression, &[], &["wipe"]),
            )
        } else {
            (
                through(expression, &[], &["wipe"]),
                through(expression, &["wipe"], &[]),
            )
        };
        assert_eq!(right, given, "{expression}");
        assert!(wrong.starts_with("P603"), "{expression}: {wrong}");
    }
    for expression in [
        "step.agree.ok || input.yes",
        "has(step.agree.ok)",
        "input.yes",
    ] {
        let found = through(expression, &["wipe"], &[]);
        assert!(found.starts_with("P603"), "{expression}: {found}");
    }
    let ignored = approved(json!([
        gate("agree", json!({"on_reject": "continue"}), json!({})),
        wipe(json!({"depends_on": ["agree"]})),
    ]));
    assert!(ignored.starts_with("P603"), "{ignored}");
}

#[test]
fn case_22_an_answer_in_words_counts_by_its_word() {
    let through = |expression: &str| {
        approved(json!([
            gate(
                "agree",
                json!({"on_reject": "continue"}),
                json!({"outputs": [{"name": "ok", "value_type": "string"}]})
            ),
            condition("ask", expression, &["wipe"], &[]),
            wipe(json!({"depends_on": ["ask"]})),
        ]))
    };
    assert_eq!(through("step.agree.ok == 'approved'"), "given by agree");
    assert_eq!(through("step.agree.ok in ['approved']"), "given by agree");
    // a step that failed reads as null, which is not the word either
    assert!(through("step.agree.ok != 'rejected'").starts_with("P603"));
}

#[test]
fn case_22_an_approval_within_one_branch_counts_for_what_needs_that_branch() {
    let steps = |join: &str| {
        json!([
            condition("c", "input.yes", &["agree"], &["skip"]),
            gate("agree", json!({}), json!({"depends_on": ["c"]})),
            find("skip", json!({"depends_on": ["c"]})),
            find("after", json!({"depends_on": ["agree"]})),
            find(
                "both",
                json!({"depends_on": ["after", "skip"], "join": "any"})
            ),
            wipe(json!({"depends_on": [join]})),
        ])
    };
    assert_eq!(approved(steps("after")), "given by agree");
    assert_eq!(
        approved(steps("both")),
        "P603 /steps/5: `wipe` runs without an approval by way of `c` -> `skip` -> `both` -> `wipe`, and the policy denies calls that may destroy without one"
    );
}

#[test]
fn case_22_a_body_has_the_approvals_of_its_fan_out() {
    let steps = |prompt: &str, after: &[&str]| {
        json!([
            gate("agree", json!({"prompt": prompt}), json!({})),
            step(
                "each",
                "FAN_OUT",
                json!({"over": "${input.rows}", "item_var": "row", "spawn_steps": ["wipe"]}),
                json!({"depends_on": after}),
            ),
            call(
                "wipe",
                "wipe",
                json!({"path": "${item.row.path}"}),
                json!({})
            ),
        ])
    };
    assert_eq!(
        approved(steps("Wipe ${input.rows}?", &["agree"])),
        "given by agree"
    );
    assert_eq!(
        approved(steps("Wipe them?", &["agree"])),
        "P603 /steps/2/config/arguments/path: `wipe` sends `${item.row.path}`, which the prompt of `agree` does not show, and the policy denies calls that may destroy without an approval"
    );
    assert!(approved(steps("Wipe ${input.rows}?", &[])).starts_with("P603 /steps/2: "));
}

#[test]
fn case_22_the_prompt_must_hold_every_value() {
    let with_prompt = |prompt: &str, path: &str| {
        approved(json!([
            find("look", json!({})),
            find("other", json!({})),
            gate(
                "agree",
                json!({"prompt": prompt}),
                json!({"depends_on": ["look", "other"]})
            ),
            call(
                "wipe",
                "wipe",
                json!({"path": path, "mode": "all"}),
                json!({"depends_on": ["agree"]})
            ),
        ]))
    };
    let given = "given by agree";
    assert_eq!(with_prompt("${step.look.path}", "${step.look.path}"), given);
    assert_eq!(
        with_prompt("Wipe ${step.look.path}?", "${step.look.path}"),
        given
    );
    assert_eq!(
        with_prompt("All: ${step.look}", "${step.look.rows[0].path}"),
        given
    );
    assert_eq!(
        with_prompt("${step.look.path}", "/data/${step.look.path}/x"),
        given
    );
    assert_eq!(
        with_prompt(
            "${step.look.a ?? step.other.a}",
            "${step.look.a.b ?? step.other.a.b}"
        ),
        given
    );
    assert_eq!(
        with_prompt(
            "${step.look.a} ${step.other}",
            "${step.look.a ?? step.other.a}"
        ),
        given
    );
    for (prompt, path) in [
        ("Go on?", "${step.look.path}"),
        ("${step.look.path.name}", "${step.look.path}"),
        ("${step.look.paths}", "${step.look.path}"),
        ("${step.other.path}", "${step.look.path}"),
        ("${step.look.a ?? step.other.a}", "${step.look.a}"),
        ("$${step.look.path}", "${step.look.path}"),
        ("${step.look.path}", "${step.look.path}/${input.path}"),
    ] {
        let found = with_prompt(prompt, path);
        assert!(
            found.starts_with("P603 /steps/3/config/arguments/path: "),
            "{prompt}: {found}"
        );
    }
}

#[test]
fn an_effect_that_is_only_assumed_is_noted_once_and_asked_about() {
    let steps = json!([
        call("one", "act", json!({}), json!({})),
        call("two", "act", json!({}), json!({"depends_on": ["one"]})),
    ]);
    let text = plan(steps.clone()).to_string();
    let checked = check(&text, &Context::new(&catalog(), &denies())).unwrap();
    let lines: Vec<String> = found(&steps, &denies()).iter().map(Finding::line).collect();
    assert_eq!(
        lines,
        [
            "P603 /steps/0: the policy denies calls that may destroy without an approval, and nobody says whether the tool `act` is one: a person is asked at the call"
        ]
    );
    assert_eq!(checked.bounds().asks.len(), 2);
}

#[test]
fn a_blind_approval_is_found_once_with_all_that_it_lacks() {
    let steps = json!([
        find("look", json!({})),
        gate("agree", json!({}), json!({"depends_on": ["look"]})),
        find("later", json!({"depends_on": ["agree"]})),
        call(
            "wipe",
            "wipe",
            json!({"a": "${step.look.a}", "b": "${step.look.b}"}),
            json!({"depends_on": ["agree"]})
        ),
        call(
            "look_only",
            "find",
            json!({"a": "${step.look.a}"}),
            json!({"depends_on": ["agree"]})
        ),
    ]);
    let blind: Vec<Finding> = found(&steps, &Policy::default())
        .into_iter()
        .filter(|finding| finding.code == "P611")
        .collect();
    assert_eq!(blind.len(), 1);
    assert_eq!(
        blind[0].line(),
        "P611 /steps/1/config/prompt: the prompt of `agree` does not show `${step.look.a}`, which `wipe` sends once it is approved"
    );
    assert_eq!(
        crate::sample::related(&blind[0]),
        [
            "/steps/3/config/arguments/a: sent without having been shown",
            "/steps/3/config/arguments/b: this too",
        ]
    );
    let edit = blind[0].suggestions[0].edit.clone().unwrap();
    let plan_model::edit::Edit::Set { value, .. } = edit else {
        panic!("{edit:?}")
    };
    assert_eq!(value, json!("Go on?\n${step.look.a}\n${step.look.b}"));
}

#[test]
fn a_value_that_is_known_only_after_the_approval_needs_a_later_one() {
    let steps = json!([
        gate("agree", json!({}), json!({})),
        find("look", json!({"depends_on": ["agree"]})),
        call(
            "wipe",
            "wipe",
            json!({"a": "${step.look.a}"}),
            json!({"depends_on": ["agree"]})
        ),
    ]);
    let findings = found(&steps, &Policy::default());
    let blind = findings
        .iter()
        .find(|finding| finding.code == "P611")
        .unwrap();
    assert_eq!(
        blind.suggestions[0].title,
        "`${step.look.a}` is known only after `agree`: ask before `wipe` instead"
    );
}
