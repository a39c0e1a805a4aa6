//! The parser: a cursor that stops at the first fault.

use super::{Names, Path, Reference, ReferenceError, Root, Segment};
use crate::{ConfigKey, IdError, InputName, ItemName, Pointer, SecretName, StepId};

/// The words that may begin a path.
pub(super) const KINDS: &[&str] = &["input", "conf", "step", "item", "secret", "env"];

/// Whether a character may stand in a name that is not quoted.
pub(super) fn is_plain(character: char) -> bool {
    !character.is_whitespace()
        && !character.is_control()
        && !matches!(character, '.' | '[' | ']' | '{' | '}' | '?' | '"')
}

/// How far an unquoted name goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameStyle {
    /// Between braces: up to the next mark of the grammar.
    Braced,
    /// In an expression: letters, digits and `_`, since the other marks are operators there.
    /// A name before a parenthesis is a function and ends the path.
    Bare,
}

/// Reads references from a text.
pub(crate) struct Parser<'t, 'n> {
    text: &'t str,
    at: usize,
    pointer: &'n Pointer,
    names: &'n mut dyn Names,
}

impl<'t, 'n> Parser<'t, 'n> {
    /// A parser at the beginning of `text`, which stands at `pointer`.
    pub(crate) fn new(text: &'t str, pointer: &'n Pointer, names: &'n mut dyn Names) -> Self {
        Self {
            text,
            at: 0,
            pointer,
            names,
        }
    }

    /// The byte offset of what comes next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// One reference that is the whole text, with or without its braces.
    pub(super) fn whole(&mut self) -> Result<Reference, ReferenceError> {
        self.skip_blanks();
        let reference = if self.rest().starts_with("${") {
            self.braced()?
        } else {
            self.alternatives()?
        };
        self.skip_blanks();
        if self.rest().is_empty() {
            Ok(reference)
        } else {
            self.fail(self.at, "more text after the reference")
        }
    }

    /// One reference in braces; the text goes on at `${`.
    pub(crate) fn braced(&mut self) -> Result<Reference, ReferenceError> {
        let start = self.at;
        self.at += "${".len();
        let reference = self.alternatives()?;
        if self.take("}") {
            Ok(reference)
        } else if self.rest().is_empty() {
            self.fail(start, "`${` is not closed by `}`")
        } else {
            self.fail(self.at, "only `.`, `[`, `??` or `}` may follow here")
        }
    }

    fn alternatives(&mut self) -> Result<Reference, ReferenceError> {
        self.skip_blanks();
        let first = self.path(NameStyle::Braced)?;
        self.skip_blanks();
        let mut otherwise = Vec::new();
        while self.take("??") {
            self.skip_blanks();
            otherwise.push(self.path(NameStyle::Braced)?);
            self.skip_blanks();
        }
        Ok(Reference::either(first, otherwise))
    }

    /// One path, up to the first character that does not belong to it.
    pub(crate) fn path(&mut self, style: NameStyle) -> Result<Path, ReferenceError> {
        let start = self.at;
        let kind = self.name(style);
        if !KINDS.contains(&kind) {
            return self.fail(start, no_such_kind(kind));
        }
        let name_at = self.at;
        let Some(Segment::Name(name)) = self.segment(style)? else {
            return self.fail(
                name_at,
                format!("`{kind}` takes a name, as in `{kind}.NAME`"),
            );
        };
        let root = self.root(kind, &name).map_err(|error| ReferenceError {
            message: format!(
                "`{}` is no name of {}: it {error}",
                capped(&name),
                article(kind)
            ),
            at: name_at,
        })?;
        let mut segments = Vec::new();
        while let Some(segment) = self.segment(style)? {
            segments.push(segment);
        }
        Ok(Path { root, segments })
    }

    fn root(&mut self, kind: &str, name: &str) -> Result<Root, IdError> {
        Ok(match kind {
            "input" => Root::Input(InputName::new(name)?),
            "conf" => Root::Config(ConfigKey::new(name)?),
            "item" => Root::Item(ItemName::new(name)?),
            "step" => Root::Step(match self.names.step(name) {
                Some(id) => id,
                None => StepId::new(name)?,
            }),
            _ => {
                let name = SecretName::new(name)?;
                if kind == "env" {
                    self.names.environment(self.pointer, &name);
                }
                Root::Secret(name)
            }
        })
    }

    fn segment(&mut self, style: NameStyle) -> Result<Option<Segment>, ReferenceError> {
        let start = self.at;
        if self.take(".") {
            let name = self.name(style);
            if style == NameStyle::Bare && self.rest().starts_with('(') {
                self.at = start;
                return Ok(None);
            }
            if name.is_empty() {
                return self.fail(self.at, "a name is missing after `.`");
            }
            return Ok(Some(Segment::Name(name.to_owned())));
        }
        if !self.take("[") {
            return Ok(None);
        }
        let segment = if self.rest().starts_with('"') {
            Segment::Name(self.quoted()?)
        } else {
            Segment::Index(self.index()?)
        };
        if self.take("]") {
            Ok(Some(segment))
        } else {
            self.fail(start, "`[` is not closed by `]`")
        }
    }

    fn index(&mut self) -> Result<usize, ReferenceError> {
        let start = self.at;
        let digits = self.run(|character| character.is_ascii_digit());
        if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
            return self.fail(
                start,
                "`[` takes a whole number from 0, or a name in double quotes",
            );
        }
        match digits.parse() {
            Ok(index) => Ok(index),
            Err(_) => self.fail(start, "the index is too large"),
        }
    }

    fn quoted(&mut self) -> Result<String, ReferenceError> {
        let start = self.at;
        let mut escaped = false;
        let inside = self.rest().get(1..).unwrap_or_default();
        let end = inside.bytes().position(|byte| match byte {
            _ if escaped => {
                escaped = false;
                false
            }
            b'\\' => {
                escaped = true;
                false
            }
            byte => byte == b'"',
        });
        let Some(end) = end else {
            return self.fail(start, "the name in quotes is not closed");
        };
        let literal = self.rest().get(..end + 2).unwrap_or_default();
        match serde_json::from_str(literal) {
            Ok(name) => {
                self.at += literal.len();
                Ok(name)
            }
            Err(_) => self.fail(start, "the name in quotes is no JSON string"),
        }
    }

    fn name(&mut self, style: NameStyle) -> &'t str {
        match style {
            NameStyle::Braced => self.run(is_plain),
            NameStyle::Bare => {
                self.run(|character| character.is_alphanumeric() || character == '_')
            }
        }
    }

    fn run(&mut self, belongs: fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest
            .find(|character| !belongs(character))
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.run(char::is_whitespace);
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    #[expect(clippy::unused_self, reason = "reads as a verb of the parser")]
    fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, ReferenceError> {
        Err(ReferenceError {
            message: message.into(),
            at,
        })
    }
}

fn no_such_kind(word: &str) -> String {
    let kinds = "`input`, `conf`, `step`, `item` and `secret`";
    if word.is_empty() {
        format!("a reference begins with one of {kinds}")
    } else {
        format!("`{}` is none of {kinds}", capped(word))
    }
}

fn article(kind: &str) -> &'static str {
    match kind {
        "input" => "an input",
        "conf" => "a config value",
        "step" => "a step",
        "item" => "an item",
        _ => "a secret",
    }
}

fn capped(text: &str) -> String {
    if text.chars().nth(64).is_some() {
        text.chars().take(63).chain(['…']).collect()
    } else {
        text.to_owned()
    }
}
