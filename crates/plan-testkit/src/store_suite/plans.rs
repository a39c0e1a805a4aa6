//! Versions of plans: immutable, counted, listed.

use plan_model::{Digest, PlanId, PlanStatus};
use plan_store::{Entity, Page, PlanHead, PlanStore, StoreError, StoredPlan, VersionSpec};

use super::Fixture;
use super::sample::plan;

impl Fixture {
    async fn put(&self, plan: &StoredPlan, expected: Option<u64>) -> Result<(), StoreError> {
        self.store().put(plan.clone(), expected).await
    }

    async fn get(&self, plan: &StoredPlan, version: VersionSpec) -> Result<StoredPlan, StoreError> {
        self.store().get(plan.id, version).await
    }

    fn head_of(&self, plan: &StoredPlan) -> PlanHead {
        use plan_store::Clock as _;
        PlanHead {
            id: plan.id,
            version: plan.version,
            digest: plan.digest,
            name: plan.name.clone(),
            status: plan.status,
            stored_at: self.clock().now(),
        }
    }
}

pub(super) async fn a_version_comes_back_byte_for_byte(fixture: &Fixture) {
    let draft = StoredPlan {
        name: "Überblick «世界»".to_owned(),
        status: PlanStatus::Draft,
        ..plan("a", 7, "{\"text\": \"\u{1F680} \\u0000 'quoted' \"}\n")
    };
    fixture.put(&draft, None).await.unwrap();
    let large = plan("b", 1, &"x".repeat(2 << 20));
    fixture.put(&large, None).await.unwrap();
    let exact = VersionSpec::Exact(7);
    assert_eq!(fixture.get(&draft, exact).await, Ok(draft.clone()));
    assert_eq!(fixture.get(&draft, VersionSpec::Current).await, Ok(draft));
    assert!(fixture.get(&large, VersionSpec::Current).await == Ok(large));
}

pub(super) async fn the_same_content_again_changes_nothing(fixture: &Fixture) {
    let first = plan("a", 1, "{}");
    fixture.put(&first, None).await.unwrap();
    // the digest does not cover what these differ in
    let again = StoredPlan {
        status: PlanStatus::Draft,
        document: "{ }".to_owned(),
        ..first.clone()
    };
    fixture.put(&again, None).await.unwrap();
    fixture.put(&again, Some(99)).await.unwrap();
    assert_eq!(fixture.get(&first, VersionSpec::Current).await, Ok(first));
}

pub(super) async fn case_47_a_version_never_takes_other_content(fixture: &Fixture) {
    let first = plan("a", 1, "{}");
    fixture.put(&first, None).await.unwrap();
    let edited = StoredPlan {
        digest: Digest::of_bytes(b"edited"),
        document: "edited".to_owned(),
        ..first.clone()
    };
    for expected in [None, Some(1)] {
        assert_eq!(
            fixture.put(&edited, expected).await,
            Err(StoreError::Conflict {
                plan: first.id,
                version: 1
            })
        );
    }
    assert_eq!(fixture.get(&first, VersionSpec::Current).await, Ok(first));
}

pub(super) async fn the_highest_version_is_current(fixture: &Fixture) {
    for version in [2, 10, 9] {
        let plan = plan("a", version, &format!("{{\"version\":{version}}}"));
        fixture.put(&plan, None).await.unwrap();
    }
    let any = plan("a", 0, "");
    let current = fixture.get(&any, VersionSpec::Current).await.unwrap();
    assert_eq!(current.version, 10);
    let older = fixture.get(&any, VersionSpec::Exact(9)).await.unwrap();
    assert_eq!(older.document, "{\"version\":9}");
}

pub(super) async fn an_expected_version_that_is_not_current_is_stale(fixture: &Fixture) {
    let stale = |expected, actual| {
        Err(StoreError::Stale {
            plan: PlanId::of_bytes(b"a"),
            expected,
            actual,
        })
    };
    let (one, two, three) = (plan("a", 1, "1"), plan("a", 2, "2"), plan("a", 3, "3"));
    assert_eq!(fixture.put(&one, Some(1)).await, stale(1, None));
    fixture.put(&one, None).await.unwrap();
    fixture.put(&two, Some(1)).await.unwrap();
    assert_eq!(fixture.put(&three, Some(1)).await, stale(1, Some(2)));
    let current = fixture.get(&one, VersionSpec::Current).await;
    assert_eq!(current, Ok(two));
    fixture.put(&three, Some(2)).await.unwrap();
}

pub(super) async fn an_unknown_plan_is_not_found_by_any_call(fixture: &Fixture) {
    let known = plan("a", 2, "{}");
    fixture.put(&known, None).await.unwrap();
    let unknown = plan("b", 1, "{}");
    let nothing = StoreError::NotFound {
        what: Entity::Plan(unknown.id),
    };
    for version in [VersionSpec::Current, VersionSpec::Exact(1)] {
        let got = fixture.get(&unknown, version).await;
        assert_eq!(got, Err(nothing.clone()), "{version:?}");
    }
    assert_eq!(fixture.store().history(unknown.id).await, Err(nothing));
    for version in [0, 1, 3, u64::MAX] {
        assert_eq!(
            fixture.get(&known, VersionSpec::Exact(version)).await,
            Err(StoreError::NotFound {
                what: Entity::PlanVersion(known.id, version)
            })
        );
    }
}

pub(super) async fn history_is_told_from_the_oldest_on(fixture: &Fixture) {
    let versions: Vec<StoredPlan> = [3, 1, 20]
        .into_iter()
        .map(|version| plan("a", version, &version.to_string()))
        .collect();
    for version in &versions {
        fixture.put(version, None).await.unwrap();
    }
    fixture.put(&plan("b", 2, "other"), None).await.unwrap();
    let history = fixture.store().history(versions[0].id).await.unwrap();
    let expected = [1, 0, 2].map(|at: usize| fixture.head_of(&versions[at]));
    assert_eq!(history, expected);
}

pub(super) async fn plans_are_listed_in_their_current_version(fixture: &Fixture) {
    let mut expected = Vec::new();
    for number in 0..7 {
        let name = format!("plan {number}");
        fixture.put(&plan(&name, 2, "old"), None).await.unwrap();
        let current = plan(&name, 11, "new");
        fixture.put(&current, None).await.unwrap();
        fixture.put(&plan(&name, 9, "late"), None).await.unwrap();
        expected.push(fixture.head_of(&current));
    }
    expected.sort_by_key(|head| head.id);
    for limit in [1, 3, 7, 100] {
        let mut listed = Vec::new();
        let mut page = Page::first(limit);
        loop {
            let shown = fixture.store().plans(&page).await.unwrap();
            assert!(shown.heads.len() <= limit && shown.unreadable.is_empty());
            listed.extend(shown.heads);
            match shown.next {
                Some(cursor) => page = Page::after(cursor, limit),
                None => break,
            }
        }
        assert_eq!(listed, expected, "in pages of {limit}");
    }
}
