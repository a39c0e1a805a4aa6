//! Rules of structure and graph: P2xx.

use plan_model::edit::Edit;
use plan_validate::{Applicability, Expected};
use serde_json::{Value, json};

use crate::sample::{after, call, codes, findings, lines, plan, related, step, text};

#[test]
fn case_01_a_dependency_listed_twice_is_a_warning_with_a_safe_edit() {
    let found = findings(&plan(json!([after("b", &["a", "a"]), after("a", &[])])));
    let [only] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        only.line(),
        "P206 /steps/0/depends_on/1: `a` is a dependency already"
    );
    let [suggestion] = only.suggestions.as_slice() else {
        panic!("{only:?}");
    };
    assert_eq!(suggestion.applicability, Applicability::MachineApplicable);
    let Some(Edit::Remove { pointer }) = &suggestion.edit else {
        panic!("{suggestion:?}");
    };
    assert_eq!(pointer.as_str(), "/steps/0/depends_on/1");
}

#[test]
fn case_02_two_steps_of_one_id_are_exactly_one_finding() {
    let steps = json!([
        after("a", &["b"]),
        after("b", &[]),
        after("a", &["c"]),
        after("c", &["a"]),
    ]);
    assert_eq!(
        text(&plan(steps)),
        "P202 /steps/2/id: 2 steps are named `a`"
    );
}

#[test]
fn a_name_borne_three_times_is_one_finding() {
    let found = findings(&plan(json!([
        after("a", &[]),
        after("a", &[]),
        after("a", &[])
    ])));
    assert_eq!(found.len(), 1);
    assert_eq!(
        related(&found[0]),
        [
            "/steps/0/id: the first of this name",
            "/steps/2/id: named so again"
        ]
    );
}

#[test]
fn case_03_cycle_names_only_its_members() {
    let steps = json!([
        after("behind", &["a"]),
        after("a", &["b"]),
        after("b", &["a"])
    ]);
    let expected = "P203 /steps/1/depends_on/0: steps wait for each other: `a` -> `b` -> `a`";
    for _ in 0..5 {
        assert_eq!(text(&plan(steps.clone())), expected);
    }
    let found = findings(&plan(steps));
    assert_eq!(
        related(&found[0]),
        [
            "/steps/1/depends_on/0: `a` waits for `b`",
            "/steps/2/depends_on/0: `b` waits for `a`"
        ]
    );
}

#[test]
fn each_circle_is_one_finding() {
    let steps = json!([
        after("a", &["b"]),
        after("b", &["a"]),
        after("c", &["d", "a"]),
        after("d", &["c"]),
    ]);
    assert_eq!(codes(&plan(steps)), ["P203", "P203"]);
}

#[test]
fn members_off_the_shortest_circle_are_listed_too() {
    let steps = json!([
        after("a", &["b"]),
        after("b", &["a", "c"]),
        after("c", &["b"])
    ]);
    let found = findings(&plan(steps));
    assert_eq!(found.len(), 1);
    assert_eq!(
        related(&found[0]).last().map(String::as_str),
        Some("/steps/2: waits for these steps, and they for it")
    );
}

#[test]
fn a_circle_closed_by_a_reference_says_where_it_is_read() {
    let steps = json!([
        call("a", json!({"q": ["${step.b.x}"]}), json!({})),
        after("b", &["a"])
    ]);
    let found = findings(&plan(steps));
    assert_eq!(found.len(), 1);
    assert_eq!(
        related(&found[0]),
        [
            "/steps/0/config/arguments/q/0: `a` reads `b`",
            "/steps/1/depends_on/0: `b` waits for `a`"
        ]
    );
}

#[test]
fn a_circle_through_a_body_says_which_body_step_closes_it() {
    let steps = json!([
        step(
            "each",
            "FAN_OUT",
            json!({"over": "rows.list", "item_var": "row", "spawn_steps": ["inner"]}),
            json!({})
        ),
        call("inner", json!({"q": "${step.last.x}"}), json!({})),
        after("rows", &[]),
        after("last", &["each"]),
    ]);
    let found = findings(&plan(steps));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        related(&found[0]),
        [
            "/steps/1/config/arguments/q: `inner` reads `last`",
            "/steps/3/depends_on/0: `last` waits for `each`"
        ]
    );
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn planner(steps: Value) -> Value {
    json!({ "steps": steps })
}

