//! What a script may use and what it was denied, through the command.

use serde_json::{Value, json};

use crate::plans::prepared;

fn script(language: &str, text: &str) -> Value {
    json!([{"id": "s", "name": "s", "config": {
        "type": "CODE_CALL", "language": language, "inline": text, "args": []}}])
}

#[test]
fn a_denied_script_fails_with_a_class_and_what_it_was_denied() {
    let folder = prepared(script("python", "open('/etc/shadow').read()"));
    let run = ["run", "plan.json", "--sandbox", "best_effort", "--json"];
    let record = folder.run(&run).expect(3).json();
    let failure = &record["steps"]["s"]["failure"];
    if failure["confinement"]["missing"] != Value::Null {
        // this kernel cannot hold files
        return;
    }
    assert_eq!(failure["class"], "permission", "{failure}");
    assert_eq!(failure["details"]["denied"], "file");
    assert_eq!(failure["details"]["path"], "/etc/shadow");
}

#[test]
fn a_policy_bounds_what_scripts_use_and_the_record_says_it() {
    let folder = prepared(script("sh", "ulimit -t; ulimit -n; while :; do :; done"));
    folder.write(
        "policy.yaml",
        "sandbox: {mode: best_effort, limits: {cpu_secs: 1, open_files: 77}}\n",
    );
    let run = ["run", "plan.json", "--policy", "policy.yaml", "--json"];
    let record = folder.run(&run).expect(3).json();
    let failure = &record["steps"]["s"]["failure"];
    assert_eq!(failure["class"], "limit_exceeded", "{failure}");
    assert_eq!(failure["details"]["limit"], "processor_time");
    assert_eq!(failure["stdout_tail"], "1\n77\n");
    let limits = &record["steps"]["s"]["attempts"][0]["confinement"]["limits"];
    assert_eq!(limits["cpu_secs"], 1, "{record}");
    assert_eq!(limits["open_files"], 77);
    assert_eq!(limits["memory_mib"], 2_048);
}

#[test]
fn a_policy_with_faulty_bounds_is_refused_with_their_places() {
    let folder = prepared(script("sh", "true"));
    folder.write(
        "policy.yaml",
        "sandbox: {limits: {cpu: 1, memory_mib: none}}\n",
    );
    let ended = folder
        .run(&["run", "plan.json", "--policy", "policy.yaml"])
        .expect(2);
    for place in ["/sandbox/limits/cpu", "/sandbox/limits/memory_mib"] {
        assert!(ended.stderr.contains(place), "{}", ended.stderr);
    }
}
