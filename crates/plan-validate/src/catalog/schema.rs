//! A JSON Schema, compiled once, that needs no network and no backtracking.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use plan_model::{Limits, Pointer};
use serde_json::Value;

use super::unfold;
use crate::finding::Expected;
use crate::text;

/// A JSON Schema that values are checked against.
///
/// Remote references are never followed, and patterns run in linear time.
#[derive(Debug)]
pub struct CompiledSchema {
    validator: Validator,
    schema: Value,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// It is not a JSON Schema.
    #[error("the schema is invalid at `{at}`: {message}")]
    Invalid {
        /// Where in the schema, as a pointer.
        at: String,
        /// What is wrong, as a clause.
        message: String,
    },
    /// It refers to something outside itself, or in a way that is not supported.
    #[error(
        "the schema has the reference {reference}, and only references of the form `#/…` into the schema itself are followed"
    )]
    Reference {
        /// The reference, quoted.
        reference: String,
    },
    /// It has a pattern that is no regular expression of linear time.
    #[error(
        "the schema has the pattern {pattern}, which no regular expression of linear time can stand for"
    )]
    Pattern {
        /// The pattern, quoted.
        pattern: String,
    },
    /// It unfolds to more nodes, or deeper, than the limit, or recurses twice over the same value.
    #[error("the schema unfolds past {limit} nodes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}

/// One way in which a value does not fit a schema.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// Where in the value.
    pub pointer: Pointer,
    /// What is wrong: a clause in lower case, with the value capped.
    pub message: String,
    /// What could have stood there.
    pub expected: Option<Expected>,
    pub(crate) kind: ViolationKind,
}

/// Kinds of violation that rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ViolationKind {
    /// A required member is missing.
    Required,
    /// A member that the schema does not have.
    Unknown,
    /// The wrong JSON type.
    Type,
    /// The number of members or elements.
    Count,
    /// Anything else.
    Other,
}

/// Whether a violation may quote the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quote {
    /// It may.
    Shown,
    /// The value is sensitive.
    Masked,
}

impl CompiledSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// When it is invalid, refers outside itself, has a pattern outside linear time, or unfolds too far.
    pub fn compile(schema: &Value, limits: &Limits) -> Result<Self, SchemaFault> {
        unfold::check(schema, limits)?;
        let validator = jsonschema::options()
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(PatternOptions::regex().size_limit(1 << 20))
            .build(schema)
            .map_err(|error| fault(&error))?;
        Ok(Self {
            validator,
            schema: schema.clone(),
        })
    }

    /// The schema as written.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Every way in which a value does not fit, in a fixed order; at most a hundred.
    pub fn violations(&self, value: &Value, quote: Quote) -> Vec<Violation> {
        if self.validator.is_valid(value) {
            return Vec::new();
        }
        let errors = self.validator.iter_errors(value).take(100);
        let mut violations: Vec<Violation> = errors
            .flat_map(|error| violations_of(&error, quote))
            .collect();
        violations.sort_by(|a, b| (&a.pointer, &a.message).cmp(&(&b.pointer, &b.message)));
        violations.dedup();
        violations
    }

    /// Whether a value fits.
    pub fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

fn fault(error: &ValidationError<'_>) -> SchemaFault {
    let at = error.instance_path().to_string();
    match error.kind() {
        ValidationErrorKind::Referencing(_) => SchemaFault::Reference {
            reference: text::quoted(error.instance().as_str().unwrap_or("$ref")),
        },
        ValidationErrorKind::Format { format } if format == "regex" => SchemaFault::Pattern {
            pattern: text::quoted(error.instance().as_str().unwrap_or_default()),
        },
        ValidationErrorKind::Pattern { pattern } => SchemaFault::Pattern {
            pattern: text::quoted(pattern),
        },
        _ => SchemaFault::Invalid {
            at,
            message: message(error, Quote::Shown).0,
        },
    }
}

/// The violations of one error: unknown members each stand at their own place.
fn violations_of(error: &ValidationError<'_>, quote: Quote) -> Vec<Violation> {
    let whole = violation(error, quote);
    let (ValidationErrorKind::AdditionalProperties { unexpected }
    | ValidationErrorKind::UnevaluatedProperties { unexpected }) = error.kind()
    else {
        return vec![whole];
    };
    let member = |name: &String| Violation {
        pointer: whole.pointer.join(name),
        message: format!("there is no member {}", text::quoted(name)),
        ..whole.clone()
    };
    unexpected.iter().map(member).collect()
}

