//! The plan document as data: its model, its references and expressions, its
//! graph, its digest, and the strict reader that turns text into all of these.
//!
//! Everything here is pure: no clock, environment, file system, network or
//! runtime. [`document::read`] is the only way from text to a [`Plan`], and it
//! reports every problem of shape it meets, not the first.

pub mod document;
pub mod edit;
pub mod expression;
pub mod graph;
pub mod json;
pub mod schemas;
pub mod shape;

mod digest;
mod id;
mod limits;
mod number;
mod plain;
mod plan;
mod pointer;
mod reference;
mod seconds;
mod site;
mod step;
mod template;
mod timestamp;
mod tool;

pub use digest::{Digest, DigestError, canonical_json, write_canonical};
pub use expression::{Expression, ExpressionError, ImpossibleComparison, Outcomes};
pub use graph::{EdgeOrigin, Graph};
pub use id::{
    AgentName, ConfigKey, IdError, InputName, ItemName, LanguageName, ModelName, OutputName,
    PlanId, PlanIdError, SecretName, StepId, ToolName,
};
pub use limits::Limits;
pub use plain::{json_type, plain_text, steers_terminal};
pub use plan::{
    FailurePolicy, Input, InputKind, Metadata, Plan, PlanLimits, PlanOutput, PlanStatus, Schema,
    ValueType,
};
pub use pointer::{Pointer, PointerError};
pub use reference::{
    LooksLikeReference, Names, Path, Reference, ReferenceError, Root, Segment, Spelling,
    plan_references,
};
pub use seconds::Seconds;
pub use shape::{Fit, MissingPath, Shape};
pub use site::{Site, Source, VisitReference};
pub use step::{
    AgentCall, CodeCall, CodeSource, Condition, FanIn, FanOut, HumanInteraction, Join, OnError,
    OnItemError, OnReject, Output, PromptCall, Retry, RetryClass, Step, StepConfig, StepKind,
    ToolCall,
};
pub use template::{ResolveError, Scope, ScopeValue, Template, TextPart, text_of};
pub use timestamp::{Timestamp, TimestampError};
pub use tool::{Declared, Effects, IdempotencyKeySupport, ToolSpec, Trust};
