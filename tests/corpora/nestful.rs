//! NESTFUL: nested calls with labels, `$var1.field$` references and literal dollars.
//!
//! A labelled call is a step of a native plan; the call of `var_result` becomes
//! the plan's outputs. Gold data has duplicate and unresolved labels: they must
//! be found.

use std::collections::BTreeSet;

use planwright::ToolCatalog;
use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

use super::rows::{Corpora, CorpusTest, Verdict};

pub(crate) const TESTS: &[CorpusTest] = &[
    CorpusTest {
        name: "nestful::references_outputs_and_faults_of_the_gold_data",
        run: gold,
    },
    CorpusTest {
        name: "nestful::literal_dollars_stay_text",
        run: literal_dollars,
    },
];

fn gold(corpora: &Corpora) {
    let catalog = catalog(corpora);
    let (mut duplicates, mut unresolved, mut accepted) = (0, 0, 0);
    for case in Case::all(corpora) {
        let verdict = Verdict::of(&case.document, &catalog);
        let mut expected = Vec::new();
        if case.duplicate {
            expected.push("P202");
            duplicates += 1;
        }
        if !case.unresolved.is_empty() {
            expected.push("P402");
            unresolved += 1;
        }
        assert_eq!(
            verdict.errors(),
            expected,
            "{}: {:#?}",
            case.id,
            verdict.findings
        );
        let Some(plan) = verdict.plan else { continue };
        accepted += 1;
        let graph = plan.graph();
        let edges: BTreeSet<(String, String)> = (0..plan.plan().steps.len())
            .flat_map(|step| {
                graph
                    .dependencies(step)
                    .iter()
                    .map(move |from| (*from, step))
            })
            .map(|(from, to)| (id_of(&plan, from), id_of(&plan, to)))
            .collect();
        assert_eq!(edges, case.edges, "{}: every reference is an edge", case.id);
        let outputs: Vec<&str> = plan
            .plan()
            .outputs
            .iter()
            .map(|output| output.name.as_str())
            .collect();
        assert_eq!(
            outputs, case.outputs,
            "{}: var_result becomes the plan's outputs",
            case.id
        );
    }
    assert!(
        duplicates > 0 && unresolved > 0 && accepted > 0,
        "{duplicates} {unresolved} {accepted}"
    );
}

fn literal_dollars(corpora: &Corpora) {
    let catalog = catalog(corpora);
    let mut seen = 0;
    for case in Case::all(corpora) {
        for (step, argument, text) in &case.literal_dollars {
            let verdict = Verdict::of(&case.document, &catalog);
            let Some(plan) = verdict.plan else { continue };
            let planwright::model::StepConfig::ToolCall(call) = &plan.plan().steps[*step].config
            else {
                panic!("{}: step {step} is no tool call", case.id)
            };
            assert_eq!(
                call.arguments[argument].to_value(),
                json!(text),
                "{}: {text}",
                case.id
            );
            seen += 1;
        }
    }
    assert!(seen > 0, "no literal dollar in the corpus");
}

fn id_of(plan: &planwright::ValidatedPlan, step: usize) -> String {
    plan.plan().steps[step].id.to_string()
}

fn catalog(corpora: &Corpora) -> ToolCatalog {
    let mut names = BTreeSet::new();
    for spec in ["executable", "glaive", "sgd"] {
        for tool in corpora
            .document(&format!("nestful/{spec}_spec.json"))
            .as_array()
            .unwrap()
        {
            names.insert(tool["name"].as_str().unwrap().to_owned());
        }
    }
    // the specs describe the tools of the full set; a case of the sample may call others
    for row in corpora.rows("nestful/cases_sample.jsonl") {
        for call in row["output"].as_array().unwrap() {
            names.insert(call["name"].as_str().unwrap().to_owned());
        }
    }
    ToolCatalog::from_names(names).unwrap()
}

struct Case {
    id: String,
    document: Value,
    outputs: Vec<String>,
    edges: BTreeSet<(String, String)>,
    unresolved: BTreeSet<String>,
    duplicate: bool,
    literal_dollars: Vec<(usize, String, String)>,
}

impl Case {
    fn all(corpora: &Corpora) -> Vec<Self> {
        corpora
            .rows("nestful/cases_sample.jsonl")
            .iter()
            .map(Self::convert)
            .collect()
    }

    fn convert(row: &Value) -> Self {
        let calls = row["output"].as_array().unwrap();
        let labels: Vec<&str> = calls
            .iter()
            .filter_map(|call| call["label"].as_str())
            .collect();
        let known: BTreeSet<&str> = labels.iter().copied().collect();
        let mut case = Self {
            id: format!("{}/{}", row["source"].as_str().unwrap(), row["index"]),
            document: Value::Null,
            outputs: Vec::new(),
            edges: BTreeSet::new(),
            unresolved: BTreeSet::new(),
            duplicate: known.len() < labels.len(),
            literal_dollars: Vec::new(),
        };
        let (mut steps, mut outputs) = (Vec::new(), Vec::new());
        for call in calls {
            let given = call["arguments"].as_object().unwrap();
            if call["name"] == "var_result" {
                for (name, value) in given {
                    let source = case.references(value, "", &known);
                    // gold results are references, but for a constant now and then, which no plan publishes
                    if source != *value {
                        case.outputs.push(name.clone());
                        outputs.push(json!({"name": name, "source": source}));
                    }
                }
                continue;
            }
            let label = call["label"].as_str().unwrap();
            let mut arguments = Map::new();
            for (name, value) in given {
                let converted = case.references(value, label, &known);
                let literal = value
                    .as_str()
                    .filter(|text| text.contains('$') && converted == *value);
                if let Some(text) = literal {
                    case.literal_dollars
                        .push((steps.len(), name.clone(), text.to_owned()));
                }
                arguments.insert(name.clone(), converted);
            }
            steps.push(json!({
                "id": label, "name": label, "depends_on": [], "outputs": [],
                "config": {"type": "TOOL_CALL", "tool": call["name"], "arguments": arguments},
            }));
        }
        case.document = json!({
            "metadata": {
                "id": "5b1f3f0e-5d6c-4a39-9f53-2f0f1c5d7a10", "version": 1,
                "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            },
            "name": case.id, "inputs": [], "config": {}, "steps": steps, "outputs": outputs,
        });
        case
    }

    /// `$var1$` and `$var1.a.b$`, also inside a text, as Planwright's references.
    fn references(&mut self, value: &Value, step: &str, known: &BTreeSet<&str>) -> Value {
        match value {
            Value::String(text) => {
                let pattern = Regex::new(r"\$(var\d+)((?:\.[^$.]+)*)\$").unwrap();
                let converted = pattern.replace_all(text, |found: &Captures<'_>| {
                    let label = &found[1];
                    if !known.contains(label) {
                        self.unresolved.insert(label.to_owned());
                    } else if !step.is_empty() {
                        self.edges.insert((label.to_owned(), step.to_owned()));
                    }
                    let names = found[2].split('.').skip(1);
                    let path = names.fold(String::new(), |path, name| {
                        path + &format!("[{}]", json!(name))
                    });
                    format!("${{step.{label}{path}}}")
                });
                Value::String(converted.into_owned())
            }
            Value::Array(items) => items
                .iter()
                .map(|item| self.references(item, step, known))
                .collect(),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(name, item)| (name.clone(), self.references(item, step, known)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }
}
