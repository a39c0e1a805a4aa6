//! Journals: order, bytes, sequences, pages.

use std::collections::BTreeMap;

use plan_run::RunStatus;
use plan_store::{
    Claim, Entity, HeadUpdate, Page, Record, RunFilter, RunHead, RunStore, RunStoreExt, Sequence,
    StoreError, Writer,
};

use super::Fixture;
use super::sample::{at, head, owner, record, run, running};

pub(super) async fn a_new_run_holds_its_first_records(fixture: &Fixture) {
    let store = fixture.store();
    let records = vec![record("one"), record("two")];
    let end = store.create(&head("r"), records.clone()).await.unwrap();
    assert_eq!(end, Sequence::new(2));
    let page = store.read(&run("r"), Sequence::START).await.unwrap();
    assert_eq!(page.head, head("r"));
    assert_eq!(page.records, records);
    assert_eq!(page.end, end);
}

pub(super) async fn a_run_may_begin_without_records(fixture: &Fixture) {
    let store = fixture.store();
    let end = store.create(&head("r"), Vec::new()).await.unwrap();
    assert_eq!(end, Sequence::START);
    let page = store.read(&run("r"), Sequence::START).await.unwrap();
    assert_eq!((page.records.len(), page.end), (0, Sequence::START));
    let end = store
        .append(
            &run("r"),
            end,
            Writer::External,
            running(),
            vec![record("a")],
        )
        .await
        .unwrap();
    assert_eq!(end, Sequence::new(1));
}

pub(super) async fn creating_a_run_twice_is_refused_and_changes_nothing(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &["first"]).await;
    let other = RunHead {
        plan_name: "other".to_owned(),
        tags: BTreeMap::from([("new".to_owned(), "tag".to_owned())]),
        ..head("r")
    };
    let refused = store.create(&other, vec![record("second"), record("third")]);
    assert_eq!(
        refused.await,
        Err(StoreError::AlreadyExists { run: id.clone() })
    );
    let journal = store.journal(&id).await.unwrap();
    assert_eq!(journal.head, head("r"));
    assert_eq!(journal.records, [record("first")]);
}

pub(super) async fn an_unknown_run_is_not_found_by_any_call(fixture: &Fixture) {
    let store = fixture.store();
    fixture.created("known", &["a"]).await;
    let id = run("unknown");
    let not_found = StoreError::NotFound {
        what: Entity::Run(id.clone()),
    };
    let read = store.read(&id, Sequence::START).await;
    assert_eq!(read.unwrap_err(), not_found);
    let append = store
        .append(
            &id,
            Sequence::START,
            Writer::External,
            running(),
            Vec::new(),
        )
        .await;
    assert_eq!(append.unwrap_err(), not_found);
    for action in [Claim::Acquire, Claim::Renew, Claim::Release] {
        let claim = store.claim(&id, &owner("a"), action).await;
        assert_eq!(claim.unwrap_err(), not_found, "{action:?}");
    }
}

pub(super) async fn records_keep_their_order_and_every_byte(fixture: &Fixture) {
    let store = fixture.store();
    let every_byte: Vec<u8> = (0..=255).collect();
    let records = vec![
        Record::new(every_byte),
        Record::new(Vec::new()),
        Record::new("Grüße, 世界 \u{1F680} \0 '; DROP TABLE runs; --"),
        Record::new(vec![0xff, 0xfe, 0x00]),
        Record::new("a"),
        Record::new("a"),
    ];
    let (first, rest) = records.split_at(2);
    let end = store.create(&head("r"), first.to_vec()).await.unwrap();
    store
        .append(&run("r"), end, Writer::External, running(), rest.to_vec())
        .await
        .unwrap();
    assert_eq!(store.journal(&run("r")).await.unwrap().records, records);
}

pub(super) async fn names_and_tags_keep_every_character(fixture: &Fixture) {
    let store = fixture.store();
    let head = RunHead {
        plan_name: "Wöchentlich «報告» \u{1F4C8} 'x' \"y\" \n\t".to_owned(),
        plan_version: u64::from(u32::MAX),
        tags: BTreeMap::from([
            (String::new(), String::new()),
            ("ключ".to_owned(), "значение = %_'\"".to_owned()),
        ]),
        ..head("a.b_c-9")
    };
    store.create(&head, Vec::new()).await.unwrap();
    assert_eq!(store.journal(&head.run).await.unwrap().head, head);
    let listed = store.list(&RunFilter::default(), &Page::default()).await;
    assert_eq!(listed.unwrap().heads, [head]);
}

pub(super) async fn a_wrong_sequence_conflicts_and_writes_nothing(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &["a", "b"]).await;
    let actual = Sequence::new(2);
    for expected in [Sequence::START, Sequence::new(1), Sequence::new(3)] {
        let finished = HeadUpdate::new(RunStatus::Failed, at(9));
        let refused = store
            .append(&id, expected, Writer::External, finished, vec![record("x")])
            .await;
        assert_eq!(refused, Err(StoreError::Sequence { expected, actual }));
    }
    let journal = store.journal(&id).await.unwrap();
    assert_eq!(journal.records, [record("a"), record("b")]);
    assert_eq!(journal.head, head("r"));
}

