//! What tests of this workspace, and of those who build on it, have in common.
//!
//! - [`mod@store_suite`]: what every store must do, run over each adapter. Likewise [`mod@model_suite`], [`mod@tool_suite`],
//!   [`mod@code_suite`], [`mod@agent_suite`], [`mod@secret_suite`], [`mod@human_suite`] and [`mod@clock_suite`].
//! - [`assert_plan`]: what a plan of one's own may do, and what is found in it.
//! - [`Scripted`]: tools that do what a script says, and remember their calls.
//! - [`ScriptedModel`]: the same for language models.
//! - [`Gate`]: holds calls back until a test lets them go, so that no test sleeps.
//! - [`PausedClock`]: the time of Tokio's paused clock as a time of day.
//! - [`FaultyStore`]: a store that fails where a test says.
//! - [`plans`]: sample plans. [`run_plan`]: one call from text to record.
//! - [`generate`]: valid plans of every shape, from a seed. [`Case`]: a plan and what it is checked under.
//! - [`mutate`]: plants one known fault in a valid plan, for each rule.
//! - [`mod@simulate`]: a run in a made-up world where everything goes wrong, from a seed.
//! - [`oracle`]: a second opinion on a plan, to compare the validator with.
//!
//! A dev-dependency: it panics where a test should fail.
#![expect(
    clippy::panic,
    reason = "the kit speaks to tests, and a panic is how a test fails"
)]

#[macro_use]
mod suite;

pub mod agent_suite;
pub mod clock_suite;
pub mod code_suite;
pub mod generate;
pub mod human_suite;
pub mod model_suite;
pub mod mutate;
pub mod oracle;
pub mod plans;
pub mod secret_suite;
pub mod simulate;
pub mod store_suite;
pub mod tool_suite;

mod assert_plan;
mod case;
mod clock;
mod faulty_store;
mod gate;
mod run;
mod scripted;
mod scripted_model;
mod within;

pub use assert_plan::{AssertPlan, assert_plan};
pub use case::Case;
pub use clock::PausedClock;
pub use faulty_store::{Fault, FaultyStore};
pub use gate::Gate;
pub use run::{checked, run_plan};
pub use scripted::{Call, CallLog, Scripted};
pub use scripted_model::ScriptedModel;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/simulate.md")]
mod guide {}
