//! One root cause, one finding; and suggestions that mend a plan.

use plan_model::edit::Edit;
use plan_validate::{Context, Finding, Policy, ToolCatalog, check};
use serde_json::{Value, json};

use crate::rules_control_flow::{condition, flow, found};
use crate::sample::{after, call, findings, lines, related};

fn catalog(text: &str) -> ToolCatalog {
    crate::catalogs::catalog(&serde_json::from_str(text).unwrap())
}

fn policy(value: &Value) -> Policy {
    crate::rules_effects::policy(value)
}

fn plan(steps: Value, inputs: Value, outputs: Value) -> Value {
    let mut plan = flow(steps);
    plan["inputs"] = inputs;
    plan["outputs"] = outputs;
    plan
}

fn of_code(document: &Value, code: &str) -> Vec<String> {
    let findings = findings(document);
    let of_code = findings.iter().filter(|finding| finding.code == code);
    of_code.map(Finding::line).collect()
}

fn edits(findings: &[Finding]) -> Vec<(String, Option<Value>)> {
    let suggestions = findings.iter().flat_map(|finding| &finding.suggestions);
    suggestions
        .filter_map(|suggestion| match suggestion.edit.as_ref()? {
            Edit::Set { pointer, value } => Some((pointer.to_string(), Some(value.clone()))),
            Edit::Remove { pointer } => Some((pointer.to_string(), None)),
        })
        .collect()
}

#[test]
fn an_expression_that_cannot_be_read_decides_nothing() {
    let mut choose = condition("c", &["yes"], &["no"], json!({}));
    choose["config"]["expression"] = json!("a b c");
    let steps = json!([choose, after("yes", &["c"]), after("no", &["c"])]);
    let found = found(steps);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("P501"), "{found:?}");
}

#[test]
fn case_02_two_steps_of_one_id_close_no_cycle() {
    let steps = json!([after("a", &["b"]), after("a", &[]), after("b", &["a"])]);
    assert_eq!(found(steps), ["P202 /steps/1/id: 2 steps are named `a`"]);
}

#[test]
fn a_cycle_is_told_also_where_another_goes_through_a_name_that_is_taken_twice() {
    let steps = json!([
        after("a", &["b"]),
        after("a", &[]),
        after("b", &["a", "c"]),
        after("c", &["b"]),
    ]);
    assert_eq!(
        found(steps),
        [
            "P202 /steps/1/id: 2 steps are named `a`",
            "P203 /steps/2/depends_on/1: steps wait for each other: `b` -> `c` -> `b`"
        ]
    );
}

#[test]
fn a_step_that_waits_for_its_own_name_is_told_also_where_the_name_is_taken_twice() {
    let steps = json!([after("a", &[]), after("a", &["a"])]);
    assert_eq!(
        found(steps),
        [
            "P205 /steps/1/depends_on/0: step `a` waits for itself",
            "P202 /steps/1/id: 2 steps are named `a`"
        ]
    );
}

#[test]
fn case_02_two_steps_of_one_name_in_a_list_do_not_wait_for_themselves() {
    let list = json!({"steps": [
        {"name": "a", "tool": "fetch", "args": {"x": 1}},
        {"name": "a", "tool": "fetch", "args": {"x": 2}},
    ]});
    assert_eq!(lines(&list), ["P202 /steps/1/name: 2 steps are named `a`"]);
}

#[test]
fn an_edge_from_position_is_mended_by_its_own_field() {
    let list = json!({"steps": [
        {"name": "a", "tool": "fetch", "args": {}, "after": "b"},
        {"name": "b", "tool": "search", "args": {}},
    ]});
    assert_eq!(
        edits(&findings(&list)),
        [("/steps/1/after".to_owned(), Some(json!([])))]
    );
}

#[test]
fn a_list_gets_no_edit_of_a_field_that_it_does_not_have() {
    let catalog = self::catalog(
        r#"{"planwright": 1, "tools": [{"name": "fetch", "effects": {"read_only": true, "open_world": true}}]}"#,
    );
    let list = json!({"steps": [{"name": "a", "tool": "fetch", "args": {}}]});
    let policy = Policy::default();
    let plan = check(&list.to_string(), &Context::new(&catalog, &policy)).unwrap();
    assert!(plan.warnings().iter().any(|finding| finding.code == "P703"));
    assert_eq!(edits(plan.warnings()), []);
}

