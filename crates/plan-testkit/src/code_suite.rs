//! One conformance suite for every [`CodeRunner`].
//!
//! Its scripts are in the language of a POSIX shell, which a runner under test must have under some name.
//!
//! ```ignore
//! struct Container;
//!
//! impl Fresh for Container {
//!     fn fresh(&self) -> Fixture {
//!         let folder = tempfile::tempdir().unwrap();
//!         Fixture::new(container_runner(), "sh", folder.path()).keeping(folder)
//!     }
//! }
//!
//! plan_testkit::code_suite!(Container);
//! ```
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a case that cannot go on has failed"
)]

mod ends;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use plan_exec::{
    CodeOutput, CodeRequest, CodeRunner, Dispatched, ScriptSource, ToolContext, ToolError,
};
use plan_model::{LanguageName, StepId};
use plan_run::{FailureClass, IdempotencyKey, RunId};

use ends::{a_dropped_script_ends_with_all_that_it_started, a_script_past_its_time_is_ended};

/// A runner of scripts, and a folder for a run.
pub struct Fixture {
    runner: Arc<dyn CodeRunner>,
    shell: LanguageName,
    scratch: PathBuf,
    keep: Option<Box<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("runner", &self.runner)
            .field("shell", &self.shell)
            .field("scratch", &self.scratch)
            .field("keeps", &self.keep.is_some())
            .finish_non_exhaustive()
    }
}

/// Makes a runner for scripts.
pub trait Fresh {
    /// A runner, with a scratch folder of its own.
    fn fresh(&self) -> Fixture;
}

impl Fixture {
    /// A runner, the name that it has for a POSIX shell, and an empty folder.
    ///
    /// # Panics
    /// When the name is none of a language.
    pub fn new(
        runner: impl CodeRunner + 'static,
        shell: &str,
        scratch: impl Into<PathBuf>,
    ) -> Self {
        Self {
            runner: Arc::new(runner),
            shell: LanguageName::new(shell).unwrap(),
            scratch: scratch.into(),
            keep: None,
        }
    }

    /// Keeps something for as long as the runner is used, such as its folder.
    #[must_use]
    pub fn keeping(mut self, keep: impl Any + Send + Sync) -> Self {
        self.keep = Some(Box::new(keep));
        self
    }

    fn context(&self) -> ToolContext {
        let (run, step) = (RunId::new("run-1").unwrap(), StepId::new("one").unwrap());
        ToolContext::detached(run, step, IdempotencyKey::new("key-1").unwrap())
            .with_scratch(&self.scratch)
    }

    fn script(&self, text: &str) -> CodeRequest {
        CodeRequest {
            language: self.shell.clone(),
            source: ScriptSource::Inline(text.to_owned()),
            args: Vec::new(),
            stdin: None,
            env: BTreeMap::new(),
            working_dir: None,
            timeout: None,
        }
    }

    async fn run(&self, request: CodeRequest) -> Result<CodeOutput, ToolError> {
        let cx = self.context();
        let running = self.runner.run(request, &cx);
        let ended = tokio::time::timeout(PATIENCE, running).await;
        ended.expect("the script does not end")
    }

    /// What a script prints that succeeds.
    async fn prints(&self, request: CodeRequest) -> String {
        let output = self.run(request).await.unwrap();
        assert_eq!(output.exit_code, 0, "{output:?}");
        output.stdout
    }

    fn scratch(&self) -> &Path {
        &self.scratch
    }
}

/// Hands the list of all cases to a macro: `__code_cases!([path::of::macro] [its own arguments])`.
#[doc(hidden)]
#[macro_export]
macro_rules! __code_cases {
    ([$($then:tt)+] [$($arguments:tt)*]) => {
        $($then)+! {
            [$($arguments)*]
            output_and_exit_code_come_back,
            arguments_stay_what_they_are,
            standard_input_is_given_and_ends,
            the_environment_is_what_was_declared,
            a_script_runs_in_the_scratch_folder,
            a_script_may_be_a_file,
            what_leads_out_of_the_granted_folders_is_refused,
            a_language_that_nobody_has_is_its_own_failure,
            scripts_at_one_time_are_apart,
            a_script_past_its_time_is_ended,
            a_dropped_script_ends_with_all_that_it_started,
        }
    };
}

__code_cases!([suite_dispatch][]);

/// Makes one test of every case: `code_suite!(value)`, where the value is [`Fresh`](crate::code_suite::Fresh).
///
/// The crate needs `tokio` with its macros and its runtime of several threads.
#[macro_export]
macro_rules! code_suite {
    ($fresh:expr) => {
        $crate::__code_cases!([$crate::__suite_tests][code_suite $fresh]);
    };
}

