//! The first request of a call, with every value in place.

use plan_exec::ToolError;
use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName,
    HeaderValue, USER_AGENT,
};
use reqwest::{Method, Url};
use serde_json::Value;

use super::body::{Body, pairs};
use super::config::HttpConfig;
use super::hop::Hop;
use super::target::Target;
use super::template::Values;

/// What is sent.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
    key_header: Option<HeaderName>,
}

impl Request {
    /// The first request of a call.
    ///
    /// # Errors
    /// A value that does not fit its place, or a secret that was not lent.
    pub(super) fn of(config: &HttpConfig, values: Values<'_>) -> Result<Self, ToolError> {
        let mut rest: Vec<(&String, &Value)> = values
            .arguments
            .iter()
            .filter(|(name, _)| !config.placed.contains(*name))
            .collect();
        rest.sort_by_key(|(name, _)| *name);
        let query = match &config.query {
            Some(query) => {
                let mut pairs = Vec::new();
                for (name, value) in query {
                    if let Some(value) = value.fill(values, str::to_owned)? {
                        pairs.push((name.clone(), value));
                    }
                }
                pairs
            }
            None if takes_rest(config) => pairs(&rest),
            None => Vec::new(),
        };
        let mut headers = HeaderMap::new();
        for (name, template) in &config.headers {
            // a header whose argument is absent is left out
            let Some(text) = template.fill(values, str::to_owned)? else {
                continue;
            };
            let mut value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
                ToolError::invalid_arguments(format!(
                    "the value of the header `{name}` has characters that a header cannot hold"
                ))
            })?;
            let credential = *name == AUTHORIZATION || *name == COOKIE;
            value.set_sensitive(credential || template.literal().is_none());
            headers.append(name, value);
        }
        if let Some(name) = &config.key_header
            && let Ok(key) = HeaderValue::from_str(values.cx.idempotency_key().as_str())
        {
            headers.insert(name, key);
        }
        let sent = config.body.fill(values, &rest)?;
        if let Some(sent) = &sent
            && !headers.contains_key(CONTENT_TYPE)
        {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(sent.content_type));
        }
        Ok(Self {
            method: config.method.clone(),
            url: config.target.url(values, &query)?,
            headers,
            body: sent.map(|sent| sent.bytes),
            key_header: config.key_header.clone(),
        })
    }

    /// The request after a redirect. Another server is told nothing that was meant for this one.
    pub(super) fn after(mut self, hop: Hop) -> Self {
        if !hop.body {
            self.body = None;
            self.headers.remove(CONTENT_TYPE);
        }
        if hop.elsewhere {
            let key = self.key_header.as_ref();
            let plain = [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, USER_AGENT];
            let kept = |name: &HeaderName, value: &HeaderValue| {
                !value.is_sensitive() && (plain.contains(name) || key == Some(name))
            };
            let headers = std::mem::take(&mut self.headers);
            self.headers = headers
                .iter()
                .filter(|(name, value)| kept(name, value))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
        }
        self.method = hop.method;
        self.url = hop.url;
        self
    }

    /// Scheme, host and port: what a message may say of where a request went.
    pub(super) fn server(&self) -> String {
        format!("`{}`", self.url.origin().ascii_serialization())
    }

    /// Whether the request asks for nothing to be changed.
    pub(super) fn is_safe(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD | Method::OPTIONS)
    }
}

/// Whether arguments that stand nowhere else go into the query.
fn takes_rest(config: &HttpConfig) -> bool {
    let fixed = matches!(config.target, Target::Server(_));
    let sends = matches!(config.method, Method::POST | Method::PUT | Method::PATCH);
    fixed && !sends && config.body == Body::Nothing
}
