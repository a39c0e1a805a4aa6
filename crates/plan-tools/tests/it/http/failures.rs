//! What a call that failed says.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use plan_exec::{Dispatched, Tool, ToolError};
use plan_run::{FailureClass, RetryAdvice};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::{call, object, tool, tool_with};
use crate::context::context;
use crate::server::{Found, Lost, Reply, Server};

async fn failure(reply: Reply, more: Value) -> ToolError {
    let server = Server::start(move |_| reply.clone()).await;
    let mut config = object(json!({"url": server.url("/"), "method": "POST"}));
    config.extend(object(more));
    call(&tool(config.into()), json!({"text": "x"}))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn a_status_has_its_class() {
    use FailureClass as Class;
    let never = RetryAdvice::Never;
    let later = RetryAdvice::Later;
    for (status, class, retry, dispatched) in [
        (
            "400 Bad Request",
            Class::InvalidArguments,
            never,
            Dispatched::No,
        ),
        ("401 Unauthorized", Class::Auth, never, Dispatched::No),
        ("403 Forbidden", Class::Permission, never, Dispatched::No),
        ("404 Not Found", Class::NotFound, never, Dispatched::No),
        ("407 Proxy", Class::Auth, never, Dispatched::No),
        ("408 Request Timeout", Class::Timeout, later, Dispatched::No),
        (
            "409 Conflict",
            Class::InvalidArguments,
            never,
            Dispatched::No,
        ),
        ("410 Gone", Class::NotFound, never, Dispatched::No),
        (
            "422 Unprocessable",
            Class::InvalidArguments,
            never,
            Dispatched::No,
        ),
        ("425 Too Early", Class::Transient, later, Dispatched::No),
        (
            "429 Too Many Requests",
            Class::RateLimited,
            later,
            Dispatched::No,
        ),
        (
            "500 Internal Server Error",
            Class::Transient,
            later,
            Dispatched::Yes,
        ),
        (
            "501 Not Implemented",
            Class::Internal,
            never,
            Dispatched::Yes,
        ),
        ("502 Bad Gateway", Class::Transient, later, Dispatched::Yes),
        (
            "503 Service Unavailable",
            Class::Transient,
            later,
            Dispatched::Yes,
        ),
        (
            "504 Gateway Timeout",
            Class::Transient,
            later,
            Dispatched::Yes,
        ),
        (
            "304 Not Modified",
            Class::OutputContract,
            never,
            Dispatched::Yes,
        ),
    ] {
        let error = failure(Reply::new(status, &[], ""), json!({})).await;
        assert_eq!(
            (error.class, error.retry, error.dispatched),
            (class, retry, dispatched),
            "{status}"
        );
        let number = status.split(' ').next().unwrap();
        assert!(
            error.message.contains(&format!("answered {number}")),
            "{error}"
        );
        assert_eq!(error.details.unwrap()["status"].to_string(), number);
    }
}

#[tokio::test]
async fn a_status_does_not_wait_for_its_explanation() {
    let reply = Reply::AndHang(b"HTTP/1.1 401 No\r\ncontent-length: 99\r\n\r\nbecause".to_vec());
    let error = failure(reply, json!({"timeout_secs": 1})).await;
    assert_eq!(error.class, FailureClass::Auth);
    assert_eq!(error.details.unwrap()["body"], "because");
}

#[tokio::test]
async fn the_catalog_says_which_further_statuses_pass() {
    let error = failure(
        Reply::new("409 Conflict", &[], ""),
        json!({"retry_statuses": [409]}),
    )
    .await;
    assert_eq!(
        (error.class, error.retry),
        (FailureClass::Transient, RetryAdvice::Later)
    );
}

#[tokio::test]
async fn a_pause_that_the_server_asks_for_is_kept() {
    let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    for (after, pause) in [("7", 7), ("Sun, 06 Nov 1994 08:50:37 GMT", 60)] {
        for status in ["429 Slow", "503 Busy", "408 Late"] {
            let error = failure(
                Reply::new(status, &[("retry-after", after), date], ""),
                json!({}),
            )
            .await;
            assert_eq!(
                error.retry,
                RetryAdvice::After(Duration::from_secs(pause)),
                "{status} {after}"
            );
        }
        let error = failure(
            Reply::new("404 No", &[("retry-after", after), date], ""),
            json!({}),
        )
        .await;
        assert_eq!(error.retry, RetryAdvice::Never);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_was_sent_nothing() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let gone = tool(json!({"url": format!("http://{address}/?key=k3y"), "method": "POST"}));
    let unknown = tool_with(
        json!({"url": "https://nowhere.test/?key=k3y"}),
        Arc::new(Found::default()),
    );
    for error in [
        call(&gone, json!({})).await.unwrap_err(),
        call(&unknown, json!({})).await.unwrap_err(),
    ] {
        assert_eq!(error.class, FailureClass::EndpointDown, "{error}");
        assert_eq!(error.dispatched, Dispatched::No);
        assert_eq!(error.retry, RetryAdvice::Later);
        assert!(!error.message.contains("k3y"), "{error}");
    }
}

#[tokio::test]
async fn a_connection_that_never_stands_was_sent_nothing() {
    let lost = tool_with(
        json!({"url": "http://a.test/", "method": "POST", "timeout_secs": 0.4}),
        Arc::new(Lost),
    );
    let error = call(&lost, json!({})).await.unwrap_err();
    assert_eq!(
        (error.class, error.retry, error.dispatched),
        (FailureClass::Timeout, RetryAdvice::Later, Dispatched::No),
        "{error}"
    );
}

#[tokio::test]
async fn no_secure_connection_is_no_connection() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"this is no handshake").await;
    });
    let error = call(&tool(json!({"url": url, "method": "POST"})), json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.class, FailureClass::EndpointDown, "{error}");
    assert_eq!(error.dispatched, Dispatched::No);
}

