//! Rules of capability and effects: P6xx and P7xx.

mod resources;
mod unbounded;

use plan_model::edit::Edit;
use plan_validate::{Context, Expected, Finding, Policy, Roots, ToolCatalog, check};
use serde_json::{Value, json};

use crate::catalogs::{catalog, document};
use crate::sample::{findings, plan, related, step, with};

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn tools(tools: Value) -> ToolCatalog {
    catalog(&json!({"planwright": 1, "tools": tools}))
}

pub(crate) fn policy(value: &Value) -> Policy {
    Policy::from_document(&document(value)).expect("a policy")
}

fn found(plan: &Value, catalog: &ToolCatalog, policy: &Policy) -> Vec<Finding> {
    match check(&plan.to_string(), &Context::new(catalog, policy)) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    }
}

fn lines(plan: &Value, catalog: &ToolCatalog, policy: &Policy) -> Vec<String> {
    let found = found(plan, catalog, policy);
    found.iter().map(Finding::line).collect()
}

/// The findings of one code as `pointer: message`.
fn of(code: &str, found: &[Finding]) -> Vec<String> {
    let of_code = found.iter().filter(|finding| finding.code == code);
    of_code
        .map(|finding| format!("{}: {}", finding.pointer, finding.message))
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn call(id: &str, tool: &str, arguments: Value, more: Value) -> Value {
    step(
        id,
        "TOOL_CALL",
        json!({"tool": tool, "arguments": arguments}),
        more,
    )
}

fn agent(id: &str, folder: &str, more: Value) -> Value {
    let mut config = json!({"objective": "do", "working_dir": folder, "timeout_secs": 60});
    if let Value::Object(members) = more {
        for (name, member) in members {
            config[name] = member;
        }
    }
    step(id, "AGENT_CALL", config, json!({}))
}

fn folder() -> Value {
    json!([{"name": "folder", "value_type": "string", "input_kind": "directory_path"}])
}

// P602

#[test]
fn an_agent_needs_a_directory_input_or_a_granted_root() {
    let lonely = plan(json!([
        agent("a", ".", json!({})),
        agent("b", "work", json!({}))
    ]));
    let none = tools(json!([]));
    let found = found(&lonely, &none, &Policy::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code, "P602");
    assert_eq!(found[0].pointer.as_str(), "/steps/0/config/working_dir");
    assert_eq!(
        related(&found[0]),
        ["/steps/1/config/working_dir: nor has this one"]
    );
    let edit = found[0].suggestions[0].edit.clone();
    assert!(matches!(edit, Some(Edit::Set { pointer, .. }) if pointer.as_str() == "/inputs"));

    for roots in [Roots::Unrestricted, Roots::Listed(vec!["/data".to_owned()])] {
        assert!(lines(&lonely, &none, &Policy::default().roots(roots)).is_empty());
    }
    let nothing = Policy::default().roots(Roots::Listed(Vec::new()));
    assert_eq!(lines(&lonely, &none, &nothing).len(), 1);
    let given =
        with(json!({"inputs": folder(), "steps": [agent("a", "${input.folder}", json!({}))]}));
    assert_eq!(lines(&given, &none, &Policy::default()), [""; 0]);
}

#[test]
fn an_input_that_is_no_directory_is_named_beside_the_missing_root() {
    let plan = with(json!({
        "inputs": [{"name": "where", "value_type": "string"}],
        "steps": [agent("a", "${input.where}/x", json!({}))],
    }));
    let found = findings(&plan);
    assert_eq!(
        related(&found[0]),
        ["/inputs/0: this input is no directory input"]
    );
    assert_eq!(found[0].suggestions[1].title, "make it a directory input");
}

// P607

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn ruled(rule: Value) -> Policy {
    policy(&json!({"arguments": {"t": {"a": rule}}}))
}

/// What is found where `t` is called with `a` as this value, beside these members of the plan.
#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn outside(rule: &Value, a: Value, members: Value) -> Vec<String> {
    let mut members = members;
    members["steps"] = json!([
        call("s", "t", json!({"a": a}), json!({})),
        call("before", "t", json!({"a": "${step.s.out}"}), json!({})),
    ]);
    let catalog = tools(json!([{"name": "t"}]));
    of(
        "P607",
        &found(&with(members), &catalog, &ruled(rule.clone())),
    )
}

