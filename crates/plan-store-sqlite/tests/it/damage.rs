//! Damaged files: what is damaged is reported and set aside, and the rest goes on.

use std::path::Path;

use plan_model::{Digest, PlanId, PlanStatus};
use plan_run::RunId;
use plan_store::{
    Claim, Maintain, Page, Place, PlanStore, RunFilter, RunStore, RunStoreExt, Sequence,
    StoreError, StoredPlan, Unreadable, VersionSpec,
};
use rusqlite::Connection;

use crate::sample::{created, folder, open, owner, record};

/// Changes the file behind the back of its store.
fn tamper(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    let changed = connection.execute(sql, []).unwrap();
    assert!(changed > 0, "`{sql}` changed nothing");
}

/// The condition that selects a record of the first run.
fn record_of_first_run(sequence: u32) -> String {
    format!("key = (SELECT min(id) FROM runs) * 4294967296 + {sequence}")
}

fn unreadable(run: &RunId, sequence: u64, reason: &str) -> StoreError {
    StoreError::Unreadable(Unreadable {
        place: Place::Record(run.clone(), Sequence::new(sequence)),
        reason: reason.to_owned(),
    })
}

#[tokio::test]
async fn case_55_a_damaged_record_is_set_aside_and_the_rest_goes_on() {
    for (sql, reason) in [
        (
            "UPDATE records SET bytes = x'00ff' WHERE",
            "its checksum does not match its bytes",
        ),
        (
            "UPDATE records SET bytes = x'' WHERE",
            "its checksum does not match its bytes",
        ),
        ("DELETE FROM records WHERE", "it is missing"),
    ] {
        let (_folder, path) = folder();
        let store = open(&path).await;
        let bad = created(&store, "bad", &["a", "b", "c"]).await;
        let good = created(&store, "good", &["a", "b"]).await;
        drop(store);
        tamper(&path, &format!("{sql} {}", record_of_first_run(2)));

        let store = open(&path).await;
        let expected = unreadable(&bad, 2, reason);
        assert_eq!(store.journal(&bad).await, Err(expected.clone()), "{sql}");
        assert_eq!(
            expected.to_string(),
            format!("record 2 of run `bad` cannot be read: {reason}")
        );
        // nothing drives it, in whatever process, and it is still reported
        let again = open(&path).await;
        let claim = again.claim(&bad, &owner("a"), Claim::Acquire).await;
        assert_eq!(claim, Err(expected.clone()), "{sql}");
        let found = again.integrity().await.unwrap();
        assert_eq!(
            found
                .unreadable
                .iter()
                .cloned()
                .map(StoreError::from)
                .collect::<Vec<_>>(),
            [expected],
            "{sql}"
        );
        // the rest is as it was
        let journal = store.journal(&good).await.unwrap();
        assert_eq!(journal.records, ["a", "b"].map(record));
        assert!(
            store
                .claim(&good, &owner("a"), Claim::Acquire)
                .await
                .is_ok()
        );
        let listed = store.list(&RunFilter::default(), &Page::default()).await;
        assert_eq!(listed.unwrap().heads.len(), 2, "{sql}");
    }
}

#[tokio::test]
async fn integrity_finds_damage_before_anybody_reads_it() {
    let (_folder, path) = folder();
    let store = open(&path).await;
    let bad = created(&store, "bad", &["a", "b", "c"]).await;
    created(&store, "good", &["a"]).await;
    let sound = store.integrity().await.unwrap();
    assert!(sound.is_sound());
    assert_eq!((sound.runs, sound.records, sound.plans), (2, 4, 0));

    tamper(
        &path,
        &format!("DELETE FROM records WHERE {}", record_of_first_run(3)),
    );
    tamper(
        &path,
        &format!(
            "UPDATE records SET bytes = x'01' WHERE {}",
            record_of_first_run(1)
        ),
    );
    let found = store.integrity().await.unwrap();
    let places: Vec<&Place> = found.unreadable.iter().map(|it| &it.place).collect();
    assert_eq!(
        places,
        [
            &Place::Record(bad.clone(), Sequence::new(1)),
            &Place::Record(bad.clone(), Sequence::new(3)),
        ]
    );
    let claim = store.claim(&bad, &owner("a"), Claim::Acquire).await;
    assert!(matches!(claim, Err(StoreError::Unreadable(_))), "{claim:?}");
}