#[test]
fn an_input_that_a_misspelt_reference_means_is_not_unused() {
    let document = plan(
        json!([call("a", json!({"x": "${input.tpic}"}), json!({}))]),
        json!([{"name": "topic"}, {"name": "other"}]),
        json!([]),
    );
    assert_eq!(
        lines(&document),
        [
            "P210 /inputs/1/name: no step reads the input `other`",
            "P402 /steps/0/config/arguments/x: there is no input `tpic`"
        ]
    );
}

#[test]
fn no_branch_is_offered_a_wait_that_would_close_a_cycle() {
    let mut choose = condition("c", &["before", "beside"], &[], json!({}));
    choose["depends_on"] = json!(["before"]);
    let steps = json!([after("before", &[]), choose, after("beside", &[])]);
    assert_eq!(
        edits(&findings(&flow(steps))),
        [("/steps/2/depends_on".to_owned(), Some(json!(["c"])))]
    );
}

#[test]
fn a_missing_step_is_never_the_one_that_names_it() {
    let steps = json!([after("fetch_a", &[]), after("b", &["fetch_b"])]);
    let findings = findings(&flow(steps));
    let missing = findings
        .iter()
        .find(|finding| finding.code == "P204")
        .unwrap();
    let expected = serde_json::to_value(missing.expected.as_ref()).unwrap();
    assert_eq!(expected, json!({"one_of": ["fetch_a"]}));
}

#[test]
fn a_plan_output_of_a_branch_is_told_unless_the_other_branch_stands_in() {
    let steps = || {
        json!([
            condition("c", &["yes"], &["no"], json!({})),
            after("yes", &["c"]),
            after("no", &["c"]),
        ])
    };
    let with = |source: &str| {
        let outputs = json!([{"name": "o", "source": source}]);
        let mut document = flow(steps());
        document["outputs"] = outputs;
        of_code(&document, "P404")
    };
    assert_eq!(
        with("${step.yes.text}"),
        ["P404 /outputs/0/source: `yes` may be skipped, and the plan output `o` is null then"]
    );
    assert_eq!(with("${step.yes.text ?? step.no.text}"), [""; 0]);
    assert_eq!(with("${step.c.result}"), [""; 0]);
    // who publishes both branches knows that one of them is null
    let mut both = flow(steps());
    both["outputs"] = json!([
        {"name": "o", "source": "${step.yes.text}"},
        {"name": "p", "source": "${step.no.text}"},
    ]);
    assert_eq!(of_code(&both, "P404"), [""; 0]);
}

#[test]
fn a_plan_output_of_a_step_that_may_fail_is_told() {
    let mut fails = after("a", &[]);
    fails["on_error"] = json!("continue");
    let mut document = flow(json!([fails, after("b", &[])]));
    document["outputs"] = json!([
        {"name": "o", "source": "${step.a.text}"},
        {"name": "p", "source": "${step.a.text ?? step.b.text}"},
    ]);
    assert_eq!(
        of_code(&document, "P404"),
        [
            "P404 /outputs/0/source: `a` may fail while the run goes on, and the plan output `o` is null then"
        ]
    );
}

