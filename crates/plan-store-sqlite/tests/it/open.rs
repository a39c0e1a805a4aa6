//! Files that cannot be opened, and what the error says.

use std::fs;
use std::path::Path;

use plan_store::{Page, RunFilter, RunStore, StoreError};
use plan_store_sqlite::SqliteStore;
use rusqlite::Connection;

use crate::sample::{created, folder, open};

async fn reason(path: &Path) -> String {
    match SqliteStore::open(path).await {
        Err(StoreError::Open { location, reason }) => {
            assert!(location.ends_with(&*path.to_string_lossy()), "{location}");
            reason
        }
        other => panic!("`{}` gave {other:?}", path.display()),
    }
}

#[tokio::test]
async fn missing_folders_are_made() {
    let (folder, _) = folder();
    let path = folder.path().join("a/b/.planwright/state.db");
    let store = open(&path).await;
    assert!(
        store
            .list(&RunFilter::default(), &Page::default())
            .await
            .is_ok()
    );
    assert_eq!(store.path(), path);
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let (_folder, path) = folder();
    fs::write(&path, "").unwrap();
    created(&open(&path).await, "r", &[]).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = folder();
    let store = open(&path).await;
    created(&store, "r", &[]).await;
    for end in ["", "-wal", "-shm"] {
        let mut name = path.clone().into_os_string();
        name.push(end);
        let mode = fs::metadata(&name).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", name.display());
    }
}

#[tokio::test]
async fn a_path_that_looks_like_an_option_of_sqlite_is_a_path() {
    let (folder, _) = folder();
    for name in [":memory:", "file:x?mode=memory", "Ünïcode 世界 '\".db"] {
        let path = folder.path().join(name);
        created(&open(&path).await, "r", &[]).await;
        assert!(path.is_file(), "{name}");
    }
}

#[tokio::test]
async fn junk_is_refused_and_stays_as_it_is() {
    let (_folder, path) = folder();
    let junk = "not a database, but longer than the header of one. ".repeat(100);
    fs::write(&path, &junk).unwrap();
    assert_eq!(reason(&path).await, "it is not a SQLite database");
    assert_eq!(fs::read_to_string(&path).unwrap(), junk);
}

#[tokio::test]
async fn the_database_of_another_program_is_refused_and_stays_as_it_is() {
    let (_folder, path) = folder();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    assert_eq!(reason(&path).await, "it is the database of another program");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn case_55_a_newer_schema_is_refused_and_stays_as_it_is() {
    let (_folder, path) = folder();
    drop(open(&path).await);
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    newer
        .query_row("PRAGMA journal_mode = delete", [], |_| Ok(()))
        .unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    let refused = SqliteStore::open(&path).await.unwrap_err();
    assert_eq!(
        refused,
        StoreError::NewerSchema {
            found: 99,
            supported: 1
        }
    );
    assert_eq!(
        refused.to_string(),
        "the store has schema 99, and this release reads up to 1: use a newer release"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let (folder, path) = folder();
    assert_eq!(reason(folder.path()).await, "it is a folder");
    fs::write(&path, "").unwrap();
    let below = reason(&path.join("below.db")).await;
    assert!(below.starts_with("the folder `"), "{below}");
    let empty = SqliteStore::open("").await.unwrap_err();
    assert_eq!(
        empty.to_string(),
        "cannot open the store ``: the path is empty"
    );
}

/// Where nobody may write, not even an administrator.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_takes_no_files_is_refused() {
    let made = reason(Path::new("/proc/self/state.db")).await;
    assert!(made.starts_with("it cannot be made ("), "{made}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_refused_exactly_where_this_user_may_not_write_it() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, path) = folder();
    let store = open(&path).await;
    created(&store, "r", &[]).await;
    drop(store);
    let may_not = |mode: u32| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    may_not(0o400);
    let bars = fs::OpenOptions::new().append(true).open(&path).is_err();
    if bars {
        assert_eq!(reason(&path).await, "it may not be written");
    } else {
        // an administrator may write whatever the mode says
        drop(open(&path).await);
    }
    may_not(0o600);
    drop(folder);
}

#[tokio::test]
async fn stores_that_open_a_new_file_at_once_all_get_it() {
    let (_folder, path) = folder();
    let mut opening = tokio::task::JoinSet::new();
    for number in 0..8 {
        let path = path.clone();
        opening.spawn(async move {
            let store = open(&path).await;
            created(&store, &format!("run-{number}"), &["a"]).await;
        });
    }
    opening.join_all().await;
    let page = open(&path)
        .await
        .list(&RunFilter::default(), &Page::default())
        .await
        .unwrap();
    assert_eq!(page.heads.len(), 8);
}
