//! One module for each command.

mod answer;
mod cancel;
mod check;
mod explain;
mod fork;
mod graph;
mod resume;
mod run;
mod runs;
mod schema;

use crate::args::Command;
use crate::exit::{Exit, Halt};

/// Does what the command line says.
pub(crate) async fn perform(command: Command) -> Result<Exit, Halt> {
    match command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Graph(arguments) => graph::graph(&arguments),
        Command::Schema(arguments) => schema::schema(&arguments),
        Command::Run(arguments) => run::run(arguments).await,
        Command::Resume(arguments) => resume::resume(arguments).await,
        Command::Fork(arguments) => fork::fork(arguments).await,
        Command::Cancel(arguments) => cancel::cancel(arguments).await,
        Command::Runs(arguments) => runs::runs(arguments).await,
        Command::Explain(arguments) => explain::explain(&arguments),
    }
}
