//! `${…}`: what a plan may read, parsed once and here alone.
//!
//! ```text
//! reference = "${" path { "??" path } "}"
//! path      = root { segment }
//! root      = kind ( "." name | quoted )
//! kind      = "input" | "conf" | "step" | "item" | "secret" | "env"
//! segment   = "." name | "[" digits "]" | quoted
//! quoted    = "[" JSON string "]"
//! name      = any run of characters but blanks, controls and . [ ] { } ? "
//! ```
//!
//! Blanks may stand around paths and `??`, nowhere else. `env.X` is another
//! spelling of `secret.X`; whoever reads a document hears of it through
//! [`Names::environment`].

mod find;
mod parse;

use std::fmt;
use std::sync::Arc;

use crate::digest::write_text;
use crate::{ConfigKey, InputName, ItemName, Pointer, SecretName, StepId};

pub use find::{LooksLikeReference, Spelling, plan_references};
pub(crate) use parse::{NameStyle, Parser};

/// One reference: the first of its paths whose step succeeded, or whose input is not null.
///
/// ```
/// use plan_model::Reference;
///
/// let reference = Reference::parse(r#"${step.fetch["page title"] ?? input.title}"#)?;
/// assert_eq!(reference.paths().count(), 2);
/// assert_eq!(reference.to_string(), r#"${step.fetch["page title"] ?? input.title}"#);
/// # Ok::<(), plan_model::ReferenceError>(())
/// ```
///
/// A clone shares the paths: a grant holds most references of its plan once more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference(Arc<Alternatives>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Alternatives {
    first: Path,
    otherwise: Vec<Path>,
}

/// One place to read: a root, then a way into its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// Where the value comes from.
    pub root: Root,
    /// The way into the value. For [`Root::Step`] the first segment is the output's name.
    pub segments: Vec<Segment>,
}

/// Where a referenced value comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// `input.NAME`
    Input(InputName),
    /// `conf.KEY`
    Config(ConfigKey),
    /// `step.ID`: an object of all its outputs.
    Step(StepId),
    /// `item.VAR`
    Item(ItemName),
    /// `secret.NAME`
    Secret(SecretName),
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A member of an object: `.name` or `["any text"]`.
    Name(String),
    /// An element of an array, counted from zero: `[0]`.
    Index(usize),
}

/// Why a text is not a reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReferenceError {
    /// What is wrong, as a clause.
    pub message: String,
    /// The byte offset in the text that was given.
    pub at: usize,
}

/// What a reader of documents knows about names, and wants to hear about them.
///
/// `()` knows nothing and hears nothing.
pub trait Names {
    /// The step that is called `name`, where that is not its id. `None`: `name` must be an id.
    fn step(&mut self, name: &str) -> Option<StepId> {
        let _ = name;
        None
    }

    /// Hears that `env.NAME` was read as `secret.NAME`, and where in the value that was given.
    fn environment(&mut self, pointer: &Pointer, name: &SecretName) {
        let _ = (pointer, name);
    }

    /// Hears how many malformed references there were beyond those that are told one by one.
    fn further(&mut self, count: usize) {
        let _ = count;
    }
}

impl Names for () {}

impl Reference {
    /// A reference to one path.
    pub fn to(path: Path) -> Self {
        Self::either(path, Vec::new())
    }

    /// A reference to the first of several paths that has a value.
    pub fn either(first: Path, otherwise: Vec<Path>) -> Self {
        Self(Arc::new(Alternatives { first, otherwise }))
    }

    /// What is tried first.
    pub fn first(&self) -> &Path {
        &self.0.first
    }

    /// What is tried next, in order: the operands of `??`.
    pub fn otherwise(&self) -> &[Path] {
        &self.0.otherwise
    }