pub(super) async fn an_append_changes_the_head_with_its_records(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &["a"]).await;
    let update = HeadUpdate::new(RunStatus::Waiting, at(70)).with_plan_version(4);
    store
        .append(
            &id,
            Sequence::new(1),
            Writer::External,
            update,
            vec![record("b")],
        )
        .await
        .unwrap();
    let expected = RunHead {
        status: RunStatus::Waiting,
        updated_at: at(70),
        plan_version: 4,
        ..head("r")
    };
    assert_eq!(store.journal(&id).await.unwrap().head, expected);
    let listed = store.list(&RunFilter::default(), &Page::default()).await;
    assert_eq!(listed.unwrap().heads, [expected]);
}

pub(super) async fn an_append_of_no_records_changes_the_head_alone(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &["a"]).await;
    let update = HeadUpdate::new(RunStatus::Succeeded, at(5));
    let end = store
        .append(&id, Sequence::new(1), Writer::External, update, Vec::new())
        .await
        .unwrap();
    assert_eq!(end, Sequence::new(1));
    let journal = store.journal(&id).await.unwrap();
    assert_eq!(journal.records, [record("a")]);
    assert_eq!(journal.head.status, RunStatus::Succeeded);
}

pub(super) async fn reading_goes_on_from_any_place(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &["a", "b", "c"]).await;
    fixture.created("s", &["other"]).await;
    for (after, expected) in [
        (0, vec!["a", "b", "c"]),
        (1, vec!["b", "c"]),
        (2, vec!["c"]),
        (3, vec![]),
        (4, vec![]),
        (u64::MAX, vec![]),
    ] {
        let page = store.read(&id, Sequence::new(after)).await.unwrap();
        let expected: Vec<Record> = expected.into_iter().map(record).collect();
        assert_eq!(page.records, expected, "after {after}");
        assert_eq!(page.end, Sequence::new(3), "after {after}");
    }
}

pub(super) async fn a_record_of_one_mebibyte_comes_back(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &[]).await;
    let bytes = |seed: usize| -> Vec<u8> {
        (0..1 << 20)
            .map(|at: usize| at.wrapping_mul(31).wrapping_add(seed).to_le_bytes()[0])
            .collect()
    };
    let records: Vec<Record> = (0..6).map(|seed| Record::new(bytes(seed))).collect();
    store
        .append(
            &id,
            Sequence::START,
            Writer::External,
            running(),
            records.clone(),
        )
        .await
        .unwrap();
    let journal = store.journal(&id).await.unwrap();
    // not `assert_eq!`, which would print megabytes
    assert!(journal.records == records);
}

pub(super) async fn ten_thousand_records_are_read_page_by_page(fixture: &Fixture) {
    const RECORDS: usize = 10_000;
    let store = fixture.store();
    let id = fixture.created("r", &[]).await;
    let records: Vec<Record> = (0..RECORDS)
        .map(|n| record(&format!("record {n}")))
        .collect();
    let mut end = Sequence::START;
    for chunk in records.chunks(1_000) {
        end = store
            .append(&id, end, Writer::External, running(), chunk.to_vec())
            .await
            .unwrap();
    }
    assert_eq!(end, Sequence::START.plus(RECORDS));
    let mut read = Vec::new();
    let mut pages = 0;
    while read.len() < RECORDS {
        let place = Sequence::START.plus(read.len());
        let page = store.read(&id, place).await.unwrap();
        assert_eq!(page.end, end);
        assert!(!page.records.is_empty(), "no progress at {place}");
        read.extend(page.records);
        pages += 1;
    }
    assert!(pages > 1, "a page must be bounded");
    assert!(read == records);
}

pub(super) async fn external_records_interleave_with_those_of_the_owner(fixture: &Fixture) {
    let store = fixture.store();
    let id = fixture.created("r", &["created"]).await;
    let fence = store
        .claim(&id, &owner("me"), Claim::Acquire)
        .await
        .unwrap();
    let mine = Writer::Fence(fence);
    let one = Sequence::new(1);
    let append = |expected, writer, text: &'static str| {
        store.append(&id, expected, writer, running(), vec![record(text)])
    };
    append(one, mine, "started").await.unwrap();
    append(Sequence::new(2), Writer::External, "cancel")
        .await
        .unwrap();
    // the owner decided before it saw the request: it must look again
    let stale = append(Sequence::new(2), mine, "started").await;
    let actual = Sequence::new(3);
    assert_eq!(
        stale,
        Err(StoreError::Sequence {
            expected: Sequence::new(2),
            actual
        })
    );
    append(actual, mine, "cancelled").await.unwrap();
    let journal = store.journal(&id).await.unwrap();
    let expected = ["created", "started", "cancel", "cancelled"].map(record);
    assert_eq!(journal.records, expected);
}
