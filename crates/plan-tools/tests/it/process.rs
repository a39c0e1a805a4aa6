//! Child processes: what comes back, what is refused, and that nothing survives.

use std::fs::File;
use std::future::pending;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_tools::process::{
    ChildCommand, Exit, Finished, OutputBounds, ProcessError, Stop, find_program, host_path, run,
};
use tempfile::TempDir;

fn program(name: &str) -> PathBuf {
    find_program(name, Path::new("/"), &host_path()).expect("the program is installed")
}

fn sh(script: &str) -> ChildCommand {
    ChildCommand::new("/bin/sh", "/")
        .args(["-c", script])
        .env("PATH", host_path())
}

async fn finish(command: &ChildCommand) -> Result<Finished, ProcessError> {
    run(command, pending()).await
}

async fn after(time: Duration) -> Stop {
    tokio::time::sleep(time).await;
    Stop::TimedOut
}

/// A named pipe that live processes hold open: reading it to its end waits until all of them are gone.
#[derive(Clone)]
pub(crate) struct Watch {
    dir: Arc<TempDir>,
    path: PathBuf,
}

impl Watch {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("alive");
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        Self {
            dir: Arc::new(dir),
            path,
        }
    }

    /// The folder of the pipe.
    pub(crate) fn folder(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    /// Waits until a process opened the pipe, and gives its reading end.
    pub(crate) fn open(&self) -> BufReader<File> {
        BufReader::new(File::open(&self.path).unwrap())
    }

    /// A script that writes one line to the pipe, holds it open, and runs `then`.
    pub(crate) fn held_by(&self, then: &str) -> String {
        format!("exec 9>'{}'; echo ready >&9; {then}", self.path.display())
    }
}

pub(crate) fn wait_until_ready(watch: &mut BufReader<File>) {
    let mut line = String::new();
    watch.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
}

/// Blocks until no process holds the pipe any more.
pub(crate) fn wait_until_gone(mut watch: BufReader<File>) {
    let mut rest = String::new();
    watch.read_to_string(&mut rest).unwrap();
}

#[tokio::test]
async fn output_and_exit_code_come_back() {
    let finished = finish(&sh("echo out; echo err >&2; exit 3")).await.unwrap();
    assert_eq!(finished.exit, Exit::Code(3));
    assert_eq!(finished.captured.stdout.text(), "out\n");
    assert_eq!(finished.captured.stderr.text(), "err\n");
}

#[tokio::test]
async fn the_environment_is_what_was_declared() {
    let command = ChildCommand::new(program("env"), "/").env("ONLY", "this");
    let finished = finish(&command).await.unwrap();
    assert_eq!(finished.captured.stdout.text(), "ONLY=this\n");
}

#[tokio::test]
async fn a_child_runs_in_its_workingdirectory() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap();
    let command = ChildCommand::new("/bin/sh", &real).args(["-c", "pwd -P"]);
    let finished = finish(&command).await.unwrap();
    assert_eq!(
        finished.captured.stdout.text().trim(),
        real.to_str().unwrap()
    );
}

#[tokio::test]
async fn without_input_a_reader_meets_the_end_at_once() {
    let finished = finish(&sh("cat; echo done")).await.unwrap();
    assert_eq!(finished.captured.stdout.text(), "done\n");
}

#[tokio::test]
async fn case_31_a_megabyte_echoed_never_hangs() {
    let input = vec![b'x'; 1 << 20];
    let finished = run(
        &sh("cat").stdin(input.clone()),
        after(Duration::from_secs(3)),
    )
    .await
    .unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert_eq!(finished.captured.stdout.whole(), Some(&input[..]));
}

#[tokio::test]
async fn case_31_a_large_input_that_nobody_reads_is_no_failure() {
    let finished = finish(&sh("exit 0").stdin(vec![b'x'; 4 << 20]))
        .await
        .unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    let finished = finish(&sh("exec 0<&-; echo fine").stdin(vec![b'x'; 4 << 20]))
        .await
        .unwrap();
    assert_eq!(finished.captured.stdout.text(), "fine\n");
}

#[tokio::test]
async fn case_31_too_long_an_argument_is_a_clear_failure() {
    let error = finish(&sh("true").args(["x".repeat(200_000)]))
        .await
        .unwrap_err();
    assert!(!error.was_started());
    insta::assert_snapshot!(error, @"argument 3 has 200000 bytes, more than a command line takes");
    let error = finish(&sh("true").env("BIG", "x".repeat(200_000)))
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"variable `BIG` has 200004 bytes, more than a command line takes");
}