#[test]
fn case_11_a_cycle_closed_by_position_says_which_edge() {
    let found = findings(&planner(json!([
        {"name": "a", "tool": "search", "after": ["b"]},
        {"name": "b", "tool": "search"},
    ])));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].line(),
        "P203 /steps/0/after/0: steps wait for each other: `a` -> `b` -> `a`, where `b` follows `a` by position alone"
    );
    let advice: Vec<&str> = found[0]
        .suggestions
        .iter()
        .map(|s| s.title.as_str())
        .collect();
    assert_eq!(advice, ["say what `b` waits for; `[]` is nothing"]);
}

#[test]
fn case_12_edges_that_are_no_names_are_refused_not_dropped() {
    for after in [
        json!([{"step": "a"}]),
        json!([null]),
        json!([1]),
        json!(["a", 3]),
        json!(null),
        json!([" "]),
        json!(7),
    ] {
        let steps = json!([
            {"name": "a", "tool": "search", "after": []},
            {"name": "b", "tool": "search", "after": after},
        ]);
        let found = codes(&planner(steps));
        assert_eq!(found, ["P209"], "{after}");
    }
}

#[test]
fn case_13_a_forward_reference_is_accepted() {
    let steps = json!([
        {"name": "late", "tool": "send", "args": {"body": "${step.early.text}"}, "after": []},
        {"name": "early", "tool": "fetch", "after": []},
    ]);
    assert_eq!(lines(&planner(steps)), [""; 0]);
}

#[test]
fn case_14_unknown_keys_of_a_planner_are_refused_with_candidates() {
    for (key, wanted) in [
        ("depends_on", "after"),
        ("After", "after"),
        ("retries", "after"),
    ] {
        let mut step = json!({"name": "a", "tool": "search"});
        step[key] = json!([]);
        let found = findings(&planner(json!([step])));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].code, "P103");
        let Some(Expected::OneOf(names)) = &found[0].expected else {
            panic!("{found:?}");
        };
        assert!(names.iter().any(|name| name == wanted), "{key}: {names:?}");
    }
}

#[test]
fn a_missing_step_is_one_finding_wherever_it_is_named() {
    let steps = json!([
        after("a", &["serach", "search_it"]),
        call(
            "search_it",
            json!({"q": "${step.serach.x}"}),
            json!({"depends_on": ["serach"]})
        ),
    ]);
    let found = findings(&plan(steps));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].line(),
        "P204 /steps/0/depends_on/0: there is no step `serach`"
    );
    assert_eq!(
        related(&found[0]),
        [
            "/steps/1/depends_on/0: waited for here",
            "/steps/1/config/arguments/q: read here"
        ]
    );
    assert_eq!(
        found[0].expected,
        Some(Expected::OneOf(vec!["search_it".to_owned()]))
    );
}

#[test]
fn a_step_without_an_id_is_no_reason_to_scold_its_readers() {
    let mut nameless = after("gone", &[]);
    nameless.as_object_mut().unwrap().remove("id");
    assert_eq!(
        codes(&plan(json!([nameless, after("b", &["gone"])]))),
        ["P104"]
    );
}

#[test]
fn a_step_that_waits_for_itself_is_no_cycle_as_well() {
    assert_eq!(
        text(&plan(json!([after("a", &["a", "a"])]))),
        "P205 /steps/0/depends_on/0: step `a` waits for itself"
    );
}

#[test]
fn names_are_unique_among_inputs_and_outputs_too() {
    let document = crate::sample::with(json!({
        "inputs": [{"name": "n"}, {"name": "n"}],
        "steps": [call("a", json!({"q": "${input.n}"}), json!({"outputs": [{"name": "x"}, {"name": "x"}]}))],
        "outputs": [{"name": "o", "source": "${step.a.x}"}, {"name": "o", "source": "${step.a.x}"}],
    }));
    assert_eq!(
        lines(&document),
        [
            "P202 /inputs/1/name: 2 inputs are named `n`",
            "P202 /outputs/1/name: 2 plan outputs are named `o`",
            "P202 /steps/0/outputs/1/name: 2 outputs of this step are named `x`",
        ]
    );
}

#[test]
fn what_no_run_reaches_is_named_once() {
    let document = crate::sample::with(json!({
        "config": {"none": []},
        "steps": [
            call("lonely", json!({}), json!({"join": "any"})),
            after("behind", &["lonely"]),
            step("each", "FAN_OUT", json!({"over": "${conf.none}", "item_var": "row", "spawn_steps": ["inner", "last"]}), json!({})),
            after("inner", &[]),
            after("last", &["inner"]),
        ],
    }));
    assert_eq!(
        lines(&document),
        ["P207 /steps/3: `inner` can never run: `each` has no items",]
    );
}

