//! The direction of dependencies, as an allow-list over `cargo metadata`.
//!
//! A crate may depend on what its row names and on what those rows name in turn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Untidy;

/// Each crate of the workspace, and the crates right below it.
const ALLOWED: &[(&str, &[&str])] = &[
    ("plan-model", &[]),
    ("plan-validate", &["plan-model"]),
    ("plan-run", &["plan-validate"]),
    ("plan-store", &["plan-run"]),
    ("plan-store-sqlite", &["plan-store"]),
    ("plan-llm", &[]),
    ("plan-exec", &["plan-store", "plan-llm"]),
    ("plan-tools", &["plan-exec"]),
    ("planwright", &["plan-tools", "plan-store-sqlite"]),
    ("plan-cli", &["planwright"]),
    ("plan-testkit", &["plan-exec"]),
    ("xtask", &[]),
];

/// Crates that no core crate may reach, by any path: the core stays light.
const CORE: &[&str] = &[
    "plan-model",
    "plan-validate",
    "plan-run",
    "plan-store",
    "plan-llm",
    "plan-exec",
];
const HEAVY: &[&str] = &[
    "rustls",
    "openssl",
    "hyper",
    "reqwest",
    "rusqlite",
    "tokio-postgres",
    "rmcp",
];

/// Crates that a pure crate may not depend on directly: it has no clock, runtime or file system.
const PURE: &[&str] = &["plan-model", "plan-validate", "plan-run", "plan-llm"];
const IMPURE: &[&str] = &["tokio", "futures", "rand", "tempfile", "rustix"];

pub(super) fn check(root: &Path) -> Vec<Untidy> {
    match metadata(root) {
        Ok(metadata) => examine(&metadata),
        Err(why) => vec![Untidy::new("cargo metadata", why)],
    }
}

fn metadata(root: &Path) -> Result<Value, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn examine(metadata: &Value) -> Vec<Untidy> {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let members: BTreeSet<&str> = array(metadata, "workspace_members")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut untidy = Vec::new();
    let mut names = BTreeMap::new();
    for package in array(metadata, "packages") {
        let (name, id) = (text(package, "name"), text(package, "id"));
        names.insert(id, name);
        if !members.contains(id) {
            continue;
        }
        if !allowed.contains_key(name) {
            untidy.push(Untidy::new(
                name,
                "is not in the table of allowed dependencies",
            ));
            continue;
        }
        let below = closure(name, &allowed);
        for dependency in array(package, "dependencies") {
            let on = text(dependency, "name");
            let kind = dependency.get("kind").and_then(Value::as_str);
            if on == "plan-testkit" {
                if kind != Some("dev") {
                    untidy.push(Untidy::new(
                        name,
                        "depends on `plan-testkit` outside its tests",
                    ));
                }
            } else if kind != Some("dev") && allowed.contains_key(on) && !below.contains(on) {
                untidy.push(Untidy::new(name, format!("may not depend on `{on}`")));
            } else if kind.is_none() && PURE.contains(&name) && IMPURE.contains(&on) {
                untidy.push(Untidy::new(
                    name,
                    format!("is pure and may not depend on `{on}`"),
                ));
            }
        }
    }
    untidy.extend(heavy(metadata, &names));
    untidy
}

fn closure<'a>(name: &'a str, allowed: &BTreeMap<&'a str, &'a [&'a str]>) -> BTreeSet<&'a str> {
    let mut below = BTreeSet::new();
    let mut open = vec![name];
    while let Some(next) = open.pop() {
        for &deeper in allowed.get(next).copied().unwrap_or_default() {
            if below.insert(deeper) {
                open.push(deeper);
            }
        }
    }
    below
}

fn heavy(metadata: &Value, names: &BTreeMap<&str, &str>) -> Vec<Untidy> {
    let nodes: BTreeMap<&str, &Value> = metadata
        .get("resolve")
        .map(|resolve| array(resolve, "nodes"))
        .unwrap_or_default()
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let mut untidy = Vec::new();
    for (&id, &name) in names.iter().filter(|(_, name)| CORE.contains(name)) {
        let (mut seen, mut open) = (BTreeSet::from([id]), vec![id]);
        while let Some(next) = open.pop() {
            let Some(node) = nodes.get(next) else {
                continue;
            };
            for dependency in array(node, "deps") {
                let normal = array(dependency, "dep_kinds")
                    .iter()
                    .any(|kind| kind.get("kind").is_some_and(Value::is_null));
                let pkg = text(dependency, "pkg");
                if normal && seen.insert(pkg) {
                    open.push(pkg);
                }
            }
        }
        for reached in seen
            .iter()
            .filter_map(|id| names.get(id))
            .filter(|reached| HEAVY.contains(reached))
        {
            untidy.push(Untidy::new(
                name,
                format!("is a core crate and reaches `{reached}`"),
            ));
        }
    }
    untidy
}

fn array<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value
        .get(member)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value
        .get(member)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata_of(name: &str, dependency: &str, kind: Option<&str>) -> Value {
        json!({
            "workspace_members": ["a"],
            "packages": [{"name": name, "id": "a", "dependencies": [{"name": dependency, "kind": kind}]}],
        })
    }

    #[test]
    fn an_edge_against_the_direction_is_untidy() {
        let found = examine(&metadata_of("plan-model", "plan-run", None));
        assert_eq!(
            found,
            [Untidy::new("plan-model", "may not depend on `plan-run`")]
        );
    }

    #[test]
    fn an_edge_along_the_direction_is_fine() {
        assert!(examine(&metadata_of("plan-exec", "plan-model", None)).is_empty());
    }

    #[test]
    fn the_testkit_is_for_tests_alone() {
        assert_eq!(
            examine(&metadata_of("plan-exec", "plan-testkit", None)).len(),
            1
        );
        assert!(examine(&metadata_of("plan-exec", "plan-testkit", Some("dev"))).is_empty());
    }

    #[test]
    fn a_pure_crate_has_no_runtime() {
        assert_eq!(examine(&metadata_of("plan-run", "tokio", None)).len(), 1);
    }
}
