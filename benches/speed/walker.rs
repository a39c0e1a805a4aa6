//! The reference walker: the least that an executor in memory must do.
//!
//! A `JoinSet` on a `current_thread` runtime; for each step one boxed call under
//! a tokio timeout and two encoded events.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

type Call = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Map<String, Value>> + Send>> + Send + Sync>;

/// How the steps wait for each other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Chain,
    Fan,
}

/// Walks a graph of `steps` steps and returns the bytes of its events.
pub(crate) async fn walk(form: Form, steps: usize) -> usize {
    let call: Arc<Call> = Arc::new(Box::new(|| Box::pin(async { Map::new() })));
    let mut journal = Vec::new();
    let mut ready = VecDeque::from([0]);
    let mut running = JoinSet::new();
    let mut ended = 0;
    while ended < steps {
        while running.len() < 64 {
            let Some(step) = ready.pop_front() else { break };
            journal.push(
                json!({"at": 0, "kind": "attempt_started", "step": step, "attempt": 1}).to_string(),
            );
            let call = Arc::clone(&call);
            running.spawn(async move {
                (
                    step,
                    tokio::time::timeout(Duration::from_mins(1), call()).await,
                )
            });
        }
        let (step, result) = running.join_next().await.unwrap().unwrap();
        let outputs = result.unwrap();
        journal.push(
            json!({"at": 0, "kind": "attempt_ended", "step": step, "outputs": outputs}).to_string(),
        );
        ended += 1;
        match form {
            Form::Chain if step + 1 < steps => ready.push_back(step + 1),
            Form::Fan if step == 0 => ready.extend(1..steps),
            Form::Chain | Form::Fan => {}
        }
    }
    journal.iter().map(String::len).sum()
}
