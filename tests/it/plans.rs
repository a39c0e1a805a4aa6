//! The large plans of `examples/plans`, run to their ends: with real scripts, and tools, models, agents and
//! people that say what a test tells them to.

mod checked;
mod data_migration;
mod incident_report;
mod killed;
mod release_train;
mod simulated;
mod stage;
mod view;