fn violation(error: &ValidationError<'_>, quote: Quote) -> Violation {
    let mut pointer = Pointer::root();
    for segment in error.instance_path() {
        match segment {
            jsonschema::paths::LocationSegment::Property(name) => pointer.push(name),
            jsonschema::paths::LocationSegment::Index(index) => pointer.push(index),
        }
    }
    let (message, expected) = message(error, quote);
    let kind = match error.kind() {
        ValidationErrorKind::Required { .. } => ViolationKind::Required,
        ValidationErrorKind::AdditionalProperties { .. }
        | ValidationErrorKind::UnevaluatedProperties { .. } => ViolationKind::Unknown,
        ValidationErrorKind::Type { .. } => ViolationKind::Type,
        ValidationErrorKind::MinItems { .. }
        | ValidationErrorKind::MaxItems { .. }
        | ValidationErrorKind::MinProperties { .. }
        | ValidationErrorKind::MaxProperties { .. } => ViolationKind::Count,
        _ => ViolationKind::Other,
    };
    Violation {
        pointer,
        message,
        expected,
        kind,
    }
}

/// What is wrong, in our own words: the crate's would quote whole values.
fn message(error: &ValidationError<'_>, quote: Quote) -> (String, Option<Expected>) {
    use ValidationErrorKind as Kind;
    let value = match quote {
        Quote::Shown => text::quoted(error.instance().to_string()),
        Quote::Masked => "the value".to_owned(),
    };
    let range = |words: String| {
        (
            format!("{value} is not {words}"),
            Some(Expected::Range(words)),
        )
    };
    let count = |more: bool, limit: u64, what: &str| {
        let (is, words) = if more {
            ("more", format!("at most {limit} {what}"))
        } else {
            ("fewer", format!("at least {limit} {what}"))
        };
        (
            format!("it has {is} than {limit} {what}"),
            Some(Expected::Range(words)),
        )
    };
    match error.kind() {
        Kind::Type { kind } => {
            let types: Vec<String> = match kind {
                TypeKind::Single(one) => vec![one.to_string()],
                TypeKind::Multiple(many) => many.iter().map(|one| one.to_string()).collect(),
            };
            let words = types.join(" or ");
            let asked = with_article(&words);
            let message = if error.instance().is_null() {
                format!("null is not {asked}")
            } else {
                format!(
                    "{value} is {}, not {asked}",
                    plan_model::json_type(error.instance())
                )
            };
            (message, Some(Expected::Type(words)))
        }
        Kind::Enum { options } => {
            let options: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .map(|option| text::capped(&plain(option)).into_owned())
                .collect();
            let shown = text::listed(&options);
            (
                format!("{value} is none of {shown}"),
                Some(Expected::OneOf(options.into_iter().take(20).collect())),
            )
        }
        Kind::Constant { expected_value } => (
            format!(
                "{value} is not {}",
                text::quoted(expected_value.to_string())
            ),
            Some(Expected::OneOf(vec![
                text::capped(&plain(expected_value)).into_owned(),
            ])),
        ),
        Kind::Maximum { limit } => range(format!("at most {limit}")),
        Kind::Minimum { limit } => range(format!("at least {limit}")),
        Kind::ExclusiveMaximum { limit } => range(format!("less than {limit}")),
        Kind::ExclusiveMinimum { limit } => range(format!("greater than {limit}")),
        Kind::MultipleOf { .. } => (
            format!("{value} is not a multiple of what the schema says"),
            None,
        ),
        Kind::MaxLength { limit } => count(true, *limit, "characters"),
        Kind::MinLength { limit } => count(false, *limit, "characters"),
        Kind::MaxItems { limit } => count(true, *limit, "elements"),
        Kind::MinItems { limit } => count(false, *limit, "elements"),
        Kind::MaxProperties { limit } => count(true, *limit, "members"),
        Kind::MinProperties { limit } => count(false, *limit, "members"),
        Kind::AdditionalItems { limit } => count(true, *limit as u64, "elements"),
        Kind::Pattern { pattern } => (
            format!(
                "{value} does not match the pattern {}",
                text::quoted(pattern)
            ),
            None,
        ),
        Kind::Required { property } => (
            format!("the member {} is missing", text::quoted(plain(property))),
            None,
        ),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => (
            format!("there is no member {}", text::listed(unexpected)),
            None,
        ),
        Kind::UniqueItems => ("its elements are not unique".to_owned(), None),
        Kind::Contains => ("no element is as the schema asks".to_owned(), None),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => (
            format!("{value} fits none of the alternatives of the schema"),
            None,
        ),
        Kind::OneOfMultipleValid { .. } => (
            format!("{value} fits more than one of the alternatives of the schema"),
            None,
        ),
        Kind::FalseSchema => (format!("{value} is not allowed here"), None),
        Kind::Not { .. } => (format!("{value} is what the schema excludes"), None),
        other => (
            format!("{value} does not satisfy `{}`", other.keyword()),
            None,
        ),
    }
}

/// A string as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn with_article(words: &str) -> String {
    match words.bytes().next() {
        Some(b'n') if words == "null" => words.to_owned(),
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => format!("an {words}"),
        _ => format!("a {words}"),
    }
}
