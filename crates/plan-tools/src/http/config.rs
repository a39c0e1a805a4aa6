//! What a catalog says about how to call a server.

use std::collections::BTreeSet;
use std::time::Duration;

use plan_model::{IdempotencyKeySupport, SecretName, ToolSpec};
use reqwest::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::body::{self, Body, Part};
use super::problem::HttpProblem;
use super::reader::Reader;
use super::target::Target;
use super::template::Template;
use crate::ConfigError;

/// The most time of a call that has no other limit.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Bytes of an answer, unless the catalog says otherwise; and the most that it may say.
const RESPONSE_BYTES: u64 = 1 << 20;
const MOST_RESPONSE_BYTES: u64 = 64 << 20;
/// Redirects, likewise.
const REDIRECTS: u64 = 5;
const MOST_REDIRECTS: u64 = 20;

/// Headers that the request has of its own, or that speak of the connection.
const OWN: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The `config` of a tool whose kind is `http`, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HttpConfig {
    pub(super) method: Method,
    pub(super) target: Target,
    /// Absent: the arguments that stand nowhere else, where the method has no body.
    pub(super) query: Option<Vec<(String, Template)>>,
    pub(super) headers: Vec<(HeaderName, Template)>,
    pub(super) body: Body,
    pub(super) output: OutputForm,
    pub(super) capture_status: bool,
    pub(super) response_bytes: usize,
    pub(super) redirects: u32,
    pub(super) redirect_hosts: Vec<String>,
    pub(super) allow_downgrade: bool,
    pub(super) allow_private: bool,
    pub(super) retry_statuses: Vec<u16>,
    pub(super) timeout: Duration,
    pub(super) key_header: Option<HeaderName>,
    /// The arguments that stand in a template.
    pub(super) placed: BTreeSet<String>,
    pub(super) secrets: Vec<SecretName>,
}

/// What becomes of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum OutputForm {
    /// The body where it is JSON, else the whole answer.
    #[default]
    Auto,
    /// The body, which has to be JSON.
    Json,
    /// The body as text.
    Text,
    /// `{status, headers, body}`.
    Response,
}

impl HttpConfig {
    /// Reads a tool's config and checks it against what the tool takes.
    ///
    /// # Errors
    /// Every problem.
    pub(super) fn of(spec: &ToolSpec) -> Result<Self, ConfigError> {
        let Value::Object(members) = spec.config.clone().ok_or(ConfigError::Absent)? else {
            return Err(ConfigError::Http {
                problems: vec![HttpProblem::Shape {
                    member: "config".to_owned(),
                    expected: "an object".to_owned(),
                }],
            });
        };
        let mut reader = Reader::new(members);
        let config = Self::read(&mut reader, spec);
        let mut problems = reader.finish();
        match config {
            Some(config) if problems.is_empty() => Ok(config),
            _ => {
                problems.sort();
                problems.dedup();
                Err(ConfigError::Http { problems })
            }
        }
    }

    fn read(reader: &mut Reader, spec: &ToolSpec) -> Option<Self> {
        const METHODS: [(&str, Method); 7] = [
            ("GET", Method::GET),
            ("HEAD", Method::HEAD),
            ("POST", Method::POST),
            ("PUT", Method::PUT),
            ("PATCH", Method::PATCH),
            ("DELETE", Method::DELETE),
            ("OPTIONS", Method::OPTIONS),
        ];
        const FORMS: [(&str, OutputForm); 4] = [
            ("auto", OutputForm::Auto),
            ("json", OutputForm::Json),
            ("text", OutputForm::Text),
            ("response", OutputForm::Response),
        ];
        reader.word("kind", &[("http", ())]);
        let words: Vec<(&str, usize)> = METHODS
            .iter()
            .enumerate()
            .map(|(at, (word, _))| (*word, at))
            .collect();
        let method = reader.word("method", &words).unwrap_or_default();
        let method = METHODS.into_iter().nth(method).map(|(_, method)| method)?;
        let target = target(reader);
        let query = reader.templates("query");
        let headers = headers(reader);
        let sends = body::may_send(&method);
        let unsaid = if sends && method != Method::DELETE {
            Body::RestAsJson
        } else {
            Body::Nothing
        };
        let body = Body::read(reader, unsaid);
        if !sends && body != Body::Nothing {
            reader.say(body::refused(&method));
        }
        let output = reader.word("output", &FORMS).unwrap_or_default();
        let capture_status = reader.flag("capture_status");
        let response_bytes = reader
            .count("max_response_bytes", 1, MOST_RESPONSE_BYTES)
            .unwrap_or(RESPONSE_BYTES);
        let redirects = reader
            .count("max_redirects", 0, MOST_REDIRECTS)
            .unwrap_or(REDIRECTS);
        let redirect_hosts = reader.list("redirect_hosts", "a list of hosts", |host| {
            host.as_str().map(str::to_ascii_lowercase)
        });
        for host in redirect_hosts.iter().filter(|host| !is_host(host)) {
            reader.say(HttpProblem::RedirectHost { host: host.clone() });
        }
        let allow_downgrade = reader.flag("allow_downgrade");
        let allow_private = reader.flag("allow_private");
        let retry_statuses = reader.list(
            "retry_statuses",
            "a list of statuses from 400 to 599",
            |status| {
                let status = u16::try_from(status.as_u64()?).ok()?;
                (400..600).contains(&status).then_some(status)
            },
        );
        let timeout = timeout(reader, spec);
        let key_header = key_header(reader, spec);
        let mut read = Names::default();
        if let Some(target) = &target {
            read.arguments
                .extend(target.arguments().into_iter().map(str::to_owned));
            read.secrets.extend(target.secrets().into_iter().cloned());
        }
        let texts = query.iter().flatten().map(|(_, text)| text);
        for text in texts.chain(headers.iter().map(|(_, text)| text)) {
            body::part(text, &mut |part| read.note(part));
        }
        body.each(&mut |part| read.note(part));
        if let Some(taken) = crate::subprocess::closed_arguments(spec) {
            for name in read
                .arguments
                .iter()
                .filter(|name| !taken.contains_key(*name))
            {
                reader.say(HttpProblem::UnknownArgument {
                    argument: name.clone(),
                });
            }
        }
        Some(Self {
            method,
            target: target?,
            query,
            headers,
            body,
            output,
            capture_status,
            response_bytes: usize::try_from(response_bytes).unwrap_or(usize::MAX),
            redirects: u32::try_from(redirects).unwrap_or(u32::MAX),
            redirect_hosts,
            allow_downgrade,
            allow_private,
            retry_statuses,
            timeout,
            key_header,
            placed: read.arguments,
            secrets: read.secrets.into_iter().collect(),
        })
    }
}

