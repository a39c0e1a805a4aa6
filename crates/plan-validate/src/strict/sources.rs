//! What references can read, and of what shape it is known to be.

use std::cell::RefCell;
use std::collections::BTreeMap;

use plan_model::shape::Fit;
use plan_model::{Shape, ValueType};
use serde_json::{Map, Value};

use super::call::Offered;
use super::pattern::{INDEX, NAME, NUMBER, any_path, escaped, matching};

/// How deep into a value references are listed.
const MOST_LEVELS: usize = 3;
/// The most ways into the result of one tool.
const MOST_WAYS: usize = 64;

/// The name that items of fan-outs have.
pub(super) const ITEM: &str = "element";

/// Kinds of steps beside tool calls: the name that their ids begin with, the output, its type.
pub(super) const KINDS: [(&str, &str, ValueType); 10] = [
    ("code_call", "stdout", ValueType::String),
    ("code_call", "stderr", ValueType::String),
    ("code_call", "exit_code", ValueType::Integer),
    ("prompt_call", "answer", ValueType::String),
    ("agent_call", "report", ValueType::String),
    ("approval", "approved", ValueType::Boolean),
    ("question", "answer", ValueType::String),
    ("condition", "result", ValueType::Boolean),
    ("fan_out", "results", ValueType::Array),
    ("fan_in", "collected", ValueType::Array),
];

/// The types of inputs: what the names of such inputs begin with, and the word of the format.
pub(super) const INPUTS: [(&str, &str, ValueType); 7] = [
    ("text", "string", ValueType::String),
    ("number", "number", ValueType::Number),
    ("integer", "integer", ValueType::Integer),
    ("flag", "boolean", ValueType::Boolean),
    ("object", "object", ValueType::Object),
    ("list", "array", ValueType::Array),
    ("any", "any", ValueType::Any),
];

/// References of one pattern; each of them has one of the shapes.
#[derive(Debug)]
struct Source {
    pattern: String,
    shapes: Vec<Shape>,
}

/// All that references can read, and the patterns that were asked for, which are shared.
#[derive(Debug)]
pub(super) struct Sources {
    all: Vec<Source>,
    /// By pattern, the name of its definition.
    asked: RefCell<BTreeMap<String, String>>,
}

impl Sources {
    /// What steps of a planner's list read.
    pub(super) fn of_calls(tools: &[Offered<'_>]) -> Self {
        let mut all = Vec::new();
        for tool in tools {
            of_tool(tool, &mut all);
        }
        Self {
            all,
            asked: RefCell::default(),
        }
    }

    /// What steps of a plan read.
    pub(super) fn of_plans(tools: &[Offered<'_>]) -> Self {
        let mut sources = Self::of_calls(tools);
        for (kind, output, value_type) in KINDS {
            sources.all.push(Source {
                pattern: format!("step\\.{kind}_{NUMBER}\\.{output}"),
                shapes: vec![Shape::declared(value_type, None)],
            });
        }
        for (prefix, _, value_type) in INPUTS {
            let way = if value_type == ValueType::Any {
                any_path()
            } else {
                String::new()
            };
            sources.all.push(Source {
                pattern: format!("input\\.{prefix}_{NAME}{way}"),
                shapes: vec![Shape::declared(value_type, None)],
            });
        }
        let items: Vec<Shape> = sources
            .all
            .iter()
            .filter(|source| source.may_be_list())
            .flat_map(|source| &source.shapes)
            .map(|shape| shape.item().unwrap_or_default())
            .collect();
        let known = items.iter().any(|item| !item.is_any());
        let way = if known { String::new() } else { any_path() };
        sources.all.push(Source {
            pattern: format!("item\\.{ITEM}{way}"),
            shapes: items,
        });
        sources
    }

    /// A reference, whole, whose value an argument of this shape can take; `None` where there is no such.
    ///
    /// Inside of another value nothing is rendered into text; outside of one a note would say so.
    pub(super) fn fitting(&self, target: &Shape) -> Option<Value> {
        let fits = |shape: &Shape| matches!(shape.fits(target), Fit::Always | Fit::Unknown);
        self.reference(|source| source.shapes.iter().all(fits))
    }

    /// A reference, whole, that a fan-out may take for its list.
    pub(super) fn list(&self) -> Option<Value> {
        self.reference(Source::may_be_list)
    }

    fn reference(&self, is_taken: impl Fn(&Source) -> bool) -> Option<Value> {
        let taken: Vec<&str> = self
            .all
            .iter()
            .filter(|source| is_taken(source))
            .map(|source| source.pattern.as_str())
            .collect();
        if taken.is_empty() {
            return None;
        }
        let pattern = format!("^\\$\\{{(?:{})\\}}$", taken.join("|"));
        let mut asked = self.asked.borrow_mut();
        let number = asked.len() + 1;
        let name = asked
            .entry(pattern)
            .or_insert_with(|| format!("reference_{number}"));
        Some(serde_json::json!({ "$ref": format!("#/$defs/{name}") }))
    }

    /// The definitions that were asked for.
    pub(super) fn define(self, into: &mut Map<String, Value>) {
        for (pattern, name) in self.asked.into_inner() {
            into.insert(name, matching(&pattern));
        }
    }
}

impl Source {
    fn may_be_list(&self) -> bool {
        self.shapes.iter().all(|shape| shape.item().is_some())
    }
}

fn of_tool(tool: &Offered<'_>, into: &mut Vec<Source>) {
    let root = format!("step\\.{}_{NUMBER}\\.", tool.slug);
    let names: Vec<&str> = tool.tool.output_names().collect();
    if names.is_empty() {
        if !tool.tool.has_closed_outputs() {
            into.push(Source {
                pattern: format!("{root}{NAME}{}", any_path()),
                shapes: vec![Shape::any()],
            });
        }
        return;
    }
    let mut left = MOST_WAYS;
    for name in names.into_iter().filter(|name| is_plain(name)) {
        if let Some(shape) = tool.tool.output_shape(name) {
            let pattern = format!("{root}{}", escaped(name));
            ways(pattern, shape.clone(), MOST_LEVELS, &mut left, into);
        }
    }
}

/// A value and what is in it, as deep as `levels`.
fn ways(pattern: String, shape: Shape, levels: usize, left: &mut usize, into: &mut Vec<Source>) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    if shape.is_any() {
        into.push(Source {
            pattern: format!("{pattern}{}", any_path()),
            shapes: vec![shape],
        });
        return;
    }
    if let Some(levels) = levels.checked_sub(1) {
        for name in shape.member_names().filter(|name| is_plain(name)) {
            if let Some(member) = shape.property(name) {
                let pattern = format!("{pattern}\\.{}", escaped(name));
                ways(pattern, member, levels, left, into);
            }
        }
        if shape.is_only(ValueType::Array)
            && let Some(item) = shape.item()
        {
            ways(format!("{pattern}{INDEX}"), item, levels, left, into);
        }
    }
    into.push(Source {
        pattern,
        shapes: vec![shape],
    });
}

/// Whether a reference spells the name without quotes.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 63
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