#[tokio::test]
async fn case_31_too_many_arguments_are_a_clear_failure() {
    let many = std::iter::repeat_n("x".repeat(100_000), 200);
    let error = finish(&sh("true").args(many)).await.unwrap_err();
    assert!(matches!(error, ProcessError::TooLong { .. }), "{error}");
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let script = |name: &str, text: &str, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(at(name), text).unwrap();
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    script("orphan", "#!/no/such/interpreter\n", 0o755);
    script("plain", "just text\n", 0o755);
    script("locked", "#!/bin/sh\n", 0o644);
    let outcome = async |name: &str| finish(&ChildCommand::new(at(name), "/")).await.unwrap_err();
    assert!(matches!(
        outcome("absent").await,
        ProcessError::MissingProgram { .. }
    ));
    assert!(matches!(
        outcome("orphan").await,
        ProcessError::MissingInterpreter { .. }
    ));
    assert!(matches!(
        outcome("plain").await,
        ProcessError::NotAProgram { .. }
    ));
    assert!(matches!(
        outcome("locked").await,
        ProcessError::NotPermitted { .. }
    ));
}

#[tokio::test]
async fn what_no_command_line_can_hold_is_refused() {
    let nul = finish(&sh("true").args(["a\0b"])).await.unwrap_err();
    insta::assert_snapshot!(nul, @"argument 3 holds a NUL character");
    for name in ["", "A=B", "A\0"] {
        let error = finish(&sh("true").env(name, "x")).await.unwrap_err();
        assert!(matches!(error, ProcessError::BadVariable { .. }), "{error}");
    }
    let error = finish(&ChildCommand::new("/bin/sh", "/no/such/folder"))
        .await
        .unwrap_err();
    insta::assert_snapshot!(error, @"the working directory `/no/such/folder` is not a directory");
}

#[tokio::test]
async fn an_end_by_signal_is_told_from_an_exit_code() {
    let finished = finish(&sh("kill -9 $$")).await.unwrap();
    assert_eq!(finished.exit, Exit::Signal(9));
    assert_eq!(finished.exit.to_string(), "was ended by signal 9");
}

#[tokio::test]
async fn past_its_bound_only_the_end_of_the_output_is_kept() {
    let bounds = OutputBounds {
        whole: 1_000,
        tail: 10,
        most: 1 << 20,
    };
    let script = "i=0; while [ $i -lt 300 ]; do echo 0123456789; i=$((i+1)); done; printf end";
    let finished = finish(&sh(script).output_bounds(bounds)).await.unwrap();
    assert_eq!(finished.captured.stdout.whole(), None);
    assert_eq!(finished.captured.stdout.total(), 3_303);
    assert_eq!(finished.captured.stdout.text(), "456789\nend");
}

#[tokio::test]
async fn output_without_end_is_killed() {
    let error = finish(
        &sh("while :; do echo 0123456789012345678901234567890123456789; done").output_bounds(
            OutputBounds {
                whole: 64,
                tail: 64,
                most: 100_000,
            },
        ),
    )
    .await
    .unwrap_err();
    assert!(error.was_started());
    assert!(
        matches!(error, ProcessError::WroteTooMuch { limit: 100_000, .. }),
        "{error}"
    );
}

/// Runs a script that opens the watch's pipe, and stops it once it did.
async fn stopped_when_ready(watch: &Watch, script: &str, stop: Stop) -> ProcessError {
    let path = watch.path.clone();
    let (opened, ready) = tokio::sync::oneshot::channel();
    let reader = std::thread::spawn(move || {
        let mut pipe = BufReader::new(File::open(path).unwrap());
        wait_until_ready(&mut pipe);
        opened.send(()).unwrap();
        wait_until_gone(pipe);
    });
    let error = run(&sh(script), async {
        ready.await.unwrap();
        stop
    })
    .await
    .unwrap_err();
    reader.join().unwrap();
    error
}

#[tokio::test]
async fn case_46b_a_timeout_kills_the_whole_group_and_keeps_the_output() {
    let watch = Watch::new();
    // a grandchild, and one whose parent is gone
    let script = format!(
        "echo said; {}",
        watch.held_by("sleep 1000 & (sleep 1000 &) ; sleep 1000")
    );
    let error = stopped_when_ready(&watch, &script, Stop::TimedOut).await;
    let ProcessError::TimedOut { captured } = error else {
        panic!("{error}");
    };
    assert_eq!(captured.stdout.text(), "said\n");
}

