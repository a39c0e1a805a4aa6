//! Where values come from: what is trusted, what joins, what endorses.

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

#[test]
fn an_approval_endorses_the_value_that_it_shows() {
    let sent = |to: &str| after(send(to), &["ok"]);
    let steps = |shows: &str, to: &str| from(&[fetch(), ask("ok", shows), sent(to)]);
    let page = "${step.fetch.page}";
    assert_eq!(steps("Send to ${step.fetch.page}?", page), "");
    assert_eq!(
        steps("Send to ${step.fetch.page}?", "${step.fetch.page.mail}"),
        ""
    );
    assert_eq!(steps("Send ${step.fetch}?", page), "");
    // another value, or a part of it alone, is not the value
    for shows in [
        "Send it?",
        "To ${step.fetch.title}?",
        "To ${step.fetch.page.mail}?",
    ] {
        assert_eq!(steps(shows, page), "step `fetch`", "{shows}");
    }
}

#[test]
fn an_approval_endorses_nothing_that_may_start_before_it() {
    let steps = [
        fetch(),
        ask("ok", "To ${step.fetch.page}?"),
        send("${step.fetch.page}"),
    ];
    assert_eq!(from(&steps), "step `fetch`");
    // a question that approves nothing endorses nothing
    let question = step(
        "ok",
        "HUMAN_INTERACTION",
        json!({"prompt": "To ${step.fetch.page}?", "response_field": "name"}),
        json!({}),
    );
    let steps = [
        fetch(),
        question,
        after(send("${step.fetch.page}"), &["ok"]),
    ];
    assert_eq!(from(&steps), "step `fetch`");
}

#[test]
fn what_is_made_of_an_endorsed_value_is_trusted() {
    let early = [
        fetch(),
        prompt("sum", "${step.fetch.page}"),
        ask("ok", "Of ${step.fetch.page}?"),
        after(send("${step.sum.text}"), &["ok"]),
    ];
    assert_eq!(from(&early), "step `fetch`");
    let late = [
        fetch(),
        ask("ok", "Of ${step.fetch.page}?"),
        after(prompt("sum", "${step.fetch.page}"), &["ok"]),
        send("${step.sum.text}"),
    ];
    assert_eq!(from(&late), "");
}

#[test]
fn a_shown_list_endorses_its_items() {
    let steps = |after_it: &[&str]| {
        let each = fan_out("each", "${step.fetch.rows}", &["send"], json!({}));
        from(&[
            fetch(),
            ask("ok", "To all of ${step.fetch.rows}?"),
            after(each, after_it),
            send("${item.row}"),
        ])
    };
    assert_eq!(steps(&["ok"]), "");
    assert_eq!(steps(&[]), "step `fetch`");
}

#[test]
fn of_alternatives_those_are_endorsed_that_are_chosen_alike() {
    let steps = |shows: &str, to: &str| {
        from(&[
            fetch(),
            call("other", "fetch", json!({})),
            ask("ok", shows),
            after(send(to), &["ok"]),
        ])
    };
    let both = "${step.fetch.a ?? step.other.b}";
    assert_eq!(steps(both, both), "");
    assert_eq!(steps(both, "${step.fetch.a}"), "");
    assert_eq!(steps(both, "${step.fetch.a.x ?? step.other.b.y}"), "");
    assert_eq!(steps(both, "${step.fetch.a ?? input.who}"), "");
    // the prompt may have shown the first one
    assert_eq!(steps(both, "${step.other.b}"), "step `other`");
    assert_eq!(steps("${step.fetch.a}", both), "step `other`");
    assert_eq!(
        steps("${step.other.b ?? step.fetch.a}", both),
        "step `fetch`"
    );
}

#[test]
fn a_mask_endorses_nothing() {
    let policy = Policy::default().distrust(UntrustedSource::Inputs);
    let steps = |input: &str| {
        let shows = format!("To ${{input.{input}}}?");
        let to = format!("${{input.{input}}}");
        source(&[ask("ok", &shows), after(send(&to), &["ok"])], &policy)
    };
    assert_eq!(steps("who"), "");
    assert_eq!(steps("pin"), "the input `pin`");
}

