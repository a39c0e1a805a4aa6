//! A model that the tests hold in their hand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plan_llm::{AnswerKind, Capabilities, LanguageModel, ModelError, ModelRequest, ModelResponse};
use tokio::sync::Semaphore;

/// Answers in turn, each once it is let through.
#[derive(Debug, Clone)]
pub(crate) struct Stub {
    outcomes: Arc<Mutex<VecDeque<Result<ModelResponse, ModelError>>>>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
    pub(crate) gate: Arc<Semaphore>,
}

impl Stub {
    pub(crate) fn new(
        outcomes: impl IntoIterator<Item = Result<ModelResponse, ModelError>>,
    ) -> Self {
        Self {
            outcomes: Arc::new(Mutex::new(outcomes.into_iter().collect())),
            asked: Arc::default(),
            gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
        }
    }

    /// Lets nothing through until the test does.
    pub(crate) fn held(mut self) -> Self {
        self.gate = Arc::new(Semaphore::new(0));
        self
    }

    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl LanguageModel for Stub {
    fn capabilities(&self, _model: &str) -> Capabilities {
        Capabilities::text().with_answers(AnswerKind::JsonObject)
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        self.gate.acquire().await.unwrap().forget();
        let next = self.outcomes.lock().unwrap().pop_front();
        next.unwrap_or_else(|| Ok(ModelResponse::text("done")))
    }
}
