//! Claims: fences, take-over, release. Time is that of the fixture's clock.

use std::time::Duration;

use plan_run::RunId;
use plan_store::{CLAIM_RENEW, CLAIM_TTL, Claim, Fence, RunStore, Sequence, StoreError, Writer};

use super::Fixture;
use super::sample::{owner, record, running};

/// One millisecond before a claim ends.
const JUST_BEFORE_THE_END: Duration = CLAIM_TTL.saturating_sub(Duration::from_millis(1));

impl Fixture {
    async fn claim(&self, run: &RunId, who: &str, action: Claim) -> Result<Fence, StoreError> {
        self.store().claim(run, &owner(who), action).await
    }

    /// Appends one record under a fence at a place.
    async fn append(&self, run: &RunId, fence: Fence, at: u64) -> Result<Sequence, StoreError> {
        let writer = Writer::Fence(fence);
        let records = vec![record("by its owner")];
        self.store()
            .append(run, Sequence::new(at), writer, running(), records)
            .await
    }
}

pub(super) async fn a_claim_gives_the_fence_that_appends_need(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let fenced = Err(StoreError::Fenced { run: id.clone() });
    for made_up in [0, 1, u64::from(u32::MAX)] {
        assert_eq!(fixture.append(&id, Fence::new(made_up), 0).await, fenced);
    }
    let fence = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    assert_eq!(fixture.append(&id, fence, 0).await, Ok(Sequence::new(1)));
    let higher = Fence::new(fence.get() + 1);
    assert_eq!(fixture.append(&id, higher, 1).await, fenced);
}

pub(super) async fn a_live_owner_keeps_its_run(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let until = fixture.now().plus(CLAIM_TTL);
    let fence = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    fixture.clock().advance(JUST_BEFORE_THE_END);
    assert_eq!(
        fixture.claim(&id, "b", Claim::Acquire).await,
        Err(StoreError::Claimed {
            run: id.clone(),
            owner: owner("a"),
            until
        })
    );
    assert!(fixture.append(&id, fence, 0).await.is_ok());
}

pub(super) async fn the_owner_gets_its_own_fence_again(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let first = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    fixture.clock().advance(CLAIM_RENEW);
    let again = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    assert_eq!(first, again);
    // and another full span
    fixture.clock().advance(JUST_BEFORE_THE_END);
    assert!(fixture.claim(&id, "b", Claim::Acquire).await.is_err());
}

pub(super) async fn a_renewed_claim_outlives_its_first_end(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let fence = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    for _ in 0..6 {
        fixture.clock().advance(CLAIM_RENEW);
        assert_eq!(fixture.claim(&id, "a", Claim::Renew).await, Ok(fence));
    }
    assert!(matches!(
        fixture.claim(&id, "b", Claim::Acquire).await,
        Err(StoreError::Claimed { .. })
    ));
}

pub(super) async fn an_expired_claim_is_taken_with_a_higher_fence(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let old = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    fixture.clock().advance(CLAIM_TTL);
    let new = fixture.claim(&id, "b", Claim::Acquire).await.unwrap();
    assert!(new > old);
    let fenced = StoreError::Fenced { run: id.clone() };
    assert_eq!(fixture.append(&id, old, 0).await, Err(fenced.clone()));
    let renewed = fixture.claim(&id, "a", Claim::Renew).await;
    assert_eq!(renewed, Err(fenced));
    assert!(fixture.append(&id, new, 0).await.is_ok());
}

pub(super) async fn an_expired_claim_that_nobody_took_still_counts(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let fence = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    fixture.clock().advance(CLAIM_TTL * 4);
    assert!(fixture.append(&id, fence, 0).await.is_ok());
    assert_eq!(fixture.claim(&id, "a", Claim::Renew).await, Ok(fence));
    assert!(fixture.claim(&id, "b", Claim::Acquire).await.is_err());
}

pub(super) async fn a_released_run_is_free_at_once(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let old = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    fixture.claim(&id, "a", Claim::Release).await.unwrap();
    let fenced = Err(StoreError::Fenced { run: id.clone() });
    assert_eq!(fixture.append(&id, old, 0).await, fenced);
    let new = fixture.claim(&id, "b", Claim::Acquire).await.unwrap();
    assert!(new > old);
    assert_eq!(fixture.append(&id, old, 0).await, fenced);
    assert!(fixture.append(&id, new, 0).await.is_ok());
}

pub(super) async fn only_the_owner_renews_and_releases(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let fenced = Err(StoreError::Fenced { run: id.clone() });
    for action in [Claim::Renew, Claim::Release] {
        assert_eq!(fixture.claim(&id, "a", action).await, fenced);
    }
    let fence = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    for action in [Claim::Renew, Claim::Release] {
        assert_eq!(fixture.claim(&id, "b", action).await, fenced);
    }
    assert!(fixture.append(&id, fence, 0).await.is_ok());
    fixture.claim(&id, "a", Claim::Release).await.unwrap();
    assert_eq!(fixture.claim(&id, "a", Claim::Release).await, fenced);
}

pub(super) async fn a_fence_is_looked_at_before_the_sequence(fixture: &Fixture) {
    let id = fixture.created("r", &["a"]).await;
    let old = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    fixture.clock().advance(CLAIM_TTL);
    fixture.claim(&id, "b", Claim::Acquire).await.unwrap();
    assert_eq!(
        fixture.append(&id, old, 99).await,
        Err(StoreError::Fenced { run: id.clone() })
    );
}

pub(super) async fn an_external_append_leaves_the_claim_alone(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let fence = fixture.claim(&id, "a", Claim::Acquire).await.unwrap();
    let answer = vec![record("answer")];
    fixture
        .store()
        .append(&id, Sequence::START, Writer::External, running(), answer)
        .await
        .unwrap();
    assert!(fixture.append(&id, fence, 1).await.is_ok());
    assert!(fixture.claim(&id, "b", Claim::Acquire).await.is_err());
}

pub(super) async fn every_new_owner_has_a_higher_fence(fixture: &Fixture) {
    let id = fixture.created("r", &[]).await;
    let mut last = None;
    for turn in 0..20 {
        let who = format!("owner-{}", turn % 3);
        let fence = fixture.claim(&id, &who, Claim::Acquire).await.unwrap();
        assert!(last < Some(fence), "{last:?} then {fence:?}");
        last = Some(fence);
        if turn % 2 == 0 {
            fixture.claim(&id, &who, Claim::Release).await.unwrap();
        } else {
            fixture.clock().advance(CLAIM_TTL);
        }
    }
}

pub(super) async fn claims_of_different_runs_are_independent(fixture: &Fixture) {
    let one = fixture.created("one", &[]).await;
    let two = fixture.created("two", &[]).await;
    fixture.claim(&one, "a", Claim::Acquire).await.unwrap();
    let theirs = fixture.claim(&two, "b", Claim::Acquire).await.unwrap();
    fixture.claim(&one, "a", Claim::Release).await.unwrap();
    fixture.claim(&one, "c", Claim::Acquire).await.unwrap();
    assert!(fixture.append(&two, theirs, 0).await.is_ok());
}
