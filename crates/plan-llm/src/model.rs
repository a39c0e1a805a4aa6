//! The contract of a language model.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::{Capabilities, ModelError, ModelRequest, ModelResponse};

/// Something that answers requests as a language model does.
///
/// One value may serve many models: the request names the one that is asked.
///
/// What an implementation owes:
/// - One call asks once. It repeats nothing by itself: whoever asks knows how often, and pays.
/// - An answer tells what it cost, and so does an error wherever the provider said it.
/// - A class of error is chosen where the failure happens, and never read out of a text
///   where the provider has a code for it.
/// - [`LanguageModel::ask`] may be dropped at any `.await`. Dropping it ends the request: that
///   is how a deadline and a cancellation reach a model.
/// - It asks for what [`LanguageModel::capabilities`] says it can, and refuses the rest with
///   [`ModelErrorKind::SchemaUnsupported`](crate::ModelErrorKind::SchemaUnsupported) instead of leaving it out.
///
/// ```
/// use async_trait::async_trait;
/// use plan_llm::{Capabilities, LanguageModel, ModelError, ModelRequest, ModelResponse, Usage};
///
/// #[derive(Debug)]
/// struct Parrot;
///
/// #[async_trait]
/// impl LanguageModel for Parrot {
///     fn capabilities(&self, _model: &str) -> Capabilities {
///         Capabilities::text()
///     }
///
///     async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
///         let said = request.last_user_text().unwrap_or_default();
///         Ok(ModelResponse::text(said).with_usage(Usage::new(4, 4)))
///     }
/// }
///
/// let model: std::sync::Arc<dyn LanguageModel> = std::sync::Arc::new(Parrot);
/// # let _ = model;
/// ```
#[async_trait]
pub trait LanguageModel: Debug + Send + Sync {
    /// What may be asked of the model of this name. Always the same for the same name.
    fn capabilities(&self, model: &str) -> Capabilities;

    /// Asks once.
    ///
    /// # Errors
    /// A failed request, with its class, whether it reached the provider, and what it cost.
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError>;
}

#[async_trait]
impl<M: LanguageModel + ?Sized> LanguageModel for Arc<M> {
    fn capabilities(&self, model: &str) -> Capabilities {
        (**self).capabilities(model)
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        (**self).ask(request).await
    }
}

fn _is_object_safe(_: &dyn LanguageModel) {}
