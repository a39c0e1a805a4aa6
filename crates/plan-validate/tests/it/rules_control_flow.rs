//! Rules of control flow: P5xx.

use plan_model::edit::Edit;
use serde_json::{Value, json};

use crate::sample::{after, call, codes, findings, lines, plan, step, text, with};

pub(crate) fn condition(id: &str, true_steps: &[&str], false_steps: &[&str], more: Value) -> Value {
    let config =
        json!({"expression": "input.n > 2", "true_steps": true_steps, "false_steps": false_steps});
    step(id, "CONDITION", config, more)
}

fn fan_out(id: &str, body: &[&str]) -> Value {
    let config = json!({"over": "${input.rows}", "item_var": "row", "spawn_steps": body});
    step(id, "FAN_OUT", config, json!({}))
}

/// A plan with an input of every type that these tests read.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
pub(crate) fn flow(steps: Value) -> Value {
    with(json!({
        "inputs": [
            {"name": "n", "value_type": "integer"},
            {"name": "rows", "value_type": "array"},
            {"name": "text", "value_type": "string"},
        ],
        "steps": steps,
    }))
}

/// The lines but for notes on unused inputs.
pub(crate) fn found(steps: Value) -> Vec<String> {
    let mut found = lines(&flow(steps));
    found.retain(|line| !line.starts_with("P210"));
    found
}

#[test]
fn case_08_fan_outs_that_own_each_other_are_refused() {
    assert_eq!(
        found(json!([
            fan_out("a", &["b"]),
            fan_out("b", &["c"]),
            fan_out("c", &["a"])
        ])),
        [
            "P504 /steps/0/config/spawn_steps: fan-outs are in the bodies of each other: `a`, `b`, `c`"
        ]
    );
}

#[test]
fn fan_outs_nest_sixteen_deep_and_one_finding_tells_what_is_beyond() {
    let nested = |depth: usize| {
        let mut steps: Vec<Value> = (0..depth)
            .map(|index| {
                let mut fan = fan_out(&format!("f{index}"), &[&format!("f{}", index + 1)]);
                fan["config"]["item_var"] = json!(format!("row{index}"));
                fan
            })
            .collect();
        steps.push(after(&format!("f{depth}"), &[]));
        found(json!(steps))
    };
    assert_eq!(nested(16), [""; 0]);
    for depth in [17, 18, 40] {
        assert_eq!(
            nested(depth),
            [
                "P504 /steps/16/config/spawn_steps: `f16` is within 16 other fan-outs, and may be within 15"
            ]
        );
    }
}

#[test]
fn a_fan_out_that_spawns_itself_is_in_no_body() {
    let mut around = fan_out("around", &["each"]);
    around["config"]["item_var"] = json!("outer");
    let steps = json!([
        fan_out("each", &["each", "inner"]),
        around,
        after("inner", &[]),
        call("reader", json!({"q": "${step.around.results}"}), json!({})),
    ]);
    assert_eq!(
        found(steps),
        ["P504 /steps/0/config/spawn_steps/0: `each` spawns itself"]
    );
}

#[test]
fn case_08_a_body_that_a_condition_outside_chooses_is_refused() {
    let steps = json!([
        condition("c", &["inner"], &[], json!({})),
        fan_out("each", &["inner"]),
        after("inner", &["c"]),
    ]);
    assert_eq!(
        found(steps),
        ["P503 /steps/0/config/true_steps/0: `inner` is in the body of `each`, and `c` is not"]
    );
}

#[test]
fn a_condition_in_a_body_chooses_within_it() {
    let steps = json!([
        fan_out("each", &["c", "inner"]),
        condition("c", &["inner"], &["outer"], json!({})),
        after("inner", &["c"]),
        after("outer", &["each"]),
    ]);
    assert_eq!(
        found(steps),
        ["P503 /steps/1/config/false_steps/0: `c` is in the body of `each`, and `outer` is not"]
    );
}

#[test]
fn case_10_a_human_step_in_a_body_is_refused_however_deep() {
    let ask = json!({"prompt": "Go on?", "response_field": "ok"});
    let steps = json!([
        fan_out("each", &["nested"]),
        fan_out("nested", &["ask"]),
        step("ask", "HUMAN_INTERACTION", ask, json!({})),
    ]);
    assert_eq!(
        found(steps),
        ["P506 /steps/2/config/type: `ask` would ask a person once for each item of `nested`"]
    );
}

