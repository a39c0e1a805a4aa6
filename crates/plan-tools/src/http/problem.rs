//! What can be wrong with the `config` of an HTTP tool.

/// One thing that is wrong with the `config` of an HTTP tool, as a clause with its way out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum HttpProblem {
    /// A member is of another shape.
    #[error("its `{member}` is not {expected}")]
    Shape {
        /// The member.
        member: String,
        /// What it should be.
        expected: String,
    },
    /// A member is not known.
    #[error("it has no member `{member}`, known are {known}")]
    Unknown {
        /// The member.
        member: String,
        /// The members there are, listed.
        known: String,
    },
    /// Nothing says where to call.
    #[error("it has neither `base_url` nor `url`, so nothing says where to call")]
    NoUrl,
    /// The URL is said twice.
    #[error("it has `url` beside `{member}`, keep one of them")]
    TwoUrls {
        /// The other member.
        member: String,
    },
    /// The URL is none.
    #[error("its URL `{url}` is not an http or https URL: {reason}")]
    BadUrl {
        /// The URL as it is written.
        url: String,
        /// Why not.
        reason: String,
    },
    /// A value could choose the server.
    #[error(
        "a value would choose the server in `{url}`: `{{argument}}` and `${{secret.NAME}}` stand in the path or the query, or `{{argument}}` is the whole `url`"
    )]
    HostFromValue {
        /// The URL as it is written.
        url: String,
    },
    /// A secret stands in the path.
    #[error("the path of `{url}` holds a secret, which belongs into `headers`, `query` or `body`")]
    SecretInPath {
        /// The URL as it is written.
        url: String,
    },
    /// Something in `${…}` that is no secret.
    #[error(
        "`{text}` is not `${{secret.NAME}}`, the only reference of a catalog: write `{{argument}}` for a value of the call, `$${{` for the text"
    )]
    Reference {
        /// As it is written.
        text: String,
    },
    /// A value of the call that the tool does not take.
    #[error("`{{{argument}}}` names no argument that the tool takes")]
    UnknownArgument {
        /// The name.
        argument: String,
    },
    /// The name of a header is none.
    #[error("`{name}` is not the name of a header")]
    HeaderName {
        /// The name.
        name: String,
    },
    /// The header is not the host's to set.
    #[error("the header `{name}` is set by the request itself, leave it out")]
    OwnHeader {
        /// The name.
        name: String,
    },
    /// The value of a header could not be sent.
    #[error("the value of the header `{name}` has characters that a header cannot hold")]
    HeaderValue {
        /// The name.
        name: String,
    },
    /// The method takes no body.
    #[error("{method} sends no `body`, put values into `query`")]
    BodyOfMethod {
        /// The method.
        method: String,
    },
    /// The key would go by environment.
    #[error(
        "its `idempotency_key` is `env`, and a request has no environment: write `idempotency_key: {{header: Idempotency-Key}}`"
    )]
    KeyInEnvironment,
    /// A redirect host is no host.
    #[error("`{host}` in `redirect_hosts` is not a host, such as `example.com` or `*.example.com`")]
    RedirectHost {
        /// As it is written.
        host: String,
    },
}

/// Several problems in one clause.
pub(crate) fn listed(problems: &[HttpProblem]) -> String {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    problems.join("; ")
}
