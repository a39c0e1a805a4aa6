//! `planwright graph`: a plan as a drawing.

use planwright::model::Graph as Edges;

use super::check::Subject;
use crate::args::{Graph, Host as Flags, Notation};
use crate::exit::{Exit, Halt};
use crate::graph::{Drawing, dot, json, mermaid};
use crate::output;

/// Draws one plan. Only its shape has to be right: a plan with a cycle is drawn too.
pub(super) fn graph(arguments: &Graph) -> Result<Exit, Halt> {
    let subject = Subject::read(&arguments.plan)?;
    let plan = match &subject.plan {
        Some(plan) if subject.clean => plan,
        _ => {
            let flags = Flags {
                tools: None,
                policy: None,
            };
            let mut host = subject.host(&flags, None)?;
            if let Some(plan) = &subject.plan {
                host.assume_tools_of(plan)?;
            }
            if let Err(rejected) = subject.check(&host) {
                output::show_rejected(&rejected, &subject.input);
                subject.hint();
                if arguments.format == Notation::Json {
                    let report = output::check_json(subject.plan.as_ref(), Err(&rejected));
                    output::print_json(&report);
                }
            }
            return Ok(Exit::Rejected);
        }
    };
    let edges = Edges::new(plan);
    let drawing = Drawing::new(plan, &edges);
    match arguments.format {
        Notation::Mermaid => output::print(mermaid(&drawing)),
        Notation::Dot => output::print(dot(&drawing)),
        Notation::Json => output::print_json(&json(&drawing)),
    }
    Ok(Exit::Fine)
}
