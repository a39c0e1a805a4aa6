//! Tools that are servers: one request for each call, and the redirects that it may follow.

mod address;
mod answer;
mod body;
mod client;
mod config;
mod failure;
mod hop;
mod lookup;
mod problem;
mod reader;
mod request;
mod retry_after;
mod target;
mod template;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use plan_exec::{Dispatched, Tool, ToolContext, ToolError, ToolOutput};
use plan_model::{SecretName, ToolSpec};
use plan_run::{FailureClass, RetryAdvice};
use reqwest::header::LOCATION;
use reqwest::{Client, Response, Url};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

pub use lookup::HostLookup;
pub use problem::HttpProblem;

pub(crate) use problem::listed;

use crate::ConfigError;
use answer::Answer;
use config::{HttpConfig, OutputForm};
use hop::Leash;
use lookup::{Checked, SystemLookup};
use request::Request;
use target::Target;
use template::Values;

/// A tool of a catalog whose `config` says `kind: http`.
///
/// - The server is the catalog's: `{argument}` stands in the path, where its value stays one segment, in the query, in
///   `headers` and in `body`. The one other place is a `url` that is `{argument}` as a whole.
/// - Arguments that stand nowhere go into the query, or, for POST, PUT and PATCH, into a JSON object.
/// - `${secret.NAME}` in `headers`, `query` and `body` is the host's own secret, lent for the call.
/// - The result is the body where it is JSON, else `{status, headers, body}`; `output` chooses.
///
/// What it guarantees:
/// - No connection but to addresses that were looked at: public ones, and with `allow_private` those of this machine and
///   its networks. What was looked at is what is connected to.
/// - Every redirect is looked at as the first URL was: the server, the grant's rule for the argument, the addresses. Another server
///   is told no header of the catalog, and gets no body that nobody meant for it. https does not become http.
/// - An answer is read up to `max_response_bytes`, decompressed, and no further. A call has an end: 60 seconds, or what `timeout_secs` says.
/// - No proxy, no cookies, no credentials in URLs; no URL, header or body in an error, save an excerpt of the server's answer.
///
/// A dropped call closes its connection.
///
/// ```
/// use plan_model::{ToolName, ToolSpec};
/// use plan_tools::HttpTool;
/// use serde_json::json;
///
/// let mut spec = ToolSpec::named(ToolName::new("issue")?);
/// spec.config = Some(json!({
///     "kind": "http",
///     "url": "https://api.example.com/issues/{number}",
///     "headers": {"Authorization": "Bearer ${secret.API_TOKEN}"},
/// }));
/// let tool = HttpTool::new(spec)?;
/// # drop(tool);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct HttpTool {
    spec: ToolSpec,
    config: HttpConfig,
    lookup: Arc<dyn HostLookup>,
    client: OnceCell<Client>,
}

impl HttpTool {
    /// Makes the tool of a catalog's entry.
    ///
    /// # Errors
    /// When the entry has no usable `config` of this kind: every problem of it.
    pub fn new(spec: ToolSpec) -> Result<Self, ConfigError> {
        let config = HttpConfig::of(&spec)?;
        Ok(Self {
            spec,
            config,
            lookup: Arc::new(SystemLookup),
            client: OnceCell::new(),
        })
    }

    /// The tool with another way to find the addresses of hosts. What it finds is looked at all the same.
    #[must_use]
    pub fn with_lookup(mut self, lookup: Arc<dyn HostLookup>) -> Self {
        self.lookup = lookup;
        self
    }

    /// The client, made with the first call.
    async fn client(&self) -> Result<&Client, ToolError> {
        let made = || async {
            let checked = Checked {
                lookup: Arc::clone(&self.lookup),
                allow_private: self.config.allow_private,
            };
            let limit = self.config.timeout;
            // the certificates of the system are read from files
            match tokio::task::spawn_blocking(move || client::client(checked, limit)).await {
                Ok(made) => made.map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            }
        };
        let client = self.client.get_or_try_init(made).await;
        client.map_err(|why: String| failure::unsent(FailureClass::Internal, why))
    }