#[tokio::test]
async fn case_55_a_damaged_head_is_named_in_the_list_and_hides_nothing() {
    for sql in [
        "UPDATE runs SET status = 'exploded' WHERE run = 'b'",
        "UPDATE runs SET plan = 'not a uuid' WHERE run = 'b'",
        "UPDATE runs SET plan_version = -1 WHERE run = 'b'",
    ] {
        let (_folder, path) = folder();
        let store = open(&path).await;
        for id in ["a", "b", "c"] {
            created(&store, id, &["x"]).await;
        }
        tamper(&path, sql);
        for limit in [1, 2, 100] {
            let (mut heads, mut damaged) = (Vec::new(), Vec::new());
            let mut page = Page::first(limit);
            loop {
                let shown = store.list(&RunFilter::default(), &page).await.unwrap();
                heads.extend(shown.heads.into_iter().map(|head| head.run.to_string()));
                damaged.extend(shown.unreadable.into_iter().map(|it| it.place));
                match shown.next {
                    Some(cursor) => page = Page::after(cursor, limit),
                    None => break,
                }
            }
            assert_eq!(heads, ["a", "c"], "{sql}");
            assert_eq!(damaged, [Place::Run("b".to_owned())], "{sql}");
        }
        let found = store.integrity().await.unwrap();
        assert_eq!(found.unreadable.len(), 1, "{sql}");
    }
}

#[tokio::test]
async fn a_damaged_plan_is_named_and_hides_nothing() {
    let (_folder, path) = folder();
    let store = open(&path).await;
    let plan = |name: &str| StoredPlan {
        id: PlanId::of_bytes(name.as_bytes()),
        version: 1,
        digest: Digest::of_bytes(name.as_bytes()),
        name: name.to_owned(),
        status: PlanStatus::Published,
        document: "{}".to_owned(),
    };
    let (good, bad) = (plan("good"), plan("bad"));
    for plan in [&good, &bad] {
        store.put(plan.clone(), None).await.unwrap();
    }
    tamper(&path, "UPDATE plans SET digest = 'x' WHERE name = 'bad'");
    let place = Place::Plan(bad.id.to_string(), 1);
    let got = store.get(bad.id, VersionSpec::Current).await;
    assert!(
        matches!(&got, Err(StoreError::Unreadable(damage)) if damage.place == place),
        "{got:?}"
    );
    let listed = store.plans(&Page::first(10)).await.unwrap();
    assert_eq!(listed.heads.len(), 1);
    assert_eq!(listed.unreadable[0].place, place);
    assert_eq!(store.integrity().await.unwrap().unreadable.len(), 1);
    assert_eq!(store.get(good.id, VersionSpec::Exact(1)).await, Ok(good));
}

#[tokio::test]
async fn a_file_with_torn_pages_gives_errors_and_no_panic() {
    let (_folder, path) = folder();
    let store = open(&path).await;
    for number in 0..50 {
        let text = "x".repeat(500);
        created(&store, &format!("run-{number}"), &[&text, &text, &text]).await;
    }
    drop(store);
    let folded = Connection::open(&path).unwrap();
    folded
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    drop(folded);
    let whole = std::fs::read(&path).unwrap();
    let pages = whole.len() / 4096;
    for page in 1..pages {
        let mut torn = whole.clone();
        torn[page * 4096..(page + 1) * 4096].fill(0xa5);
        std::fs::write(&path, &torn).unwrap();
        // whether it opens depends on the page; whatever happens is said
        if let Ok(store) = plan_store_sqlite::SqliteStore::open(&path).await {
            let _ = store.list(&RunFilter::default(), &Page::default()).await;
            let found = store.integrity().await;
            let said = found.as_ref().map_or(true, |found| !found.is_sound());
            assert!(said, "page {page}: {found:?}");
        }
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", path.display()));
        }
    }
}
