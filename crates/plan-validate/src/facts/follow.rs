//! What a reference leads to, as far as the plan and its tools say.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use plan_model::shape::MissingPath;
use plan_model::{
    InputKind, Path, Plan, Reference, Root, Segment, Shape, StepConfig, StepId, ValueType,
};
use serde_json::Value;

use super::{Facts, Use};

/// How many fan-outs are looked through for what an item is: `item.a` of `item.b` of ….
const MOST_NESTED: usize = 16;

/// Shapes that were made of a schema, kept so that a thousand references make them once.
#[derive(Debug)]
pub(super) struct Shapes {
    inputs: Vec<OnceCell<Shape>>,
    outputs: RefCell<HashMap<usize, HashMap<String, Option<Shape>>>>,
}

impl Shapes {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            inputs: plan.inputs.iter().map(|_| OnceCell::new()).collect(),
            outputs: RefCell::default(),
        }
    }
}

/// A path that leads nowhere.
#[derive(Debug)]
pub(crate) struct DeadEnd {
    /// How many segments of the path exist.
    pub(crate) existing: usize,
    /// What is there, as a clause: "is string", "has only `a` and `b`".
    pub(crate) found: String,
    /// The names that exist there.
    pub(crate) names: Vec<String>,
}

/// What a reference can be, read from step `from`; anything where it leads nowhere.
pub(super) fn reference_shape(
    facts: &Facts<'_>,
    reference: &Reference,
    from: Option<usize>,
) -> Shape {
    reference_within(facts, reference, from, MOST_NESTED)
}

/// What a use can be; anything where it leads nowhere.
pub(super) fn use_shape(facts: &Facts<'_>, read: &Use<'_>) -> Shape {
    let shapes = read.paths().map(|(path, step)| {
        let shape = follow_to(facts, path, step, read.step, MOST_NESTED);
        shape.unwrap_or_default()
    });
    let shape = shapes.reduce(|either, shape| either.join(&shape));
    shape.unwrap_or_default()
}

fn reference_within(
    facts: &Facts<'_>,
    reference: &Reference,
    from: Option<usize>,
    depth: usize,
) -> Shape {
    let shapes = reference
        .paths()
        .map(|path| follow(facts, path, from, depth).unwrap_or_default());
    shapes
        .reduce(|either, shape| either.join(&shape))
        .unwrap_or_default()
}

/// What is at the end of a path, read from step `from`.
pub(super) fn path(facts: &Facts<'_>, path: &Path, from: Option<usize>) -> Result<Shape, DeadEnd> {
    follow(facts, path, from, MOST_NESTED)
}

/// What is at the end of a path. A name at its root that is not there is anything, and so is all behind it.
///
/// `depth` bounds the recursion from items to the lists that they are of.
fn follow(
    facts: &Facts<'_>,
    path: &Path,
    from: Option<usize>,
    depth: usize,
) -> Result<Shape, DeadEnd> {
    let step = path.step().and_then(|id| facts.index_of(id));
    follow_to(facts, path, step, from, depth)
}

/// What is at the end of a path that reads `step`, if it reads one.
fn follow_to(
    facts: &Facts<'_>,
    path: &Path,
    step: Option<usize>,
    from: Option<usize>,
    depth: usize,
) -> Result<Shape, DeadEnd> {
    let segments = path.segments.as_slice();
    match &path.root {
        Root::Input(name) => match facts.input(name.as_str()) {
            Some((index, _)) => inside(&input_shape(facts, index), segments, 0),
            None => Ok(Shape::any()),
        },
        Root::Config(key) => match facts.plan.config.get(key) {
            Some(value) => inside_value(value, segments),
            None => Ok(Shape::any()),
        },
        Root::Step(_) => match (step, segments) {
            (Some(step), []) => Ok(whole_result(facts, step)),
            (Some(step), [Segment::Name(output), rest @ ..]) => {
                let shape = output_within(facts, step, output, depth).unwrap_or_default();
                inside(&shape, rest, 1)
            }
            (Some(_), [Segment::Index(_), ..]) | (None, _) => Ok(Shape::any()),
        },
        Root::Item(name) => {
            let over = from.and_then(|step| list_of(facts, step, name.as_str()));
            match (over, depth.checked_sub(1)) {
                (Some((over, owner)), Some(depth)) => {
                    // the list is read from outside of the fan-out that it is of
                    let list = reference_within(facts, over, facts.owner(owner), depth);
                    // a list that is none has its own finding
                    inside(&list.item().unwrap_or_default(), segments, 0)
                }
                _ => Ok(Shape::any()),
            }
        }
        Root::Secret(_) => inside(&Shape::declared(ValueType::String, None), segments, 0),
    }
}

/// The shape of one output of a step; `None` where the step can have no such output.
pub(super) fn output_shape(facts: &Facts<'_>, step: usize, output: &str) -> Option<Shape> {
    output_within(facts, step, output, MOST_NESTED)
}