    /// Parses a reference, with or without its `${` and `}`.
    ///
    /// # Errors
    /// The first fault, with its byte offset.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        Self::parse_with(text, &mut ())
    }

    /// Parses a reference whose steps may go by names that `names` knows.
    ///
    /// # Errors
    /// The first fault, with its byte offset.
    pub fn parse_with(text: &str, names: &mut dyn Names) -> Result<Self, ReferenceError> {
        Parser::new(text, &Pointer::root(), names).whole()
    }

    /// Parses what a fan-out may name as its list: a reference, or `STEP.OUTPUT[.path]`.
    ///
    /// The two cannot be confused: no step is called `input` or `step`.
    ///
    /// # Errors
    /// The first fault, with its byte offset.
    pub fn parse_list_source(text: &str, names: &mut dyn Names) -> Result<Self, ReferenceError> {
        let trimmed = text.trim_start();
        let kind = trimmed.split(['.', '[']).next().unwrap_or_default();
        if trimmed.starts_with("${") || parse::KINDS.contains(&kind) {
            return Self::parse_with(text, names);
        }
        let prefix = if trimmed.starts_with('[') {
            "step"
        } else {
            "step."
        };
        let skipped = text.len() - trimmed.len();
        Self::parse_with(&format!("{prefix}{trimmed}"), names).map_err(|error| ReferenceError {
            at: error.at.saturating_sub(prefix.len()) + skipped,
            ..error
        })
    }

    /// All paths, in the order in which they are tried.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.0.first).chain(&self.0.otherwise)
    }

    /// The steps that the paths name, in order.
    pub fn steps(&self) -> impl Iterator<Item = &StepId> {
        self.paths().filter_map(Path::step)
    }
}

impl Path {
    /// The step that the path reads, when it reads one.
    pub fn step(&self) -> Option<&StepId> {
        match &self.root {
            Root::Step(id) => Some(id),
            _ => None,
        }
    }

    /// The output that a path into a step names, when it names one.
    pub fn output(&self) -> Option<&str> {
        match (&self.root, self.segments.first()) {
            (Root::Step(_), Some(Segment::Name(name))) => Some(name),
            _ => None,
        }
    }
}

impl Root {
    /// The word before the name: `input`, `conf`, `step`, `item` or `secret`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Config(_) => "conf",
            Self::Step(_) => "step",
            Self::Item(_) => "item",
            Self::Secret(_) => "secret",
        }
    }

    /// The name after that word.
    pub fn name(&self) -> &str {
        match self {
            Self::Input(name) => name.as_str(),
            Self::Config(key) => key.as_str(),
            Self::Step(id) => id.as_str(),
            Self::Item(name) => name.as_str(),
            Self::Secret(name) => name.as_str(),
        }
    }
}

/// The canonical spelling, which parses back to an equal reference.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${{{}", self.first())?;
        for path in self.otherwise() {
            write!(f, " ?? {path}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.root, f)?;
        self.segments
            .iter()
            .try_for_each(|segment| fmt::Display::fmt(segment, f))
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        write_name(self.name(), f)
    }
}

/// As it stands in a path: `.name`, `["any text"]` or `[0]`.
impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write_name(name, f),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl std::str::FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        Self::parse(text)
    }
}

