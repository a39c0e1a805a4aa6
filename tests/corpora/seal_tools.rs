//! Seal-Tools: gold call lists over a typed catalog, with nested references.
//!
//! `API_call_N` names the N-th response field of the whole case. The plans are
//! checked against the typed catalog, then run through with scripted tools that
//! answer values of the declared types and record what they were called with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use planwright::model::Schema;
use planwright::validate::Severity;
use planwright::{
    Executor, MemoryStore, RunStatus, Tool, ToolContext, ToolError, ToolName, ToolOutput,
    ToolRegistry, ToolSpec, inputs,
};
use serde_json::{Map, Value, json};

use super::rows::{Corpora, CorpusTest, Verdict};

pub(crate) const TESTS: &[CorpusTest] = &[
    CorpusTest {
        name: "seal_tools::gold_plans_pass_but_for_references_of_the_wrong_type",
        run: check_all,
    },
    CorpusTest {
        name: "seal_tools::accepted_plans_run_and_references_have_the_right_values",
        run: run_all,
    },
];

fn check_all(corpora: &Corpora) {
    let tools = Described::all(corpora);
    let (registry, _) = registry(&tools);
    let mut refused = 0;
    for case in Case::all(corpora, &tools) {
        let verdict = Verdict::of(&case.document, registry.catalog());
        let expected: &[&str] = if case.misfits > 0 { &["P305"] } else { &[] };
        assert_eq!(
            verdict.errors(),
            expected,
            "{}: {:#?}",
            case.id,
            verdict.findings
        );
        if !expected.is_empty() {
            let found = verdict
                .findings
                .iter()
                .filter(|finding| finding.code.as_str() == "P305");
            let errors = found
                .filter(|finding| finding.severity == Severity::Error)
                .count();
            assert_eq!(errors, case.misfits, "{}: {:#?}", case.id, verdict.findings);
            refused += 1;
        }
    }
    assert_eq!(refused, 5, "gold plans with a reference of the wrong type");
}

fn run_all(corpora: &Corpora) {
    let tools = Described::all(corpora);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        for case in Case::all(corpora, &tools) {
            if case.misfits > 0 {
                continue;
            }
            let (registry, calls) = registry(&tools);
            let plan = Verdict::of(&case.document, registry.catalog())
                .plan
                .unwrap();
            let executor = Executor::new(registry, MemoryStore::new());
            let run = executor
                .start(plan, inputs! {})
                .await
                .unwrap()
                .wait()
                .await
                .unwrap();
            assert_eq!(
                run.status(),
                RunStatus::Succeeded,
                "{}: {:?}",
                case.id,
                run.failure()
            );
            let mut calls = std::mem::take(&mut *calls.lock().unwrap());
            let mut expected = case.calls.clone();
            calls.sort_by_key(ToString::to_string);
            expected.sort_by_key(ToString::to_string);
            assert_eq!(calls, expected, "{}: calls", case.id);
        }
    });
}

/// A tool of the corpus, its types by name.
struct Described {
    spec: ToolSpec,
    parameters: BTreeMap<String, String>,
    responses: Vec<(String, String)>,
}

impl Described {
    fn all(corpora: &Corpora) -> BTreeMap<String, Self> {
        corpora
            .rows("seal-tools/tools.jsonl")
            .iter()
            .map(|row| (row["api_name"].as_str().unwrap().to_owned(), Self::new(row)))
            .collect()
    }

    fn new(row: &Value) -> Self {
        let types = |member: &str| -> Vec<(String, String)> {
            let fields = row[member].as_object().unwrap();
            fields
                .iter()
                .map(|(name, field)| (name.clone(), json_type(&field["type"]).to_owned()))
                .collect()
        };
        let (parameters, responses) = (types("parameters"), types("responses"));
        let object = |fields: &[(String, String)], required: Value| {
            let properties: Map<String, Value> = fields
                .iter()
                .map(|(name, kind)| (name.clone(), json!({ "type": kind })))
                .collect();
            Schema(json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false,
            }))
        };
        let mut spec = ToolSpec::named(ToolName::new(row["api_name"].as_str().unwrap()).unwrap());
        spec.input_schema = Some(object(&parameters, row["required"].clone()));
        let delivered: Value = responses.iter().map(|(name, _)| name.clone()).collect();
        spec.output_schema = Some(object(&responses, delivered));
        Self {
            spec,
            parameters: parameters.into_iter().collect(),
            responses,
        }
    }

    /// What a call answers: a value of the declared type for each field, told apart by type.
    fn answer(&self) -> Map<String, Value> {
        self.responses
            .iter()
            .map(|(name, kind)| (name.clone(), self.value(name, kind)))
            .collect()
    }

    fn value(&self, name: &str, kind: &str) -> Value {
        match kind {
            "string" => json!(format!("${{step.{}.{name}}}", self.spec.name)),
            "integer" => json!(7),
            "number" => json!(2.5),
            "boolean" => json!(true),
            other => panic!("no value of type {other}"),
        }
    }
}

