//! Secrets from the environment, a file and a folder.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use plan_exec::SecretSource;
use plan_model::SecretName;
use plan_tools::{EnvironmentSecrets, FileSecrets};

async fn ask(source: &dyn SecretSource, name: &str) -> Option<String> {
    let name = SecretName::new(name).unwrap();
    let secret = source.secret(&name).await.unwrap();
    secret.map(|secret| secret.expose().to_owned())
}

fn write(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[tokio::test]
async fn the_environment_has_what_its_prefix_allows() {
    let package = Some(env!("CARGO_PKG_NAME").to_owned());
    assert_eq!(
        ask(&EnvironmentSecrets::new(), "CARGO_PKG_NAME").await,
        package
    );
    let prefixed = EnvironmentSecrets::with_prefix("CARGO_PKG_");
    assert_eq!(ask(&prefixed, "NAME").await, package);
    assert_eq!(ask(&prefixed, "CARGO_PKG_NAME").await, None);
}

#[tokio::test]
async fn a_file_of_either_notation_and_a_folder_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let json = write(folder.path(), "s.json", r#"{"KEY": "a b", "OTHER": "x"}"#);
    let yaml = write(folder.path(), "s.yaml", "KEY: a b\nOTHER: x\n");
    let mounted = folder.path().join("mounted");
    std::fs::create_dir(&mounted).unwrap();
    write(&mounted, "KEY", "a b\n");
    write(&mounted, "OTHER", "x");
    for path in [json, yaml, mounted] {
        let secrets = FileSecrets::open(&path).unwrap();
        for (name, value) in [("KEY", Some("a b")), ("OTHER", Some("x")), ("NONE", None)] {
            let value = value.map(str::to_owned);
            assert_eq!(
                ask(&secrets, name).await,
                value,
                "{} {name}",
                path.display()
            );
        }
    }
}

#[tokio::test]
async fn a_secret_that_was_rotated_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "s.json", r#"{"KEY": "old"}"#);
    let secrets = FileSecrets::open(&path).unwrap();
    write(folder.path(), "s.json", r#"{"KEY": "new"}"#);
    assert_eq!(ask(&secrets, "KEY").await, Some("new".to_owned()));
}

#[tokio::test]
async fn a_fault_says_where_and_nothing_of_what_the_file_holds() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        r#"{"KEY": ["canary"]}"#,
        "canary: [",
        "- canary",
        r#"{"KEY": "canary"#,
    ] {
        let path = write(folder.path(), "s.json", text);
        let error = FileSecrets::open(&path).unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(
            told.contains("s.json") && !told.contains("canary"),
            "{told}"
        );
    }
    assert!(FileSecrets::open(folder.path().join("none")).is_err());
    let big = "x".repeat(2 << 20);
    write(folder.path(), "KEY", &big);
    let secrets = FileSecrets::open(folder.path()).unwrap();
    let error = secrets
        .secret(&SecretName::new("KEY").unwrap())
        .await
        .unwrap_err();
    assert!(!error.to_string().contains("xxx"), "{error}");
}

#[test]
fn secrets_that_others_may_read_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "s.json", "{}");
    let mode = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    let secrets = FileSecrets::open(&path).unwrap();
    mode(0o600);
    assert_eq!(secrets.exposure(), None);
    mode(0o644);
    let warning = secrets.exposure().unwrap();
    assert!(
        warning.contains("mode 644") && warning.contains("chmod go="),
        "{warning}"
    );
}
