//! `TaskBench`: what models wrote when asked for a tool graph.
//!
//! A prediction becomes a planner's list: a node is a step of the node's name,
//! a link is an entry of `after`, `<node-j>` is a reference to the j-th node's
//! result. A link also carries the source's result into its target, where the target's arguments do not
//! read it themselves. Faults are kept: an endpoint that is no name stays in `after` as it
//! is. What must be found is worked out here a second time, without the library.

use std::collections::{BTreeMap, BTreeSet};

use planwright::model::Schema;
use planwright::{ToolCatalog, ToolName, ToolSpec};
use regex::Regex;
use serde_json::{Map, Value, json};

use super::rows::{Corpora, CorpusTest, ErrorsByModel, Verdict, assert_counted, errors_of};

pub(crate) const TESTS: &[CorpusTest] = &[
    CorpusTest {
        name: "taskbench::every_faulty_prediction_is_refused_for_its_fault",
        run: faulty,
    },
    CorpusTest {
        name: "taskbench::every_clean_prediction_is_accepted",
        run: clean,
    },
    CorpusTest {
        name: "taskbench::edges_between_other_types_are_found_and_no_others",
        run: edges_of_other_types,
    },
    CorpusTest {
        name: "taskbench::each_plan_has_its_model_and_its_errors",
        run: models_and_errors,
    },
];

fn faulty(corpora: &Corpora) {
    let mut refused = 0;
    for prediction in Prediction::all(corpora) {
        if prediction.faults.is_empty() {
            continue;
        }
        let verdict = Verdict::of(&prediction.document, &prediction.catalog);
        assert!(
            verdict.plan.is_none(),
            "{}: accepted with {:?}",
            prediction.id,
            prediction.faults
        );
        for fault in &prediction.faults {
            assert!(
                fault.codes().iter().any(|code| verdict.finds(code)),
                "{}: {fault:?} is not among {:#?}",
                prediction.id,
                verdict.findings
            );
        }
        refused += 1;
    }
    assert!(refused > 0, "no faulty prediction in the corpus");
}

fn clean(corpora: &Corpora) {
    let mut accepted = 0;
    for prediction in Prediction::all(corpora) {
        if prediction.faults.is_empty() {
            let verdict = Verdict::of(&prediction.document, &prediction.catalog);
            assert_eq!(
                verdict.errors(),
                [] as [&str; 0],
                "{}: {:#?}",
                prediction.id,
                verdict.findings
            );
            accepted += 1;
        }
    }
    assert!(accepted > 0, "no clean prediction in the corpus");
}

fn edges_of_other_types(corpora: &Corpora) {
    let mut found = 0;
    for prediction in Prediction::all(corpora) {
        let verdict = Verdict::of(&prediction.document, &prediction.catalog);
        let findings = verdict.findings.iter();
        let misfits: BTreeSet<String> = findings
            .filter(|finding| finding.code == "P311")
            .map(|finding| finding.pointer.to_string())
            .collect();
        assert_eq!(misfits, prediction.misfits, "{}", prediction.id);
        found += misfits.len();
    }
    assert!(found > 6, "{found} edges between other types");
}

fn models_and_errors(corpora: &Corpora) {
    assert_counted(&errors_by_model(corpora), Prediction::all(corpora).len());
}

/// What each model gets wrong.
pub(crate) fn errors_by_model(corpora: &Corpora) -> ErrorsByModel {
    let all = Prediction::all(corpora);
    let rows = all.iter();
    rows.map(|it| errors_of(&it.model, &it.document, &it.catalog))
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    UnknownTool,
    DuplicateStep,
    DanglingLink,
    SelfLink,
    Cycle,
    LinkEndpointIsNoName,
    ArgumentsAreNoObject,
    ReferenceToNoNode,
    ReferenceToItself,
    BracesOfAnotherSystem,
    OtherType,
}

impl Fault {
    /// The findings that name this fault.
    fn codes(self) -> &'static [&'static str] {
        match self {
            Self::UnknownTool => &["P301"],
            Self::DuplicateStep => &["P202"],
            Self::DanglingLink => &["P204"],
            Self::SelfLink => &["P205"],
            Self::Cycle => &["P203"],
            Self::LinkEndpointIsNoName => &["P209"],
            Self::ArgumentsAreNoObject => &["P104"],
            Self::ReferenceToNoNode => &["P402"],
            Self::ReferenceToItself => &["P403"],
            Self::BracesOfAnotherSystem => &["P401"],
            Self::OtherType => &["P311"],
        }
    }
}

