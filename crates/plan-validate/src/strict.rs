//! Schemas of plans for the structured output of a model: what fits one is a plan that the catalog takes.
//!
//! The schema is in the strict form that providers ask for: objects are closed, all their members are
//! required, and what is optional may be null instead. It is narrower than the format: whatever fits it
//! has no error or warning of shape (P101 to P110), of tools (P301, P302), or of arguments (P303 to P305).
//!
//! What makes that possible with references is that names carry types. The id of a step begins with the
//! name of what it does (`fetch_1`, `approval_2`), the name of an input with its type (`text_topic`), so
//! that a pattern can say which references an argument takes: those whose type is known to fit, and those
//! of which nothing is known. Inside of longer text any reference may stand.
//!
//! Keywords that are used: `type`, `properties`, `required`, `additionalProperties`, `items`, `anyOf`,
//! `enum`, `pattern`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`,
//! `minItems`, `maxItems`, `$ref`, `$defs`, `description`. Where a tool's own schema has others that
//! narrow it, they stay beside, since a schema without them would let more through than the tool takes;
//! so do bounds of length beside a pattern, and `allOf` with two patterns where the tool's own may let a
//! reference through. A tool of which only the name is known takes any arguments. A tool for which there
//! is no such schema is left out.

mod call;
mod narrow;
mod pattern;
mod plan;
mod sources;
mod steps;

use plan_model::Plan;
use serde_json::Value;

use crate::catalog::ToolCatalog;
use crate::check::Context;
use crate::policy::Policy;

/// Schemas of plans that are specialised to a host, for the structured output of a model.
///
/// ```
/// use plan_model::Plan;
/// use plan_validate::{SchemaFor, ToolCatalog};
///
/// let catalog = ToolCatalog::from_names(["search"])?;
/// let schema = Plan::schema_for(&catalog);
/// assert!(schema.to_string().contains("search_[0-9]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SchemaFor {
    /// The schema of a plan over the tools of a catalog that are allowlisted and can be used.
    ///
    /// A plan that fits it gets no error or warning of the rules P101 to P110 and P301 to P305 under this
    /// catalog and the default policy, as long as it is within the limits of size. The same catalog gives
    /// the same bytes.
    fn schema_for(catalog: &ToolCatalog) -> Value {
        Self::schema_under(&Context::new(catalog, &Policy::default()))
    }

    /// The same with nothing in it that the policy does not allow.
    fn schema_under(cx: &Context<'_>) -> Value;
}

impl SchemaFor for Plan {
    fn schema_under(cx: &Context<'_>) -> Value {
        plan::native(cx)
    }
}

/// The schema of a planner's list that is specialised to a host, as [`SchemaFor`] has it of plans.
#[must_use]
pub fn planner_schema_for(catalog: &ToolCatalog) -> Value {
    planner_schema_under(&Context::new(catalog, &Policy::default()))
}

/// The same with nothing in it that the policy does not allow.
#[must_use]
pub fn planner_schema_under(cx: &Context<'_>) -> Value {
    plan::planner(cx)
}
