//! `planwright cancel`: end a run, whoever drives it.

use planwright::exec::ResumeError;

use super::resume::{of_control, of_load, of_resume};
use super::run::executor;
use crate::args::Cancel;
use crate::exit::{Exit, Halt};
use crate::host::Host;
use crate::output;
use crate::session::{Ended, Form, Signals, conclude, follow, principal};
use crate::store::{self, Missing};

/// Asks a run to end. One that nobody drives is taken up for just that.
pub(super) async fn cancel(arguments: Cancel) -> Result<Exit, Halt> {
    let run = store::run_id(&arguments.run)?;
    let opened = store::open(&arguments.store.url, Missing::Refuse).await?;
    let created = store::created(&*opened.store, &run).await?;
    let by = principal()?;
    // the wish needs neither catalog nor policy, so that it works where they are gone
    let bare = planwright::exec::Executor::new(
        planwright::exec::ToolRegistry::new(),
        opened.store.clone(),
    );
    bare.cancel(&run, by.clone(), arguments.reason.as_str())
        .await
        .map_err(|error| of_control(&error))?;
    output::say(format!("run {run} is asked to end"));

    let host = Host::of_run(&created.sources, &arguments.host, None)?;
    let executor = executor(host.tools()?.registry, &host, &opened);
    let form = Form::of(arguments.json);
    let handle = match executor.resume(&run).await {
        Ok(handle) => handle,
        Err(ResumeError::Driven { .. }) => {
            output::say("another process drives it, and ends it");
            if arguments.json {
                let record = executor.open(&run).await.map_err(|error| of_load(&error))?;
                output::print_json(&output::record_json(&record));
            }
            return Ok(Exit::Fine);
        }
        Err(ResumeError::Finished { .. }) => {
            let record = executor.open(&run).await.map_err(|error| of_load(&error))?;
            crate::session::show(&record, form);
            return Ok(Exit::Fine);
        }
        Err(error) => return Err(of_resume(&error)),
    };
    let mut signals = Signals::take()?;
    match follow(&handle, &mut signals, 0, &by).await? {
        Ended::Drive(record) => {
            // it did what it was asked: the run is cancelled
            crate::session::show(&record, form);
            Ok(Exit::Fine)
        }
        other => Ok(conclude(other, &handle, form)),
    }
}