/// The names that templates read.
#[derive(Debug, Default)]
struct Names {
    arguments: BTreeSet<String>,
    secrets: BTreeSet<SecretName>,
}

impl Names {
    fn note(&mut self, part: Part<'_>) {
        match part {
            Part::Argument(name) => {
                self.arguments.insert(name.to_owned());
            }
            Part::Secret(name) => {
                self.secrets.insert(name.clone());
            }
        }
    }
}

fn target(reader: &mut Reader) -> Option<Target> {
    let url = reader.text("url");
    let base = reader.text("base_url");
    let path = reader.text("path_template");
    let said = [("base_url", &base), ("path_template", &path)];
    let text = match (url, said.iter().find(|(_, value)| value.is_some())) {
        (Some(_), Some((member, _))) => {
            let member = (*member).to_owned();
            reader.say(HttpProblem::TwoUrls { member });
            return None;
        }
        (Some(url), None) => url,
        (None, _) => match (base, path) {
            (None, _) => {
                reader.say(HttpProblem::NoUrl);
                return None;
            }
            (Some(base), None) => base,
            (Some(base), Some(path)) if path.is_empty() || path.starts_with('?') => base + &path,
            (Some(base), Some(path)) => format!(
                "{}/{}",
                base.trim_end_matches('/'),
                path.trim_start_matches('/')
            ),
        },
    };
    match Target::parse(&text) {
        Ok(target) => Some(target),
        Err(problem) => {
            reader.say(problem);
            None
        }
    }
}

fn headers(reader: &mut Reader) -> Vec<(HeaderName, Template)> {
    let mut headers = Vec::new();
    for (name, value) in reader.templates("headers").unwrap_or_default() {
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else {
            reader.say(HttpProblem::HeaderName { name });
            continue;
        };
        if OWN.contains(&header.as_str()) {
            reader.say(HttpProblem::OwnHeader { name });
        } else if value
            .literal()
            .is_some_and(|text| HeaderValue::from_str(text).is_err())
        {
            reader.say(HttpProblem::HeaderValue { name });
        } else {
            headers.push((header, value));
        }
    }
    headers
}

/// The tool's own limit, else the config's.
fn timeout(reader: &mut Reader, spec: &ToolSpec) -> Duration {
    let said = reader.take("timeout_secs").map(|value| {
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    });
    if said == Some(None) {
        reader.wrong("timeout_secs", "a number of seconds over 0");
    }
    let own = spec.timeout.map(plan_model::Seconds::as_duration);
    own.or(said.flatten()).unwrap_or(TIMEOUT)
}

fn key_header(reader: &mut Reader, spec: &ToolSpec) -> Option<HeaderName> {
    match &spec.idempotency_key {
        IdempotencyKeySupport::None => None,
        IdempotencyKeySupport::Env => {
            reader.say(HttpProblem::KeyInEnvironment);
            None
        }
        IdempotencyKeySupport::Header(name) => match HeaderName::from_bytes(name.as_bytes()) {
            Ok(header) if !OWN.contains(&header.as_str()) => Some(header),
            Ok(_) => {
                reader.say(HttpProblem::OwnHeader { name: name.clone() });
                None
            }
            Err(_) => {
                reader.say(HttpProblem::HeaderName { name: name.clone() });
                None
            }
        },
    }
}

/// `example.com`, `*.example.com`, or an address.
fn is_host(host: &str) -> bool {
    let host = host.strip_prefix("*.").unwrap_or(host);
    let bracketed = host.starts_with('[') && host.ends_with(']');
    !host.is_empty()
        && host.bytes().all(|byte| {
            byte.is_ascii_alphanumeric()
                || b"-.".contains(&byte)
                || (bracketed && b"[:]".contains(&byte))
        })
}
