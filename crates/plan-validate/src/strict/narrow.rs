//! A tool's schema in the strict form: never wider than it is.

mod form;
mod keywords;

use plan_model::{Segment, Shape};
use serde_json::{Map, Value, json};

use super::sources::Sources;
pub(super) use form::{any_of, anything, closed};
use form::{number, string};
use keywords::{COMBINING, TAKEN, are_apart, choices, followed, is_current};
pub(super) use keywords::{SILENT, members, required, types};

/// How deep a schema is followed; what is deeper is left out.
const MOST_LEVELS: usize = 12;

/// Whether references may stand for values, and null for members that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// They may.
    Open,
    /// A keyword around is about the values themselves, so only those may stand.
    Exact,
}

/// Narrows the schemas of one tool.
#[derive(Debug)]
pub(super) struct Narrow<'s> {
    root: &'s Value,
    sources: &'s Sources,
    open: Vec<&'s str>,
    /// Where the tool's own schema is defined, and whether something refers to it.
    own: &'s str,
    pub(super) refers_to_own: bool,
}

impl<'s> Narrow<'s> {
    pub(super) fn new(root: &'s Value, sources: &'s Sources, own: &'s str) -> Self {
        Self {
            root,
            sources,
            open: Vec::new(),
            own,
            refers_to_own: false,
        }
    }

    /// The strict form of a schema whose values are known to be of a shape; `None` where there is none.
    pub(super) fn schema(
        &mut self,
        schema: &'s Value,
        target: &Shape,
        mode: Mode,
    ) -> Option<Value> {
        let keywords = match schema {
            Value::Bool(false) => return None,
            Value::Object(keywords) => keywords,
            _ => return self.with_reference(anything(mode), target, mode),
        };
        if self.open.len() >= MOST_LEVELS {
            return None;
        }
        let beside = self.beside(keywords)?;
        let mode = if beside.is_empty() { mode } else { Mode::Exact };
        let narrowed = self.keywords(keywords, target, mode).map(|mut narrowed| {
            if let (Value::Object(narrowed), Some(words)) =
                (&mut narrowed, keywords.get("description"))
                && !narrowed.contains_key("$ref")
            {
                narrowed.insert("description".to_owned(), words.clone());
            }
            narrowed
        })?;
        Some(if beside.is_empty() {
            narrowed
        } else {
            // what this form does not have in itself holds beside it
            json!({ "allOf": [narrowed, beside] })
        })
    }

    fn keywords(
        &mut self,
        keywords: &'s Map<String, Value>,
        target: &Shape,
        mode: Mode,
    ) -> Option<Value> {
        match followed(keywords) {
            Some("$ref") => return self.referred(keywords, target, mode),
            Some("enum" | "const") => {
                let choices = choices(keywords);
                let value = (!choices.is_empty()).then(|| json!({ "enum": choices }))?;
                return self.with_reference(Some(value), target, mode);
            }
            Some(choice) => {
                let parts = keywords.get(choice).and_then(Value::as_array)?;
                // of `allOf` the first part is taken, and the others hold beside it
                let taken = if choice == "allOf" { 1 } else { parts.len() };
                self.open.push("");
                let parts: Vec<Value> = parts
                    .iter()
                    .take(taken)
                    .filter_map(|part| self.schema(part, target, mode))
                    .collect();
                self.open.pop();
                return any_of(parts);
            }
            None => {}
        }
        let types = types(keywords);
        let parts: Vec<Value> = types
            .iter()
            .filter_map(|name| self.of_type(name, keywords, target, mode))
            .collect();
        if types.is_empty() {
            return self.with_reference(anything(mode), target, mode);
        }
        self.with_reference(any_of(parts), target, mode)
    }

    fn referred(
        &mut self,
        keywords: &'s Map<String, Value>,
        target: &Shape,
        mode: Mode,
    ) -> Option<Value> {
        let reference = keywords.get("$ref")?.as_str()?;
        if self.open.contains(&reference) {
            // a turn of a recursive schema is not taken
            return None;
        }
        let schema = self.root.pointer(reference.strip_prefix('#')?)?;
        self.open.push(reference);
        let narrowed = self.schema(schema, target, mode);
        self.open.pop();
        narrowed
    }

    fn of_type(
        &mut self,
        name: &str,
        keywords: &'s Map<String, Value>,
        target: &Shape,
        mode: Mode,
    ) -> Option<Value> {
        match name {
            "null" | "boolean" => Some(json!({ "type": name })),
            "integer" | "number" => Some(number(name, keywords)),
            "string" => Some(string(keywords, mode)),
            "array" => self.array(keywords, target, mode),
            "object" => self.object(keywords, target, mode),
            _ => None,
        }
    }