#[test]
fn a_choice_of_which_nothing_may_be_there_is_told() {
    let with = |text: &str, join: &str| {
        let mut reader = call("j", json!({"x": text}), json!({}));
        reader["join"] = json!(join);
        reader["depends_on"] = json!(["start"]);
        let document = plan(
            json!([
                after("start", &[]),
                condition("c", &["yes", "also"], &["no"], json!({})),
                after("yes", &["c"]),
                after("also", &["c"]),
                after("no", &["c"]),
                condition("d", &["one"], &["two"], json!({})),
                after("one", &["d"]),
                after("two", &["d"]),
                reader,
            ]),
            json!([{"name": "needed"}, {"name": "given", "required": false, "default": "x"},
                   {"name": "left", "required": false}]),
            json!([]),
        );
        of_code(&document, "P404").len()
    };
    // one result leaves out all of it
    assert_eq!(with("${step.yes.text ?? step.also.text}", "settled"), 1);
    assert_eq!(with("${step.yes.text ?? input.left}", "settled"), 1);
    assert_eq!(with("${step.yes.text ?? step.also.text}", "any"), 1);
    // something is always there
    assert_eq!(with("${step.yes.text ?? step.no.text}", "any"), 0);
    assert_eq!(with("${step.yes.text ?? step.no.text}", "settled"), 0);
    assert_eq!(with("${step.yes.text ?? step.start.text}", "settled"), 0);
    assert_eq!(with("${step.yes.text ?? input.needed}", "settled"), 0);
    assert_eq!(with("${step.yes.text ?? input.given}", "settled"), 0);
    // what two conditions come to together is not known
    assert_eq!(with("${step.yes.text ?? step.one.text}", "settled"), 0);
}

#[test]
fn under_any_one_of_all_that_is_waited_for_is_there() {
    let mut steps = [after("a", &[]), after("b", &[])];
    for step in &mut steps {
        step["on_error"] = json!("continue");
    }
    let with = |join: &str| {
        let mut reader = call(
            "j",
            json!({"x": "${step.a.text ?? step.b.text}"}),
            json!({}),
        );
        reader["join"] = json!(join);
        of_code(&flow(json!([steps[0], steps[1], reader])), "P404").len()
    };
    assert_eq!((with("any"), with("settled")), (0, 1));
}

#[test]
fn a_list_is_read_from_outside_of_its_fan_out() {
    let fan_out = |id: &str, over: &str, body: &str| json!({"id": id, "name": id, "config": {"type": "FAN_OUT", "over": over, "item_var": "x", "spawn_steps": [body]}});
    let with = |inner: &str, text: &str| {
        let mut document = flow(json!([
            fan_out("outer", "${conf.lists}", "inner"),
            fan_out("inner", inner, "b"),
            call("b", json!({"x": text}), json!({})),
        ]));
        document["inputs"] = json!([]);
        document["config"] = json!({"lists": [{"sub": [{"name": "a"}]}]});
        lines(&document)
    };
    // both items are called `x`: the list is of the outer one, the text reads the inner one
    assert_eq!(with("${item.x.sub}", "${item.x.name}"), [""; 0]);
    assert_eq!(
        with("${item.x.sub}", "${item.x.sub}"),
        [
            "P405 /steps/2/config/arguments/x: `item.x` has only `name`, and so there is no `item.x.sub`"
        ]
    );
    assert_eq!(
        with("${item.x.name}", "${item.x.name}"),
        ["P405 /steps/1/config/over: `item.x` has only `sub`, and so there is no `item.x.name`"]
    );
}

#[test]
fn a_prompt_that_masks_a_value_shows_it_to_nobody() {
    let catalog = self::catalog(
        r#"{"planwright": 1, "tools": [{"name": "send", "effects": {"destructive": true}}]}"#,
    );
    let with = |sensitive: bool, without: &str| {
        let mut document = flow(json!([
            {"id": "ask", "name": "ask", "config": {"type": "HUMAN_INTERACTION", "prompt": "Send ${input.key}?", "response_field": "ok", "approval_required": true}},
            {"id": "send", "name": "send", "config": {"type": "TOOL_CALL", "tool": "send", "arguments": {"body": "${input.key}"}}, "depends_on": ["ask"]},
        ]));
        document["inputs"] =
            json!([{"name": "key", "value_type": "string", "sensitive": sensitive}]);
        let policy = json!({"require_approval": {"effects": ["destructive"], "without": without}});
        let policy = self::policy(&policy);
        match check(&document.to_string(), &Context::new(&catalog, &policy)) {
            Ok(plan) => Ok((
                plan.bounds().asks.len(),
                plan.warnings()
                    .iter()
                    .map(Finding::line)
                    .collect::<Vec<_>>(),
            )),
            Err(rejected) => Err(rejected
                .findings()
                .iter()
                .map(Finding::line)
                .collect::<Vec<_>>()),
        }
    };
    assert_eq!(with(false, "deny"), Ok((1, Vec::new())));
    assert_eq!(
        with(true, "deny"),
        Err(vec![
            "P603 /steps/1/config/arguments/body: `send` sends `${input.key}`, which the prompt of `ask` masks as sensitive, and the policy denies calls that may destroy without an approval"
                .to_owned()
        ])
    );
    // where it is asked, the call is asked about as well, and the prompt cannot do better
    assert_eq!(with(true, "ask"), Ok((2, Vec::new())));
}

