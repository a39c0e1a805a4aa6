//! Agents that are programs: here a shell script that is handed the objective.

use plan_model::AgentName;
use plan_testkit::agent_suite::{Does, Fixture, Fresh};
use plan_tools::SubprocessAgent;
use plan_validate::{AgentKind, AgentSpec, SandboxMode};

/// The objective on the command line, or on standard input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handed {
    AsArgument,
    AsInput,
}

struct Program(Handed);

impl Fresh for Program {
    fn fresh(&self, does: Does) -> Fixture {
        let text;
        let (script, said) = match does {
            Does::Reports(report) => {
                text = report;
                ("printf %s \"$1\"", text.as_str())
            }
            Does::Fails => ("echo so far; exit 3", "-"),
            Does::GoesOn => ("sleep 1000 & sleep 1000", "-"),
            // these are skipped: it has tools of its own
            _ => ("exit 9", "-"),
        };
        let mut spec = AgentSpec::new(AgentName::new("it").unwrap(), AgentKind::Subprocess);
        spec.command = Some("sh".to_owned());
        spec.args = ["-c", script, "agent", said].map(str::to_owned).to_vec();
        if self.0 == Handed::AsArgument {
            spec.args.push("{objective}".to_owned());
        } else {
            spec.args.push("--".to_owned());
        }
        let agent = SubprocessAgent::new(&spec, "/").unwrap();
        Fixture::new(agent.sandbox(SandboxMode::BestEffort)).with_tools_of_its_own()
    }
}

mod as_an_argument {
    use super::*;

    plan_testkit::agent_suite!(Program(Handed::AsArgument));
}

mod on_standard_input {
    use super::*;

    plan_testkit::agent_suite!(Program(Handed::AsInput));
}
