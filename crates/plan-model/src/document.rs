//! The strict reader: text in, a plan and every problem of shape out.
//!
//! 1. [`parse`] turns bytes into a [`Document`]: a tree with spans. It reports
//!    duplicate keys and inexact numbers, and refuses anything over the limits.
//! 2. [`read`] turns a document into a [`Plan`](crate::Plan): from a native
//!    plan, a bundle, or a planner's list.
//!
//! Both are iterative over the input's nesting and go on after a problem.
//!
//! ```
//! use plan_model::document::{ReadOptions, parse, read};
//!
//! let text = br#"{"steps": [
//!     {"name": "find", "tool": "search", "args": {"query": "rust"}},
//!     {"name": "read", "tool": "fetch", "args": {"url": "${step.find.url}"}}
//! ]}"#;
//! let options = ReadOptions::default();
//! let parsed = parse(text, &options.limits);
//! let document = parsed.document.expect("it is JSON");
//! let read = read(&document, &options);
//! assert!(parsed.problems.is_empty() && read.problems.is_empty());
//! let plan = read.plan.expect("it is a planner's list");
//! assert_eq!(plan.steps[1].depends_on, ["find"]);
//! ```

mod bundle;
mod decode;
mod encode;
mod extract;
mod kind;
mod lines;
mod names;
mod number;
mod origin;
mod parse;
mod planner;
mod problem;
mod read;
mod string;
mod tree;
pub(crate) mod words;

pub(crate) use encode::{Purpose, write_plan};
pub use extract::extract_plan;
pub use kind::{DocumentKind, EdgePolicy, NameLength, ReadOptions};
pub use lines::Position;
pub use origin::Origin;
pub use parse::{Parsed, parse};
pub use problem::{Problem, ProblemKind};
pub use read::{Read, read};
pub use tree::Document;
pub(crate) use tree::{Kind, NodeRef};

/// A byte range of the source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}