#[test]
fn a_literal_outside_the_policys_rule_is_refused_before_the_run() {
    for (rule, inside, outside_of) in [
        (json!({"exact": "x"}), json!("x"), json!("y")),
        (json!({"exact": null}), json!(null), json!("y")),
        (json!({"one_of": [1, 2]}), json!(2), json!(3)),
        (json!({"range": {"max": 3}}), json!(3), json!(4)),
        (json!({"range": {"min": 1}}), json!(1), json!("1")),
        (
            json!({"subpath": "/data"}),
            json!("/data/x"),
            json!("/data/../etc"),
        ),
        (
            json!({"url": {"schemes": ["https"], "hosts": ["a.test"]}}),
            json!("https://a.test/x"),
            json!("https://a.test@b.test/"),
        ),
        (
            json!({"schema": {"maxLength": 2}}),
            json!("ab"),
            json!("abc"),
        ),
    ] {
        assert_eq!(outside(&rule, inside, json!({})), [""; 0], "{rule}");
        let found = outside(&rule, outside_of, json!({}));
        assert_eq!(found.len(), 1, "{rule}: {found:?}");
        assert!(
            found[0].starts_with("/steps/0/config/arguments/a: "),
            "{found:?}"
        );
    }
    assert_eq!(outside(&json!("any"), json!({"x": 1}), json!({})), [""; 0]);
}

#[test]
fn a_constant_is_a_literal_that_stands_elsewhere() {
    let rule = json!({"one_of": ["go", "zig"]});
    let config = |lang: &str| json!({"config": {"lang": {"name": lang}}});
    let read = json!("${conf.lang.name}");
    assert_eq!(outside(&rule, read.clone(), config("go")), [""; 0]);
    let found = outside(&rule, read, config("rust"));
    assert_eq!(
        found,
        [
            "/steps/0/config/arguments/a: the argument `a` of `t` is outside the policy: it is none of the allowed values"
        ]
    );
}

#[test]
fn the_default_of_an_input_is_found_where_it_stands() {
    let rule = json!({"subpath": "/data"});
    let inputs = |default: &str| json!({"inputs": [{"name": "file", "value_type": "string", "default": default}]});
    assert_eq!(
        outside(&rule, json!("${input.file}"), inputs("/data/x")),
        [""; 0]
    );
    let expected = "/inputs/0/default: the default of the input `file` reaches the argument `a` of `t`, and it is not a path in `/data`";
    assert_eq!(
        outside(&rule, json!("${input.file}"), inputs("/etc/x")),
        [expected]
    );
    // a default in composed text
    assert_eq!(
        outside(&rule, json!("/data/${input.file}"), inputs("x")),
        [""; 0]
    );
    assert_eq!(
        outside(&rule, json!("/data/${input.file}"), inputs("../x")).len(),
        1
    );
    // a value that is supplied is checked at the call
    let open = json!({"inputs": [{"name": "file", "value_type": "string"}]});
    assert_eq!(outside(&rule, json!("${input.file}"), open), [""; 0]);
}

#[test]
fn a_default_behind_another_reference_counts_only_where_it_can_be_read() {
    let rule = json!({"one_of": ["go"]});
    let inputs = |first: Value| json!({"inputs": [first, {"name": "b", "value_type": "string", "default": "rust"}]});
    let read = json!("${input.a ?? input.b}");
    let optional = json!({"name": "a", "value_type": "string", "required": false});
    assert_eq!(outside(&rule, read.clone(), inputs(optional)).len(), 1);
    let required = json!({"name": "a", "value_type": "string"});
    assert_eq!(outside(&rule, read, inputs(required)), [""; 0]);
}

#[test]
fn a_closed_set_of_which_nothing_is_allowed_is_refused() {
    let rule = json!({"one_of": ["go", "zig"]});
    let inputs = |values: Value| json!({"inputs": [{"name": "x", "value_type": "string", "schema": {"enum": values}}]});
    assert_eq!(
        outside(&rule, json!("${input.x}"), inputs(json!(["go", "rust"]))),
        [""; 0]
    );
    assert_eq!(
        outside(&rule, json!("${input.x}"), inputs(json!(["c", "rust"]))),
        [
            "/steps/0/config/arguments/a: the argument `a` of `t` is outside the policy: ${input.x} has no value that is allowed"
        ]
    );
    let number = json!({"inputs": [{"name": "x", "value_type": "integer"}]});
    assert_eq!(
        outside(&json!({"subpath": "/data"}), json!("${input.x}"), number).len(),
        1
    );
}

