//! How scripts are ended: all that they started ends with them.
//!
//! A script holds a pipe with a name open. The pipe ends when the last process has gone that holds it.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use plan_run::FailureClass;
use tokio::sync::oneshot;

use super::{Fixture, Fresh, PATIENCE};

/// Starts another process that holds the pipe, holds it itself, and stays.
const STAYS: &str = "mkfifo pipe.new; mv pipe.new pipe; exec 9> pipe; (sleep 1000) & sleep 1000";

/// The pipe of a script, as a test sees it.
struct Pipe {
    /// The script has opened it.
    opened: oneshot::Receiver<()>,
    /// Nobody holds it any more.
    ended: oneshot::Receiver<()>,
}

impl Fixture {
    /// Reads the pipe of a script to its end.
    fn pipe(&self) -> Pipe {
        let path: PathBuf = self.scratch().join("pipe");
        let (is_open, opened) = oneshot::channel();
        let (is_over, ended) = oneshot::channel();
        // a thread of its own: a runtime would wait for it, whatever became of the script
        std::thread::spawn(move || {
            let mut pipe = loop {
                match std::fs::File::open(&path) {
                    Ok(pipe) => break pipe,
                    Err(_) if is_open.is_closed() => return,
                    Err(_) => std::thread::yield_now(),
                }
            };
            let _ = is_open.send(());
            let _ = pipe.read_to_end(&mut Vec::new());
            let _ = is_over.send(());
        });
        Pipe { opened, ended }
    }
}

impl Pipe {
    async fn ends(self) {
        let ended = tokio::time::timeout(PATIENCE, self.ended).await;
        ended.expect("something of the script goes on").unwrap();
    }
}

pub(super) async fn a_script_past_its_time_is_ended(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let mut request = fixture.script(STAYS);
    request.timeout = Some(Duration::from_secs(1));
    let (mut pipe, cx) = (fixture.pipe(), fixture.context());
    // the runner ends it, or else the executor drops it a little later
    let running = fixture.runner.run(request, &cx);
    if let Ok(ended) = tokio::time::timeout(Duration::from_secs(3), running).await {
        let error = ended.expect_err("a script that stays has ended by itself");
        assert_eq!(error.class, FailureClass::Timeout, "{error:?}");
    }
    // on a busy machine it may have been ended before it came so far
    if pipe.opened.try_recv().is_ok() {
        pipe.ends().await;
    }
}

pub(super) async fn a_dropped_script_ends_with_all_that_it_started(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let (mut pipe, cx) = (fixture.pipe(), fixture.context());
    let (runner, request) = (fixture.runner.clone(), fixture.script(STAYS));
    let running = tokio::spawn(async move { runner.run(request, &cx).await });
    let at_work = tokio::time::timeout(PATIENCE, &mut pipe.opened).await;
    at_work.expect("the script does not start").unwrap();
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    pipe.ends().await;
}
