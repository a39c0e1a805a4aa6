//! What was written is there for the next store on the file.

use plan_model::{Digest, PlanId, PlanStatus};
use plan_store::{
    Claim, ManualClock, PlanStore, RunStore, RunStoreExt, Sequence, StoreError, StoredPlan,
    VersionSpec, Writer,
};
use plan_store_sqlite::{Durability, SqliteStore};

use crate::sample::{append_anywhere, created, folder, head, open, owner, record, run, running};

#[tokio::test]
async fn a_second_store_sees_what_the_first_one_wrote() {
    let (_folder, path) = folder();
    let first = open(&path).await;
    let id = created(&first, "r", &["a", "b"]).await;
    let plan = StoredPlan {
        id: PlanId::of_bytes(b"plan"),
        version: 3,
        digest: Digest::of_bytes(b"{}"),
        name: "plan".to_owned(),
        status: PlanStatus::Draft,
        document: "{}".to_owned(),
    };
    first.put(plan.clone(), None).await.unwrap();

    // while the first one lives
    let second = open(&path).await;
    assert_eq!(second.journal(&id).await.unwrap().head, head("r"));
    append_anywhere(&second, &id, "c").await;
    assert_eq!(first.journal(&id).await.unwrap().end, Sequence::new(3));

    // and after both are gone
    drop((first, second));
    let third = open(&path).await;
    let journal = third.journal(&id).await.unwrap();
    assert_eq!(journal.records, ["a", "b", "c"].map(record));
    let loaded = third.get(plan.id, VersionSpec::Current).await;
    assert_eq!(loaded, Ok(plan));
}

#[tokio::test]
async fn a_claim_is_respected_by_another_store_and_ends_with_its_own() {
    let (_folder, path) = folder();
    let (first, second) = (open(&path).await, open(&path).await);
    let id = created(&first, "r", &[]).await;
    let old = first.claim(&id, &owner("a"), Claim::Acquire).await.unwrap();
    let refused = second.claim(&id, &owner("b"), Claim::Acquire).await;
    assert!(
        matches!(refused, Err(StoreError::Claimed { .. })),
        "{refused:?}"
    );

    // long before its time is over
    drop(first);
    let new = second
        .claim(&id, &owner("b"), Claim::Acquire)
        .await
        .unwrap();
    assert!(new > old);
    let fenced = second
        .append(
            &id,
            Sequence::START,
            Writer::Fence(old),
            running(),
            Vec::new(),
        )
        .await;
    assert_eq!(fenced, Err(StoreError::Fenced { run: id }));
}

#[tokio::test]
async fn an_owner_that_lives_but_sleeps_loses_its_claim_with_time() {
    let (_folder, path) = folder();
    let clock = ManualClock::default();
    let options = SqliteStore::options().clock(clock.clone());
    let first = options.clone().open(&path).await.unwrap();
    let second = options.open(&path).await.unwrap();
    let id = created(&first, "r", &[]).await;
    let old = first.claim(&id, &owner("a"), Claim::Acquire).await.unwrap();
    clock.advance(plan_store::CLAIM_TTL);
    let new = second
        .claim(&id, &owner("b"), Claim::Acquire)
        .await
        .unwrap();
    assert!(new > old);
    let renewed = first.claim(&id, &owner("a"), Claim::Renew).await;
    assert_eq!(renewed, Err(StoreError::Fenced { run: id }));
}

#[tokio::test]
async fn two_stores_that_use_one_owner_name_do_not_share_a_run() {
    let (_folder, path) = folder();
    let (first, second) = (open(&path).await, open(&path).await);
    let id = created(&first, "r", &[]).await;
    first
        .claim(&id, &owner("same"), Claim::Acquire)
        .await
        .unwrap();
    let refused = second.claim(&id, &owner("same"), Claim::Acquire).await;
    assert!(
        matches!(refused, Err(StoreError::Claimed { .. })),
        "{refused:?}"
    );
    drop(first);
    assert!(
        second
            .claim(&id, &owner("same"), Claim::Acquire)
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn nothing_is_left_beside_the_file_when_all_claims_are_released() {
    let (folder, path) = folder();
    let store = open(&path).await;
    let id = created(&store, "r", &[]).await;
    store.claim(&id, &owner("a"), Claim::Acquire).await.unwrap();
    let lock = folder.path().join("state.db.owners/a.lock");
    assert!(lock.exists());
    store.claim(&id, &owner("a"), Claim::Release).await.unwrap();
    assert!(!lock.exists());
    drop(store);
    assert!(!folder.path().join("state.db.owners").exists());
}

#[tokio::test]
async fn both_durabilities_keep_what_they_acknowledged() {
    for durability in [Durability::PowerLoss, Durability::ProcessCrash] {
        let (_folder, path) = folder();
        let options = SqliteStore::options().durability(durability);
        let store = options.clone().open(&path).await.unwrap();
        created(&store, "r", &["a"]).await;
        drop(store);
        let store = options.open(&path).await.unwrap();
        assert_eq!(
            store.journal(&run("r")).await.unwrap().end,
            Sequence::new(1)
        );
    }
}

#[tokio::test]
async fn bytes_written_grow_with_the_records_and_not_with_the_journal() {
    const STEPS: u64 = 400;
    let (_folder, path) = folder();
    let store = SqliteStore::options()
        .durability(Durability::ProcessCrash)
        .open(&path)
        .await
        .unwrap();
    let id = created(&store, "r", &[]).await;
    let size = || std::fs::metadata(&path).unwrap().len();
    let mut sizes = Vec::new();
    for half in 0..4 {
        for step in 0..STEPS {
            let expected = Sequence::new(half * STEPS + step);
            let records = vec![record(&"x".repeat(1_000))];
            store
                .append(&id, expected, Writer::External, running(), records)
                .await
                .unwrap();
        }
        // folds the log into the file
        let folded = rusqlite::Connection::open(&path).unwrap();
        folded
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
        sizes.push(size());
    }
    let grown: Vec<u64> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for bytes in &grown {
        // 1,000 bytes a record, plus what pages leave empty
        assert!(*bytes < STEPS * 1_500, "{grown:?}");
        assert!(*bytes >= STEPS * 1_000, "{grown:?}");
    }
}
