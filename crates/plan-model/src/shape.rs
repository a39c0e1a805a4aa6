//! What is known of a value before it exists.

mod combine;
mod describe;
mod fit;
mod parts;
mod path;
mod range;
mod schema;
mod sizes;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::{InputKind, Schema, ValueType};
use parts::{Items, Members};
pub use path::MissingPath;
use sizes::Sizes;
use types::Types;

/// Elements of a known array that are told apart.
const TOLD_APART: usize = 32;

/// What a value can be: a set of JSON types, refined where a schema says more.
///
/// Sound: a shape admits every value that it was made for, perhaps more, so
/// [`Shape::fits`] answers [`Fit::Never`] only where no value of the one
/// shape is a value of the other.
///
/// ```
/// use plan_model::shape::Fit;
/// use plan_model::{Shape, ValueType};
///
/// let text = Shape::declared(ValueType::String, None);
/// let count = Shape::declared(ValueType::Integer, None);
/// assert_eq!(count.fits(&text), Fit::Rendered);
/// assert_eq!(text.fits(&count), Fit::Never("string is never integer".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    types: Types,
    /// The only values, when they are known.
    choices: Option<Arc<[Value]>>,
    /// What is known of an object; absent: nothing.
    members: Option<Arc<Members>>,
    /// What is known of the elements of an array; absent: nothing.
    items: Option<Arc<Items>>,
    /// Ranges of numbers and lengths; absent: nothing is known of them.
    sizes: Option<Arc<Sizes>>,
    /// `x-kind`: what a person would call the value, such as `image`, or one of several.
    kinds: Option<Arc<[Box<str>]>>,
    /// `x-path-kind`: what the value, when it is text, is the path of.
    path: Option<InputKind>,
}

/// Whether values of one shape are values of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// All are, as far as is known.
    Always,
    /// All are once a scalar is rendered into text.
    Rendered,
    /// Some may be: checked when the value exists.
    Unknown,
    /// None is; says why, as a clause.
    Never(String),
}

impl Default for Shape {
    fn default() -> Self {
        Self::any()
    }
}

impl Shape {
    /// Anything.
    pub fn any() -> Self {
        Self::of_types(Types::ALL)
    }

    /// Null alone.
    pub fn null() -> Self {
        Self::of_types(Types::NULL)
    }

    /// No value at all: what a closed object has under any other name.
    pub fn nothing() -> Self {
        Self::of_types(Types::NONE)
    }

    /// The shape of a declared type that a schema may refine.
    pub fn declared(value_type: ValueType, schema: Option<&Schema>) -> Self {
        let declared = Self::of_types(Types::of_declared(value_type));
        match schema {
            Some(schema) => declared.meet(&Self::of_schema(schema)),
            None => declared,
        }
    }

    /// The shape of values that a schema accepts. Unknown keywords and `$ref` outside the document widen.
    pub fn of_schema(schema: &Schema) -> Self {
        schema::shape(&schema.0)
    }

    /// The shape of one value.
    pub fn of_value(value: &Value) -> Self {
        let types = Self::of_types(Types::of_value(value));
        match value {
            Value::Array(items) => {
                let shapes = items.iter().map(Self::of_value);
                let items = if items.len() > TOLD_APART {
                    Items::all(Self::join_all(shapes))
                } else {
                    Items {
                        first: shapes.collect(),
                        rest: Self::nothing(),
                    }
                };
                Self {
                    items: Some(Arc::new(items)),
                    sizes: Some(Arc::new(Sizes::of_value(value))),
                    ..types
                }
            }
            Value::Object(members) => Self {
                members: Some(Arc::new(Members {
                    named: members
                        .iter()
                        .map(|(name, member)| (name.clone(), Self::of_value(member)))
                        .collect(),
                    required: members.keys().cloned().collect(),
                    rest: Self::nothing(),
                })),
                ..types
            },
            scalar => Self {
                choices: Some([scalar.clone()].into()),
                ..types
            },
        }
    }