#[test]
fn text_whose_known_parts_lead_outside_is_refused() {
    let inputs =
        json!({"inputs": [{"name": "x", "value_type": "string"}], "config": {"base": "/data"}});
    let path = json!({"subpath": "/data/in"});
    let url = json!({"url": {"schemes": ["https"], "hosts": ["a.test"]}});
    for (rule, inside) in [
        (&path, "/data/in/${input.x}"),
        (&path, "${input.x}/a"),
        (&path, "/data/${input.x}"),
        (&path, "${conf.base}/in/${input.x}.txt"),
        (&url, "https://a.test/${input.x}"),
        (&url, "https://${input.x}/"),
        (&url, "${input.x}://a.test/"),
        (&json!({"one_of": ["x-1", "y-1"]}), "${input.x}-1"),
    ] {
        assert_eq!(
            outside(rule, json!(inside), inputs.clone()),
            [""; 0],
            "{inside}"
        );
    }
    for (rule, beyond) in [
        (&path, "/etc/${input.x}"),
        (&path, "data/${input.x}"),
        (&path, "/data/in/${input.x}/../../y"),
        (&path, "${conf.base}/out/${input.x}"),
        (&url, "http://a.test/${input.x}"),
        (&url, "https://b.test/${input.x}"),
        (&url, "https://a.test@${input.x}"),
        (&json!({"one_of": ["x-1", "y-1"]}), "${input.x}-2"),
        (&json!({"range": {"max": 3}}), "${input.x}0"),
        (&json!({"schema": {"type": "integer"}}), "${input.x}0"),
    ] {
        let found = outside(rule, json!(beyond), inputs.clone());
        assert_eq!(found.len(), 1, "{beyond}: {found:?}");
    }
}

#[test]
fn case_24_an_argument_that_the_policy_rules_and_the_call_leaves_out_is_refused() {
    let catalog = tools(json!([{"name": "t", "input_schema": {"properties": {
        "a": {"type": "integer", "default": 9}, "b": {"type": "string"}}}}]));
    let policy = ruled(json!({"range": {"max": 3}}));
    let calls = |arguments: Value| plan(json!([call("s", "t", arguments, json!({}))]));
    let found = found(&calls(json!({"b": "x"})), &catalog, &policy);
    assert_eq!(
        of("P607", &found),
        [
            "/steps/0/config/arguments: the call leaves out the argument `a` of `t`, which the policy rules: the tool's own default is not the policy's"
        ]
    );
    assert_eq!(
        found[0].expected,
        Some(Expected::Range("a number of at most 3".to_owned()))
    );
    // null for an optional argument is not sent
    let null = self::found(&calls(json!({"b": "x", "a": null})), &catalog, &policy);
    assert_eq!(of("P607", &null).len(), 1, "{null:?}");
    assert_eq!(
        lines(&calls(json!({"b": "x", "a": 2})), &catalog, &policy),
        [""; 0]
    );
}

#[test]
fn an_argument_that_the_tool_does_not_take_either_is_one_finding() {
    let catalog = tools(
        json!([{"name": "t", "input_schema": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}}]),
    );
    let policy = ruled(json!({"range": {"max": 3}}));
    for arguments in [json!({}), json!({"a": "x"})] {
        let found = lines(
            &plan(json!([call("s", "t", arguments, json!({}))])),
            &catalog,
            &policy,
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(!found[0].starts_with("P607"), "{found:?}");
    }
}

#[test]
fn the_default_of_a_sensitive_input_is_not_shown() {
    let catalog = tools(json!([{"name": "t"}]));
    let plan = with(json!({
        "inputs": [{"name": "x", "value_type": "string", "default": "hunter2", "sensitive": true}],
        "steps": [call("s", "t", json!({"a": "${input.x}"}), json!({}))],
    }));
    let found = found(&plan, &catalog, &ruled(json!({"one_of": ["y"]})));
    assert_eq!(found.len(), 1);
    assert!(!serde_json::to_string(&found).unwrap().contains("hunter2"));
}

// P608