/// How long something may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(30);

async fn output_and_exit_code_come_back(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let request = fixture.script("printf 'a\\nb'; printf c >&2; exit 7");
    let output = fixture.run(request).await.unwrap();
    assert_eq!(output.stdout, "a\nb");
    assert_eq!(output.stderr, "c");
    assert_eq!(output.exit_code, 7);
}

async fn arguments_stay_what_they_are(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let mut request = fixture.script(r#"printf '[%s]' "$@""#);
    request.args = ["", "a b", "-n", "$(id)", "it's \"this\"", "*", "two\nlines"]
        .map(str::to_owned)
        .to_vec();
    let printed = fixture.prints(request).await;
    assert_eq!(printed, "[][a b][-n][$(id)][it's \"this\"][*][two\nlines]");
}

async fn standard_input_is_given_and_ends(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let mut request = fixture.script("cat");
    request.stdin = Some("x".repeat(1 << 20));
    assert_eq!(fixture.prints(request).await.len(), 1 << 20);
    // nobody has to read it, and without any there is an end
    let mut unread = fixture.script("exit 0");
    unread.stdin = Some("x".repeat(4 << 20));
    assert_eq!(fixture.prints(unread).await, "");
    assert_eq!(
        fixture.prints(fixture.script("cat; echo end")).await,
        "end\n"
    );
}

async fn the_environment_is_what_was_declared(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let mut request = fixture.script(
        r#"printf '%s|%s|%s|%s' "$GREETING" "${CARGO_MANIFEST_DIR-none}" "${CARGO_PKG_NAME-none}" "${HOME-none}""#,
    );
    request
        .env
        .insert("GREETING".to_owned(), "a \"b\" $HOME".to_owned());
    let printed = fixture.prints(request).await;
    assert_eq!(printed, "a \"b\" $HOME|none|none|none");
}

async fn a_script_runs_in_the_scratch_folder(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    fixture
        .prints(fixture.script("mkdir sub; echo kept > sub/it"))
        .await;
    let kept = std::fs::read_to_string(fixture.scratch().join("sub/it"));
    assert_eq!(kept.unwrap(), "kept\n");
    let mut below = fixture.script("cat it");
    below.working_dir = Some("sub".to_owned());
    assert_eq!(fixture.prints(below).await, "kept\n");
}

async fn a_script_may_be_a_file(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    std::fs::create_dir_all(fixture.scratch()).unwrap();
    std::fs::write(fixture.scratch().join("it.sh"), "echo \"from $1\"").unwrap();
    let mut request = fixture.script("");
    request.source = ScriptSource::File("it.sh".to_owned());
    request.args = vec!["a file".to_owned()];
    assert_eq!(fixture.prints(request).await, "from a file\n");
}

async fn what_leads_out_of_the_granted_folders_is_refused(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let mut outside = fixture.script("");
    outside.source = ScriptSource::File("/bin/sh".to_owned());
    let mut above = fixture.script("echo ran");
    above.working_dir = Some("..".to_owned());
    let mut absolute = fixture.script("echo ran");
    absolute.working_dir = Some("/".to_owned());
    for request in [outside, above, absolute] {
        let refused = fixture.run(request.clone()).await;
        let refused = refused.expect_err(&format!("{request:?} ran"));
        assert_eq!(refused.class, FailureClass::RefusedByGrant, "{refused:?}");
        assert_eq!(refused.dispatched, Dispatched::No);
    }
}

async fn a_language_that_nobody_has_is_its_own_failure(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let mut request = fixture.script("echo ran");
    request.language = LanguageName::new("no-such-language").unwrap();
    let refused = fixture.run(request).await.unwrap_err();
    assert_eq!(refused.class, FailureClass::MissingInterpreter);
    assert_eq!(refused.dispatched, Dispatched::No);
}

async fn scripts_at_one_time_are_apart(fresh: &impl Fresh) {
    let fixture = fresh.fresh();
    let numbered = |number: usize| {
        let mut request = fixture.script("read line; echo \"$line $NUMBER $1\"");
        request.stdin = Some(format!("{number}\n"));
        request.env.insert("NUMBER".to_owned(), number.to_string());
        request.args = vec![number.to_string()];
        request
    };
    // each in its own attempt: what a runner keeps of one is not another's
    let (one, two, three) = (fresh.fresh(), fresh.fresh(), fresh.fresh());
    let printed = tokio::join!(
        one.prints(numbered(1)),
        two.prints(numbered(2)),
        three.prints(numbered(3))
    );
    let expected = |number: usize| format!("{number} {number} {number}\n");
    assert_eq!(printed, (expected(1), expected(2), expected(3)));
}
