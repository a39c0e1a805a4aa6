//! From what an effect returned to a step's outputs.

use plan_run::{AttemptSuccess, Effect, FailureClass, RunStatus};
use serde_json::{Value, json};

use crate::harness::{Driver, call, call_with, step};

fn declared(outputs: &Value) -> Value {
    call("a", "read", &[], &json!({ "outputs": outputs }))
}

fn of_tool(outputs: &Value, value: Value) -> Value {
    let mut run = Driver::new(&json!([declared(outputs)]));
    run.succeed("a", value);
    outcome(&run)
}

fn of_code(outputs: &Value, stdout: &str) -> Value {
    let config = json!({ "type": "CODE_CALL", "language": "python", "inline": "pass" });
    let mut code = step("a", config, &[]);
    code["outputs"] = outputs.clone();
    let mut run = Driver::new(&json!([code]));
    let stdout = stdout.to_owned();
    run.settle(
        "a",
        Ok(AttemptSuccess::Process {
            stdout,
            stderr: "e".into(),
            exit_code: 0,
            confinement: None,
        }),
    );
    outcome(&run)
}

/// The outputs, or the class of the failure.
fn outcome(run: &Driver) -> Value {
    match run.machine.record().failure() {
        None => Value::Object(run.outputs_of("a")),
        Some(failure) => json!(failure.class.as_str()),
    }
}

#[test]
fn members_of_a_result_are_the_outputs_of_a_tool() {
    assert_eq!(
        of_tool(&json!([]), json!({ "n": 1, "m": null })),
        json!({ "n": 1, "m": null })
    );
    assert_eq!(of_tool(&json!([]), json!([1])), json!({ "result": [1] }));
    assert_eq!(
        of_tool(&json!([]), json!("text")),
        json!({ "result": "text" })
    );
    assert_eq!(of_tool(&json!([]), json!(null)), json!({ "result": null }));
}

#[test]
fn one_declared_output_takes_the_whole_result() {
    let one = |kind: &str| json!([{ "name": "x", "value_type": kind }]);
    assert_eq!(of_tool(&one("array"), json!([1])), json!({ "x": [1] }));
    assert_eq!(
        of_tool(&one("string"), json!(" as it is ")),
        json!({ "x": " as it is " })
    );
    assert_eq!(of_tool(&one("integer"), json!(" 5\n")), json!({ "x": 5 }));
    assert_eq!(
        of_tool(&one("object"), json!({ "n": 1 })),
        json!({ "n": 1, "x": { "n": 1 } })
    );
    assert_eq!(
        of_tool(&one("any"), json!("5")),
        json!({ "x": "5" }),
        "a text stays a text"
    );
    assert_eq!(
        of_tool(&one("integer"), json!("five")),
        json!("output_contract")
    );
    let printed = json!({ "stdout": "hello\n", "stderr": "", "exit_code": 0 });
    assert_eq!(of_tool(&one("string"), printed)["x"], "hello");
}

#[test]
fn a_member_wins_over_the_whole_result() {
    let one = json!([{ "name": "n", "value_type": "integer" }]);
    assert_eq!(
        of_tool(&one, json!({ "n": 1, "m": 2 })),
        json!({ "n": 1, "m": 2 })
    );
}

