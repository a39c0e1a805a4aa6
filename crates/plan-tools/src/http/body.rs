//! What a request sends.

use plan_exec::ToolError;
use plan_model::SecretName;
use serde_json::{Map, Value};

use super::problem::HttpProblem;
use super::reader::Reader;
use super::template::{Template, Values, encoded, rendered};

/// The levels of a body that is written out in a catalog.
const DEPTH: usize = 64;

/// The body of requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// None.
    Nothing,
    /// The arguments that stand nowhere else, as a JSON object.
    RestAsJson,
    /// The arguments that stand nowhere else, as a form.
    RestAsForm,
    /// JSON with places for values.
    Json(Shape),
    /// A form.
    Form(Vec<(String, Template)>),
    /// Text.
    Text(Template),
}

/// A JSON value with places for values: a text that is one `{argument}` takes the value with its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Literal(Value),
    Argument(String),
    Text(Template),
    List(Vec<Shape>),
    Object(Vec<(String, Shape)>),
}

/// What is sent, and as what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) bytes: Vec<u8>,
    pub(super) content_type: &'static str,
}

impl Body {
    /// Reads the member `body`; `unsaid` is what it is where it is absent.
    pub(super) fn read(reader: &mut Reader, unsaid: Self) -> Self {
        const EXPECTED: &str =
            "`json`, `form`, `none`, or an object with one of `json`, `form`, `text`";
        match reader.take("body") {
            None => unsaid,
            Some(Value::String(word)) => match word.as_str() {
                "json" => Self::RestAsJson,
                "form" => Self::RestAsForm,
                "none" => Self::Nothing,
                _ => {
                    reader.wrong("body", EXPECTED);
                    Self::Nothing
                }
            },
            Some(Value::Object(members)) if members.len() == 1 => {
                let read = members
                    .into_iter()
                    .next()
                    .and_then(|(kind, value)| Self::written(reader, &kind, value));
                read.unwrap_or_else(|| {
                    reader.wrong("body", EXPECTED);
                    Self::Nothing
                })
            }
            Some(_) => {
                reader.wrong("body", EXPECTED);
                Self::Nothing
            }
        }
    }

    fn written(reader: &mut Reader, kind: &str, value: Value) -> Option<Self> {
        match (kind, value) {
            ("json", value) => Some(Self::Json(Shape::read(reader, value, DEPTH))),
            ("form", table) => Some(Self::Form(reader.templates_of("body.form", table))),
            ("text", Value::String(text)) => {
                Some(reader.template(&text).map_or(Self::Nothing, Self::Text))
            }
            _ => None,
        }
    }

