//! Lists of runs: order, filters, pages.

use std::collections::BTreeMap;

use plan_model::PlanId;
use plan_run::RunStatus;
use plan_store::{
    HeadUpdate, Page, RunCursor, RunFilter, RunHead, RunPage, RunStore, Sequence, Writer,
};

use super::Fixture;
use super::sample::{at, head, run};

impl Fixture {
    async fn listed(&self, filter: &RunFilter, page: &Page) -> RunPage {
        let page = self.store().list(filter, page).await.unwrap();
        assert!(page.unreadable.is_empty());
        page
    }

    /// A run that began at a time.
    async fn begun(&self, id: &str, millis: i64) -> RunHead {
        let head = RunHead {
            created_at: at(millis),
            ..head(id)
        };
        self.store().create(&head, Vec::new()).await.unwrap();
        head
    }

    /// All runs, read in pages of `limit`.
    async fn paged(&self, filter: &RunFilter, limit: usize) -> Vec<String> {
        let mut all = Vec::new();
        let mut page = Page::first(limit);
        loop {
            let shown = self.listed(filter, &page).await;
            assert!(shown.heads.len() <= limit);
            all.extend(names(&shown));
            match shown.next {
                Some(cursor) => page = Page::after(cursor, limit),
                None => return all,
            }
        }
    }
}

fn names(page: &RunPage) -> Vec<String> {
    page.heads.iter().map(|head| head.run.to_string()).collect()
}

pub(super) async fn runs_are_listed_newest_first_and_then_by_id(fixture: &Fixture) {
    for (id, millis) in [("b", 1), ("old", -5), ("c", 1), ("new", 9), ("a", 1)] {
        fixture.begun(id, millis).await;
    }
    let page = fixture
        .listed(&RunFilter::default(), &Page::first(10))
        .await;
    assert_eq!(names(&page), ["new", "a", "b", "c", "old"]);
    assert_eq!(page.next, None);
}

pub(super) async fn filters_admit_what_matches_all_of_them(fixture: &Fixture) {
    let (mine, other) = (PlanId::of_bytes(b"mine"), PlanId::of_bytes(b"other"));
    let tags = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    };
    for (id, plan, status, tags) in [
        (
            "a",
            mine,
            RunStatus::Running,
            tags(&[("team", "search"), ("env", "test")]),
        ),
        ("b", mine, RunStatus::Failed, tags(&[("team", "search")])),
        (
            "c",
            other,
            RunStatus::Waiting,
            tags(&[("team", "ads"), ("env", "test")]),
        ),
        ("d", other, RunStatus::Running, tags(&[])),
    ] {
        let head = RunHead {
            plan,
            status,
            tags,
            ..head(id)
        };
        fixture.store().create(&head, Vec::new()).await.unwrap();
    }
    let all = RunFilter::default;
    for (filter, expected) in [
        (all(), vec!["a", "b", "c", "d"]),
        (all().with_plan(mine), vec!["a", "b"]),
        (all().with_status(RunStatus::Running), vec!["a", "d"]),
        (
            all()
                .with_status(RunStatus::Failed)
                .with_status(RunStatus::Waiting),
            vec!["b", "c"],
        ),
        (all().with_status(RunStatus::Cancelled), vec![]),
        (all().with_tag("team", "search"), vec!["a", "b"]),
        (
            all().with_tag("team", "search").with_tag("env", "test"),
            vec!["a"],
        ),
        (all().with_tag("team", "SEARCH"), vec![]),
        (all().with_tag("search", "team"), vec![]),
        (
            all()
                .with_plan(other)
                .with_status(RunStatus::Waiting)
                .with_tag("env", "test"),
            vec!["c"],
        ),
    ] {
        let page = fixture.listed(&filter, &Page::first(10)).await;
        assert_eq!(names(&page), expected, "{filter:?}");
        assert_eq!(fixture.paged(&filter, 1).await, expected, "{filter:?}");
    }
    // the filter follows the run
    let done = HeadUpdate::new(RunStatus::Cancelled, at(3));
    fixture
        .store()
        .append(
            &run("a"),
            Sequence::START,
            Writer::External,
            done,
            Vec::new(),
        )
        .await
        .unwrap();
    let filter = all().with_status(RunStatus::Cancelled);
    assert_eq!(fixture.paged(&filter, 10).await, ["a"]);
}

pub(super) async fn pages_hold_every_run_once(fixture: &Fixture) {
    let mut expected = Vec::new();
    for number in 0..23 {
        // several runs share each millisecond
        let id = format!("run-{number:02}");
        fixture.begun(&id, number / 5).await;
        expected.push((-(number / 5), id));
    }
    expected.sort();
    let expected: Vec<String> = expected.into_iter().map(|(_, id)| id).collect();
    for limit in [1, 2, 5, 22, 23, 24, 1_000] {
        let all = fixture.paged(&RunFilter::default(), limit).await;
        assert_eq!(all, expected, "in pages of {limit}");
    }
}

pub(super) async fn pages_stay_where_they_are_while_runs_come_and_change(fixture: &Fixture) {
    for (id, millis) in [("a", 4), ("b", 3), ("c", 2), ("d", 1)] {
        fixture.begun(id, millis).await;
    }
    let first = fixture.listed(&RunFilter::default(), &Page::first(2)).await;
    assert_eq!(names(&first), ["a", "b"]);
    let cursor = first.next.unwrap();
    assert_eq!(cursor, RunCursor::from(&first.heads[1]));
    // one is newer than all, one has the age of the cursor, and one has just moved on
    fixture.begun("newer", 9).await;
    fixture.begun("before-b", 3).await;
    fixture.begun("by-b", 3).await;
    let update = HeadUpdate::new(RunStatus::Failed, at(99));
    fixture
        .store()
        .append(
            &run("d"),
            Sequence::START,
            Writer::External,
            update,
            Vec::new(),
        )
        .await
        .unwrap();
    let page = Page::after(cursor, 10);
    let second = fixture.listed(&RunFilter::default(), &page).await;
    assert_eq!(names(&second), ["before-b", "by-b", "c", "d"]);
    assert_eq!(second.next, None);
}

pub(super) async fn a_page_holds_at_least_one_run(fixture: &Fixture) {
    fixture.begun("a", 1).await;
    fixture.begun("b", 0).await;
    let page = fixture.listed(&RunFilter::default(), &Page::first(0)).await;
    assert_eq!(names(&page), ["a"]);
    assert!(page.next.is_some());
    let page = fixture
        .listed(&RunFilter::default(), &Page::first(usize::MAX))
        .await;
    assert_eq!(names(&page), ["a", "b"]);
}