    /// Whether a URL may be opened.
    fn permit(&self, url: &Url, cx: &ToolContext) -> Result<(), ToolError> {
        if let Target::Argument(name) = &self.config.target {
            cx.permits_url(&self.spec.name, name, url.as_str())?;
        }
        // a name is looked at once its addresses are known
        let host = url.host_str().unwrap_or_default();
        let address = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host);
        let Ok(address) = address.parse::<IpAddr>() else {
            return Ok(());
        };
        lookup::permit(host, address, self.config.allow_private)
            .map_err(|refused| failure::of_lookup(&refused))
    }

    /// Makes the requests of a call; `sent` is raised with the first.
    async fn perform(&self, mut request: Request, trip: Trip<'_>) -> Result<Value, ToolError> {
        let config = &self.config;
        let mut acted = false;
        let reached = |error: ToolError, acted: bool| match error.dispatched {
            Dispatched::No if acted => error.dispatched(Dispatched::Yes),
            _ => error,
        };
        let mut followed = 0;
        loop {
            self.permit(&request.url, trip.cx)
                .map_err(|error| reached(error, acted))?;
            let response = self
                .send(&request, trip)
                .await
                .map_err(|error| reached(error, acted))?;
            let status = response.status().as_u16();
            let target = location(&response);
            let target = target.filter(|_| hop::is_redirect(status) && config.redirects > 0);
            let Some(target) = target else {
                return self.conclude(response, &request, acted).await;
            };
            acted |= !request.is_safe();
            if followed == config.redirects {
                let message = format!(
                    "the server redirects more than {followed} times; `max_redirects` in the tool's config allows more"
                );
                let error = ToolError::new(FailureClass::LimitExceeded, message);
                return Err(error.retry(RetryAdvice::Never).dispatched(Dispatched::Yes));
            }
            followed += 1;
            let leash = Leash {
                hosts: &config.redirect_hosts,
                fixed: matches!(config.target, Target::Server(_)),
                allow_downgrade: config.allow_downgrade,
            };
            let hop = hop::next(status, (&request.method, &request.url), &target, leash);
            let hop = hop.map_err(|refused| reached(failure::of_hop(&refused), acted))?;
            request = request.after(hop);
        }
    }

    async fn send(&self, request: &Request, trip: Trip<'_>) -> Result<Response, ToolError> {
        let mut sending = trip
            .client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone());
        if let Some(body) = &request.body {
            sending = sending.body(body.clone());
        }
        trip.sent.store(true, Ordering::Release);
        let answered = sending.send().await;
        answered.map_err(|error| failure::of_request(&error, &request.server()))
    }

    /// What the last answer of a call comes to.
    async fn conclude(
        &self,
        response: Response,
        request: &Request,
        acted: bool,
    ) -> Result<Value, ToolError> {
        let config = &self.config;
        let server = request.server();
        let fails = !response.status().is_success() && !config.capture_status;
        if fails {
            let answer = Answer::read_fault(response, config.timeout / 4).await;
            return Err(failure::of_status(
                &answer,
                &server,
                &config.retry_statuses,
                acted,
            ));
        }
        let answer = Answer::read(response, config.response_bytes, &server).await?;
        let form = if config.capture_status {
            OutputForm::Response
        } else {
            config.output
        };
        answer.result(form, &server)
    }
}

/// What the requests of one call have in common.
#[derive(Debug, Clone, Copy)]
struct Trip<'a> {
    client: &'a Client,
    cx: &'a ToolContext,
    sent: &'a AtomicBool,
}

fn location(response: &Response) -> Option<String> {
    let named = response.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(named.as_bytes()).into_owned())
}

#[async_trait]
impl Tool for HttpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn secrets(&self) -> &[SecretName] {
        &self.config.secrets
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        cx: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let values = Values {
            arguments: &arguments,
            cx,
        };
        let request = Request::of(&self.config, values)?;
        let server = request.server();
        let sent = AtomicBool::new(false);
        let trip = Trip {
            client: self.client().await?,
            cx,
            sent: &sent,
        };
        let limit = self.config.timeout;
        if let Ok(result) = tokio::time::timeout(limit, self.perform(request, trip)).await {
            return result.map(ToolOutput::from);
        }
        let dispatched = if sent.load(Ordering::Acquire) {
            Dispatched::Unknown
        } else {
            Dispatched::No
        };
        let message = format!(
            "{server} did not answer within {} seconds",
            limit.as_secs_f64()
        );
        Err(ToolError::new(FailureClass::Timeout, message).dispatched(dispatched))
    }
}