    /// Shows every template to `see`.
    pub(super) fn each(&self, see: &mut dyn FnMut(Part<'_>)) {
        match self {
            Self::Nothing | Self::RestAsJson | Self::RestAsForm => {}
            Self::Json(shape) => shape.each(see),
            Self::Form(fields) => fields.iter().for_each(|(_, value)| part(value, see)),
            Self::Text(text) => part(text, see),
        }
    }

    /// The body of one call.
    ///
    /// # Errors
    /// A value that is absent, or a secret that was not lent.
    pub(super) fn fill(
        &self,
        values: Values<'_>,
        rest: &[(&String, &Value)],
    ) -> Result<Option<Sent>, ToolError> {
        Ok(match self {
            Self::Nothing => None,
            Self::RestAsJson => {
                let members: Map<String, Value> = rest
                    .iter()
                    .map(|(name, value)| ((*name).clone(), (*value).clone()))
                    .collect();
                Some(json(&Value::Object(members)))
            }
            Self::RestAsForm => Some(form(&pairs(rest))),
            Self::Json(shape) => shape.fill(values)?.as_ref().map(json),
            Self::Form(fields) => {
                let mut pairs = Vec::new();
                for (name, value) in fields {
                    if let Some(value) = value.fill(values, str::to_owned)? {
                        pairs.push((name.clone(), value));
                    }
                }
                Some(form(&pairs))
            }
            Self::Text(text) => {
                let text = text.fill(values, str::to_owned)?.ok_or_else(|| {
                    ToolError::invalid_arguments("a value that stands in the body is absent")
                })?;
                Some(Sent {
                    bytes: text.into_bytes(),
                    content_type: "text/plain; charset=utf-8",
                })
            }
        })
    }
}

/// A name that a body reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    Argument(&'a str),
    Secret(&'a SecretName),
}

/// Shows what a template reads.
pub(super) fn part(template: &Template, see: &mut dyn FnMut(Part<'_>)) {
    template
        .arguments()
        .for_each(|name| see(Part::Argument(name)));
    template.secrets().for_each(|name| see(Part::Secret(name)));
}

impl Shape {
    fn read(reader: &mut Reader, value: Value, depth: usize) -> Self {
        if depth == 0 {
            reader.wrong("body", "a value of at most 64 levels");
            return Self::Literal(Value::Null);
        }
        match value {
            Value::String(text) => match reader.template(&text) {
                Some(template) => match template.whole_argument() {
                    Some(name) => Self::Argument(name.to_owned()),
                    None => Self::Text(template),
                },
                None => Self::Literal(Value::Null),
            },
            Value::Array(items) => Self::List(
                items
                    .into_iter()
                    .map(|item| Self::read(reader, item, depth - 1))
                    .collect(),
            ),
            Value::Object(members) => {
                let mut members: Vec<(String, Self)> = members
                    .into_iter()
                    .map(|(name, member)| (name, Self::read(reader, member, depth - 1)))
                    .collect();
                members.sort_by(|a, b| a.0.cmp(&b.0));
                Self::Object(members)
            }
            other => Self::Literal(other),
        }
    }

    fn each(&self, see: &mut dyn FnMut(Part<'_>)) {
        match self {
            Self::Literal(_) => {}
            Self::Argument(name) => see(Part::Argument(name)),
            Self::Text(text) => part(text, see),
            Self::List(items) => items.iter().for_each(|item| item.each(see)),
            Self::Object(members) => members.iter().for_each(|(_, member)| member.each(see)),
        }
    }

    /// `None` where a value is absent: the member is left out, an element of a list is null.
    fn fill(&self, values: Values<'_>) -> Result<Option<Value>, ToolError> {
        Ok(match self {
            Self::Literal(value) => Some(value.clone()),
            Self::Argument(name) => values.argument(name).cloned(),
            Self::Text(text) => text.fill(values, str::to_owned)?.map(Value::String),
            Self::List(items) => {
                let mut filled = Vec::with_capacity(items.len());
                for item in items {
                    filled.push(item.fill(values)?.unwrap_or(Value::Null));
                }
                Some(filled.into())
            }
            Self::Object(members) => {
                let mut filled = Map::new();
                for (name, member) in members {
                    if let Some(value) = member.fill(values)? {
                        filled.insert(name.clone(), value);
                    }
                }
                Some(filled.into())
            }
        })
    }
}

/// Arguments as pairs of text: a list repeats its name, null is left out.
pub(super) fn pairs(rest: &[(&String, &Value)]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (name, value) in rest {
        match value {
            Value::Null => {}
            Value::Array(items) => {
                pairs.extend(items.iter().map(|item| ((*name).clone(), rendered(item))));
            }
            value => pairs.push(((*name).clone(), rendered(value))),
        }
    }
    pairs
}

fn json(value: &Value) -> Sent {
    Sent {
        bytes: value.to_string().into_bytes(),
        content_type: "application/json",
    }
}

fn form(pairs: &[(String, String)]) -> Sent {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
        .collect();
    Sent {
        bytes: pairs.join("&").into_bytes(),
        content_type: "application/x-www-form-urlencoded",
    }
}

/// Whether requests of this method have a body.
pub(super) fn may_send(method: &reqwest::Method) -> bool {
    use reqwest::Method;
    [Method::POST, Method::PUT, Method::PATCH, Method::DELETE].contains(method)
}

/// The problem of a body that this method does not send.
pub(super) fn refused(method: &reqwest::Method) -> HttpProblem {
    HttpProblem::BodyOfMethod {
        method: method.to_string(),
    }
}