#[test]
fn a_bound_over_its_limit_tells_what_it_is_made_of() {
    let catalog = self::catalog(
        r#"{"planwright": 1, "tools": [{"name": "fetch", "effects": {"read_only": true}, "timeout_secs": 30}]}"#,
    );
    let mut document = flow(json!([
        call("a", json!({"x": 1}), json!({})),
        call("b", json!({"x": 2}), json!({})),
    ]));
    document["steps"][1]["retry"] = json!({"max_attempts": 3, "delay_secs": 10});
    for step in 0..2 {
        document["steps"][step]["config"]["tool"] = json!("fetch");
    }
    document["limits"] = json!({"max_wall_secs": 60, "max_tool_calls": 3});
    let policy = Policy::default();
    let rejected = check(&document.to_string(), &Context::new(&catalog, &policy)).unwrap_err();
    let told: Vec<(Vec<String>, &str)> = rejected
        .findings()
        .iter()
        .filter(|finding| finding.code == "P701")
        .map(|finding| (related(finding), finding.suggestions[0].title.as_str()))
        .collect();
    assert_eq!(
        told[0],
        (
            vec![
                "/steps/1: 3 tool calls: 3 attempts".to_owned(),
                "/steps/0: 1 tool call".to_owned()
            ],
            "leave out calls, retries or items, or let `max_tool_calls` of the plan be at least 4"
        )
    );
    assert_eq!(
        told[1].0,
        [
            "/steps/1: up to 110 s: 30 s each, 3 attempts, and 20 s of pauses",
            "/steps/0: up to 30 s"
        ]
    );
}

#[test]
fn only_what_the_policy_lets_a_plan_name_is_offered() {
    let catalog = self::catalog(
        r#"{"planwright": 1, "models": [{"name": "small"}, {"name": "large"}],
            "tools": [{"name": "fetch", "input_schema": {"type": "object", "properties": {"url": {"type": "string"}}}},
                      {"name": "fetch_all", "input_schema": {"type": "object", "properties": {"url": {"type": "string"}}}}]}"#,
    );
    let policy =
        policy(&json!({"models": ["large"], "languages": ["python"], "tools": ["fetch_all"]}));
    let mut document = flow(json!([
        call("a", json!({"url": "x"}), json!({})),
        {"id": "b", "name": "b", "config": {"type": "PROMPT_CALL", "model": "medium", "user_prompt": "x", "output_field": "t"}},
        {"id": "c", "name": "c", "config": {"type": "CODE_CALL", "language": "pyton", "inline": "1"}},
        call("d", json!({"uri": "x"}), json!({})),
    ]));
    document["steps"][0]["config"]["tool"] = json!("fetchh");
    document["steps"][3]["config"]["tool"] = json!("fetch_al");
    let rejected = check(&document.to_string(), &Context::new(&catalog, &policy)).unwrap_err();
    let offered: Vec<Value> = rejected
        .findings()
        .iter()
        .filter(|finding| finding.expected.is_some())
        .map(|finding| serde_json::to_value(finding.expected.as_ref()).unwrap())
        .collect();
    assert_eq!(
        offered,
        [
            json!({"one_of": ["fetch_all"]}),
            json!({"one_of": ["large"]}),
            json!({"one_of": ["python"]}),
            // no tool takes these arguments: the name and they are both wrong
            json!({"one_of": ["fetch_all"]}),
        ]
    );
}
