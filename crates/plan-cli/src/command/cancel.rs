//! `planwright cancel`: end a run, whoever drives it.

use planwright::exec::{ResumeError, read_run};

use super::resume::{of_control, of_load, of_resume};
use super::run::executor;
use crate::args::Cancel;
use crate::exit::{Exit, Halt};
use crate::host::Host;
use crate::output::{self, Detail};
use crate::session::{Ended, Form, Signals, conclude, follow, principal};
use crate::store::{self, Missing, Place};

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

    let form = Form::of(arguments.json);
    let place = Place::of(&arguments.store.url);
    let kept = |halt: Halt| match halt.exit {
        Exit::Driven => halt,
        _ => halt.help("the wish is kept: the run ends as soon as it can be resumed"),
    };
    let host = Host::of_run(&created.sources, &arguments.host, None).map_err(kept)?;
    let executor = executor(host.tools().map_err(kept)?.registry, &host, &opened);
    let handle = match executor.resume(&run).await {
        Ok(handle) => handle,
        Err(ResumeError::Driven { .. }) => {
            output::say("another process drives it, and ends it");
            if arguments.json {
                let record = read_run(&*opened.store, &run)
                    .await
                    .map_err(|error| of_load(&error))?;
                output::print_json(&output::record_json(&record));
            }
            return Ok(Exit::Fine);
        }
        Err(ResumeError::Finished { .. }) => {
            let record = read_run(&*opened.store, &run)
                .await
                .map_err(|error| of_load(&error))?;
            crate::session::show(&record, form, &place, Detail::Ends);
            return Ok(Exit::Fine);
        }
        Err(error) => return Err(kept(of_resume(&error))),
    };
    let mut signals = Signals::take()?;
    match follow(&handle, &mut signals, 0, &by).await? {
        Ended::Drive(record) => {
            // it did what it was asked: the run is cancelled
            crate::session::show(&record, form, &place, Detail::Ends);
            Ok(Exit::Fine)
        }
        other => Ok(conclude(other, &handle, form, &place)),
    }
}