#[tokio::test]
async fn an_answer_that_never_comes_may_have_had_its_effect() {
    for (name, reply, class) in [
        ("silent", Reply::AndHang(Vec::new()), FailureClass::Timeout),
        (
            "slow body",
            Reply::AndHang(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc".to_vec()),
            FailureClass::Timeout,
        ),
        ("closed", Reply::Bytes(Vec::new()), FailureClass::Transient),
        (
            "cut",
            Reply::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc".to_vec()),
            FailureClass::Transient,
        ),
        (
            "no HTTP",
            Reply::Bytes(b"SSH-2.0-OpenSSH\r\n".to_vec()),
            FailureClass::Transient,
        ),
    ] {
        let error = failure(reply, json!({"timeout_secs": 0.3})).await;
        assert_eq!(error.class, class, "{name}: {error}");
        assert_ne!(error.dispatched, Dispatched::No, "{name}");
    }
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    let mut server = Server::start(|_| Reply::AndHang(Vec::new())).await;
    let tool = tool(json!({"url": server.url("/")}));
    let cx = context();
    {
        let call = tool.call(object(json!({})), &cx);
        tokio::pin!(call);
        let asked = async {
            while server.received().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            result = &mut call => panic!("{result:?}"),
            () = asked => {}
        }
    }
    let closed = tokio::time::timeout(Duration::from_secs(5), server.closed.recv()).await;
    closed.expect("the connection is closed");
}

#[tokio::test]
async fn no_error_tells_what_was_sent() {
    const CANARY: &str = "c4nary";
    let config = |server: &Server, path: &str| {
        json!({
            "url": format!("{}{{x}}?q={{x}}", server.url(path)), "method": "POST", "timeout_secs": 0.3,
            "headers": {"Authorization": "{x}"}, "body": {"text": "{x}"},
        })
    };
    for reply in [
        Reply::new("500 No", &[], "sorry"),
        Reply::redirect("302 Go", &format!("https://b.test/{CANARY}")),
        Reply::redirect("302 Go", &format!("ftp://b.test/{CANARY}")),
        Reply::Bytes(Vec::new()),
        Reply::AndHang(Vec::new()),
        Reply::new("200 OK", &[("content-type", "application/json")], "{"),
    ] {
        let server = Server::start(move |_| reply.clone()).await;
        let error = call(&tool(config(&server, "/")), json!({"x": CANARY}))
            .await
            .unwrap_err();
        assert!(!format!("{error:?}").contains(CANARY), "{error:?}");
    }
}
