//! `FAN_OUT`: a body of steps, once for each item of a list.

use crate::site::{Site, Source, VisitSource};
use crate::{Expression, ItemName, Reference, StepId};

/// Runs its body once for each item.
///
/// Outputs are `results`, in item order, and under `collect` also `errors`.
#[derive(Debug, Clone, PartialEq)]
pub struct FanOut {
    /// The list.
    pub over: Reference,
    /// The name in `${item.NAME}`.
    pub item_var: ItemName,
    /// The body, in the order in which it runs within an item.
    pub spawn_steps: Vec<StepId>,
    /// Stops after the first item for which this holds.
    pub until: Option<Expression>,
    /// Items at one time; 1 unless said otherwise.
    pub max_parallel: u64,
    /// What a failed item means.
    pub on_item_error: OnItemError,
}

/// What the failure of one item means for the fan-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum OnItemError {
    /// The fan-out fails.
    #[default]
    Fail,
    /// The item's result is null and the failure is listed in `errors`.
    Collect,
}

impl FanOut {
    pub(crate) fn each_source<'a>(&'a self, visit: &mut VisitSource<'_, 'a>) {
        visit(&[&"over"], Site::Over, Source::Reference(&self.over));
        if let Some(until) = &self.until {
            visit(&[&"until"], Site::Until, Source::Expression(until));
        }
    }
}
