//! Where untrusted values must not go: sensitive arguments, and code.

use super::*;

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
