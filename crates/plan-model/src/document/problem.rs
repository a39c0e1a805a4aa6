//! What a reader can find wrong, and the bounded list that it keeps.

use crate::{ExpressionError, IdError, Pointer, ReferenceError};

use super::Span;

/// Problems that one reading keeps; those after are counted.
const KEPT: usize = 1_000;

/// Bytes of pointers that one reading keeps, so that problems below a very long key cost little.
const POINTER_BYTES: usize = 1 << 20;

/// One problem that the reader met. `plan-validate` turns each into a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// Where in the document.
    pub pointer: Pointer,
    /// Where in the text.
    pub span: Span,
}

/// What a reader can find wrong, and the facts that a message needs.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemKind {
    /// P101: not one UTF-8 JSON document.
    InvalidJson {
        /// What is wrong, as a clause.
        message: String,
    },
    /// P102: a member named twice.
    DuplicateKey {
        /// The name, unescaped and capped.
        key: String,
        /// The first one's key.
        first: Span,
    },
    /// P103: a field that the format does not have.
    UnknownField {
        /// The field as written, capped.
        field: String,
        /// Fields of the format: the close ones, closest first; all that could stand here where none is close.
        candidates: Vec<String>,
        /// A required field that is missing here and that this one is close to: one problem with it.
        instead_of: Option<String>,
    },
    /// P104: a required field that is not there.
    MissingField {
        /// The field.
        field: String,
    },
    /// P104: a value of the wrong JSON type, or outside a closed set.
    WrongShape {
        /// What is taken, as a clause: "an array of steps", "a whole number from 0".
        expected: String,
        /// The closed set, where there is one.
        one_of: Vec<String>,
        /// What stands there, capped.
        actual: String,
    },
    /// P105: a number that cannot be held exactly.
    InexactNumber {
        /// The number as written, capped.
        text: String,
    },
    /// P106: over a limit.
    TooLarge {
        /// What is counted: "bytes", "levels of nesting", "steps", "values".
        what: &'static str,
        /// How many there are, as far as was counted.
        actual: usize,
        /// How many there may be.
        limit: usize,
    },
    /// P107: a name outside its grammar.
    InvalidId {
        /// What the name is for: "a step id", "an input name".
        what: &'static str,
        /// The name as written, capped.
        text: String,
        /// What is wrong with it.
        error: IdError,
        /// What a name of this kind is, as a clause.
        grammar: &'static str,
    },
    /// P109: text around the document was cut.
    ProseAround {
        /// What was cut, as a clause.
        cut: String,
    },
    /// P110: `${env.X}` was read as `${secret.X}`.
    EnvironmentReference {
        /// The name.
        name: String,
    },
    /// P209: an entry of `after` that is not a name.
    InvalidEdgeValue {
        /// What stands there, capped.
        actual: String,
    },
    /// P401: `${` without a well-formed reference.
    MalformedReference {
        /// What is wrong.
        error: ReferenceError,
        /// The reference with the names in quotes that hold blanks or marks, where that makes it one.
        in_quotes: Option<String>,
    },
    /// P408: a reference in a key, an id or a tool name.
    MisplacedReference {
        /// What holds it: "an object key", "a step id", "a tool name".
        place: &'static str,
    },
    /// P410: a plan output whose source is not exactly one step reference.
    InvalidSource {
        /// What stands there, capped.
        actual: String,
    },
    /// P501: an expression that does not parse.
    InvalidExpression {
        /// What is wrong.
        error: ExpressionError,
    },
    /// P509: fields of a step's config of which exactly one must be there.
    NotExactlyOne {
        /// The fields.
        fields: &'static [&'static str],
        /// How many are there.
        present: usize,
    },
}

/// A bounded list of problems.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    kept: Vec<Problem>,
    /// What refuses nothing. It neither crowds out the others nor counts among those left out.
    notes: Vec<Problem>,
    pointer_bytes: usize,
    further: usize,
}

impl Problems {
    /// Adds a problem, or counts it when the list is full; `pointer` is made only in the first case.
    pub(crate) fn add(&mut self, kind: ProblemKind, span: Span, pointer: impl FnOnce() -> Pointer) {
        if self.is_full() {
            self.further += 1;
            return;
        }
        let pointer = pointer();
        self.pointer_bytes += pointer.as_str().len();
        self.kept.push(Problem {
            kind,
            pointer,
            span,
        });
    }

    /// Adds what only deserves a note; left out when there are very many of them.
    pub(crate) fn note(&mut self, kind: ProblemKind, span: Span, pointer: Pointer) {
        if self.has_room_for_notes() {
            self.notes.push(Problem {
                kind,
                pointer,
                span,
            });
        }
    }

    /// Whether another note is kept.
    pub(crate) fn has_room_for_notes(&self) -> bool {
        self.notes.len() < KEPT
    }

    /// Counts problems of which nothing is kept.
    pub(crate) fn count_further(&mut self, count: usize) {
        self.further += count;
    }

    /// Whether further problems are only counted, so that their facts need not be gathered.
    pub(crate) fn is_full(&self) -> bool {
        self.kept.len() >= KEPT || self.pointer_bytes >= POINTER_BYTES
    }

    /// The problems in the order of the text, and how many there were beyond them.
    pub(crate) fn finish(mut self) -> (Vec<Problem>, usize) {
        self.kept.append(&mut self.notes);
        self.kept.sort_by_key(|problem| problem.span);
        (self.kept, self.further)
    }
}

/// At most 120 characters of a text, with a mark where it was cut.
pub(crate) fn capped(text: &str) -> String {
    const CAP: usize = 120;
    match text.char_indices().nth(CAP) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