#[test]
fn what_nothing_limits_is_a_warning_for_each_argument_of_a_tool() {
    let catalog = tools(json!([
        {"name": "pay", "effects": {"destructive": true, "open_world": true}, "timeout_secs": 9,
         "input_schema": {"properties": {"to": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "amount": {"type": "number", "minimum": 0, "maximum": 9}}}},
        {"name": "assumed"},
    ]));
    let plan = with(json!({
        "inputs": [
            {"name": "to", "value_type": "string"},
            {"name": "known", "value_type": "string", "schema": {"enum": ["x"]}},
        ],
        "config": {"c": "x"},
        "steps": [
            call("a", "pay", json!({"to": "${input.to}", "kind": "${input.to}", "amount": "${step.b.n}"}), json!({})),
            call("b", "pay", json!({"to": "${conf.c}"}), json!({"outputs": [{"name": "n", "value_type": "number"}]})),
            call("c", "pay", json!({"to": "${input.known}"}), json!({})),
            call("d", "assumed", json!({"to": "${input.to}"}), json!({})),
            call("e", "pay", json!({"to": "${input.to}"}), json!({})),
        ],
    }));
    let found = found(&plan, &catalog, &Policy::default());
    assert_eq!(
        of("P608", &found),
        [
            "/steps/0/config/arguments/to: nothing limits the argument `to` of `pay`, which may destroy and reaches the open world"
        ]
    );
    let over_wide = found.iter().find(|finding| finding.code == "P608").unwrap();
    assert_eq!(
        related(over_wide),
        ["/steps/4/config/arguments/to: left open here too"]
    );
    let ruled = policy(&json!({"arguments": {"pay": {"to": "any"}}}));
    assert_eq!(of("P608", &self::found(&plan, &catalog, &ruled)), [""; 0]);
}

// P609

#[test]
fn an_agents_tools_are_in_the_catalog_and_allowed() {
    let catalog = tools(json!([
        {"name": "read"},
        {"name": "closed", "allowlisted": false},
        {"name": "broken", "input_schema": {"$ref": "https://example.com/x"}},
        {"name": "other"},
    ]));
    let policy = policy(&json!({"tools": ["read", "closed", "broken"]}));
    let plan = with(json!({"inputs": folder(), "steps": [
        agent("a", "${input.folder}", json!({"tools": ["read", "raed", "closed", "broken", "other"]})),
        agent("b", "${input.folder}", json!({"tools": ["raed"]})),
    ]}));
    let found = found(&plan, &catalog, &policy);
    let lines: Vec<String> = found.iter().map(Finding::line).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
        P609 /steps/0/config/tools/1: the agent is given the tool `raed`, and there is none
        P609 /steps/0/config/tools/2: the agent is given the tool `closed`, which the catalog does not allow
        P609 /steps/0/config/tools/3: the agent is given the tool `broken`, which is quarantined: the schema has the reference `https://example.com/x`, and only references of the form `#/…` into the schema itself are followed
        P609 /steps/0/config/tools/4: the agent is given the tool `other`, which the policy does not allow
        ");
    assert_eq!(
        found[0].expected,
        Some(Expected::OneOf(vec!["read".to_owned()]))
    );
    assert_eq!(
        related(&found[0]),
        ["/steps/1/config/tools/0: given here too"]
    );
    let advice: Vec<&str> = found
        .iter()
        .flat_map(|it| &it.suggestions)
        .map(|it| it.title.as_str())
        .collect();
    assert_eq!(
        advice,
        [
            "add `allowlisted: true` to the tool `closed` of the catalog",
            "add `other` to `tools` of the policy",
        ]
    );
}

#[test]
fn a_tool_that_is_missing_for_a_call_and_for_an_agent_is_one_finding() {
    let plan = with(json!({"inputs": folder(), "steps": [
        agent("a", "${input.folder}", json!({"tools": ["serch"]})),
        call("b", "serch", json!({}), json!({})),
    ]}));
    let found = findings(&plan);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code, "P301");
    assert_eq!(
        related(&found[0]),
        ["/steps/0/config/tools/0: given to an agent here"]
    );
}

// P612

fn acting() -> ToolCatalog {
    tools(json!([
        {"name": "send", "effects": {"read_only": false}},
        {"name": "set", "effects": {"read_only": false, "idempotent": true}},
        {"name": "get", "effects": {"read_only": true}},
        {"name": "unknown"},
    ]))
}
