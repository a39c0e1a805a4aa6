//! From an answer to the result of a call.

use std::time::Duration;

use plan_exec::{Dispatched, ToolError};
use plan_run::{FailureClass, RetryAdvice};
use reqwest::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use reqwest::{Response, StatusCode};
use serde_json::{Map, Value, json};

use super::config::OutputForm;
use super::failure;

/// Bytes of an answer that says what went wrong, and the most time for them.
const FAULT_BYTES: usize = 16 << 10;
const FAULT_TIME: Duration = Duration::from_secs(2);

/// An answer that was read whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Reads an answer, at most `limit` bytes of it after decompression.
    ///
    /// # Errors
    /// An answer that is longer, or that breaks off.
    pub(super) async fn read(
        mut response: Response,
        limit: usize,
        server: &str,
    ) -> Result<Self, ToolError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let too_long = || {
            let message = format!(
                "the answer of {server} has more than {limit} bytes; `max_response_bytes` in the tool's config allows more"
            );
            ToolError::new(FailureClass::LimitExceeded, message)
                .retry(RetryAdvice::Never)
                .dispatched(Dispatched::Yes)
        };
        let declared = response.content_length();
        if declared.is_some_and(|length| length > limit as u64) {
            return Err(too_long());
        }
        let mut body = Vec::new();
        let next = async |response: &mut Response| {
            let chunk = response.chunk().await;
            chunk.map_err(|error| failure::of_request(&error, server))
        };
        while let Some(chunk) = next(&mut response).await? {
            if chunk.len() > limit.saturating_sub(body.len()) {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    /// Reads an answer whose status says that something went wrong: what comes of it soon, within `time`.
    pub(super) async fn read_fault(mut response: Response, time: Duration) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        let reading = async {
            while let Ok(Some(chunk)) = response.chunk().await {
                let left = FAULT_BYTES.saturating_sub(body.len());
                body.extend_from_slice(chunk.get(..left).unwrap_or(&chunk));
                if body.len() >= FAULT_BYTES {
                    break;
                }
            }
        };
        // what the status says does not wait for its explanation
        let _ = tokio::time::timeout(time.min(FAULT_TIME), reading).await;
        Self {
            status,
            headers,
            body,
        }
    }

    /// The result of a call.
    ///
    /// # Errors
    /// A body that is not what the config says, or not the JSON that it says to be.
    pub(super) fn result(self, form: OutputForm, server: &str) -> Result<Value, ToolError> {
        let says_json = self.says_json();
        match form {
            OutputForm::Auto if says_json && !self.body.is_empty() => self.json(server),
            OutputForm::Json => self.json(server),
            OutputForm::Text => Ok(self.text().into()),
            OutputForm::Auto | OutputForm::Response => Ok(self.whole(says_json)),
        }
    }

    /// `{status, headers, body}`: a body is JSON where it says so and is, null where there is none.
    fn whole(self, says_json: bool) -> Value {
        let body = if self.body.is_empty() {
            Value::Null
        } else {
            let read = says_json.then(|| serde_json::from_slice(&self.body).ok());
            read.flatten().unwrap_or_else(|| self.text().into())
        };
        json!({
            "status": self.status.as_u16(),
            "headers": listed(&self.headers),
            "body": body,
        })
    }

    fn json(&self, server: &str) -> Result<Value, ToolError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let message = format!("the answer of {server} is not JSON: {error}");
            ToolError::new(FailureClass::OutputContract, message)
                .retry(RetryAdvice::Never)
                .dispatched(Dispatched::Yes)
        })
    }

    fn text(&self) -> String {
        let body = self
            .body
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(&self.body);
        String::from_utf8_lossy(body).into_owned()
    }

    fn says_json(&self) -> bool {
        let said = self
            .headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let Some(essence) = said.and_then(|said| said.split(';').next()) else {
            return false;
        };
        let essence = essence.trim().to_ascii_lowercase();
        essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"))
    }
}

/// The headers of an answer by their names, in lower case and in order; cookies are credentials and left out.
fn listed(headers: &HeaderMap) -> Map<String, Value> {
    let mut names: Vec<&str> = headers
        .keys()
        .map(reqwest::header::HeaderName::as_str)
        .collect();
    names.sort_unstable();
    let mut listed = Map::new();
    for name in names
        .into_iter()
        .filter(|name| *name != SET_COOKIE.as_str())
    {
        let values: Vec<String> = headers
            .get_all(name)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect();
        listed.insert(name.to_owned(), values.join(", ").into());
    }
    listed
}
