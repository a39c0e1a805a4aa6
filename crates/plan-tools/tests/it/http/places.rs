//! Addresses that a call goes to, and those that it does not.

use plan_exec::{Dispatched, ToolError};
use plan_run::{FailureClass, RetryAdvice};
use plan_tools::HttpTool;
use serde_json::json;

use super::{call, spec, tool_with};
use crate::server::{Found, Reply, Server};

fn is_refused(error: &ToolError, why: &str) {
    assert_eq!(error.class, FailureClass::Permission, "{error}");
    assert_eq!(error.retry, RetryAdvice::Never);
    assert_eq!(error.dispatched, Dispatched::No);
    assert!(error.message.contains(why), "{error}");
}

#[tokio::test]
async fn private_addresses_are_closed_however_they_are_written() {
    let server = Server::start(|_| Reply::json("{}")).await;
    let tool = HttpTool::new(spec(json!({"url": "{page}"}), json!({}))).unwrap();
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "localhost",
        "①②⑦.0.0.1",
        "10.0.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "100.64.0.1",
        "[fc00::1]",
    ] {
        let error = call(&tool, json!({"page": server.named(host, "/")}))
            .await
            .unwrap_err();
        is_refused(&error, "allow_private: true");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn some_addresses_are_never_called() {
    let tool = HttpTool::new(spec(
        json!({"url": "{page}"}),
        json!({"allow_private": true}),
    ))
    .unwrap();
    for host in [
        "169.254.169.254",
        "0.0.0.0",
        "[::]",
        "224.0.0.1",
        "[fe80::1]",
        "[64:ff9b::127.0.0.1]",
        "0xa9fea9fe",
    ] {
        let error = call(&tool, json!({"page": format!("http://{host}/")}))
            .await
            .unwrap_err();
        is_refused(&error, "never called");
    }
}

#[tokio::test]
async fn one_closed_address_of_a_name_closes_the_name() {
    let server = Server::start(|_| Reply::json("{}")).await;
    let closed = spec(json!({"url": server.named("a.test", "/")}), json!({}));
    for found in [
        &["127.0.0.1"][..],
        &["93.184.215.14", "127.0.0.1"],
        &["::ffff:127.0.0.1"],
    ] {
        let tool = HttpTool::new(closed.clone())
            .unwrap()
            .with_lookup(Found::each(&[found]));
        is_refused(
            &call(&tool, json!({})).await.unwrap_err(),
            "`a.test` is at the private address",
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn what_was_looked_at_is_what_is_connected_to() {
    let server = Server::start(|_| Reply::json("1")).await;
    let lookup = Found::each(&[&["127.0.0.1"], &["169.254.169.254"]]);
    let tool = tool_with(json!({"url": server.named("a.test", "/")}), lookup.clone());
    assert_eq!(call(&tool, json!({})).await.unwrap(), json!(1));
    assert_eq!(
        lookup.asked(),
        1,
        "nobody asked once more for the connection"
    );
    // the name now leads elsewhere
    is_refused(&call(&tool, json!({})).await.unwrap_err(), "never called");
    assert_eq!((lookup.asked(), server.connections()), (2, 1));
}
