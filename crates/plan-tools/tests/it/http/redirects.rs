//! Redirects: every hop is looked at as the first one was.

use plan_exec::{Dispatched, Secret, Tool};
use plan_run::{FailureClass, RetryAdvice};
use serde_json::{Value, json};

use super::{call, object, tool, tool_with};
use crate::context::context;
use crate::server::{Found, Received, Reply, Server};

/// A server that sends `/` to `to`, and answers anything else.
async fn leading(
    status: &'static str,
    to: impl Fn(&Received) -> String + Send + Sync + 'static,
) -> Server {
    Server::start(move |received| {
        if received.line.ends_with(" /") {
            Reply::redirect(status, &to(received))
        } else {
            Reply::json("\"there\"")
        }
    })
    .await
}

#[tokio::test]
async fn a_redirect_on_the_same_server_is_followed() {
    let server = leading("302 Found", |_| "/two?x=1#part".to_owned()).await;
    let tool = tool(json!({"url": server.url("/"), "headers": {"X-A": "1", "Authorization": "b"}}));
    assert_eq!(call(&tool, json!({})).await.unwrap(), json!("there"));
    let second = &server.received()[1];
    assert_eq!(second.line, "GET /two?x=1");
    assert_eq!(
        (
            second.headers["x-a"].as_str(),
            second.headers["authorization"].as_str()
        ),
        ("1", "b")
    );
}

#[tokio::test]
async fn a_post_becomes_a_get_or_is_sent_again() {
    for (status, line, body) in [
        ("301 Moved", "GET /two", ""),
        ("302 Found", "GET /two", ""),
        ("303 See Other", "GET /two", ""),
        ("307 Temporary", "POST /two", r#"{"a":1}"#),
        ("308 Permanent", "POST /two", r#"{"a":1}"#),
    ] {
        let server = leading(status, |_| "/two".to_owned()).await;
        let tool = tool(json!({"url": server.url("/"), "method": "POST"}));
        call(&tool, json!({"a": 1})).await.unwrap();
        let second = server.received().remove(1);
        assert_eq!(
            (second.line.as_str(), second.body.as_str()),
            (line, body),
            "{status}"
        );
        assert_eq!(
            second.headers.contains_key("content-type"),
            !body.is_empty(),
            "{status}"
        );
    }
}

#[tokio::test]
async fn another_server_is_told_nothing_that_was_meant_for_the_first() {
    let second = Server::start(|_| Reply::json("1")).await;
    let to = second.named("b.test", "/two");
    let first = leading("302 Found", move |_| to.clone()).await;
    let tool = tool_with(
        json!({
            "url": first.named("a.test", "/"), "redirect_hosts": ["b.test"],
            "headers": {
                "Authorization": "Bearer ${secret.TOKEN}", "X-Api-Key": "{key}", "Cookie": "c=1", "X-Fixed": "1",
                "Accept": "application/json", "User-Agent": "me/{key}", "Accept-Language": "de",
            },
        }),
        Found::here(),
    );
    let cx = context().with_secret("TOKEN".parse().unwrap(), Secret::new("t0ken"));
    tool.call(object(json!({"key": "k3y"})), &cx).await.unwrap();
    let headers: Vec<String> = second.received()[0]
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let shown = headers
        .join("\n")
        .replace(&second.address.port().to_string(), "PORT");
    insta::assert_snapshot!(shown, @r"
    accept: application/json
    accept-encoding: gzip
    accept-language: de
    host: b.test:PORT
    user-agent: planwright/0.1.0
    ");
}

#[tokio::test]
async fn a_tool_of_one_server_follows_to_no_other() {
    let second = Server::start(|_| Reply::json("1")).await;
    let to = second.named("b.test", "/two");
    let first = leading("302 Found", move |_| to.clone()).await;
    let tool = tool_with(json!({"url": first.named("a.test", "/")}), Found::here());
    let error = call(&tool, json!({})).await.unwrap_err();
    assert_eq!(error.class, FailureClass::Permission);
    insta::assert_snapshot!(error, @"the server redirects to `b.test`; name it in `redirect_hosts` of the tool's config if that is meant");
    assert_eq!(second.connections(), 0);
}

#[tokio::test]
async fn a_url_that_is_an_argument_may_lead_elsewhere_but_nothing_that_was_sent_does() {
    let second = Server::start(|_| Reply::json("1")).await;
    let to = second.named("b.test", "/two");
    let first = leading("307 Temporary", move |_| to.clone()).await;
    let page = first.named("a.test", "/");
    for (method, goes) in [("GET", true), ("POST", false), ("DELETE", false)] {
        let tool = tool_with(json!({"url": "{page}", "method": method}), Found::here());
        let result = call(&tool, json!({"page": page, "text": "x"})).await;
        match result {
            Ok(value) => assert!(goes && value == json!(1), "{method}"),
            Err(error) => {
                assert!(!goes, "{method}: {error}");
                assert_eq!(
                    (error.class, error.dispatched),
                    (FailureClass::Permission, Dispatched::Yes)
                );
            }
        }
    }
}

#[tokio::test]
async fn a_redirect_to_a_closed_address_is_not_followed() {
    for to in [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::]/",
        "http://0/",
    ] {
        let server = leading("302 Found", move |_| to.to_owned()).await;
        let tool = tool(json!({"url": "{page}"}));
        let error = call(&tool, json!({"page": server.url("/")}))
            .await
            .unwrap_err();
        assert_eq!(error.class, FailureClass::Permission, "{to}: {error}");
    }
}

#[tokio::test]
async fn a_loop_of_redirects_ends() {
    let server = Server::start(|_| Reply::redirect("302 Found", "/")).await;
    let error = call(
        &tool(json!({"url": server.url("/"), "max_redirects": 3})),
        json!({}),
    )
    .await
    .unwrap_err();
    assert_eq!(
        (error.class, error.retry),
        (FailureClass::LimitExceeded, RetryAdvice::Never)
    );
    assert_eq!(server.received().len(), 4);
}

#[tokio::test]
async fn a_tool_that_follows_none_sees_the_redirect() {
    let server = leading("302 Found", |_| "/two".to_owned()).await;
    let config = |more: Value| {
        let mut config = object(json!({"url": server.url("/"), "max_redirects": 0}));
        config.extend(object(more));
        tool(config.into())
    };
    let error = call(&config(json!({})), json!({})).await.unwrap_err();
    assert_eq!(error.class, FailureClass::OutputContract);
    let seen = call(&config(json!({"capture_status": true})), json!({}))
        .await
        .unwrap();
    assert_eq!(
        (&seen["status"], &seen["headers"]["location"]),
        (&json!(302), &json!("/two"))
    );
    assert_eq!(server.received().len(), 2);
}