#[test]
fn ten_thousand_steps_that_are_all_wrong_are_counted() {
    let steps: Vec<Value> = (0..10_000)
        .map(|n| after(&format!("s{n}"), &[&format!("missing{n}")]))
        .collect();
    let found = findings(&plan(Value::Array(steps)));
    assert_eq!(found.len(), 100);
    assert!(found.iter().all(|finding| finding.code == "P204"));
}

#[test]
fn a_circle_of_ten_thousand_steps_is_one_finding() {
    let steps: Vec<Value> = (0..10_000)
        .map(|n| after(&format!("s{n}"), &[&format!("s{}", (n + 1) % 10_000)]))
        .collect();
    let found = findings(&plan(Value::Array(steps)));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].message.ends_with("`s63` -> 9936 more -> `s0`"),
        "{}",
        found[0].message
    );
}

/// The first suggestion of the first finding: its applicability, and its edit as text.
fn advice(document: &Value) -> (Applicability, String) {
    let found = findings(document);
    let suggestion = &found[0].suggestions[0];
    let edit = match suggestion.edit.as_ref().expect("an edit") {
        Edit::Set { pointer, value } => format!("set {pointer} {value}"),
        Edit::Remove { pointer } => format!("remove {pointer}"),
    };
    (suggestion.applicability, edit)
}

#[test]
fn an_environment_reference_is_mended_by_machine_where_it_is_read_one_way() {
    let spelled = |text: &str| {
        let catalog = plan_validate::ToolCatalog::from_names(["search"]).unwrap();
        let key = plan_model::SecretName::new("KEY").unwrap();
        let policy = plan_validate::Policy::default().allow_secrets([key]);
        let document = plan(json!([call("a", json!({"q": text}), json!({}))])).to_string();
        let plan = plan_validate::check(&document, &plan_validate::Context::new(&catalog, &policy));
        let plan = plan.expect("a valid plan");
        let note = plan
            .warnings()
            .iter()
            .find(|finding| finding.code == "P110");
        let suggestion = note.expect("a note").suggestions.first().cloned();
        suggestion.map(|suggestion| (suggestion.applicability, suggestion.edit))
    };
    let edit = Edit::Set {
        pointer: plan_model::Pointer::parse("/steps/0/config/arguments/q").unwrap(),
        value: json!("Bearer ${secret.KEY}"),
    };
    assert_eq!(
        spelled("Bearer ${env.KEY}"),
        Some((Applicability::MachineApplicable, Some(edit)))
    );
    assert_eq!(spelled("$${env.KEY} ${env.KEY}"), None);
}

#[test]
fn edges_that_are_wrong_come_with_an_edit_for_a_person() {
    let own = plan(json!([after("a", &["a"])]));
    assert_eq!(
        advice(&own),
        (
            Applicability::MaybeIncorrect,
            "remove /steps/0/depends_on/0".to_owned()
        )
    );
    let list = |edges: Value| planner(json!([{"name": "a", "tool": "search", "after": edges}]));
    assert_eq!(
        advice(&list(json!([null]))),
        (
            Applicability::MaybeIncorrect,
            "remove /steps/0/after/0".to_owned()
        )
    );
    assert_eq!(
        advice(&list(json!(null))),
        (
            Applicability::MaybeIncorrect,
            "set /steps/0/after []".to_owned()
        )
    );
}

#[test]
fn what_does_not_show_is_taken_out_by_a_person() {
    let mut hidden = plan(json!([after("a", &[])]));
    hidden["name"] = json!("pay\u{200b}roll\u{202e}");
    assert_eq!(
        advice(&hidden),
        (
            Applicability::MaybeIncorrect,
            "set /name \"payroll\"".to_owned()
        )
    );
    let ask = step(
        "ask",
        "HUMAN_INTERACTION",
        json!({"prompt": "Pay\u{2060} ${step.a.sum}?", "response_field": "ok"}),
        json!({}),
    );
    let prompt = plan(json!([ask, after("a", &[])]));
    assert_eq!(
        advice(&prompt).1,
        "set /steps/0/config/prompt \"Pay ${step.a.sum}?\""
    );
}
