//! Where a call goes: the server is the catalog's, or the whole URL is one argument.

use plan_exec::ToolError;
use plan_model::SecretName;
use reqwest::Url;

use super::problem::HttpProblem;
use super::template::{Template, Values, encoded};

/// The longest URL that is sent.
const LONGEST: usize = 32 << 10;

/// The URL of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The value of this argument.
    Argument(String),
    /// At the catalog's server.
    Server(Server),
}

/// A URL whose server is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    /// Scheme, host and port.
    origin: Url,
    segments: Vec<Template>,
    query: Vec<(String, Template)>,
}

impl Target {
    /// Reads the URL of a config.
    ///
    /// # Errors
    /// Why it cannot be called.
    pub(super) fn parse(text: &str) -> Result<Self, HttpProblem> {
        let whole = Template::parse(text)?;
        if let Some(argument) = whole.whole_argument() {
            return Ok(Self::Argument(argument.to_owned()));
        }
        let bad = |reason: &str| HttpProblem::BadUrl {
            url: text.to_owned(),
            reason: reason.to_owned(),
        };
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| bad("it has no scheme"))?;
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let server = Template::parse(&format!("{scheme}://{authority}"))?;
        let Some(server) = server.literal() else {
            return Err(HttpProblem::HostFromValue {
                url: text.to_owned(),
            });
        };
        let origin = Url::parse(server).map_err(|error| bad(&error.to_string()))?;
        if !matches!(origin.scheme(), "http" | "https") {
            return Err(bad("it has another scheme"));
        }
        if has_user(&origin) || authority.contains('@') {
            return Err(bad("it names a user; put credentials into `headers`"));
        }
        if rest.contains('#') {
            return Err(bad("it has a fragment, which is never sent"));
        }
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let segments = path.split('/').skip(1).map(Template::parse);
        let segments: Vec<Template> = segments.collect::<Result<_, _>>()?;
        if segments
            .iter()
            .any(|segment| segment.secrets().next().is_some())
        {
            return Err(HttpProblem::SecretInPath {
                url: text.to_owned(),
            });
        }
        let mut pairs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            pairs.push((name.to_owned(), Template::parse(value)?));
        }
        Ok(Self::Server(Server {
            origin,
            segments,
            query: pairs,
        }))
    }

    /// The arguments that stand in it.
    pub(super) fn arguments(&self) -> Vec<&str> {
        match self {
            Self::Argument(name) => vec![name],
            Self::Server(server) => server.templates().flat_map(Template::arguments).collect(),
        }
    }

    /// The secrets that stand in it.
    pub(super) fn secrets(&self) -> Vec<&SecretName> {
        match self {
            Self::Argument(_) => Vec::new(),
            Self::Server(server) => server.templates().flat_map(Template::secrets).collect(),
        }
    }

    /// The URL of one call, with `more` in its query.
    ///
    /// # Errors
    /// A value that does not fit its place.
    pub(super) fn url(
        &self,
        values: Values<'_>,
        more: &[(String, String)],
    ) -> Result<Url, ToolError> {
        let mut url = match self {
            Self::Argument(name) => given(name, values)?,
            Self::Server(server) => server.url(values)?,
        };
        if !more.is_empty() {
            let mut query = url
                .query()
                .map_or_else(String::new, |query| format!("{query}&"));
            let pairs: Vec<String> = more
                .iter()
                .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
                .collect();
            query.push_str(&pairs.join("&"));
            url.set_query(Some(&query));
        }
        if url.as_str().len() > LONGEST {
            return Err(ToolError::invalid_arguments(format!(
                "the URL has {} bytes, more than the {LONGEST} that are sent",
                url.as_str().len()
            )));
        }
        Ok(url)
    }
}

impl Server {
    fn templates(&self) -> impl Iterator<Item = &Template> {
        let values = self.query.iter().map(|(_, value)| value);
        self.segments.iter().chain(values)
    }