    /// An array of such values.
    #[must_use]
    pub fn list(self) -> Self {
        Self {
            items: Some(Arc::new(Items::all(self))),
            ..Self::of_types(Types::ARRAY)
        }
    }

    /// An object of these members, all of them present and perhaps others.
    pub fn object(members: impl IntoIterator<Item = (String, Self)>) -> Self {
        let named: BTreeMap<String, Self> = members.into_iter().collect();
        Self {
            members: Some(Arc::new(Members {
                required: named.keys().cloned().collect(),
                named,
                rest: Self::any(),
            })),
            ..Self::of_types(Types::OBJECT)
        }
    }

    /// The same object without members of other names.
    #[must_use]
    pub fn closed(mut self) -> Self {
        let mut members = self.members.as_deref().cloned().unwrap_or_default();
        members.rest = Self::nothing();
        self.members = Some(Arc::new(members));
        self
    }

    /// The same shape, as the path of something.
    #[must_use]
    pub fn of_path(mut self, kind: InputKind) -> Self {
        self.path = Some(kind).filter(|kind| *kind != InputKind::Value);
        self
    }

    /// The same shape, or null.
    #[must_use]
    pub fn nullable(&self) -> Self {
        self.join(&Self::null())
    }

    /// Whether values of this shape fit `target`.
    pub fn fits(&self, target: &Self) -> Fit {
        fit::fit(self, target)
    }

    /// Whether the shape has the value, as far as is known.
    pub fn admits(&self, value: &Value) -> bool {
        fit::admits(self, value)
    }

    /// Whether nothing is known of the value.
    pub fn is_any(&self) -> bool {
        self.types == Types::ALL
            && self.choices.is_none()
            && self.members.is_none()
            && self.items.is_none()
            && self.sizes.is_none()
    }

    /// Whether there is no such value.
    pub fn is_nothing(&self) -> bool {
        self.types.is_empty() || self.choices.as_deref().is_some_and(<[Value]>::is_empty)
    }

    /// Whether the value may be null.
    pub fn may_be_null(&self) -> bool {
        self.types.meets(Types::NULL)
    }

    /// Whether the value may be of a type; a number without a fraction is a number and an integer.
    pub fn may_be(&self, value_type: ValueType) -> bool {
        self.types.meets(Types::of_declared(value_type))
    }

    /// Whether the value cannot be but of a type.
    pub fn is_only(&self, value_type: ValueType) -> bool {
        !self.types.is_empty() && self.types.within(Types::of_declared(value_type))
    }

    /// The only values, when they are known.
    pub fn choices(&self) -> Option<&[Value]> {
        self.choices.as_deref()
    }

    /// What the schema's `x-kind` calls the value: one name, or several of which it is one; sorted.
    pub fn kinds(&self) -> Option<&[Box<str>]> {
        self.kinds.as_deref()
    }

    /// What the schema's `x-path-kind` (or `x-inxm-input-kind`) says the value is the path of.
    pub fn path_kind(&self) -> Option<InputKind> {
        self.path
    }

    /// Whether the value, when it is an object, must have this member.
    pub fn requires(&self, name: &str) -> bool {
        self.members
            .as_ref()
            .is_some_and(|members| members.required.contains(name))
    }

    /// Whether the value, when it is an object, has no members but the named ones.
    pub fn is_closed(&self) -> bool {
        self.members
            .as_ref()
            .is_some_and(|members| members.rest.is_nothing())
    }

    /// What members of other names are, when the value is an object; nothing when there are none.
    #[must_use]
    pub fn other_members(&self) -> Self {
        let members = self.members.as_ref();
        members.map_or_else(Self::any, |members| members.rest.clone())
    }

    /// The names of members that are known, sorted.
    pub fn member_names(&self) -> impl Iterator<Item = &str> {
        let named = self.members.iter().flat_map(|members| &members.named);
        named
            .filter(|(_, shape)| !shape.is_nothing())
            .map(|(name, _)| name.as_str())
    }

    fn of_types(types: Types) -> Self {
        Self {
            types,
            choices: None,
            members: None,
            items: None,
            sizes: None,
            kinds: None,
            path: None,
        }
    }
}
