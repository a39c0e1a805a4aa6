//! `FAN_IN`: outputs of several steps as one list.

use crate::{OutputName, StepId};

/// Collects the outputs of steps into a list, in the order in which it names them.
#[derive(Debug, Clone, PartialEq)]
pub struct FanIn {
    /// The steps.
    pub from_steps: Vec<StepId>,
    /// The output that receives the list.
    pub collect_field: OutputName,
}