#[test]
fn case_21_attempts_that_make_no_sense_are_refused() {
    let retry = |attempts: u64, delay: u64| {
        let retry = json!({"max_attempts": attempts, "delay_secs": delay});
        let found = lines(&plan(json!([call(
            "a",
            json!({}),
            json!({"retry": retry})
        )])));
        found
            .into_iter()
            .filter(|line| line.starts_with("P510"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        retry(1_000_000, 1),
        ["P510 /steps/0/retry/max_attempts: 1000000 attempts are over the limit of 64"]
    );
    assert_eq!(
        retry(0, 1),
        ["P510 /steps/0/retry/max_attempts: no attempt at all is left to `a`"]
    );
    assert_eq!(
        retry(2, 10_000_000),
        ["P510 /steps/0/retry/delay_secs: a delay of 10000000 seconds is over a week"]
    );
    assert_eq!(retry(64, 604_800), [""; 0]);
    let steps = json!([
        fan_out("each", &["inner"]),
        call("inner", json!({}), json!({})),
        condition(
            "c",
            &[],
            &[],
            json!({"retry": {"max_attempts": 2, "delay_secs": 1}})
        ),
    ]);
    assert_eq!(
        found(steps),
        ["P510 /steps/2/retry/max_attempts: a CONDITION step has nothing to attempt again"]
    );
}

#[test]
fn a_branch_must_exist_wait_and_be_in_one_branch() {
    let steps = json!([
        condition("c", &["a", "free", "c"], &["a", "nobody"], json!({})),
        after("a", &["c"]),
        after("free", &[]),
    ]);
    assert_eq!(
        found(steps.clone()),
        [
            "P503 /steps/0/config/false_steps/0: `a` is in both branches",
            "P503 /steps/0/config/false_steps/1: there is no step `nobody`",
            "P503 /steps/0/config/true_steps/1: `free` does not wait for `c`",
            "P503 /steps/0/config/true_steps/2: `c` chooses itself",
        ]
    );
    let findings = findings(&flow(steps));
    let waits = findings
        .iter()
        .find(|f| f.message.contains("does not wait"))
        .unwrap();
    let Some(Edit::Set { pointer, value }) = &waits.suggestions[0].edit else {
        panic!("{waits:?}");
    };
    assert_eq!(
        (pointer.as_str(), value),
        ("/steps/2/depends_on", &json!(["c"]))
    );
}

#[test]
fn a_branch_may_wait_through_others_or_through_a_reference() {
    let steps = json!([
        condition("c", &["far"], &["reader"], json!({})),
        after("middle", &["c"]),
        after("far", &["middle"]),
        call("reader", json!({"q": "${step.c.result}"}), json!({})),
    ]);
    assert_eq!(found(steps), [""; 0]);
}

#[test]
fn every_way_in_which_a_body_can_be_wrong_is_found() {
    let over = |over: &str, more: Value| {
        let mut config = json!({"over": over, "item_var": "row", "spawn_steps": ["inner"]});
        for (name, member) in more.as_object().unwrap() {
            config[name] = member.clone();
        }
        json!([
            step("each", "FAN_OUT", config, json!({})),
            after("inner", &[])
        ])
    };
    for (steps, expected) in [
        (
            json!([fan_out("each", &[])]),
            "P504 /steps/0/config/spawn_steps: `each` has no body",
        ),
        (
            json!([fan_out("each", &["each"])]),
            "P504 /steps/0/config/spawn_steps/0: `each` spawns itself",
        ),
        (
            json!([fan_out("each", &["gone"])]),
            "P504 /steps/0/config/spawn_steps/0: there is no step `gone`",
        ),
        (
            json!([fan_out("each", &["i", "i"]), after("i", &[])]),
            "P504 /steps/0/config/spawn_steps/1: `i` is in this body already",
        ),
        (
            json!([
                fan_out("each", &["i"]),
                fan_out("all", &["i"]),
                after("i", &[])
            ]),
            "P504 /steps/1/config/spawn_steps/0: `i` is in the body of `each` already",
        ),
        (
            json!([fan_out("each", &["i"]), after("i", &["each"])]),
            "P504 /steps/1/depends_on/0: `i` waits for `each`, which ends only after it",
        ),
        (
            json!([
                fan_out("each", &["i", "j"]),
                after("i", &["j"]),
                after("j", &[])
            ]),
            "P504 /steps/0/config/spawn_steps: `i` comes before `j`, which it waits for",
        ),
        (
            over("${input.text}", json!({})),
            "P504 /steps/0/config/over: `each` fans out over `${input.text}`, which is no list",
        ),
        (
            over("${input.rows}", json!({"max_parallel": 0})),
            "P504 /steps/0/config/max_parallel: `each` may run no item at any time",
        ),
        (
            over(
                "${input.rows}",
                json!({"max_parallel": 4, "until": "step.inner.x == 1"}),
            ),
            "P504 /steps/0/config/max_parallel: 4 items at one time leave open which one `until` stops after",
        ),
        (over("${input.rows}", json!({"max_parallel": 4})), ""),
    ] {
        assert_eq!(found(steps.clone()).join("\n"), expected, "{steps}");
    }
}

#[test]
fn a_body_in_the_wrong_order_is_suggested_in_the_right_one() {
    let steps = json!([
        fan_out("each", &["c", "a", "b"]),
        after("a", &[]),
        after("b", &["a"]),
        after("c", &["b", "a"]),
    ]);
    let findings = findings(&flow(steps));
    let wrong = findings.iter().find(|f| f.code == "P504").unwrap();
    let Some(Edit::Set { value, .. }) = &wrong.suggestions[0].edit else {
        panic!("{wrong:?}");
    };
    assert_eq!(*value, json!(["a", "b", "c"]));
}

#[test]
fn a_circle_within_a_body_is_no_matter_of_order() {
    let steps = json!([
        fan_out("each", &["a", "b"]),
        after("a", &["b"]),
        after("b", &["a"])
    ]);
    let found = codes(&flow(steps));
    assert_eq!(
        found
            .iter()
            .filter(|code| **code != "P210")
            .collect::<Vec<_>>(),
        [&"P203"]
    );
}

#[test]
fn a_fan_in_names_each_source_once() {
    let collect = |sources: Value| {
        let config = json!({"from_steps": sources, "collect_field": "list"});
        text(&plan(json!([
            after("a", &[]),
            step("all", "FAN_IN", config, json!({}))
        ])))
    };
    assert_eq!(
        collect(json!([])),
        "P505 /steps/1/config/from_steps: `all` collects from no step"
    );
    assert_eq!(
        collect(json!(["a", "a"])),
        "P505 /steps/1/config/from_steps/1: `a` is collected from twice"
    );
    assert_eq!(
        collect(json!(["all"])),
        "P505 /steps/1/config/from_steps/0: `all` collects from itself"
    );
    assert_eq!(
        collect(json!(["b"])),
        "P505 /steps/1/config/from_steps/0: there is no step `b`"
    );
    assert_eq!(collect(json!(["a"])), "");
}

#[test]
fn an_expression_is_typed_by_what_it_reads() {
    let expression = |expression: &str| {
        let config = json!({"expression": expression});
        found(json!([step("c", "CONDITION", config, json!({}))]))
            .iter()
            .map(|line| line.split(':').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    for wrong in [
        "input.text > 3",
        "input.n",
        "input.n + ",
        "shout(input.text)",
        "'${input.text}' == 'x'",
        "size(input.n) > 1",
    ] {
        assert_eq!(
            expression(wrong),
            ["P501 /steps/0/config/expression"],
            "{wrong}"
        );
    }
    for right in [
        "input.n > 3",
        "input.text == 'x' && size(input.rows) > 0",
        "true",
    ] {
        assert_eq!(expression(right), [""; 0], "{right}");
    }
}

#[test]
fn an_expression_is_wrong_where_it_is_wrong() {
    let document = flow(json!([step(
        "c",
        "CONDITION",
        json!({"expression": "input.n > 1 && input.text < 3"}),
        json!({})
    )]));
    let findings = findings(&document);
    let wrong = findings.iter().find(|f| f.code == "P501").unwrap();
    let span = wrong.span.unwrap();
    let source = document.to_string();
    let shown = source.get(span.start..span.end).unwrap();
    assert!(
        shown.len() < 25 && "input.text < 3".contains(shown),
        "{shown}"
    );
}

#[test]
fn a_human_step_asks_something() {
    let ask = |prompt: &str, field: &str| {
        let config = json!({"prompt": prompt, "response_field": field});
        codes(&plan(json!([step(
            "h",
            "HUMAN_INTERACTION",
            config,
            json!({})
        )])))
    };
    assert_eq!(ask("Go on?", "ok"), [""; 0]);
    assert_eq!(ask(" \n", "ok"), ["P507"]);
    assert_eq!(ask("Go on?", "ok "), ["P507"]);
}

#[test]
fn every_field_that_makes_no_sense_is_found() {
    let code = |config: Value| {
        let mut full = json!({"language": "bash"});
        for (name, member) in config.as_object().unwrap() {
            full[name] = member.clone();
        }
        lines(&plan(json!([step("c", "CODE_CALL", full, json!({}))])))
    };
    assert_eq!(
        code(json!({})),
        ["P509 /steps/0/config: one of `inline`, `file` is missing"]
    );
    assert_eq!(
        code(json!({"inline": " "})),
        ["P509 /steps/0/config/inline: `inline` is blank"]
    );
    assert_eq!(
        code(json!({"inline": "x", "timeout_secs": 0, "working_dir": ""})),
        [
            "P509 /steps/0/config/timeout_secs: zero leaves no time at all",
            "P509 /steps/0/config/working_dir: `working_dir` is blank",
        ]
    );
    let document = with(json!({"steps": [after("a", &[])], "limits": {"max_concurrency": 0}}));
    assert_eq!(
        lines(&document),
        ["P509 /limits/max_concurrency: nothing may run at any time"]
    );
}