#[tokio::test]
async fn a_cancelled_child_may_say_goodbye() {
    let watch = Watch::new();
    let script = format!(
        "trap 'echo bye; exit 0' TERM; {}",
        watch.held_by("while :; do read -r _ </dev/null; done")
    );
    let error = stopped_when_ready(&watch, &script, Stop::Cancelled).await;
    let ProcessError::Cancelled { captured } = error else {
        panic!("{error}");
    };
    assert_eq!(captured.stdout.text(), "bye\n");
}

#[tokio::test]
async fn case_41_a_cancelled_child_that_will_not_go_is_killed() {
    let watch = Watch::new();
    let script = format!(
        "trap '' TERM; {}",
        watch.held_by("while :; do sleep 1000; done")
    );
    let error = stopped_when_ready(&watch, &script, Stop::Cancelled).await;
    assert!(matches!(error, ProcessError::Cancelled { .. }), "{error}");
}

#[tokio::test]
async fn case_46b_a_dropped_run_leaves_nothing_behind() {
    let watch = Watch::new();
    let script = watch.held_by("sleep 1000 & sleep 1000");
    let running = tokio::spawn(async move { finish(&sh(&script)).await });
    let mut pipe = tokio::task::spawn_blocking({
        let path = watch.path.clone();
        move || BufReader::new(File::open(path).unwrap())
    })
    .await
    .unwrap();
    wait_until_ready(&mut pipe);
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    wait_until_gone(pipe);
}

#[tokio::test]
async fn case_46b_what_a_program_leaves_running_ends_with_it() {
    let watch = Watch::new();
    // the background part inherits the pipe
    let script = watch.held_by("sleep 1000 & echo started");
    let opened = std::thread::spawn({
        let path = watch.path.clone();
        move || BufReader::new(File::open(path).unwrap())
    });
    let finished = finish(&sh(&script)).await.unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert_eq!(finished.captured.stdout.text(), "started\n");
    wait_until_gone(opened.join().unwrap());
}

#[tokio::test]
async fn output_held_open_by_a_child_in_the_background_does_not_delay_the_end() {
    let began = Instant::now();
    let finished = finish(&sh("sleep 1000 & echo over")).await.unwrap();
    assert_eq!(finished.captured.stdout.text(), "over\n");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_child_that_signals_its_group_keeps_its_guard() {
    let finished = finish(&sh("trap '' TERM; kill -TERM 0; echo on"))
        .await
        .unwrap();
    assert_eq!(finished.exit, Exit::Code(0));
    assert_eq!(finished.captured.stdout.text(), "on\n");
}

#[tokio::test]
async fn many_children_run_at_once() {
    let mut running = tokio::task::JoinSet::new();
    for number in 0..50 {
        running.spawn(async move {
            let finished = finish(&sh("cat").stdin(format!("{number}"))).await.unwrap();
            (number, finished.captured.stdout.text())
        });
    }
    while let Some(done) = running.join_next().await {
        let (number, text) = done.unwrap();
        assert_eq!(text, number.to_string());
    }
}

/// The name of the variable that makes [`case_46b_a_killed_parent_takes_its_children_along`] the parent.
const PARENT: &str = "PLAN_TOOLS_TEST_PARENT";

/// Starts itself as another process, kills that with SIGKILL, and waits for its descendants to go.
#[test]
fn case_46b_a_killed_parent_takes_its_children_along() {
    if let Ok(script) = std::env::var(PARENT) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let ended = runtime.block_on(finish(&sh(&script)));
        panic!("should have been killed before: {ended:?}");
    }
    let shapes = [
        "sleep 1000",
        // a grandchild
        "sleep 1000 & wait",
        // a grandchild whose parent is gone, in the same group
        "(sleep 1000 &) ; sleep 1000",
        // a child that ignores polite signals
        "trap '' HUP INT TERM; sleep 1000 & while :; do sleep 1000; done",
        // a pipeline
        "sleep 1000 | cat | cat",
    ];
    for shape in shapes {
        let watch = Watch::new();
        let mut parent = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "process::case_46b_a_killed_parent_takes_its_children_along",
            ])
            .env(PARENT, watch.held_by(shape))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut pipe = watch.open();
        wait_until_ready(&mut pipe);
        parent.kill().unwrap();
        parent.wait().unwrap();
        wait_until_gone(pipe);
    }
}
