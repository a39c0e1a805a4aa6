//! A model whose answers are put on a tape, or come from one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::{
    Capabilities, LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse, Reached,
    RequestDigest,
};

/// Requests and what they came to, in the order in which they were made. A file to commit beside a test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cassette {
    /// What could be asked of each model that was.
    pub models: BTreeMap<String, Capabilities>,
    /// The requests, oldest first.
    pub takes: Vec<Take>,
}

/// One request and what it came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Take {
    /// By what the request is known again.
    pub digest: RequestDigest,
    /// The request, for whoever reads the tape. It holds the prompts.
    pub request: ModelRequest,
    /// What it came to: failures are played back too.
    pub outcome: Result<ModelResponse, ModelError>,
}

/// A model that records or replays. Clones share the tape.
///
/// A replay asks nobody: a request is known again by its digest, and equal requests get
/// their answers in the order in which they were recorded. One that is not on the tape, or once
/// more than it is on it, fails with [`ModelErrorKind::NotOnTape`].
///
/// ```
/// use plan_llm::{Cassette, Recorded};
///
/// let tape = serde_json::to_string(&Cassette::default())?;
/// let model = Recorded::replay(serde_json::from_str(&tape)?);
/// # let _ = model;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Recorded {
    mode: Mode,
}

#[derive(Debug, Clone)]
enum Mode {
    Record {
        model: Arc<dyn LanguageModel>,
        tape: Arc<Mutex<Recording>>,
    },
    Replay {
        cassette: Arc<Cassette>,
        /// Where the takes of each request stand, and how many of them were played.
        index: Arc<Mutex<BTreeMap<RequestDigest, Played>>>,
    },
}

#[derive(Debug, Default)]
struct Recording {
    models: BTreeMap<String, Capabilities>,
    /// In the order in which the requests were made; `None` while one is under way, and where it was dropped.
    takes: Vec<Option<Take>>,
}

#[derive(Debug, Default)]
struct Played {
    takes: Vec<usize>,
    played: usize,
}

impl Recorded {
    /// Asks the model, and puts what comes of it on a tape.
    pub fn record(model: Arc<dyn LanguageModel>) -> Self {
        Self {
            mode: Mode::Record {
                model,
                tape: Arc::default(),
            },
        }
    }

    /// Plays a tape back.
    pub fn replay(cassette: Cassette) -> Self {
        let mut index: BTreeMap<RequestDigest, Played> = BTreeMap::new();
        for (at, take) in cassette.takes.iter().enumerate() {
            index.entry(take.digest.clone()).or_default().takes.push(at);
        }
        Self {
            mode: Mode::Replay {
                cassette: Arc::new(cassette),
                index: Arc::new(Mutex::new(index)),
            },
        }
    }

    /// The tape as it is now. Requests that are under way are not on it yet.
    pub fn cassette(&self) -> Cassette {
        match &self.mode {
            Mode::Record { tape, .. } => {
                let tape = lock(tape);
                Cassette {
                    models: tape.models.clone(),
                    takes: tape.takes.iter().flatten().cloned().collect(),
                }
            }
            Mode::Replay { cassette, .. } => Cassette::clone(cassette),
        }
    }
}

#[async_trait]
impl LanguageModel for Recorded {
    fn capabilities(&self, model: &str) -> Capabilities {
        match &self.mode {
            Mode::Record { model: inner, tape } => {
                let capabilities = inner.capabilities(model);
                lock(tape).models.insert(model.to_owned(), capabilities);
                capabilities
            }
            Mode::Replay { cassette, .. } => cassette
                .models
                .get(model)
                .copied()
                .unwrap_or_else(Capabilities::text),
        }
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let digest = RequestDigest::of(request);
        match &self.mode {
            Mode::Record { model, tape } => {
                let capabilities = model.capabilities(&request.model);
                let place = {
                    let mut tape = lock(tape);
                    tape.models.insert(request.model.clone(), capabilities);
                    tape.takes.push(None);
                    tape.takes.len() - 1
                };
                let outcome = model.ask(request).await;
                let take = Take {
                    digest,
                    request: request.clone(),
                    outcome: outcome.clone(),
                };
                if let Some(place) = lock(tape).takes.get_mut(place) {
                    *place = Some(take);
                }
                outcome
            }
            Mode::Replay { cassette, index } => {
                let mut index = lock(index);
                let Some(played) = index.get_mut(&digest) else {
                    return Err(missing(format!(
                        "the tape does not have the request {digest}"
                    )));
                };
                let Some(take) = played.takes.get(played.played) else {
                    return Err(missing(format!(
                        "the tape has the request {digest} {} times, and it was made once more",
                        played.takes.len()
                    )));
                };
                played.played += 1;
                match cassette.takes.get(*take) {
                    Some(take) => take.outcome.clone(),
                    // INVARIANT: the index was made of these takes
                    None => Err(missing(format!(
                        "the tape does not have the request {digest}"
                    ))),
                }
            }
        }
    }
}

fn missing(message: String) -> ModelError {
    ModelError::new(ModelErrorKind::NotOnTape, message).reached(Reached::No)
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    // nothing panics while it holds the lock
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
