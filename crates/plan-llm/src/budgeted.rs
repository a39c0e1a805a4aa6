//! A model that may cost only so much over its whole life.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::{
    Capabilities, LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse, Reached,
    Usage,
};

/// What a model may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelBudget {
    /// The most calls.
    pub calls: Option<u64>,
    /// The most tokens, those that are sent and those that come back.
    pub tokens: Option<u64>,
    /// The most tokens of an answer to a request that sets no bound of its own. Default: 4,096.
    pub answer: u64,
}

impl ModelBudget {
    /// No bound.
    pub fn unlimited() -> Self {
        Self {
            calls: None,
            tokens: None,
            answer: 4096,
        }
    }

    /// At most so many calls.
    #[must_use]
    pub fn calls(mut self, calls: u64) -> Self {
        self.calls = Some(calls);
        self
    }

    /// At most so many tokens.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// At most so many tokens of an answer to a request that sets no bound of its own.
    #[must_use]
    pub fn answer(mut self, tokens: u64) -> Self {
        self.answer = tokens;
        self
    }
}

/// What was used of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Spent {
    /// Calls that were made.
    pub calls: u64,
    /// Tokens that calls came to. One that was dropped, or whose provider did not say it, counts as its worst case.
    pub tokens: u64,
}

/// A model with a budget. Clones share what is left of it.
///
/// The budget holds however many calls are under way: each sets aside what it could
/// cost at worst before it is made, and gives back the rest when it ends. The
/// worst case of what is sent is a token for every byte, which no tokenizer
/// exceeds; that of the answer is the request's `max_tokens`, and a request without
/// one is given [`ModelBudget::answer`], or less when less is left. A call that does not fit
/// is not made, and fails with [`ModelErrorKind::BudgetCrossed`]; near its end a
/// budget may therefore refuse what would have fitted.
///
/// A provider that counts more than that is charged in full, and nothing more is
/// asked of it.
#[derive(Debug, Clone)]
pub struct Budgeted {
    model: Arc<dyn LanguageModel>,
    budget: ModelBudget,
    ledger: Arc<Mutex<Ledger>>,
}

#[derive(Debug, Default)]
struct Ledger {
    spent: Spent,
    set_aside: u64,
}

impl Budgeted {
    /// The model under a budget.
    pub fn new(model: Arc<dyn LanguageModel>, budget: ModelBudget) -> Self {
        Self {
            model,
            budget,
            ledger: Arc::default(),
        }
    }

    /// The budget.
    pub fn budget(&self) -> ModelBudget {
        self.budget
    }

    /// What was used so far.
    pub fn spent(&self) -> Spent {
        lock(&self.ledger).spent
    }

    /// Sets aside what a request may cost, and bounds its answer to that.
    fn admit(&self, request: &mut ModelRequest) -> Result<SetAside, ModelError> {
        let mut ledger = lock(&self.ledger);
        if let Some(calls) = self.budget.calls
            && ledger.spent.calls >= calls
        {
            return Err(crossed(format!(
                "the model may be asked {calls} times, and was"
            )));
        }
        let mut worst = 0;
        if let Some(tokens) = self.budget.tokens {
            let used = ledger.spent.tokens.saturating_add(ledger.set_aside);
            let left = tokens.saturating_sub(used);
            let input = request.bytes();
            let answer = request
                .max_tokens
                .unwrap_or_else(|| self.budget.answer.min(left.saturating_sub(input)));
            worst = input.saturating_add(answer);
            if answer == 0 || worst > left {
                return Err(crossed(format!(
                    "the model may use {tokens} tokens, and this call could use {worst} of the {left} that are left"
                )));
            }
            request.max_tokens = Some(answer);
        }
        ledger.spent.calls = ledger.spent.calls.saturating_add(1);
        ledger.set_aside = ledger.set_aside.saturating_add(worst);
        Ok(SetAside {
            ledger: Arc::clone(&self.ledger),
            worst,
            cost: None,
        })
    }
}

/// What one call may cost. Settled once the call ends, however it ends.
struct SetAside {
    ledger: Arc<Mutex<Ledger>>,
    worst: u64,
    cost: Option<u64>,
}

impl Drop for SetAside {
    fn drop(&mut self) {
        let mut ledger = lock(&self.ledger);
        ledger.set_aside = ledger.set_aside.saturating_sub(self.worst);
        let cost = self.cost.unwrap_or(self.worst);
        ledger.spent.tokens = ledger.spent.tokens.saturating_add(cost);
    }
}

#[async_trait]
impl LanguageModel for Budgeted {
    fn capabilities(&self, model: &str) -> Capabilities {
        self.model.capabilities(model)
    }

    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let mut request = request.clone();
        let mut set_aside = self.admit(&mut request)?;
        let answered = self.model.ask(&request).await;
        set_aside.cost = match &answered {
            Ok(response) => Some(response.usage.total()),
            Err(error) => match error.reached {
                Reached::No => Some(0),
                Reached::Yes | Reached::Unknown => error.usage.map(Usage::total),
            },
        };
        answered
    }
}

/// A call that was not made.
fn crossed(message: String) -> ModelError {
    ModelError::new(ModelErrorKind::BudgetCrossed, message).reached(Reached::No)
}

fn lock(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    // nothing panics while it holds the lock
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
