//! What comes of answers.

use std::io::Write;

use plan_exec::Dispatched;
use plan_run::{FailureClass, RetryAdvice};
use serde_json::{Value, json};

use super::{call, object, tool};
use crate::server::{Reply, Server};

/// The result of one call that is answered so.
async fn result(reply: Reply, more: Value) -> Result<Value, plan_exec::ToolError> {
    let server = Server::start(move |_| reply.clone()).await;
    let mut config = object(json!({"url": server.url("/")}));
    config.extend(object(more));
    call(&tool(config.into()), json!({})).await
}

fn typed(content_type: &str, body: &str) -> Reply {
    Reply::new(
        "200 OK",
        &[
            ("content-type", content_type),
            ("x-a", "1"),
            ("x-a", "2"),
            ("set-cookie", "s=1"),
        ],
        body,
    )
}

#[tokio::test]
async fn a_body_of_json_is_the_result() {
    for content_type in [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/problem+json",
    ] {
        let value = result(typed(content_type, r#"{"a": [1, null]}"#), json!({})).await;
        assert_eq!(value.unwrap(), json!({"a": [1, null]}), "{content_type}");
    }
}

#[tokio::test]
async fn anything_else_is_the_whole_answer() {
    let value = result(typed("text/html", "<p>"), json!({})).await.unwrap();
    assert_eq!(
        value,
        json!({
            "status": 200,
            "headers": {"connection": "close", "content-length": "3", "content-type": "text/html", "x-a": "1, 2"},
            "body": "<p>",
        })
    );
    let empty = result(Reply::new("204 No Content", &[], ""), json!({}))
        .await
        .unwrap();
    assert_eq!(empty["body"], Value::Null);
    assert_eq!(empty["status"], 204);
}

#[tokio::test]
async fn the_catalog_says_what_an_answer_becomes() {
    for (form, reply, expected) in [
        ("json", typed("text/plain", "[1]"), json!([1])),
        (
            "text",
            typed("application/json", "\u{FEFF}[1]"),
            json!("[1]"),
        ),
        ("text", typed("text/plain", ""), json!("")),
    ] {
        let value = result(reply, json!({"output": form})).await.unwrap();
        assert_eq!(value, expected, "{form}");
    }
    let whole = result(
        typed("application/json", "[1]"),
        json!({"output": "response"}),
    )
    .await;
    assert_eq!(whole.unwrap()["body"], json!([1]));
}

#[tokio::test]
async fn a_status_is_a_result_where_the_plan_looks_at_it() {
    let reply = Reply::new(
        "404 Not Found",
        &[("content-type", "application/json")],
        r#"{"e": 1}"#,
    );
    let value = result(reply, json!({"capture_status": true}))
        .await
        .unwrap();
    assert_eq!(
        (&value["status"], &value["body"]),
        (&json!(404), &json!({"e": 1}))
    );
}

#[tokio::test]
async fn json_that_is_none_breaks_the_contract() {
    for (reply, form) in [
        (typed("application/json", "{broken"), "auto"),
        (typed("text/plain", "words"), "json"),
        (typed("application/json", ""), "json"),
    ] {
        let error = result(reply, json!({"output": form})).await.unwrap_err();
        assert_eq!(error.class, FailureClass::OutputContract, "{error}");
        assert_eq!(error.retry, RetryAdvice::Never);
    }
}

fn gzipped(zeros: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b'0'; zeros]).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_compressed_answer_is_unpacked() {
    let reply = Reply::new("200 OK", &[("content-encoding", "gzip")], gzipped(5));
    assert_eq!(
        result(reply, json!({"output": "text"})).await.unwrap(),
        json!("00000")
    );
}

#[tokio::test]
async fn a_compressed_answer_without_a_body_has_none() {
    let headers = [("content-encoding", "gzip")];
    for (method, reply) in [
        ("HEAD", Reply::new("200 OK", &headers, "")),
        ("GET", Reply::new("204 No Content", &headers, "")),
    ] {
        let value = result(reply, json!({"method": method})).await.unwrap();
        assert_eq!(value["body"], Value::Null, "{method}");
    }
}

#[tokio::test]
async fn an_answer_is_read_up_to_its_limit_and_no_further() {
    let endless = |headers: &str| {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n").into_bytes();
        Reply::AndRepeat(
            head,
            b"400\r\n"
                .iter()
                .copied()
                .chain([b'x'; 1024])
                .chain(*b"\r\n")
                .collect(),
        )
    };
    let bomb = gzipped(20 << 20);
    assert!(bomb.len() < 64 << 10, "the bomb is small on the wire");
    for (name, reply) in [
        (
            "declared",
            Reply::AndHang(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".to_vec()),
        ),
        ("chunked", endless("transfer-encoding: chunked\r\n")),
        ("unbounded", endless("connection: close\r\n")),
        (
            "bomb",
            Reply::new("200 OK", &[("content-encoding", "gzip")], bomb),
        ),
    ] {
        let error = result(reply, json!({"max_response_bytes": 100_000}))
            .await
            .unwrap_err();
        assert_eq!(error.class, FailureClass::LimitExceeded, "{name}: {error}");
        assert_eq!(error.retry, RetryAdvice::Never);
        assert_eq!(error.dispatched, Dispatched::Yes);
        assert!(
            error.message.contains("more than 100000 bytes"),
            "{name}: {error}"
        );
    }
}

#[tokio::test]
async fn an_endless_answer_of_a_failure_is_cut() {
    let reply = Reply::AndRepeat(
        b"HTTP/1.1 500 Oh\r\nconnection: close\r\n\r\n".to_vec(),
        b"\x1b[31mno\x07 ".repeat(100),
    );
    let error = result(reply, json!({})).await.unwrap_err();
    assert_eq!(error.class, FailureClass::Transient);
    let details = error.details.unwrap();
    let excerpt = details["body"].as_str().unwrap();
    assert!(
        excerpt.starts_with("[31mno [31mno") && excerpt.len() <= 2 << 10,
        "{excerpt}"
    );
}
