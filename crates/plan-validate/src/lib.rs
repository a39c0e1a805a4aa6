//! Checks a whole plan before any of it runs, and derives what its run may do.
//!
//! [`check()`] takes the text of a plan and a [`Context`]: the [`ToolCatalog`] that says what the
//! host can do, and the [`Policy`] that says what it allows. It answers with a [`ValidatedPlan`],
//! or with a [`PlanRejected`] that holds *every* finding.
//!
//! Nothing but this crate makes a [`ValidatedPlan`] or a [`Grant`], so whoever holds one holds a
//! proof. No clock, environment, file system or network is touched.
//!
//! Every rule is one file in `rules/`, and the [page](pages) of a rule is its test.

pub mod catalog;

pub mod pages;
pub mod policy;
pub mod render;
pub mod schemas;

mod bounds;
mod candidates;
mod check;
mod credential;
mod decode;
mod demand;
mod facts;
mod finding;
mod findings;
mod fix;
mod grant;
mod inputs;
mod normal;
mod path;
mod plan_schemas;
mod rule;
mod rules;
mod strict;
mod text;
mod validated;
mod visit;

pub use bounds::{Ask, Bounds};
pub use catalog::{
    AgentKind, AgentSpec, CatalogBuilder, CatalogRejected, CatalogTool, CompiledSchema,
    LanguageSpec, ModelSpec, Quote, SchemaFault, ToolCatalog, Violation,
};
pub use check::{
    Context, PlanRejected, check, check_answer, check_bytes, check_document, check_parsed,
    check_plan, problem_findings,
};
pub use finding::{
    Applicability, Code, Expected, Finding, FindingSpan, Related, Severity, Suggestion,
};
pub use fix::{Applied, Fixed, fix};
pub use grant::{
    Approval, ArgRule, Comparison, Grant, GrantedRoot, LockError, Narrowing, Refusal, SiteGrant,
    Target, Widening,
};
pub use inputs::{PathProblem, check_inputs, check_inputs_with};
pub use policy::{
    EffectKind, Policy, PolicyRejected, RequireApproval, Roots, SandboxLimits, SandboxMode,
    SandboxPolicy, Unapproved, Untrusted, UntrustedSource,
};
pub use rule::Rule;
pub use rules::{ReservedCode, explain, reserved_codes, rule, rules};
pub use strict::{SchemaFor, planner_schema_for, planner_schema_under};
pub use validated::ValidatedPlan;
