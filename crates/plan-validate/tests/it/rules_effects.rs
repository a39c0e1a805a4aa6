//! Rules of capability and effects: P6xx and P7xx.

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

fn file_tools() -> ToolCatalog {
    let path = |kind: &str| json!({"properties": {"path": {"type": "string", "x-path-kind": kind}, "n": {}}});
    tools(json!([
        {"name": "write", "input_schema": path("output_file_path")},
        {"name": "read", "input_schema": path("file_path")},
        {"name": "delete", "effects": {"destructive": true, "open_world": false}, "input_schema": path("file_path")},
        {"name": "list", "input_schema": path("directory_path")},
        {"name": "put", "effects": {"read_only": false, "open_world": false}},
        {"name": "get", "effects": {"read_only": true, "open_world": false}},
        {"name": "post", "effects": {"read_only": false, "open_world": true}, "timeout_secs": 5},
        {"name": "unknown"},
    ]))
}

fn at(id: &str, tool: &str, path: &str, after: &[&str]) -> Value {
    call(
        id,
        tool,
        json!({"path": path, "n": id}),
        json!({"depends_on": after}),
    )
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn shared(steps: Value) -> Vec<String> {
    of(
        "P612",
        &found(
            &with(json!({"config": {"out": "/x"}, "steps": steps})),
            &file_tools(),
            &Policy::default(),
        ),
    )
}

#[test]
fn two_unordered_steps_at_one_path_are_found_once() {
    let steps = json!([
        at("a", "write", "/x", &[]),
        at("b", "read", "/./x", &[]),
        at("c", "read", "/x/", &[])
    ]);
    assert_eq!(
        shared(steps.clone()),
        [
            "/steps/1/config/arguments/path: `b` reads `/x` and `a` writes it, and nothing says which comes first"
        ]
    );
    let found = found(&plan(steps), &file_tools(), &Policy::default());
    let shared = found.iter().find(|finding| finding.code == "P612").unwrap();
    assert_eq!(
        related(shared),
        [
            "/steps/0/config/arguments/path: writes",
            "/steps/2/config/arguments/path: reads"
        ]
    );
    assert!(
        matches!(&shared.suggestions[0].edit, Some(Edit::Set { pointer, value })
        if pointer.as_str() == "/steps/1/depends_on" && *value == json!(["a"]))
    );
    for (one, other) in [
        ("put", "get"),
        ("get", "put"),
        ("delete", "read"),
        ("write", "put"),
    ] {
        assert_eq!(shared_count(one, "/x", other, "/x"), 1, "{one} {other}");
    }
    assert_eq!(shared_count("write", "/x", "read", "${conf.out}"), 1);
}

fn shared_count(one: &str, path: &str, other: &str, other_path: &str) -> usize {
    shared(json!([
        at("a", one, path, &[]),
        at("b", other, other_path, &[])
    ]))
    .len()
}

#[test]
fn what_is_ordered_or_only_read_or_elsewhere_is_not_shared() {
    for (one, other) in [
        ("read", "read"),
        ("get", "read"),
        ("list", "write"),
        ("post", "post"),
        ("unknown", "unknown"),
        ("read", "post"),
    ] {
        assert_eq!(shared_count(one, "/x", other, "/x"), 0, "{one} {other}");
    }
    assert_eq!(shared_count("write", "/x", "read", "/y"), 0);
    assert_eq!(shared_count("put", "plain words", "put", "plain words"), 0);
    let ordered = json!([
        at("a", "write", "/x", &[]),
        at("between", "list", "/", &["a"]),
        at("b", "read", "/x", &["between"]),
        at("c", "read", "/x", &["a"]),
        at("d", "write", "/x", &["b", "c"]),
    ]);
    assert_eq!(shared(ordered), [""; 0]);
    let late = json!([
        at("a", "write", "/x", &[]),
        at("b", "read", "/x", &["a"]),
        at("c", "read", "/x", &["a"]),
        at("d", "write", "/x", &["b"])
    ]);
    assert_eq!(shared(late).len(), 1);
}

#[test]
fn steps_of_opposite_branches_share_nothing() {
    let condition = step(
        "if",
        "CONDITION",
        json!({"expression": "conf.out == '/x'", "true_steps": ["a"], "false_steps": ["b"]}),
        json!({}),
    );
    let steps = json!([
        condition,
        at("a", "write", "/x", &[]),
        at("b", "write", "/y", &[]),
        at("c", "write", "/x", &["b"])
    ]);
    assert_eq!(shared(steps), [""; 0]);
}

#[test]
fn items_side_by_side_share_a_path_with_themselves() {
    let fan = |parallel: u64| {
        step(
            "each",
            "FAN_OUT",
            json!({"over": "${conf.rows}", "item_var": "row", "spawn_steps": ["a", "b"], "max_parallel": parallel}),
            json!({}),
        )
    };
    let steps = |parallel| {
        with(
            json!({"config": {"rows": [1, 2]}, "steps": [fan(parallel), at("a", "write", "/x", &[]), at("b", "read", "/x", &[])]}),
        )
    };
    let found = |parallel| {
        of(
            "P612",
            &found(&steps(parallel), &file_tools(), &Policy::default()),
        )
    };
    assert_eq!(found(1), [""; 0]);
    assert_eq!(
        found(2),
        ["/steps/1/config/arguments/path: `a` writes `/x` for several items at one time"]
    );
}

#[test]
fn a_script_reads_its_own_file() {
    let steps = json!([
        at("a", "write", "run.sh", &[]),
        step(
            "b",
            "CODE_CALL",
            json!({"language": "bash", "file": "run.sh"}),
            json!({})
        )
    ]);
    assert_eq!(shared(steps).len(), 1);
}

#[test]
fn many_steps_at_one_path_are_looked_at_in_linear_time() {
    let steps: Vec<Value> = (0..3_000)
        .map(|n| at(&format!("s{n}"), "read", "/x", &[]))
        .chain([at("w", "write", "/x", &[])])
        .collect();
    assert_eq!(shared(json!(steps)).len(), 1);
}

// P613

fn acting() -> ToolCatalog {
    tools(json!([
        {"name": "send", "effects": {"read_only": false}},
        {"name": "set", "effects": {"read_only": false, "idempotent": true}},
        {"name": "get", "effects": {"read_only": true}},
        {"name": "unknown"},
    ]))
}

#[test]
fn the_same_call_twice_is_found_whatever_the_order_of_its_arguments() {
    let repeated = |tool: &str, one: Value, other: Value| {
        let steps = json!([
            call("a", tool, one, json!({})),
            call("b", tool, other, json!({}))
        ]);
        of("P613", &found(&plan(steps), &acting(), &Policy::default()))
    };
    let (one, other) = (json!({"to": "x", "n": 1}), json!({"n": 1, "to": "x"}));
    assert_eq!(
        repeated("send", one.clone(), other.clone()),
        ["/steps/1/config/tool: `b` makes the same call of `send` as `a`, which acts twice"]
    );
    for tool in ["set", "get", "unknown"] {
        assert_eq!(
            repeated(tool, one.clone(), other.clone()),
            [""; 0],
            "{tool}"
        );
    }
    assert_eq!(
        repeated("send", one.clone(), json!({"to": "y", "n": 1})),
        [""; 0]
    );
    assert_eq!(repeated("send", json!({}), json!({})), [""; 0]);
    assert_eq!(
        repeated("send", json!({"to": "${step.b}"}), json!({"to": "x"})),
        [""; 0]
    );
}

#[test]
fn calls_of_opposite_branches_are_one_call() {
    let same = |id: &str, after: &[&str]| {
        call(id, "send", json!({"to": "x"}), json!({"depends_on": after}))
    };
    let condition = step(
        "if",
        "CONDITION",
        json!({"expression": "conf.n == 1", "true_steps": ["a"], "false_steps": ["b"]}),
        json!({}),
    );
    let plan = |more: Value| {
        with(
            json!({"config": {"n": 1}, "steps": [condition, same("a", &[]), same("b", &[]), more]}),
        )
    };
    let found = |plan: &Value| of("P613", &found(plan, &acting(), &Policy::default()));
    assert_eq!(
        found(&plan(call("c", "get", json!({}), json!({})))),
        [""; 0]
    );
    assert_eq!(
        found(&plan(same("c", &["b"]))),
        ["/steps/3/config/tool: `c` makes the same call of `send` as `b`, which acts twice"]
    );
}

// P702

fn fan(over: &str, more: Value) -> Value {
    let mut members = more;
    members["steps"] = json!([
        call(
            "find",
            "get",
            json!({}),
            json!({"outputs": [
                {"name": "rows", "value_type": "array"},
                {"name": "few", "value_type": "array", "schema": {"maxItems": 5, "items": {"type": "object", "properties": {"parts": {"maxItems": 2}}}}},
            ]})
        ),
        step(
            "each",
            "FAN_OUT",
            json!({"over": over, "item_var": "row", "spawn_steps": ["tell"]}),
            json!({})
        ),
        call("tell", "send", json!({"to": "${item.row}"}), json!({})),
    ]);
    with(members)
}

#[test]
fn a_list_of_unknown_length_without_a_limit_is_a_warning() {
    let found = |plan: &Value, policy: &Policy| of("P702", &found(plan, &acting(), policy));
    let plain = Policy::default();
    assert_eq!(
        found(&fan("find.rows", json!({})), &plain),
        [
            "/steps/1/config/over: nothing bounds how often `tell` acts: the list of `each` has no known length, and there is no limit"
        ]
    );
    assert_eq!(found(&fan("find.few", json!({})), &plain), [""; 0]);
    assert_eq!(
        found(
            &fan("${conf.rows}", json!({"config": {"rows": [1]}})),
            &plain
        ),
        [""; 0]
    );
    for limits in [
        json!({"max_fan_out_items": 9}),
        json!({"max_tool_calls": 9}),
    ] {
        assert_eq!(
            found(&fan("find.rows", json!({"limits": limits.clone()})), &plain),
            [""; 0]
        );
        assert_eq!(
            found(
                &fan("find.rows", json!({})),
                &policy(&json!({"limits": limits}))
            ),
            [""; 0]
        );
    }
    assert_eq!(
        found(
            &fan("find.rows", json!({"limits": {"max_steps": 9}})),
            &plain
        )
        .len(),
        1
    );
}

// P703

#[test]
fn a_call_that_others_answer_needs_a_timeout_somewhere() {
    let catalog = tools(json!([
        {"name": "web", "effects": {"open_world": true, "read_only": true}},
        {"name": "timed", "effects": {"open_world": true}, "timeout_secs": 5},
        {"name": "http", "effects": {"open_world": true}, "config": {"kind": "http", "base_url": "https://a.test", "timeout_secs": 5}},
        {"name": "local", "effects": {"open_world": false}},
        {"name": "unknown"},
    ]));
    let steps = json!([
        call("a", "web", json!({}), json!({})),
        call("b", "web", json!({}), json!({})),
        call("c", "web", json!({}), json!({"timeout_secs": 5})),
        call("d", "timed", json!({}), json!({})),
        call("e", "http", json!({}), json!({})),
        call("f", "local", json!({}), json!({})),
        call("g", "unknown", json!({}), json!({})),
        step(
            "h",
            "AGENT_CALL",
            json!({"objective": "x", "working_dir": "${input.folder}"}),
            json!({})
        ),
    ]);
    let plan = |more: Value| {
        let mut members = json!({"inputs": folder(), "steps": steps});
        members["limits"] = more;
        with(members)
    };
    let missing = found(&plan(json!({})), &catalog, &Policy::default());
    assert_eq!(
        of("P703", &missing),
        [
            "/steps/0/config/tool: the tool `web` reaches the open world, and nothing says how long a call may take",
            "/steps/7/config/objective: nothing says how long the agent may work",
        ]
    );
    let first = missing
        .iter()
        .find(|finding| finding.code == "P703")
        .unwrap();
    assert_eq!(related(first), ["/steps/1/config/tool: nor here"]);
    let bounded = plan(json!({"max_wall_secs": 60}));
    assert_eq!(
        of("P703", &found(&bounded, &catalog, &Policy::default())),
        [""; 0]
    );
}

#[test]
fn a_fan_outs_timeout_bounds_its_body() {
    let catalog =
        tools(json!([{"name": "web", "effects": {"open_world": true, "read_only": true}}]));
    let plan = with(json!({"config": {"rows": [1]}, "steps": [
        step("each", "FAN_OUT", json!({"over": "${conf.rows}", "item_var": "row", "spawn_steps": ["a"]}), json!({"timeout_secs": 60})),
        call("a", "web", json!({}), json!({})),
    ]}));
    assert_eq!(lines(&plan, &catalog, &Policy::default()), [""; 0]);
}