fn output_within(facts: &Facts<'_>, step: usize, name: &str, depth: usize) -> Option<Shape> {
    let declared = facts.declared_output(step, name);
    let from_schema = declared.is_some_and(|declared| declared.schema.is_some());
    let config = facts.step(step).map(|step| &step.config);
    let is_costly = matches!(
        config,
        Some(StepConfig::PromptCall(_) | StepConfig::FanOut(_) | StepConfig::FanIn(_))
    );
    if !from_schema && !is_costly {
        return facts.outputs(step).shape(name, declared);
    }
    let outputs = facts.shapes.outputs.borrow();
    if let Some(known) = outputs.get(&step).and_then(|outputs| outputs.get(name)) {
        return known.clone();
    }
    drop(outputs);
    let mut shape = facts.outputs(step).shape(name, declared);
    if let (Some(shape), Some(config)) = (&mut shape, config)
        && let Some(list) = collected(facts, config, name, depth)
    {
        let both = shape.meet(&list);
        if !both.is_nothing() {
            *shape = both;
        }
    }
    let mut outputs = facts.shapes.outputs.borrow_mut();
    let outputs = outputs.entry(step).or_default();
    outputs.insert(name.to_owned(), shape.clone());
    shape
}

/// The list of what other steps deliver: `results` of a fan-out, the field of a fan-in.
///
/// `depth` bounds the recursion from lists to the lists that they are made of.
fn collected(facts: &Facts<'_>, config: &StepConfig, name: &str, depth: usize) -> Option<Shape> {
    let depth = depth.checked_sub(1)?;
    let sources: &[StepId] = match config {
        // of a body it is the last step that counts
        StepConfig::FanOut(fan) if name == "results" => {
            std::slice::from_ref(fan.spawn_steps.last()?)
        }
        StepConfig::FanIn(fan) if fan.collect_field == *name => &fan.from_steps,
        _ => return None,
    };
    let mut items = Vec::with_capacity(sources.len());
    for source in sources {
        let step = facts.index_of(source)?;
        items.push(match facts.step(step)?.outputs.as_slice() {
            [output] => output_within(facts, step, output.name.as_str(), depth)?,
            _ => Shape::declared(ValueType::Object, None),
        });
    }
    // a skipped step delivers null
    Some(Shape::join_all(items).nullable().list())
}

/// All outputs of a step as one object.
fn whole_result(facts: &Facts<'_>, step: usize) -> Shape {
    let object = Shape::declared(ValueType::Object, None);
    let Some(data) = facts.step(step) else {
        return object;
    };
    match facts.tool(step).filter(|tool| tool.quarantine.is_none()) {
        // a declared output may stand beside the members of the result
        Some(tool) if data.outputs.is_empty() => {
            let result = tool.result_shape();
            let is_object = result.is_only(ValueType::Object);
            if is_object { result.clone() } else { object }
        }
        _ => object,
    }
}

fn input_shape(facts: &Facts<'_>, index: usize) -> Shape {
    let make = || {
        let input = facts.plan.inputs.get(index);
        input.map_or_else(Shape::any, |input| {
            let shape = Shape::declared(input.value_type, input.schema.as_ref());
            match input.input_kind {
                InputKind::Value => shape,
                kind => shape.of_path(kind),
            }
        })
    };
    match facts.shapes.inputs.get(index) {
        Some(shape) => shape.get_or_init(make).clone(),
        None => make(),
    }
}

/// The list that an item is of, and the fan-out that reads it.
pub(super) fn list_of<'a>(
    facts: &Facts<'a>,
    step: usize,
    item: &str,
) -> Option<(&'a Reference, usize)> {
    // `until` reads the items of its own fan-out
    let around = std::iter::successors(Some(step), |step| facts.owner(*step));
    around
        .take(facts.plan.steps.len())
        .find_map(|owner| match &facts.step(owner)?.config {
            StepConfig::FanOut(fan) if fan.item_var == *item => Some((&fan.over, owner)),
            _ => None,
        })
}

fn inside(shape: &Shape, segments: &[Segment], before: usize) -> Result<Shape, DeadEnd> {
    shape.at(segments).map_err(|missing: MissingPath| DeadEnd {
        existing: before + missing.existing,
        found: missing.found,
        names: missing.names,
    })
}

/// A config value is known in full: only what the path leads to becomes a shape.
fn inside_value(value: &Value, segments: &[Segment]) -> Result<Shape, DeadEnd> {
    let mut value = value;
    for (existing, segment) in segments.iter().enumerate() {
        let next = match segment {
            Segment::Name(name) => value.get(name.as_str()),
            Segment::Index(index) => value.get(*index),
        };
        match next {
            Some(next) => value = next,
            None => {
                return Err(dead_end(
                    value,
                    segments.get(existing..).unwrap_or_default(),
                    existing,
                ));
            }
        }
    }
    Ok(Shape::of_value(value))
}

fn dead_end(value: &Value, rest: &[Segment], existing: usize) -> DeadEnd {
    let count = value.as_array().map(Vec::len);
    match (inside(&Shape::of_value(value), rest, existing), count) {
        (Err(dead_end), _) => dead_end,
        // a shape does not count elements
        (Ok(_), count) => DeadEnd {
            existing,
            found: format!("has {} elements", count.unwrap_or(0)),
            names: Vec::new(),
        },
    }
}