struct Prediction {
    id: String,
    model: String,
    document: Value,
    catalog: ToolCatalog,
    faults: BTreeSet<Fault>,
    /// Where a value goes that is of none of the types that the tool takes.
    misfits: BTreeSet<String>,
}

/// The types that a tool takes and makes, in lower case.
#[derive(Debug, Clone, Default)]
struct Types {
    takes: BTreeSet<String>,
    makes: BTreeSet<String>,
}

impl Prediction {
    fn all(corpora: &Corpora) -> Vec<Self> {
        let mut catalogs = BTreeMap::new();
        for domain in ["huggingface", "multimedia"] {
            let tools = corpora.document(&format!("taskbench/{domain}_tool_desc.json"));
            catalogs.insert(domain, catalog(&tools));
        }
        corpora
            .rows("taskbench/predictions_sample.jsonl")
            .iter()
            .map(|row| {
                let (catalog, known) = &catalogs[row["domain"].as_str().unwrap()];
                Self::convert(row, catalog, known)
            })
            .collect()
    }

    fn convert(row: &Value, catalog: &ToolCatalog, known: &BTreeMap<String, Types>) -> Self {
        let prediction = &row["prediction"];
        let nodes = prediction["task_nodes"].as_array().unwrap();
        let names: Vec<&str> = nodes
            .iter()
            .map(|node| node["task"].as_str().unwrap())
            .collect();
        let mut faults = BTreeSet::new();
        let mut edges = BTreeSet::new();
        let mut steps = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if !known.contains_key(names[index]) {
                faults.insert(Fault::UnknownTool);
            }
            if names[..index].contains(&names[index]) {
                faults.insert(Fault::DuplicateStep);
            }
            let mut step = Map::new();
            step.insert("name".into(), names[index].into());
            step.insert("tool".into(), names[index].into());
            step.insert(
                "args".into(),
                arguments(&node["arguments"], index, &names, &mut edges, &mut faults),
            );
            step.insert("after".into(), json!([]));
            steps.push(step);
        }
        for link in prediction["task_links"].as_array().unwrap() {
            add_link(link, &names, &mut steps, &mut edges, &mut faults);
        }
        // a duplicated name is one fault: what its edges mean is anybody's guess
        if !faults.contains(&Fault::DuplicateStep) && has_cycle(&edges) {
            faults.insert(Fault::Cycle);
        }
        let misfits = carried(&steps, &names, known);
        if !misfits.is_empty() {
            faults.insert(Fault::OtherType);
        }
        let id = prediction["id"].as_str().unwrap().to_owned();
        let document = json!({"objective": prediction["user_request"], "steps": steps});
        Self {
            id,
            model: row["model"].as_str().unwrap().to_owned(),
            document,
            catalog: catalog.clone(),
            faults,
            misfits,
        }
    }
}

/// The arguments of a node by name; positional ones are `arg0`, `arg1`, …
fn arguments(
    given: &Value,
    index: usize,
    names: &[&str],
    edges: &mut BTreeSet<(usize, usize)>,
    faults: &mut BTreeSet<Fault>,
) -> Value {
    let Some(list) = given.as_array() else {
        if given.is_null() {
            return Value::Null;
        }
        faults.insert(Fault::ArgumentsAreNoObject);
        return json!([given]);
    };
    let mut arguments = Map::new();
    for (position, argument) in list.iter().enumerate() {
        let positional = format!("arg{position}");
        let (name, value) = match argument {
            Value::Object(object) if object.contains_key("value") => (
                object["name"].as_str().unwrap().to_owned(),
                object["value"].clone(),
            ),
            Value::Object(object) => (positional, object["name"].clone()),
            other => (positional, other.clone()),
        };
        arguments.insert(name, references(&value, index, names, edges, faults));
    }
    Value::Object(arguments)
}

/// `<node-j>` and `<node-j>.field` as references to the j-th node.
fn references(
    value: &Value,
    index: usize,
    names: &[&str],
    edges: &mut BTreeSet<(usize, usize)>,
    faults: &mut BTreeSet<Fault>,
) -> Value {
    let Some(text) = value.as_str() else {
        return value.clone();
    };
    if text.contains("${") {
        faults.insert(Fault::BracesOfAnotherSystem);
    }
    let pattern = Regex::new(r"<node-(\d+)>(?:\.(\w+))?").unwrap();
    let converted = pattern.replace_all(text, |found: &regex::Captures<'_>| {
        let node: usize = found[1].parse().unwrap();
        let output = found.get(2).map_or("result", |field| field.as_str());
        let name = names.get(node).copied().unwrap_or("no such node");
        if node >= names.len() {
            faults.insert(Fault::ReferenceToNoNode);
        } else if node == index {
            faults.insert(Fault::ReferenceToItself);
        } else if name != names[index] {
            edges.insert((first(names, name), first(names, names[index])));
        }
        format!("${{step[\"{name}\"].{output}}}")
    });
    Value::String(converted.into_owned())
}

