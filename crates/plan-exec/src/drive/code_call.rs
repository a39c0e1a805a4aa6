//! `CODE_CALL`: one run of a script.

use plan_run::{CodeEffect, CodeText, FailureClass};

use crate::drive::Drive;
use crate::drive::dispatch::Takeoff;
use crate::drive::outcome::{Reach, Returned};
use crate::{CodeRequest, ScriptSource, spans};

impl Drive {
    /// Runs the script of an attempt.
    pub(super) fn run_code(&mut self, takeoff: Takeoff, effect: CodeEffect) {
        let CodeEffect {
            language,
            source,
            args,
            stdin,
            env,
            working_dir,
            ..
        } = effect;
        let Some(runner) = self.shared.tools.code_runner().cloned() else {
            let message = "there is no code runner".to_owned();
            self.ground(takeoff, FailureClass::MissingInterpreter, message);
            return;
        };
        let request = CodeRequest {
            language,
            source: match source {
                CodeText::Inline(text) => ScriptSource::Inline(text),
                CodeText::File(file) => ScriptSource::File(file),
            },
            args,
            stdin,
            env,
            working_dir,
            timeout: takeoff.limit,
        };
        let span = spans::code(&takeoff.span, takeoff.attempt, &request.language);
        let cx = takeoff.cx.clone();
        let call = async move { runner.run(request, &cx).await.map(Returned::Code) };
        self.fly(takeoff, Reach::Writes, span, call);
    }
}
