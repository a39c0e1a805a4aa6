//! What a server is sent.

use plan_exec::{Secret, Tool};
use plan_model::IdempotencyKeySupport;
use plan_tools::HttpTool;
use serde_json::{Value, json};

use super::{call, object, spec, tool};
use crate::context::context;
use crate::server::{Reply, Server};

/// Sends one request and shows it: line, named headers, body.
async fn sent(config: Value, arguments: Value) -> String {
    let server = Server::start(|_| Reply::json("{}")).await;
    let mut config = object(config);
    config.insert("base_url".to_owned(), server.url("/api/").into());
    call(&tool(config.into()), arguments).await.unwrap();
    let received = server.received().remove(0);
    let shown = ["content-type", "x-a", "authorization"];
    let headers = shown
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", received.headers.get(*name)?)));
    let mut lines = vec![received.line];
    lines.extend(headers);
    lines.push(received.body);
    lines.join("\n").trim_end().to_owned()
}

#[tokio::test]
async fn values_stand_where_the_catalog_puts_them() {
    insta::assert_snapshot!(
        sent(
            json!({"path_template": "/users/{id}/posts?sort={sort}&page={page}", "headers": {"X-A": "n={n}"}}),
            json!({"id": "a/b ?#é", "sort": "x&y=z", "n": 3, "page": null, "extra": [1, "two"], "gone": null, "deep": {"k": 1}}),
        )
        .await,
        @r#"
    GET /api/users/a%2Fb%20%3F%23%C3%A9/posts?sort=x%26y%3Dz&deep=%7B%22k%22%3A1%7D&extra=1&extra=two
    x-a: n=3
    "#
    );
}

#[tokio::test]
async fn values_that_stand_nowhere_are_the_body_of_a_post() {
    insta::assert_snapshot!(
        sent(
            json!({"method": "POST", "path_template": "users/{id}"}),
            json!({"id": 7, "name": "Ann", "tags": ["x"], "note": null}),
        )
        .await,
        @r#"
    POST /api/users/7
    content-type: application/json
    {"name":"Ann","note":null,"tags":["x"]}
    "#
    );
}