#[test]
fn case_32_a_null_output_stays_null_and_can_be_tested() {
    let steps = json!([
        declared(&json!([{ "name": "v", "value_type": "any" }])),
        crate::harness::condition("c", "${step.a.v} == null", &["x"], &[], &[]),
        call("x", "read", &["c"], &json!({})),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed("a", json!({ "v": null }));
    assert_eq!(Value::Object(run.outputs_of("a")), json!({ "v": null }));
    assert_eq!(run.in_flight(), ["x"]);
}

#[test]
fn outputs_of_code_come_from_one_json_object_and_win_over_its_own() {
    let two = json!([{ "name": "n", "value_type": "integer" }, { "name": "exit_code", "value_type": "integer" }]);
    let stdout = r#"{"n": 3, "exit_code": 9, "more": 1}"#;
    assert_eq!(
        of_code(&two, stdout),
        json!({ "n": 3, "exit_code": 9, "stderr": "e", "stdout": stdout })
    );
    assert_eq!(of_code(&two, "plain"), json!("output_contract"));
    assert_eq!(
        of_code(&json!([]), "plain\n"),
        json!({ "exit_code": 0, "stderr": "e", "stdout": "plain\n" })
    );
}

#[test]
fn one_declared_output_of_code_takes_all_that_was_printed() {
    let one = |kind: &str| json!([{ "name": "x", "value_type": kind }]);
    assert_eq!(of_code(&one("string"), " [1] \n")["x"], "[1]");
    assert_eq!(of_code(&one("array"), " [1] \n")["x"], json!([1]));
    assert_eq!(of_code(&one("any"), "[1]")["x"], json!([1]));
    assert_eq!(of_code(&one("any"), "not json")["x"], "not json");
    assert_eq!(
        of_code(&one("number"), "not json"),
        json!("output_contract")
    );
    assert_eq!(
        of_code(
            &json!([{ "name": "stdout", "value_type": "string" }]),
            "hi\n"
        )["stdout"],
        "hi\n"
    );
}

#[test]
fn another_exit_code_than_zero_fails_with_what_was_written() {
    let config = json!({ "type": "CODE_CALL", "language": "python", "inline": "pass" });
    let mut run = Driver::new(&json!([step("a", config, &[])]));
    let result = AttemptSuccess::Process {
        stdout: "out".into(),
        stderr: "err".into(),
        exit_code: 3,
        confinement: None,
    };
    run.settle("a", Ok(result));
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::ExitStatus);
    assert_eq!(failure.message, "the script ended with exit code 3");
    assert_eq!(record.step("a").unwrap().stderr.as_deref(), Some("err"));
}

#[test]
fn outputs_that_are_not_as_declared_fail_with_their_effect_unknown() {
    let two =
        json!([{ "name": "n", "value_type": "integer" }, { "name": "m", "value_type": "string" }]);
    let mut run = Driver::new(&json!([declared(&two)]));
    run.succeed("a", json!({ "n": "one" }));
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(
        (failure.class, failure.effect),
        (FailureClass::OutputContract, Effect::Unknown)
    );
    assert!(
        failure.message.contains("`n`") && failure.message.contains("`m`"),
        "{failure}"
    );
}

#[test]
fn a_value_over_its_bounds_fails_its_own_step() {
    let large = Value::from("x".repeat((1 << 20) + 1));
    assert_eq!(
        of_tool(&json!([]), json!({ "v": large })),
        json!("limit_exceeded")
    );
    let fits = Value::from("x".repeat(1 << 20));
    assert_eq!(of_tool(&json!([]), json!({ "v": fits.clone() }))["v"], fits);
    let mut deep = json!(1);
    for _ in 0..65 {
        deep = json!([deep]);
    }
    assert_eq!(
        of_tool(&json!([]), json!({ "v": deep })),
        json!("limit_exceeded")
    );
}

#[test]
fn a_hundred_thousand_levels_fail_a_step_on_a_small_stack() {
    let deep = || {
        let mut deep = Value::Null;
        for _ in 0..100_000 {
            deep = Value::Array(vec![deep]);
        }
        deep
    };
    let body = move || {
        let mut run = Driver::new(&json!([declared(&json!([]))]));
        run.settle("a", Ok(AttemptSuccess::from(deep())));
        assert_eq!(outcome(&run), json!("limit_exceeded"));
        // a late one, and one in the details of a failure
        run.settle_attempt("a", 1, Ok(AttemptSuccess::from(deep())));
        let failed =
            crate::harness::failure(FailureClass::Internal, Effect::None).with_details(deep());
        run.settle_attempt("a", 1, Err(failed));
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(body)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn case_36_a_result_cannot_steer_the_run_whatever_keys_it_has() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call("b", "read", &["a"], &json!({})),
        call("c", "read", &["b"], &json!({})),
    ]);
    let mut run = Driver::new(&steps);
    run.succeed(
        "a",
        json!({
            "status": "failed", "skip": ["b"], "next": "c", "error": true, "failure": { "class": "internal" },
            "attempt_ended": {}, "${step.b}": 1, "steps": { "b": { "status": "succeeded" } }, "exit_code": 1,
        }),
    );
    assert_eq!(run.statuses(), "running: a succeeded, b running, c pending");
    run.succeed("b", json!({ "run_ended": { "status": "cancelled" } }))
        .succeed("c", json!({}));
    assert_eq!(run.status(), RunStatus::Succeeded);
}

#[test]
fn case_35_a_whole_reference_gives_any_output_back() {
    let steps = json!([
        call("a", "read", &[], &json!({})),
        call_with("b", "read", &json!({ "o": "${step.a.o}" })),
    ]);
    for output in [
        json!("${secret.x}"),
        json!("${step.a.b} and $${input.y}"),
        json!(["${step.a.o}", { "${input.x}": null }]),
        json!(1.5),
        json!(18_446_744_073_709_551_615_u64),
        json!(null),
        json!({}),
        json!(""),
    ] {
        let mut run = Driver::new(&steps);
        run.succeed("a", json!({ "o": output }));
        assert_eq!(run.arguments("b")["o"], output);
    }
}

#[test]
fn published_outputs_are_what_the_steps_delivered() {
    let steps = json!([call("a", "read", &[], &json!({}))]);
    let more = json!({ "outputs": [
        { "name": "all", "source": "${step.a}" },
        { "name": "deep", "source": "${step.a.list[1].x}" },
    ] });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("a", json!({ "list": [0, { "x": "y" }] }));
    let record = run.machine.record();
    assert_eq!(record.outputs()["deep"], "y");
    assert_eq!(
        record.outputs()["all"],
        json!({ "list": [0, { "x": "y" }] })
    );
}

#[test]
fn a_plan_output_that_leads_nowhere_fails_the_run() {
    let steps = json!([call("a", "read", &[], &json!({}))]);
    let more = json!({ "outputs": [{ "name": "n", "source": "${step.a.n}" }] });
    let mut run = Driver::with(&steps, &more, json!({}));
    run.succeed("a", json!({ "m": 1 }));
    let record = run.machine.record();
    let failure = record.failure().unwrap();
    assert_eq!(failure.class, FailureClass::OutputContract);
    assert!(
        failure
            .message
            .starts_with("plan output `n` has no value: "),
        "{failure}"
    );
}
