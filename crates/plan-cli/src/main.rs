//! The `planwright` command: check, run and resume plans from a shell.

mod args;
mod command;
mod exit;
mod graph;
mod host;
mod input;
mod output;
mod replace;
mod session;
mod store;

use std::process::ExitCode;

use clap::Parser;

use args::Arguments;
use exit::Halt;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|fault| {
        output::say(format!("error: a fault of planwright itself: {fault}"));
    }));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::usage(&error),
    };
    output::log();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Halt::usage(format!("could not start: {error}")))),
    };
    let ended = runtime.block_on(command::perform(arguments.command));
    // work that does not end by itself must not keep the process
    runtime.shutdown_background();
    end(ended)
}

fn end(ended: Result<exit::Exit, Halt>) -> ExitCode {
    match ended {
        Ok(exit) => exit.into(),
        Err(halt) => {
            output::say(format!("error: {halt}"));
            if let Some(help) = &halt.help {
                output::say(format!("help: {help}"));
            }
            halt.exit.into()
        }
    }
}
