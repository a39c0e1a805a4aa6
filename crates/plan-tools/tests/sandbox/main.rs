//! What the sandbox holds scripts to, with real processes.
//!
//! What the kernel under the tests cannot hold is listed as ignored, by name and with the reason.

#![expect(
    clippy::unwrap_used,
    reason = "a test without the harness that would say so"
)]

mod agents;
mod cases;
mod typed;

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use plan_exec::ToolContext;
use plan_model::StepId;
use plan_run::{IdempotencyKey, RunId};
use plan_tools::process::Support;

/// What a case needs of the kernel.
#[derive(Debug, Clone, Copy)]
enum Needs {
    Nothing,
    /// Landlock of Linux 6.7: files and TCP.
    Files,
    /// Landlock of Linux 6.12: signals too.
    Signals,
}

impl Needs {
    /// Why a case that needs this cannot hold here.
    fn lacking(self, support: Support) -> Option<&'static str> {
        let files = support.files() && support.tcp();
        match self {
            Self::Files if !files => Some("the kernel cannot hold files and TCP"),
            Self::Signals if !(files && support.signals()) => {
                Some("the kernel cannot hold files, TCP and signals")
            }
            _ => None,
        }
    }
}

type Run = fn() -> Pin<Box<dyn Future<Output = ()>>>;

macro_rules! case {
    ($module:ident::$name:ident, $needs:ident) => {
        (stringify!($name), Needs::$needs, || {
            Box::pin($module::$name())
        })
    };
    ($name:ident, $needs:ident) => {
        case!(cases::$name, $needs)
    };
}

const CASES: &[(&str, Needs, Run)] = &[
    case!(every_built_in_language_runs_in_the_sandbox, Files),
    case!(a_script_reads_no_file_outside_of_its_roots, Files),
    case!(a_script_writes_no_file_outside_of_its_roots, Files),
    case!(
        a_granted_root_is_read_and_written_and_a_read_root_is_read,
        Files
    ),
    case!(
        a_file_that_the_caller_named_is_read_and_an_output_file_is_written,
        Files
    ),
    case!(
        a_script_opens_no_tcp_connection_unless_its_language_has_the_network,
        Files
    ),
    case!(a_script_opens_no_tcp_port, Files),
    case!(a_script_sees_no_variable_that_nobody_declared, Files),
    case!(nothing_of_a_script_outlives_its_step, Files),
    case!(a_script_signals_nobody_but_its_own, Signals),
    case!(a_script_that_fills_memory_is_stopped_and_node_is_not, Files),
    case!(a_script_past_a_bound_is_told_which, Nothing),
    case!(a_script_gains_no_privileges, Files),
    case!(this_process_and_its_other_children_are_not_held, Files),
    case!(
        a_kernel_that_cannot_hold_a_script_does_not_run_it_where_a_sandbox_is_required,
        Nothing
    ),
    case!(what_held_a_script_is_said_to_the_attempt, Nothing),
    case!(git_and_compilers_run_where_the_catalog_lets_them, Files),
    case!(typed::a_denied_file_is_a_failure_that_names_it, Files),
    case!(
        typed::a_denied_connection_is_a_failure_that_names_the_address,
        Files
    ),
    case!(
        typed::memory_files_and_open_files_past_their_bound_are_failures_that_name_it,
        Files
    ),
    case!(
        typed::a_script_that_goes_on_after_a_denial_is_its_own_business,
        Files
    ),
    case!(typed::a_failure_of_another_cause_stays_an_exit_code, Files),
    case!(
        typed::a_script_runs_in_the_sandbox_as_it_does_outside_of_it,
        Files
    ),
    case!(typed::a_report_is_not_read_through_a_link, Files),
    case!(
        typed::the_bounds_of_a_language_come_before_those_of_the_policy,
        Nothing
    ),
    case!(agents::an_agent_is_held_as_a_script_is, Files),
    case!(agents::an_agent_is_given_more_on_purpose, Files),
    case!(agents::an_agent_is_held_to_the_bounds_of_its_entry, Nothing),
    case!(
        agents::a_kernel_that_cannot_hold_an_agent_does_not_run_it_where_a_sandbox_is_required,
        Nothing
    ),
];

/// A context outside any run.
fn context() -> ToolContext {
    ToolContext::detached(
        RunId::new("run-1").unwrap(),
        StepId::new("one").unwrap(),
        IdempotencyKey::new("key-1").unwrap(),
    )
}

fn main() -> ExitCode {
    let support = Support::of_this_system();
    let trials = CASES
        .iter()
        .map(|&(name, needs, run)| match needs.lacking(support) {
            None => Trial::test(name, move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                runtime.block_on(run());
                Ok(())
            }),
            Some(why) => Trial::test(name, || Ok(()))
                .with_kind(why)
                .with_ignored_flag(true),
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
