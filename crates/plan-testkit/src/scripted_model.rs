//! A language model that says what a script says.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use plan_llm::{
    AnswerKind, Capabilities, LanguageModel, ModelError, ModelErrorKind, ModelRequest,
    ModelResponse, Reached, ToolUse, Usage,
};
use serde_json::Value;

use crate::Gate;

/// A model whose every answer is scripted: the first request gets the first act, the last
/// act repeats, and without a script it says what it was asked. It can be held to any
/// schema and offered tools, unless told otherwise.
///
/// Clones share the script's place and the record of requests, so a test keeps one and
/// registers another.
///
/// ```
/// use plan_llm::{ModelError, Usage};
/// use plan_testkit::ScriptedModel;
///
/// let model = ScriptedModel::new()
///     .fails(ModelError::transient("overloaded"))
///     .says("It is Tuesday.")
///     .costing(Usage::new(12, 5));
/// assert!(model.asked().is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    capabilities: Capabilities,
    acts: Arc<Vec<Act>>,
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    asked: Vec<ModelRequest>,
    running: usize,
    peak: usize,
}

type Answering = Arc<dyn Fn(&ModelRequest) -> Result<ModelResponse, ModelError> + Send + Sync>;

#[derive(Clone)]
enum Act {
    Answer(Box<ModelResponse>),
    Fail(Box<ModelError>),
    Panic(String),
    Hang,
    Work(Answering),
    After(Duration, Box<Act>),
    Past(Gate, Box<Act>),
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answer(_) => "Answer",
            Self::Fail(_) => "Fail",
            Self::Panic(_) => "Panic",
            Self::Hang => "Hang",
            Self::Work(_) => "Work",
            Self::After(..) => "After",
            Self::Past(..) => "Past",
        })
    }
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

impl ScriptedModel {
    /// A model without a script.
    pub fn new() -> Self {
        Self {
            capabilities: Capabilities::text()
                .with_answers(AnswerKind::JsonSchema)
                .with_tools(),
            acts: Arc::default(),
            log: Arc::default(),
        }
    }

    /// Says what it can do.
    #[must_use]
    pub fn capable_of(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    fn act(mut self, act: Act) -> Self {
        Arc::make_mut(&mut self.acts).push(act);
        self
    }

    /// The next answer is this text.
    #[must_use]
    pub fn says(self, text: &str) -> Self {
        self.answers(ModelResponse::text(text))
    }

    /// The next answer is this JSON.
    #[must_use]
    pub fn gives(self, value: Value) -> Self {
        self.answers(ModelResponse::json(value))
    }

    /// The next answer asks for one call of a tool.
    #[must_use]
    pub fn asks_for(self, tool: &str, arguments: Value) -> Self {
        let id = format!("call-{}", self.acts.len() + 1);
        self.answers(ModelResponse::asks_for(vec![ToolUse::new(
            id, tool, arguments,
        )]))
    }

    /// The next answer is this.
    #[must_use]
    pub fn answers(self, response: ModelResponse) -> Self {
        self.act(Act::Answer(Box::new(response)))
    }

    /// The next answer is what `answer` makes of the request.
    #[must_use]
    pub fn works_out(
        self,
        answer: impl Fn(&ModelRequest) -> Result<ModelResponse, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.act(Act::Work(Arc::new(answer)))
    }

    /// The next request fails.
    #[must_use]
    pub fn fails(self, error: ModelError) -> Self {
        self.act(Act::Fail(Box::new(error)))
    }

    /// The next request panics.
    #[must_use]
    pub fn panics(self, message: &str) -> Self {
        self.act(Act::Panic(message.to_owned()))
    }

    /// The next request is never answered.
    #[must_use]
    pub fn hangs(self) -> Self {
        self.act(Act::Hang)
    }

    /// The last scripted answer, or failure, costs this.
    #[must_use]
    pub fn costing(self, usage: Usage) -> Self {
        self.change_last(|act| match act {
            Act::Answer(response) => Act::Answer(Box::new(response.with_usage(usage))),
            Act::Fail(error) => Act::Fail(Box::new(error.with_usage(usage))),
            other => other,
        })
    }

    /// The last scripted answer takes this long first, in Tokio's time.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        self.change_last(|act| Act::After(span, Box::new(act)))
    }

    /// The last scripted answer waits at a gate first.
    #[must_use]
    pub fn past(self, gate: &Gate) -> Self {
        let gate = gate.clone();
        self.change_last(|act| Act::Past(gate, Box::new(act)))
    }

    fn change_last(mut self, change: impl FnOnce(Act) -> Act) -> Self {
        let acts = Arc::make_mut(&mut self.acts);
        let last = acts.pop().unwrap_or_else(|| Act::Work(Arc::new(echo)));
        acts.push(change(last));
        self
    }

    /// The requests so far, in the order in which they were made.
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.lock().asked.clone()
    }

    /// The requests that are under way.
    pub fn running(&self) -> usize {
        self.lock().running
    }

    /// The most requests that were under way at one time.
    pub fn peak(&self) -> usize {
        self.lock().peak
    }

    /// Why it cannot be asked this, by what it was said to be capable of.
    fn unable(&self, request: &ModelRequest) -> Option<ModelError> {
        let what = if request.format.kind() > self.capabilities.answers {
            "answers of this format"
        } else if !(request.tools.is_empty() || self.capabilities.tools) {
            "tools"
        } else {
            return None;
        };
        let message = format!("the model takes no {what}");
        let error = ModelError::new(ModelErrorKind::SchemaUnsupported, message);
        Some(error.reached(Reached::No))
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is an act like those that fail"
)]
fn echo(request: &ModelRequest) -> Result<ModelResponse, ModelError> {
    let said = request.last_user_text().unwrap_or_default();
    Ok(ModelResponse::text(said))
}

/// Ends a request in the log, however it ended.
struct UnderWay<'a>(&'a ScriptedModel);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

#[async_trait]
impl LanguageModel for ScriptedModel {
    fn capabilities(&self, _model: &str) -> Capabilities {
        self.capabilities
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        if let Some(refused) = self.unable(request) {
            return Err(refused);
        }
        let place = {
            let mut log = self.lock();
            log.asked.push(request.clone());
            log.running += 1;
            log.peak = log.peak.max(log.running);
            log.asked.len() - 1
        };
        let _under_way = UnderWay(self);
        let act = self.acts.get(place).or(self.acts.last()).cloned();
        let mut act = act.unwrap_or_else(|| Act::Work(Arc::new(echo)));
        loop {
            act = match act {
                Act::Answer(response) => return Ok(*response),
                Act::Fail(error) => return Err(*error),
                Act::Panic(message) => panic!("{message}"),
                Act::Hang => std::future::pending().await,
                Act::Work(answer) => return answer(request),
                Act::After(span, then) => {
                    tokio::time::sleep(span).await;
                    *then
                }
                Act::Past(gate, then) => {
                    gate.pass().await;
                    *then
                }
            };
        }
    }
}
