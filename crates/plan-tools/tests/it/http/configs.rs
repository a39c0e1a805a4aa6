//! Entries of a catalog that are not taken.

use plan_model::{IdempotencyKeySupport, Schema};
use plan_tools::{ConfigError, HttpTool};
use serde_json::{Value, json};

use super::{refused, spec};

#[test]
fn every_problem_of_a_config_is_told_at_once() {
    let error = refused(json!({
        "url": "https://api.example.com/{a}", "base_url": "https://api.example.com",
        "method": "get", "headers": {"Host": "x", "bad name": "x", "X-A": "${input.a}"},
        "max_redirects": 99, "timeout": 5, "redirect_hosts": ["https://x"],
    }));
    let ConfigError::Http { problems } = error else {
        panic!("{error}");
    };
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    its `max_redirects` is not a whole number from 0 to 20
    its `method` is not one of `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`, `OPTIONS`
    it has no member `timeout`, known are `kind`, `method`, `url`, `base_url`, `path_template`, `query`, `headers`, `body`, `output`, `capture_status`, `max_response_bytes`, `max_redirects`, `redirect_hosts`, `allow_downgrade`, `allow_private`, `retry_statuses`, `timeout_secs`
    it has `url` beside `base_url`, keep one of them
    `${input.a}` is not `${secret.NAME}`, the only reference of a catalog: write `{argument}` for a value of the call, `$${` for the text
    `bad name` is not the name of a header
    the header `Host` is set by the request itself, leave it out
    `https://x` in `redirect_hosts` is not a host, such as `example.com` or `*.example.com`
    ");
}

#[test]
fn a_value_never_chooses_the_server() {
    for url in [
        "https://{host}/x",
        "https://{host}.example.com/",
        "https://example.com:{port}/",
        "https://example.com{rest}",
        "{scheme}://example.com/",
        "https://${secret.HOST}/",
        "https://{user}@example.com/",
        "{url}/more",
    ] {
        let told = refused(json!({"url": url})).to_string();
        assert!(
            told.contains("a value would choose the server") || told.contains("it has no scheme"),
            "{url}: {told}"
        );
    }
}

#[test]
fn what_cannot_be_called_is_no_url() {
    for (config, why) in [
        (json!({}), "nothing says where to call"),
        (json!({"path_template": "/x"}), "nothing says where to call"),
        (json!({"url": "ftp://example.com/"}), "another scheme"),
        (json!({"url": "example.com"}), "no scheme"),
        (json!({"url": "https://me@example.com/"}), "names a user"),
        (json!({"url": "https://example.com/#part"}), "fragment"),
        (
            json!({"url": "https://example.com/${secret.KEY}"}),
            "holds a secret",
        ),
        (
            json!({"url": "https://[::1/"}),
            "is not an http or https URL",
        ),
        (
            json!({"url": "https://a.test/", "body": "json"}),
            "GET sends no `body`",
        ),
        (
            json!({"url": "https://a.test/", "body": {"json": 1, "text": "x"}}),
            "`body` is not",
        ),
        (
            json!({"url": "https://a.test/", "headers": {"X": "a\nb"}}),
            "cannot hold",
        ),
        (
            json!({"url": "https://a.test/", "headers": ["X"]}),
            "an object of texts",
        ),
        (
            json!({"url": "https://a.test/", "retry_statuses": [200]}),
            "from 400 to 599",
        ),
    ] {
        let told = refused(config.clone()).to_string();
        assert!(told.contains(why), "{config}: {told}");
    }
}

#[test]
fn a_template_names_arguments_that_the_tool_takes() {
    let mut spec = spec(
        json!({"url": "https://a.test/{id}", "headers": {"X": "{name}"}, "query": {"q": "{other}"}}),
        json!({}),
    );
    spec.input_schema = Some(Schema(json!({
        "type": "object", "properties": {"id": {}}, "additionalProperties": false,
    })));
    let told = HttpTool::new(spec).unwrap_err().to_string();
    insta::assert_snapshot!(told, @"has a `config` that is not one of HTTP: `{name}` names no argument that the tool takes; `{other}` names no argument that the tool takes");
}

#[test]
fn a_key_in_the_environment_is_no_key_of_a_request() {
    let mut spec = spec(
        json!({"url": "https://a.test/"}),
        Value::Object(serde_json::Map::new()),
    );
    spec.idempotency_key = IdempotencyKeySupport::Env;
    insta::assert_snapshot!(HttpTool::new(spec).unwrap_err(), @"has a `config` that is not one of HTTP: its `idempotency_key` is `env`, and a request has no environment: write `idempotency_key: {header: Idempotency-Key}`");
}
