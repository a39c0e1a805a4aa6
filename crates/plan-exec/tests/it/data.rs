//! Values on their way from step to step: never read again, never changed.

use plan_exec::inputs;
use plan_run::RunStatus;
use plan_testkit::Scripted;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::lab::{Lab, call, plan, plan_with, registry, with};

#[tokio::test]
async fn case_35_what_looks_like_a_reference_in_a_value_is_text() {
    let lab = Lab::new();
    let sly = Scripted::tool("sly").returns(json!({"x": "${secret.key} ${step.b.y} ${input.z}"}));
    let echo = Scripted::tool("echo");
    let text = plan_with(
        &[
            call("a", "sly", json!({})),
            call(
                "b",
                "echo",
                json!({"whole": "${step.a.x}", "part": "<${step.a.x}>", "in": "${input.z}"}),
            ),
        ],
        json!({"inputs": [{"name": "z", "value_type": "string"}]}),
    );
    let tools = registry([&sly, &echo]);
    let plan = lab.check(&text, &tools);
    let run = lab
        .executor(&tools)
        .start(plan, inputs! { "z": "${step.a.x}" })
        .await
        .unwrap();
    assert_eq!(run.wait().await.unwrap().status(), RunStatus::Succeeded);
    let arguments = Value::Object(echo.calls()[0].arguments.clone());
    assert_eq!(
        arguments,
        json!({
            "whole": "${secret.key} ${step.b.y} ${input.z}",
            "part": "<${secret.key} ${step.b.y} ${input.z}>",
            "in": "${step.a.x}",
        })
    );
}

#[tokio::test]
async fn case_32_a_null_output_stays_null_and_can_be_tested_for() {
    let lab = Lab::new();
    let gives = Scripted::tool("gives").returns(json!({"x": null, "y": "", "z": 0}));
    let echo = Scripted::tool("echo");
    let is_null = |id: &str, output: &str| {
        json!({"id": id, "name": id, "config": {
            "type": "CONDITION", "expression": format!("step.a.{output} == null"),
            "true_steps": [format!("{id}_yes")], "false_steps": [],
        }})
    };
    let mut steps = vec![with(
        call("a", "gives", json!({})),
        json!({"outputs": [{"name": "x"}, {"name": "y"}, {"name": "z"}]}),
    )];
    for (id, output) in [("is_x", "x"), ("is_y", "y"), ("is_z", "z")] {
        steps.push(is_null(id, output));
        let told = json!({"is": format!("${{step.a.{output}}}")});
        let chosen = call(&format!("{id}_yes"), "echo", told);
        steps.push(with(chosen, json!({"depends_on": [id]})));
    }
    let record = lab.run(&plan(&steps), &registry([&gives, &echo])).await;
    assert_eq!(record.status(), RunStatus::Succeeded);
    assert_eq!(
        json!(*record.step("a").unwrap().outputs),
        json!({"x": null, "y": "", "z": 0})
    );
    let result = |id: &str| record.step(id).unwrap().outputs["result"].clone();
    assert_eq!(
        [result("is_x"), result("is_y"), result("is_z")],
        [true, false, false]
    );
    let arguments = echo.calls().into_iter().map(|call| json!(call.arguments));
    assert_eq!(arguments.collect::<Vec<_>>(), [json!({"is": null})]);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e15..1e15_f64).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        r"\$\{(step|secret|input)\.[a-z]{1,3}\}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(".{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn case_35_a_whole_reference_gives_its_output_back(value in any_value()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let lab = Lab::new();
            let gives = Scripted::tool("gives").returns(json!({"o": value.clone()}));
            let echo = Scripted::tool("echo");
            let text = plan(&[
                call("a", "gives", json!({})),
                call("b", "echo", json!({"o": "${step.a.o}", "list": ["${step.a.o}"]})),
            ]);
            let record = lab.run(&text, &registry([&gives, &echo])).await;
            assert_eq!(record.status(), RunStatus::Succeeded);
            let arguments = &echo.calls()[0].arguments;
            assert_eq!(arguments["o"], value);
            assert_eq!(arguments["list"], json!([value]));
        });
    }
}

#[tokio::test]
async fn case_39_two_runs_at_once_never_see_each_other() {
    let lab = Lab::new();
    let gate = plan_testkit::Gate::new();
    let tools = registry([&Scripted::tool("echo").past(&gate).read_only()]);
    let executor = lab.executor(&tools);
    let text = |id: &str, literal: &str| {
        let mut text = plan_with(
            &[
                call("a", "echo", json!({"in": "${input.x}", "own": literal})),
                call(
                    "b",
                    "echo",
                    json!({"in": "${step.a.in}", "own": "${step.a.own}"}),
                ),
            ],
            json!({
                "inputs": [{"name": "x", "value_type": "string"}],
                "outputs": [{"name": "in", "source": "${step.b.in}"}, {"name": "own", "source": "${step.b.own}"}],
            }),
        );
        text["metadata"]["id"] = json!(format!("6a0e4f0e-5b1c-4a54-9d57-1d8e6a3f0{id}"));
        lab.check(&text, &tools)
    };
    let one = executor
        .start(text("101", "first"), inputs! { "x": "ada" })
        .await
        .unwrap();
    let two = executor
        .start(text("102", "second"), inputs! { "x": "bob" })
        .await
        .unwrap();
    gate.arrived(2).await;
    gate.open();
    let (one, two) = (one.wait().await.unwrap(), two.wait().await.unwrap());
    assert_eq!(
        Value::Object(one.outputs().clone()),
        json!({"in": "ada", "own": "first"})
    );
    assert_eq!(
        Value::Object(two.outputs().clone()),
        json!({"in": "bob", "own": "second"})
    );
}