#[test]
fn the_policy_says_what_it_means() {
    let steps = [fetch(), send("${step.fetch.page}")];
    assert_eq!(
        asked(&steps, &Policy::default()),
        ["send: an untrusted value from step `fetch` reaches the sensitive argument `to`"]
    );
    let allow = Policy::default().untrusted(Untrusted::Allow);
    assert_eq!(asked(&steps, &allow), [""; 0]);
    assert_eq!(denied(&steps).len(), 1);
    assert_eq!(denied(&[fetch(), send("alice")]).len(), 0);
    let catalog = tools();
    let policy = Policy::default();
    let checked = check(&plan(&steps).to_string(), &Context::new(&catalog, &policy)).unwrap();
    let id = plan_model::StepId::new("send").unwrap();
    let site = checked.grant().site(&id).unwrap();
    assert!(matches!(&site.approval, Approval::AskAtCall(why) if why.contains("`fetch`")));
    // the lock says that it asks, and not why
    let lock = checked.grant().lock();
    assert!(
        lock.contains("asked") && !lock.contains("untrusted"),
        "{lock}"
    );
}

#[test]
fn a_denial_tells_the_whole_way_and_the_ways_out() {
    let steps = [
        fetch(),
        fan_out("each", "${step.fetch.rows}", &["name"], json!({})),
        prompt("name", "Who is ${item.row}?"),
        prompt("best", "The best of ${step.each.results}"),
        send("${step.best.text}"),
    ];
    let found = denied(&steps);
    let [finding] = found.as_slice() else {
        panic!("{found:?}");
    };
    insta::assert_snapshot!(finding.line(), @"P604 /steps/4/config/arguments/to: an untrusted value from step `fetch` reaches the sensitive argument `to`");
    insta::assert_snapshot!(sample::related(finding).join("\n"), @"
    /steps/0: comes from step `fetch`, whose output is untrusted
    /steps/1/config/over: is in the list of fan-out `each`
    /steps/2/config/user_prompt: passes through prompt `name`
    /steps/1/config/spawn_steps: passes through fan-out `each`
    /steps/3/config/user_prompt: passes through prompt `best`
    ");
    let titles: Vec<&str> = finding
        .suggestions
        .iter()
        .map(|it| it.title.as_str())
        .collect();
    insta::assert_snapshot!(titles.join("\n"), @"
    let a person approve it: an approval before this step that shows `${step.best.text}`
    or declare `output_trust: trusted` for the tool `fetch`, if its results may steer calls
    or let the policy ask: `untrusted: ask`
    ");
}

#[test]
fn each_argument_is_one_finding_with_all_its_values() {
    let to = json!({"to": ["${step.fetch.a}", "${step.other.b}"], "cc": "${step.fetch.c}"});
    let found = denied(&[
        fetch(),
        call("other", "fetch", json!({})),
        call("send", "send", to),
    ]);
    let lines: Vec<String> = found.iter().map(Finding::line).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    P604 /steps/2/config/arguments/cc: an untrusted value from step `fetch` reaches the sensitive argument `cc`
    P604 /steps/2/config/arguments/to/0: an untrusted value from step `fetch` reaches the sensitive argument `to`
    ");
    let last = found[1].related.last().unwrap();
    assert_eq!(last.note, "and one from step `other`");
}

#[test]
fn an_agent_may_not_fill_what_it_must_not_choose() {
    let agent = |tools: &[&str]| {
        let config = json!({"objective": "Pay", "working_dir": "${input.dir}", "agent": "helper", "tools": tools});
        step("agent", "AGENT_CALL", config, json!({}))
    };
    let found = denied(&[agent(&["fetch", "pay"])]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].pointer.as_str(), "/steps/0/config/tools/1");
    // it may leave out what the tool can do without
    assert_eq!(denied(&[agent(&["fetch", "send"])]), []);
}

#[test]
fn a_cycle_leaves_nothing_to_follow() {
    let steps = [
        after(prompt("a", "${step.b.text}"), &["b"]),
        prompt("b", "${step.a.text}"),
        send("${step.b.text}"),
    ];
    let policy = Policy::default().untrusted(Untrusted::Deny);
    let findings = findings(&steps, &policy);
    let errors = findings.iter().filter(|it| it.severity == Severity::Error);
    let codes: Vec<&str> = errors.map(|it| it.code.as_str()).collect();
    assert_eq!(codes, ["P203"]);
}

#[test]
fn untrusted_text_becomes_no_part_of_code_or_a_url() {
    let sql = |sql: Value| injections(&[fetch(), call("query", "query", json!({"sql": sql}))]);
    insta::assert_snapshot!(sql(json!("select '${step.fetch.name}', '${step.fetch.age}'")).join("\n"), @"P610 /steps/1/config/arguments/sql: untrusted text from step `fetch` becomes a part of the argument `sql`, which is code");
    assert_eq!(sql(json!("${step.fetch.sql}")), [""; 0]);
    assert_eq!(sql(json!("select '${input.who}'")), [""; 0]);
    assert_eq!(sql(json!({"text": ["x ${step.fetch.y}"]})).len(), 1);
    let open = |arguments: Value| injections(&[fetch(), call("open", "open", arguments)]);
    insta::assert_snapshot!(open(json!({"url": "https://example.com/${step.fetch.path}", "links": [{"href": "/${step.fetch.path}"}]})).join("\n"), @"
    P610 /steps/1/config/arguments/links/0/href: untrusted text from step `fetch` becomes a part of the argument `links`, which is a URL
    P610 /steps/1/config/arguments/url: untrusted text from step `fetch` becomes a part of the argument `url`, which is a URL
    ");
    assert_eq!(
        open(json!({"url": "${step.fetch.url}", "title": "On ${step.fetch.url}"})),
        [""; 0]
    );
}

#[test]
fn numbers_and_words_of_a_closed_list_are_no_code() {
    let with = |output: Value| {
        let mut fetch = fetch();
        fetch["outputs"] = json!([output]);
        let query = call("query", "query", json!({"sql": "limit ${step.fetch.x}"}));
        injections(&[fetch, query]).len()
    };
    assert_eq!(with(json!({"name": "x", "value_type": "integer"})), 0);
    assert_eq!(with(json!({"name": "x", "value_type": "boolean"})), 0);
    assert_eq!(
        with(json!({"name": "x", "value_type": "string", "schema": {"enum": ["asc", "desc"]}})),
        0
    );
    assert_eq!(with(json!({"name": "x", "value_type": "string"})), 1);
    assert_eq!(with(json!({"name": "x"})), 1);
}

#[test]
fn an_untrusted_value_names_no_script() {
    let run = |file: &str| {
        let config = json!({"language": "bash", "file": file, "args": ["${step.fetch.page}"]});
        injections(&[fetch(), step("run", "CODE_CALL", config, json!({}))]).len()
    };
    assert_eq!(run("tools/${step.fetch.name}.sh"), 1);
    assert_eq!(run("${step.fetch.name}"), 1);
    assert_eq!(run("tools/${input.who}.sh"), 0);
    assert_eq!(run("tools/run.sh"), 0);
}

#[test]
fn an_approval_lets_text_into_code() {
    let query = call(
        "query",
        "query",
        json!({"sql": "select '${step.fetch.name}'"}),
    );
    let steps = [
        fetch(),
        ask("ok", "Look for ${step.fetch.name}?"),
        after(query, &["ok"]),
    ];
    assert_eq!(injections(&steps), [""; 0]);
    // what the policy allows in sensitive arguments is no matter of code
    let allow = Policy::default().untrusted(Untrusted::Allow);
    let query = call(
        "query",
        "query",
        json!({"sql": "select '${step.fetch.name}'"}),
    );
    let found = findings(&[fetch(), query], &allow);
    assert!(
        found
            .iter()
            .any(|it| it.code == "P610" && it.severity == Severity::Error)
    );
}