fn add_link(
    link: &Value,
    names: &[&str],
    steps: &mut [Map<String, Value>],
    edges: &mut BTreeSet<(usize, usize)>,
    faults: &mut BTreeSet<Fault>,
) {
    let (source, target) = (&link["source"], &link["target"]);
    // `after` takes a step's name, or the id that is made of it
    let names_step = |known: &str, name: &str| known == name || known.replace(' ', "_") == name;
    let place = |end: &Value| {
        end.as_str()
            .and_then(|name| names.iter().position(|known| names_step(known, name)))
    };
    let mut after = |step: usize, entry: &Value| {
        steps[step]["after"]
            .as_array_mut()
            .unwrap()
            .push(entry.clone());
    };
    match (place(source), place(target)) {
        (Some(from), Some(to)) => {
            after(to, source);
            if from == to {
                faults.insert(Fault::SelfLink);
            } else {
                edges.insert((from, to));
                carry(names[from], &mut steps[to]);
            }
        }
        // the end that is no step stays as it is, in the step at the other end
        (from, to) => {
            let odd = if from.is_none() { source } else { target };
            after(to.or(from).unwrap_or(0), odd);
            faults.insert(if odd.is_string() {
                Fault::DanglingLink
            } else {
                Fault::LinkEndpointIsNoName
            });
        }
    }
}

/// The result of a step as a whole argument.
fn result_of(name: &str) -> Value {
    format!("${{step[\"{name}\"].result}}").into()
}

/// A link carries the result of its source into its target.
fn carry(source: &str, target: &mut Map<String, Value>) {
    let result = result_of(source);
    if let Some(arguments) = target["args"].as_object_mut()
        && !arguments.values().any(|argument| *argument == result)
    {
        arguments.insert(format!("link from {source}"), result);
    }
}

/// Every place to which a result of another type is carried.
fn carried(
    steps: &[Map<String, Value>],
    names: &[&str],
    known: &BTreeMap<String, Types>,
) -> BTreeSet<String> {
    let mut misfits = BTreeSet::new();
    for (index, step) in steps.iter().enumerate() {
        for (argument, value) in step["args"].as_object().into_iter().flatten() {
            let Some(source) = names.iter().find(|name| result_of(name) == *value) else {
                continue;
            };
            // a step that reads itself has that fault alone
            if first(names, source) == index {
                continue;
            }
            if let (Some(source), Some(target)) = (known.get(*source), known.get(names[index]))
                && !source.makes.is_empty()
                && source.makes.is_disjoint(&target.takes)
            {
                misfits.insert(format!("/steps/{index}/args/{argument}"));
            }
        }
    }
    misfits
}

fn first(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| *known == name).unwrap()
}

/// Removes roots until none is left; what remains holds a cycle.
fn has_cycle(edges: &BTreeSet<(usize, usize)>) -> bool {
    let mut left = edges.clone();
    loop {
        let waiting: BTreeSet<usize> = left.iter().map(|(_, to)| *to).collect();
        let before = left.len();
        left.retain(|(from, _)| waiting.contains(from));
        if left.len() == before {
            return !left.is_empty();
        }
    }
}

/// Tools whose arguments have any name and the tool's media types.
fn catalog(description: &Value) -> (ToolCatalog, BTreeMap<String, Types>) {
    let mut builder = ToolCatalog::builder();
    let mut known = BTreeMap::new();
    let types = |list: &Value| -> BTreeSet<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|kind| kind.as_str().unwrap().to_lowercase())
            .collect()
    };
    for tool in description["nodes"].as_array().unwrap() {
        let name = tool["id"].as_str().unwrap();
        let mut spec = ToolSpec::named(ToolName::new(name).unwrap());
        spec.input_schema = Some(Schema(json!({
            "type": "object",
            "additionalProperties": {"x-kind": tool["input-type"]},
        })));
        spec.output_schema = Some(Schema(json!({
            "type": "object",
            "properties": {"result": {"x-kind": tool["output-type"]}},
            "additionalProperties": true,
        })));
        let types = Types {
            takes: types(&tool["input-type"]),
            makes: types(&tool["output-type"]),
        };
        known.insert(name.to_owned(), types);
        builder = builder.tool(spec);
    }
    (builder.build().unwrap(), known)
}
