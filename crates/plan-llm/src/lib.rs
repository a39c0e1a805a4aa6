//! What a language model is to the rest of Planwright: one request, one answer, what it cost.
//!
//! - [`LanguageModel`] is what an adapter implements, used as `Arc<dyn LanguageModel>`.
//! - [`ModelRequest`] and [`ModelResponse`] are what goes in and comes out, [`Capabilities`] what may go in.
//! - [`ModelError`] says what kind of failure it is, whether the request reached the provider, and what it cost.
//! - [`Budgeted`] bounds what a model may cost, [`Recorded`] puts its answers on a tape and plays them back.
//!
//! No plan, no HTTP and no runtime is in here. Nothing retries: that belongs to
//! the step that asks.

mod budgeted;
mod capabilities;
mod digest;
mod error;
mod model;
mod recorded;
mod request;
mod response;

pub use budgeted::{Budgeted, ModelBudget, Spent};
pub use capabilities::{AnswerKind, Capabilities};
pub use digest::RequestDigest;
pub use error::{ModelError, ModelErrorKind, ModelRetry, Reached};
pub use model::LanguageModel;
pub use recorded::{Cassette, Recorded, Take};
pub use request::{AnswerFormat, Message, ModelRequest, ToolOffer};
pub use response::{Answer, FinishReason, ModelResponse, ToolUse, Usage};