    fn array(
        &mut self,
        keywords: &'s Map<String, Value>,
        target: &Shape,
        mode: Mode,
    ) -> Option<Value> {
        static ANY: Value = Value::Bool(true);
        let item = target.at(&[Segment::Index(0)]).unwrap_or_default();
        self.open.push("");
        let items = self.schema(keywords.get("items").unwrap_or(&ANY), &item, mode);
        self.open.pop();
        let mut array = Map::new();
        array.insert("type".to_owned(), "array".into());
        for bound in ["minItems", "maxItems", "uniqueItems"] {
            if let Some(value) = keywords.get(bound) {
                array.insert(bound.to_owned(), value.clone());
            }
        }
        match items {
            Some(items) => array.insert("items".to_owned(), items),
            // only the empty one is left
            None if keywords
                .get("minItems")
                .is_none_or(|least| *least == json!(0)) =>
            {
                array.insert("items".to_owned(), json!({ "type": "null" }));
                array.insert("maxItems".to_owned(), 0.into())
            }
            None => return None,
        };
        Some(Value::Object(array))
    }

    /// An object inside of another value: as it is with all of its members, and with the required ones alone.
    fn object(
        &mut self,
        keywords: &'s Map<String, Value>,
        target: &Shape,
        mode: Mode,
    ) -> Option<Value> {
        let (mut least, mut most) = (Map::new(), Map::new());
        let required = required(keywords);
        for (name, schema) in members(keywords) {
            let shape = target.property(name).unwrap_or_default();
            self.open.push("");
            let member = self.schema(schema, &shape, mode);
            self.open.pop();
            let is_required = required.contains(&name);
            match member {
                Some(member) => {
                    if is_required {
                        least.insert(name.to_owned(), member.clone());
                    }
                    most.insert(name.to_owned(), member);
                }
                None if is_required => return None,
                None => {}
            }
        }
        if !required.iter().all(|name| least.contains_key(*name)) {
            return None;
        }
        let mut forms = vec![closed(&least)];
        let whole = closed(&most);
        if !forms.contains(&whole) {
            forms.push(whole);
        }
        any_of(forms)
    }

    /// The value, or a reference to one.
    fn with_reference(&self, value: Option<Value>, target: &Shape, mode: Mode) -> Option<Value> {
        let reference = match mode {
            Mode::Open => self.sources.fitting(target),
            Mode::Exact => None,
        };
        any_of(value.into_iter().chain(reference).collect())
    }

    /// Keywords that this form does not have in itself; `None` where another draft would mean them otherwise.
    fn beside(&mut self, keywords: &Map<String, Value>) -> Option<Map<String, Value>> {
        let mut beside = Map::new();
        let followed = followed(keywords);
        for (name, value) in keywords {
            let is_silent = SILENT.contains(&name.as_str()) || name.starts_with("x-");
            let is_whole = match followed {
                None => TAKEN.contains(&name.as_str()) && !COMBINING.contains(&name.as_str()),
                Some("oneOf") => name == "oneOf" && are_apart(value),
                Some("allOf") => {
                    name == "allOf" && value.as_array().is_some_and(|all| all.len() == 1)
                }
                Some("enum" | "const") => ["enum", "const", "type"].contains(&name.as_str()),
                Some(followed) => name == followed,
            };
            if is_silent || is_whole {
                continue;
            }
            let moved = self.moved(value)?;
            beside.insert(name.clone(), moved);
        }
        if beside.is_empty() || is_current(self.root) {
            return Some(beside);
        }
        None
    }

    /// A part of the tool's schema that refers to where that is defined here.
    fn moved(&mut self, value: &Value) -> Option<Value> {
        Some(match value {
            Value::Object(members) => {
                let mut moved = Map::new();
                for (name, member) in members {
                    let member = match (name.as_str(), member) {
                        ("$ref", Value::String(reference)) => {
                            self.refers_to_own = true;
                            let path = reference.strip_prefix('#')?;
                            format!("#/$defs/{}{path}", self.own).into()
                        }
                        _ => self.moved(member)?,
                    };
                    moved.insert(name.clone(), member);
                }
                Value::Object(moved)
            }
            Value::Array(items) => {
                let items: Option<Vec<Value>> = items.iter().map(|item| self.moved(item)).collect();
                items?.into()
            }
            scalar => scalar.clone(),
        })
    }

    /// The tool's own schema as a definition, where something refers to it.
    pub(super) fn own(&mut self) -> Option<Value> {
        if !self.refers_to_own {
            return None;
        }
        let mut own = self.moved(self.root)?;
        if let Value::Object(own) = &mut own {
            own.remove("$schema");
            own.remove("$id");
        }
        Some(own)
    }
}