    fn url(&self, values: Values<'_>) -> Result<Url, ToolError> {
        let mut path = String::new();
        for segment in &self.segments {
            path.push('/');
            path.push_str(&filled(segment, values)?);
        }
        let mut url = self.origin.clone();
        url.set_path(&path);
        let mut pairs = Vec::new();
        for (name, value) in &self.query {
            // a pair whose value is absent is left out
            if let Some(value) = value.fill(values, encoded)? {
                pairs.push(format!("{name}={value}"));
            }
        }
        if !pairs.is_empty() {
            url.set_query(Some(&pairs.join("&")));
        }
        Ok(url)
    }
}

/// One segment of a path: it stays one, and leads nowhere else.
fn filled(segment: &Template, values: Values<'_>) -> Result<String, ToolError> {
    if let Some(literal) = segment.literal() {
        return Ok(literal.to_owned());
    }
    let names = || {
        let names: Vec<String> = segment
            .arguments()
            .map(|name| format!("`{name}`"))
            .collect();
        names.join(", ")
    };
    let Some(text) = segment.fill(values, encoded)? else {
        return Err(ToolError::invalid_arguments(format!(
            "the path needs {}, which is absent",
            names()
        )));
    };
    let plain = text.to_ascii_lowercase().replace("%2e", ".");
    if matches!(plain.as_str(), "" | "." | "..") {
        return Err(ToolError::invalid_arguments(format!(
            "the value of {} would be `{plain}` in the path, which leads to another place",
            names()
        )));
    }
    Ok(text)
}

/// A URL that is an argument.
fn given(name: &str, values: Values<'_>) -> Result<Url, ToolError> {
    let refused = |why: &str| ToolError::invalid_arguments(format!("the argument `{name}` {why}"));
    let text = values
        .argument(name)
        .ok_or_else(|| refused("is absent, and is the URL to call"))?
        .as_str()
        .ok_or_else(|| refused("is not a string"))?;
    let mut url = Url::parse(text).map_err(|error| refused(&format!("is not a URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("is not an http or https URL"));
    }
    if has_user(&url) {
        return Err(refused("names a user in its URL, which is not sent"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Whether a URL names a user or a password.
pub(super) fn has_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

#[cfg(test)]
mod tests {
    use plan_exec::ToolContext;
    use plan_model::StepId;
    use plan_run::{IdempotencyKey, RunId};
    use serde_json::{Map, Value};

    use super::*;

    fn url(text: &str, arguments: [(&str, String); 2]) -> Result<Url, ToolError> {
        let arguments: Map<String, Value> = arguments
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        let cx = ToolContext::detached(
            RunId::new("run-1").unwrap(),
            StepId::new("one").unwrap(),
            IdempotencyKey::new("key-1").unwrap(),
        );
        let values = Values {
            arguments: &arguments,
            cx: &cx,
        };
        Target::parse(text).unwrap().url(values, &[])
    }

    proptest::proptest! {
        #[test]
        fn a_value_stays_in_its_place(
            a in "[a./%\\\\?#@:2eE&= \t\r\n\u{e9}\u{2f}]{0,6}|\\PC{0,8}",
            b in "\\PC{0,8}",
        ) {
            let text = "https://a.test:8443/x/{a}/y-{b}/z?k={a}&l={b}";
            if let Ok(url) = url(text, [("a", a.clone()), ("b", b.clone())]) {
                assert_eq!(url.origin().ascii_serialization(), "https://a.test:8443");
                assert!(!has_user(&url) && url.fragment().is_none());
                let segments: Vec<&str> = url.path_segments().unwrap().collect();
                assert_eq!(segments.len(), 4, "{url}");
                assert_eq!((segments[0], segments[3]), ("x", "z"), "{url}");
                let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
                assert_eq!(pairs, [("k".to_owned(), a), ("l".to_owned(), b)]);
            }
        }
    }
}