fn write_name(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if !name.is_empty() && name.chars().all(parse::is_plain) {
        write!(f, ".{name}")
    } else {
        f.write_str("[")?;
        write_text(name, f)?;
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        match Reference::parse(text) {
            Ok(reference) => reference.to_string(),
            Err(error) => format!("{}: {error}", error.at),
        }
    }

    #[test]
    fn every_root_and_segment_is_read() {
        for text in [
            "${input.topic}",
            "${conf.api-base}",
            "${step.fetch}",
            "${step.fetch.page.title}",
            "${step.fetch.rows[0].name}",
            "${item.row.id}",
            "${secret.API_KEY}",
            r#"${secret["my key"]}"#,
            r#"${step.fetch["a.b"]["}"]["\"\\"][12]}"#,
            "${step.a.x ?? step.b.x ?? input.c}",
            "${step.a.größe}",
        ] {
            assert_eq!(canonical(text), text);
        }
    }

    #[test]
    fn other_spellings_become_the_canonical_one() {
        assert_eq!(canonical("input.topic"), "${input.topic}");
        assert_eq!(
            canonical("${ step.a.x??step.b.x }"),
            "${step.a.x ?? step.b.x}"
        );
        assert_eq!(
            canonical(r#"${step["fetch"]["page"]}"#),
            "${step.fetch.page}"
        );
        assert_eq!(canonical(r#"${step.a["\u0062"]}"#), "${step.a.b}");
        assert_eq!(canonical("${env.HOME}"), "${secret.HOME}");
    }

    #[test]
    fn every_fault_says_what_and_where() {
        let faults: Vec<String> = [
            "${}",
            "${input}",
            "${input.}",
            "${HOME}",
            "${steps.a.x}",
            "${step.a.x",
            "${step.a.x ?? }",
            "${step.a..x}",
            "${step.a[-1]}",
            "${step.a[01]}",
            "${step.a[99999999999999999999]}",
            "${step.a[x]}",
            "${step.a[\"x}",
            "${step.a[\"x\"}",
            "${step.a.x} and more",
            "${step.a b}",
            "${input.9lives}",
            "${step.a ? b}",
            "${step[\"Image Editing\"].x}",
        ]
        .into_iter()
        .map(|text| format!("{text}  {}", canonical(text)))
        .collect();
        insta::assert_snapshot!(faults.join("\n"), @r#"
        ${}  2: a reference begins with one of `input`, `conf`, `step`, `item` and `secret`
        ${input}  7: `input` takes a name, as in `input.NAME`
        ${input.}  8: a name is missing after `.`
        ${HOME}  2: `HOME` is none of `input`, `conf`, `step`, `item` and `secret`
        ${steps.a.x}  2: `steps` is none of `input`, `conf`, `step`, `item` and `secret`
        ${step.a.x  0: `${` is not closed by `}`
        ${step.a.x ?? }  14: a reference begins with one of `input`, `conf`, `step`, `item` and `secret`
        ${step.a..x}  9: a name is missing after `.`
        ${step.a[-1]}  9: `[` takes a whole number from 0, or a name in double quotes
        ${step.a[01]}  9: `[` takes a whole number from 0, or a name in double quotes
        ${step.a[99999999999999999999]}  9: the index is too large
        ${step.a[x]}  9: `[` takes a whole number from 0, or a name in double quotes
        ${step.a["x}  9: the name in quotes is not closed
        ${step.a["x"}  8: `[` is not closed by `]`
        ${step.a.x} and more  12: more text after the reference
        ${step.a b}  9: only `.`, `[`, `??` or `}` may follow here
        ${input.9lives}  7: `9lives` is no name of an input: it holds '9' at byte 0, which this kind of name does not take
        ${step.a ? b}  9: only `.`, `[`, `??` or `}` may follow here
        ${step["Image Editing"].x}  6: `Image Editing` is no name of a step: it holds ' ' at byte 5, which this kind of name does not take
        "#);
    }

    #[test]
    fn a_name_that_is_no_id_is_looked_up() {
        struct Titles;
        impl Names for Titles {
            fn step(&mut self, name: &str) -> Option<StepId> {
                (name == "Image Editing").then(|| StepId::new("image-editing").unwrap())
            }
        }
        let text = r#"${step["Image Editing"].url}"#;
        let reference = Reference::parse_with(text, &mut Titles).unwrap();
        assert_eq!(reference.to_string(), "${step.image-editing.url}");
        assert_eq!(reference.first().output(), Some("url"));
    }

    #[test]
    fn an_environment_reference_is_heard_of() {
        struct Heard(Vec<SecretName>);
        impl Names for Heard {
            fn environment(&mut self, _: &Pointer, name: &SecretName) {
                self.0.push(name.clone());
            }
        }
        let mut heard = Heard(Vec::new());
        Reference::parse_with("${env.A ?? secret.B}", &mut heard).unwrap();
        assert_eq!(heard.0, ["A"]);
    }

    #[test]
    fn a_list_source_may_leave_the_word_step_out() {
        let source = |text| Reference::parse_list_source(text, &mut ()).map(|r| r.to_string());
        assert_eq!(source("search.rows").unwrap(), "${step.search.rows}");
        assert_eq!(
            source("search.rows[0].ids").unwrap(),
            "${step.search.rows[0].ids}"
        );
        assert_eq!(source("step.search.rows").unwrap(), "${step.search.rows}");
        assert_eq!(source("${input.rows}").unwrap(), "${input.rows}");
        assert_eq!(source("input.rows").unwrap(), "${input.rows}");
        assert_eq!(source("search rows").unwrap_err().at, 7);
    }
}