#[tokio::test]
async fn a_body_is_written_as_the_catalog_has_it() {
    let arguments = json!({"a": "x&y", "n": 5, "list": [1, 2], "gone": null});
    let bodies = [
        json!({"json": {"fixed": true, "n": "{n}", "text": "n is {n}", "in": ["{list}", "{gone}"], "out": "{gone}"}}),
        json!({"form": {"a": "{a}", "n": "{n}", "gone": "{gone}"}}),
        json!({"text": "{a} {{n}}"}),
        json!("form"),
        json!("none"),
    ];
    let mut shown = Vec::new();
    for body in bodies {
        let config = json!({"method": "PUT", "body": body});
        shown.push(sent(config, arguments.clone()).await);
    }
    insta::assert_snapshot!(shown.join("\n\n"), @r#"
    PUT /api/
    content-type: application/json
    {"fixed":true,"in":[[1,2],null],"n":5,"text":"n is 5"}

    PUT /api/
    content-type: application/x-www-form-urlencoded
    a=x%26y&n=5

    PUT /api/
    content-type: text/plain; charset=utf-8
    x&y {n}

    PUT /api/
    content-type: application/x-www-form-urlencoded
    a=x%26y&list=1&list=2&n=5

    PUT /api/
    "#);
}

#[tokio::test]
async fn a_query_that_is_written_out_is_all_there_is() {
    insta::assert_snapshot!(
        sent(
            json!({"method": "DELETE", "query": {"q": "{q}", "limit": "10", "off": "{off}"}}),
            json!({"q": "a b", "other": "unsent"}),
        )
        .await,
        @"DELETE /api/?limit=10&q=a%20b"
    );
}

#[tokio::test]
async fn a_value_cannot_leave_its_place() {
    let server = Server::start(|_| Reply::json("{}")).await;
    let path = tool(json!({"url": server.url("/a/{x}/b%2{y}"), "headers": {"X-A": "{h}"}}));
    for (arguments, why) in [
        (json!({"x": ".."}), "`..` in the path"),
        (json!({"x": "."}), "`.` in the path"),
        (json!({"x": ""}), "`` in the path"),
        (json!({"y": "x"}), "the path needs `x`"),
        (
            json!({"x": "a", "y": "b", "h": "1\r\nX-B: 2"}),
            "header `x-a`",
        ),
        (json!({"x": "a", "y": "b", "h": "\u{0}"}), "header `x-a`"),
    ] {
        let error = call(&path, arguments.clone()).await.unwrap_err();
        assert_eq!(error.class, plan_run::FailureClass::InvalidArguments);
        assert_eq!(error.dispatched, plan_exec::Dispatched::No);
        assert!(error.message.contains(why), "{arguments}: {error}");
    }
    assert_eq!(server.connections(), 0);
    // dots that only look like a way up
    let dots = tool(json!({"url": server.url("/a/%2{x}/b")}));
    assert!(call(&dots, json!({"x": "e%2e"})).await.is_ok());
    assert_eq!(server.received()[0].line, "GET /a/%2e%252e/b");
}

#[tokio::test]
async fn a_url_that_is_an_argument_is_http_and_names_no_user() {
    let tool = tool(json!({"url": "{page}"}));
    for (url, why) in [
        (json!("ftp://a.test/"), "is not an http or https URL"),
        (json!("file:///etc/passwd"), "is not an http or https URL"),
        (json!("/relative"), "is not a URL"),
        (json!("https://me:pw@a.test/"), "names a user"),
        (json!("https://good.test\u{40}evil.test/"), "names a user"),
        (json!(5), "is not a string"),
        (json!(null), "is absent"),
    ] {
        let error = call(&tool, json!({"page": url})).await.unwrap_err();
        assert_eq!(error.class, plan_run::FailureClass::InvalidArguments);
        assert!(error.message.contains(why), "{url}: {error}");
        assert!(!error.message.contains("pw"), "{error}");
    }
    let server = Server::start(|_| Reply::json("[1]")).await;
    let page = server.url("/x?q=1#part");
    assert_eq!(
        call(&tool, json!({"page": page, "other": 1}))
            .await
            .unwrap(),
        json!([1])
    );
    assert_eq!(server.received()[0].line, "GET /x?q=1");
}

#[tokio::test]
async fn the_key_goes_in_the_header_that_the_tool_names() {
    let server = Server::start(|_| Reply::json("{}")).await;
    let mut spec = spec(
        json!({"url": server.url("/"), "method": "POST"}),
        json!({"allow_private": true}),
    );
    spec.idempotency_key = IdempotencyKeySupport::Header("Idempotency-Key".to_owned());
    call(&HttpTool::new(spec).unwrap(), json!({}))
        .await
        .unwrap();
    assert_eq!(server.received()[0].headers["idempotency-key"], "key-1");
}

#[tokio::test]
async fn a_secret_of_the_catalog_comes_from_the_host() {
    let server = Server::start(|_| Reply::json("{}")).await;
    let tool = tool(json!({
        "url": server.url("/?key=${secret.KEY}"),
        "headers": {"Authorization": "Bearer ${secret.TOKEN}", "X-A": "$${secret.TOKEN}"},
    }));
    let names: Vec<&str> = tool.secrets().iter().map(AsRef::as_ref).collect();
    assert_eq!(names, ["KEY", "TOKEN"]);
    let unlent = call(&tool, json!({})).await.unwrap_err();
    assert_eq!(unlent.class, plan_run::FailureClass::Auth);
    let cx = context()
        .with_secret("KEY".parse().unwrap(), Secret::new("k&y"))
        .with_secret("TOKEN".parse().unwrap(), Secret::new("t0ken"));
    tool.call(object(json!({})), &cx).await.unwrap();
    let received = server.received().remove(0);
    assert_eq!(received.line, "GET /?key=k%26y");
    assert_eq!(received.headers["authorization"], "Bearer t0ken");
    assert_eq!(received.headers["x-a"], "${secret.TOKEN}");
}