fn json_type(name: &Value) -> &'static str {
    match name.as_str().unwrap() {
        "str" => "string",
        "int" => "integer",
        "float" => "number",
        "bool" => "boolean",
        other => panic!("no JSON type for {other}"),
    }
}

/// One gold case as a planner's list, and what its run must do.
struct Case {
    id: String,
    document: Value,
    /// `{tool, arguments}` of every call with references resolved.
    calls: Vec<Value>,
    /// References whose type does not fit their argument.
    misfits: usize,
}

impl Case {
    fn all(corpora: &Corpora, tools: &BTreeMap<String, Described>) -> Vec<Self> {
        corpora
            .rows("seal-tools/cases_sample.jsonl")
            .iter()
            .map(|row| Self::convert(row, tools))
            .collect()
    }

    fn convert(row: &Value, tools: &BTreeMap<String, Described>) -> Self {
        let mut fields: BTreeMap<String, (usize, String, String)> = BTreeMap::new();
        let (mut steps, mut calls, mut misfits) = (Vec::new(), Vec::new(), 0);
        let calling = row["calling"].as_array().unwrap();
        let owner = |step: usize| &tools[calling[step]["api"].as_str().unwrap()];
        for (index, call) in calling.iter().enumerate() {
            let name = call["api"].as_str().unwrap();
            let tool = &tools[name];
            let (mut planned, mut called) = (Map::new(), Map::new());
            for (argument, value) in call["parameters"].as_object().unwrap() {
                let takes = tool.parameters[argument].as_str();
                let label = value.as_str().and_then(|text| fields.get(text));
                let (plans, calls) = if let Some((step, field, kind)) = label {
                    misfits += usize::from(!fits(kind, takes));
                    (
                        json!(format!("${{step.s{step}.{field}}}")),
                        owner(*step).value(field, kind),
                    )
                } else {
                    (value.clone(), value.clone())
                };
                planned.insert(argument.clone(), plans);
                called.insert(argument.clone(), rendered(calls, takes));
            }
            for (label, (field, kind)) in call["responses"]
                .as_array()
                .unwrap()
                .iter()
                .zip(&tool.responses)
            {
                fields.insert(
                    label.as_str().unwrap().to_owned(),
                    (index, field.clone(), kind.clone()),
                );
            }
            steps.push(
                json!({"name": format!("s{index}"), "tool": name, "args": planned, "after": []}),
            );
            calls.push(json!({"tool": name, "arguments": called}));
        }
        let id = row["id"].as_str().unwrap().to_owned();
        Self {
            id,
            document: json!({"objective": row["query"], "steps": steps}),
            calls,
            misfits,
        }
    }
}

/// Whether a value of one type may be bound whole to an argument of another.
fn fits(value: &str, argument: &str) -> bool {
    value == argument || argument == "string" || (value == "integer" && argument == "number")
}

/// A scalar bound whole to a string argument is rendered as text; `9.0` is read as `9`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a number without a fraction, as the assertion says"
)]
fn rendered(value: Value, argument: &str) -> Value {
    match value {
        Value::String(_) => value,
        other if argument == "string" => json!(other.to_string()),
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => {
            let whole = number.as_f64().unwrap();
            assert!(whole.abs() < 1e15);
            json!(whole as i64)
        }
        other => other,
    }
}

type Calls = Arc<Mutex<Vec<Value>>>;

fn registry(tools: &BTreeMap<String, Described>) -> (ToolRegistry, Calls) {
    let calls = Calls::default();
    let mut registry = ToolRegistry::new();
    for tool in tools.values() {
        let answer = tool.answer();
        let scripted = Scripted {
            spec: tool.spec.clone(),
            answer,
            calls: Arc::clone(&calls),
        };
        registry = registry.with(scripted).unwrap();
    }
    (registry, calls)
}

/// A tool that records its calls and gives one answer.
#[derive(Debug)]
struct Scripted {
    spec: ToolSpec,
    answer: Map<String, Value>,
    calls: Calls,
}

#[async_trait]
impl Tool for Scripted {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        _: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let call = json!({"tool": self.spec.name.as_str(), "arguments": arguments});
        self.calls.lock().unwrap().push(call);
        Ok(ToolOutput::from(Value::Object(self.answer.clone())))
    }
}
