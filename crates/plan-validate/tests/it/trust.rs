//! Where values come from: what is trusted, what joins, what endorses.

mod endorsed;
mod sinks;

use plan_validate::{
    Approval, Context, Finding, Policy, Severity, ToolCatalog, Untrusted, UntrustedSource, check,
};
use serde_json::{Value, json};

use crate::catalogs::catalog;
use crate::sample::{self, step};

/// `send` has one sensitive argument; `look` is trusted, everything else is not.
fn tools() -> ToolCatalog {
    catalog(&json!({
        "planwright": 1,
        "tools": [
            {"name": "fetch"},
            {"name": "look", "output_trust": "trusted"},
            {"name": "send", "sensitive_arguments": ["to", "cc"]},
            {"name": "pay", "sensitive_arguments": ["iban"], "input_schema": {"type": "object", "properties": {"iban": {"type": "string"}}, "required": ["iban"]}},
            {"name": "query", "code_arguments": ["sql"]},
            {"name": "open", "input_schema": {"type": "object", "properties": {
                "url": {"type": "string", "format": "uri"}, "title": {"type": "string"},
                "links": {"type": "array", "items": {"type": "object", "properties": {"href": {"$ref": "#/$defs/link"}}}}},
                "$defs": {"link": {"type": "string", "format": "uri-reference"}}}},
        ],
        "languages": {
            "bash": {"command": "bash"},
            "pure": {"command": "wasm", "output_trust": "trusted"},
        },
        "models": [{"name": "m"}],
        "agents": {"helper": {"kind": "loop", "model": "m"}},
    }))
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn call(id: &str, tool: &str, arguments: Value) -> Value {
    step(
        id,
        "TOOL_CALL",
        json!({"tool": tool, "arguments": arguments}),
        json!({}),
    )
}

fn fetch() -> Value {
    call("fetch", "fetch", json!({"page": "p"}))
}

fn send(to: &str) -> Value {
    call("send", "send", json!({"to": to}))
}

fn prompt(id: &str, text: &str) -> Value {
    step(
        id,
        "PROMPT_CALL",
        json!({"model": "m", "user_prompt": text, "output_field": "text"}),
        json!({}),
    )
}

fn script(id: &str, language: &str, stdin: &str) -> Value {
    let config = json!({"language": language, "inline": "cat", "stdin": stdin});
    step(
        id,
        "CODE_CALL",
        config,
        json!({"outputs": [{"name": "out"}]}),
    )
}

fn ask(id: &str, prompt: &str) -> Value {
    let config = json!({"prompt": prompt, "response_field": "ok", "approval_required": true});
    step(id, "HUMAN_INTERACTION", config, json!({}))
}

#[expect(clippy::needless_pass_by_value, reason = "a literal at every call")]
fn fan_out(id: &str, over: &str, body: &[&str], more: Value) -> Value {
    let mut config = json!({"over": over, "item_var": "row", "spawn_steps": body});
    for (name, value) in more.as_object().unwrap() {
        config[name] = value.clone();
    }
    step(id, "FAN_OUT", config, json!({}))
}

fn after(mut step: Value, dependencies: &[&str]) -> Value {
    step["depends_on"] = json!(dependencies);
    step
}

fn plan(steps: &[Value]) -> Value {
    sample::with(json!({
        "inputs": [
            {"name": "who"},
            {"name": "list", "value_type": "array"},
            {"name": "pin", "sensitive": true},
            {"name": "maybe", "required": false},
            {"name": "dir", "value_type": "string", "input_kind": "directory_path"},
        ],
        "config": {"boss": "boss@example.com", "all": [{"to": "a"}, {"to": "b"}]},
        "steps": steps,
    }))
}

/// What a person is asked because of it, as `step: reason`.
fn asked(steps: &[Value], policy: &Policy) -> Vec<String> {
    let catalog = tools();
    let text = plan(steps).to_string();
    let plan = check(&text, &Context::new(&catalog, policy)).unwrap_or_else(|it| panic!("{it}"));
    let asks = plan.bounds().asks.iter();
    asks.filter(|ask| ask.reason.contains("untrusted"))
        .map(|ask| format!("{}: {}", ask.step, ask.reason))
        .collect()
}

/// Where what reaches `to` of the step `send` comes from; nothing where it is trusted.
fn source(steps: &[Value], policy: &Policy) -> String {
    let asked = asked(steps, policy);
    match asked.as_slice() {
        [] => String::new(),
        [one] => one
            .strip_prefix("send: an untrusted value from ")
            .and_then(|rest| rest.strip_suffix(" reaches the sensitive argument `to`"))
            .unwrap_or_else(|| panic!("{one}"))
            .to_owned(),
        more => panic!("{more:?}"),
    }
}

fn from(steps: &[Value]) -> String {
    source(steps, &Policy::default())
}

fn findings(steps: &[Value], policy: &Policy) -> Vec<Finding> {
    let catalog = tools();
    match check(&plan(steps).to_string(), &Context::new(&catalog, policy)) {
        Ok(plan) => plan.warnings().to_vec(),
        Err(rejected) => rejected.findings().to_vec(),
    }
}

fn denied(steps: &[Value]) -> Vec<Finding> {
    let policy = Policy::default().untrusted(Untrusted::Deny);
    let mut findings = findings(steps, &policy);
    findings.retain(|finding| finding.code == "P604");
    findings
}

fn injections(steps: &[Value]) -> Vec<String> {
    let findings = findings(steps, &Policy::default());
    let mine = findings.iter().filter(|finding| finding.code == "P610");
    mine.map(Finding::line).collect()
}

#[test]
fn literals_config_inputs_answers_and_vouched_tools_are_trusted() {
    let look = call("look", "look", json!({"at": "${input.who}"}));
    let question = step(
        "question",
        "HUMAN_INTERACTION",
        json!({"prompt": "Who?", "response_field": "name"}),
        json!({}),
    );
    let steps = |to: &str| [look.clone(), question.clone(), send(to)];
    for to in [
        "alice",
        "${conf.boss}",
        "${input.who}",
        "${step.question.name}",
        "${step.look.name}",
        "Dear ${step.look.name} and ${conf.boss}",
        "${input.maybe ?? step.look.name}",
    ] {
        assert_eq!(from(&steps(to)), "", "{to}");
    }
}

#[test]
fn tools_scripts_and_agents_are_sources() {
    assert_eq!(from(&[fetch(), send("${step.fetch.page}")]), "step `fetch`");
    assert_eq!(from(&[fetch(), send("${step.fetch}")]), "step `fetch`");
    let literal = script("script", "bash", "nothing");
    assert_eq!(
        from(&[literal, send("${step.script.out}")]),
        "step `script`"
    );
    let agent = step(
        "agent",
        "AGENT_CALL",
        json!({"objective": "Find out", "working_dir": "${input.dir}", "agent": "helper"}),
        json!({}),
    );
    assert_eq!(from(&[agent, send("${step.agent.report}")]), "step `agent`");
    // the trust of one tool says nothing about what is passed beside it
    let look = call("look", "look", json!({"at": "${step.fetch.page}"}));
    assert_eq!(
        from(&[fetch(), look.clone(), send("${step.look.name}")]),
        ""
    );
    assert_eq!(
        from(&[fetch(), look, send("${step.look.name}, ${step.fetch.page}")]),
        "step `fetch`"
    );
}

#[test]
fn prompts_conditions_and_vouched_scripts_are_as_what_they_read() {
    for (reads, from_fetch) in [("${input.who}", ""), ("${step.fetch.page}", "step `fetch`")] {
        let summary = prompt("summary", &format!("Sum up {reads}"));
        assert_eq!(
            from(&[fetch(), summary, send("${step.summary.text}")]),
            from_fetch
        );
        let pure = script("pure", "pure", reads);
        assert_eq!(
            from(&[fetch(), pure, send("${step.pure.stdout}")]),
            from_fetch
        );
        let path = reads.trim_matches(['$', '{', '}']);
        let condition = step(
            "is",
            "CONDITION",
            json!({"expression": format!("{path} == \"x\""), "true_steps": [], "false_steps": []}),
            json!({}),
        );
        assert_eq!(
            from(&[fetch(), condition, send("${step.is.result}")]),
            from_fetch
        );
    }
    let system = step(
        "p",
        "PROMPT_CALL",
        json!({"model": "m", "system_prompt": "${step.fetch.page}", "user_prompt": "Hello", "output_field": "text"}),
        json!({}),
    );
    assert_eq!(
        from(&[fetch(), system, send("${step.p.text}")]),
        "step `fetch`"
    );
}

#[test]
fn what_decides_whether_a_step_runs_is_not_followed() {
    let condition = step(
        "is",
        "CONDITION",
        json!({"expression": "step.fetch.page == \"x\"", "true_steps": ["send"], "false_steps": []}),
        json!({}),
    );
    let sent = after(send("${input.who}"), &["is"]);
    assert_eq!(from(&[fetch(), condition, sent]), "");
}

#[test]
fn an_alternative_is_untrusted_if_one_of_its_paths_is() {
    let look = call("look", "look", json!({}));
    for to in [
        "${step.fetch.page ?? step.look.name}",
        "${step.look.name ?? step.fetch.page}",
        "${input.maybe ?? step.look.name ?? step.fetch.page}",
    ] {
        assert_eq!(
            from(&[fetch(), look.clone(), send(to)]),
            "step `fetch`",
            "{to}"
        );
    }
}

#[test]
fn a_value_is_found_in_texts_objects_and_lists() {
    for to in [
        json!({"name": "x", "address": {"mail": "${step.fetch.page}"}}),
        json!(["a", ["b", "<${step.fetch.page}>"]]),
        json!("Dear ${step.fetch.page}"),
    ] {
        let sent = call("send", "send", json!({"to": to}));
        assert_eq!(from(&[fetch(), sent]), "step `fetch`");
    }
    // what the tool does not call sensitive may hold anything
    let sent = call(
        "send",
        "send",
        json!({"to": "alice", "text": "${step.fetch.page}"}),
    );
    assert_eq!(from(&[fetch(), sent]), "");
}

#[test]
fn items_are_as_the_list_that_they_are_of() {
    let body = |over: &str| {
        let sent = send("Dear ${item.row}");
        from(&[fetch(), fan_out("each", over, &["send"], json!({})), sent])
    };
    assert_eq!(body("${step.fetch.rows}"), "step `fetch`");
    assert_eq!(body("${input.list}"), "");
    assert_eq!(body("${conf.all}"), "");
}

#[test]
fn items_of_items_lead_out_of_every_fan_out() {
    let nested = |over: &str| {
        let outer = json!({"over": over, "item_var": "group", "spawn_steps": ["inner"]});
        let inner =
            json!({"over": "${item.group.rows}", "item_var": "row", "spawn_steps": ["send"]});
        let steps = [
            fetch(),
            send("${item.row}"),
            step("inner", "FAN_OUT", inner, json!({})),
            step("outer", "FAN_OUT", outer, json!({})),
        ];
        from(&steps)
    };
    assert_eq!(nested("${step.fetch.rows}"), "step `fetch`");
    assert_eq!(nested("${input.list}"), "");
}

#[test]
fn an_item_of_one_name_is_the_innermost_and_a_list_is_read_from_outside() {
    let steps = |outer: &str, inner: &str| {
        from(&[
            fetch(),
            fan_out("outer", outer, &["inner"], json!({})),
            fan_out("inner", inner, &["send"], json!({})),
            send("${item.row.x}"),
        ])
    };
    assert_eq!(
        steps("${step.fetch.rows}", "${item.row.rows}"),
        "step `fetch`"
    );
    assert_eq!(steps("${step.fetch.rows}", "${input.list}"), "");
    assert_eq!(steps("${input.list}", "${step.fetch.rows}"), "step `fetch`");
}

#[test]
fn results_are_as_the_last_step_of_the_body() {
    let steps = |body: &[&str], reads: &str| {
        let collect = json!({"on_item_error": "collect"});
        let mut steps: Vec<Value> = body
            .iter()
            .map(|tool| call(tool, tool, json!({"at": "${item.row}"})))
            .collect();
        steps.push(fan_out("each", "${input.list}", body, collect));
        steps.push(send(reads));
        from(&steps)
    };
    let results = "${step.each.results}";
    assert_eq!(steps(&["look", "fetch"], results), "step `fetch`");
    assert_eq!(steps(&["fetch", "look"], results), "");
    // a failure may tell of any step
    for reads in ["${step.each.errors}", "${step.each}"] {
        assert_eq!(steps(&["fetch", "look"], reads), "step `fetch`", "{reads}");
    }
    assert_eq!(steps(&["look"], "${step.each}"), "");
}

#[test]
fn failures_inside_a_nested_fan_out_are_told_by_the_outer_one() {
    let steps = [
        fetch(),
        call("look", "look", json!({"at": "${step.fetch.page}"})),
        call("last", "look", json!({"at": "${item.row}"})),
        fan_out("inner", "${item.row}", &["look", "last"], json!({})),
        fan_out(
            "outer",
            "${input.list}",
            &["inner"],
            json!({"on_item_error": "collect"}),
        ),
        send("${step.outer.errors}"),
    ];
    assert_eq!(from(&steps), "step `fetch`");
}

#[test]
fn what_ends_a_fan_out_becomes_no_value() {
    let until = json!({"until": "step.fetch.done"});
    let steps = [
        call("fetch", "fetch", json!({"page": "${item.row}"})),
        call("look", "look", json!({"at": "${item.row}"})),
        fan_out("each", "${input.list}", &["fetch", "look"], until),
        send("${step.each.results}"),
    ];
    assert_eq!(from(&steps), "");
}

#[test]
fn a_fan_in_joins_what_it_collects() {
    let collect = |sources: &[&str]| {
        let fan_in = json!({"from_steps": sources, "collect_field": "all"});
        let steps = [
            fetch(),
            call("look", "look", json!({})),
            step("both", "FAN_IN", fan_in, json!({})),
            send("${step.both.all}"),
        ];
        from(&steps)
    };
    assert_eq!(collect(&["look", "fetch"]), "step `fetch`");
    assert_eq!(collect(&["look"]), "");
}

#[test]
fn a_policy_may_distrust_callers_and_answers() {
    let callers = Policy::default().distrust(UntrustedSource::Inputs);
    let summary = prompt("summary", "Sum up ${input.who}");
    assert_eq!(source(&[send("${input.who}")], &callers), "the input `who`");
    assert_eq!(
        source(&[summary, send("${step.summary.text}")], &callers),
        "the input `who`"
    );
    assert_eq!(source(&[send("${conf.boss}")], &callers), "");
    let answers = Policy::default().distrust(UntrustedSource::Answers);
    let question = step(
        "question",
        "HUMAN_INTERACTION",
        json!({"prompt": "Who?", "response_field": "name"}),
        json!({}),
    );
    let asked = [
        question,
        ask("ok", "Really?"),
        send("${step.question.name}"),
    ];
    assert_eq!(source(&asked, &answers), "step `question`");
    assert_eq!(
        source(&[ask("ok", "Really?"), send("${step.ok.ok}")], &answers),
        ""
    );
}
