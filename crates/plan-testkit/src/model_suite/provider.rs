//! What a model of the suite asks.

use std::fmt::Debug;

use plan_llm::{ModelError, ModelRequest, ModelResponse};

use crate::ScriptedModel;

/// What a provider says to one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// This answer.
    Answers(ModelResponse),
    /// This failure.
    Fails(ModelError),
    /// Nothing, ever.
    Never,
}

/// What a model asks, as a test sees it.
pub trait Provider: Debug + Send + Sync {
    /// The requests that got here, as they were understood, oldest first.
    fn asked(&self) -> Vec<ModelRequest>;

    /// How many requests are not answered yet and still wanted.
    fn under_way(&self) -> usize;
}

impl Provider for ScriptedModel {
    fn asked(&self) -> Vec<ModelRequest> {
        Self::asked(self)
    }

    fn under_way(&self) -> usize {
        self.running()
    }
}

/// A scripted model that says this: what stands behind a wrapper.
pub fn script_of(script: Vec<Reply>) -> ScriptedModel {
    let model = ScriptedModel::new();
    script.into_iter().fold(model, |model, reply| match reply {
        Reply::Answers(response) => model.answers(response),
        Reply::Fails(error) => model.fails(error),
        Reply::Never => model.hangs(),
    })
}
