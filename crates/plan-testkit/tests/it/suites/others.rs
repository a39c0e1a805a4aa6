//! Tools, secrets, people and clocks.

use async_trait::async_trait;
use plan_exec::{HumanAnswer, HumanChannel, MemorySecrets, Secret, SystemClock};
use plan_run::{Request, RunId};
use plan_store::ManualClock;
use serde_json::json;

mod tools {
    use plan_testkit::Scripted;
    use plan_testkit::tool_suite::{Fixture, Fresh};

    use super::*;

    /// Returns its arguments; or fails, or hangs, where these say so.
    struct Scripts;

    impl Fresh for Scripts {
        fn fresh(&self) -> Fixture {
            let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
            let tool = Scripted::tool("echo")
                .read_only()
                .takes(schema.clone())
                .gives(schema);
            Fixture::new(tool, json!({"x": 1})).effects(|| 0)
        }
    }

    plan_testkit::tool_suite!(Scripts);

    mod endless {
        use super::*;

        struct Endless;

        impl Fresh for Endless {
            fn fresh(&self) -> Fixture {
                let tool = Scripted::tool("wait").hangs();
                let log = tool.log().clone();
                Fixture::new(tool, json!({}))
                    .endless(json!({}))
                    .running(move || log.running())
            }
        }

        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn a_call_that_never_ends_is_seen_to_end_when_it_is_dropped() {
            for case in ["a_dropped_call_ends", "a_call_that_is_asked_to_end_does_so"] {
                plan_testkit::tool_suite::run(case, &Endless).await;
            }
        }
    }
}

mod secrets {
    use plan_testkit::secret_suite::{Fixture, Fresh};

    use super::*;

    struct InMemory;

    impl Fresh for InMemory {
        fn fresh(&self, secrets: &[(&str, &str)]) -> Fixture {
            let secrets = secrets.iter();
            Fixture::new(MemorySecrets::new(
                secrets.map(|(name, value)| (*name, Secret::new(*value))),
            ))
        }
    }

    plan_testkit::secret_suite!(InMemory);
}

mod people {
    use plan_testkit::human_suite::{Fixture, Fresh, Person};

    use super::*;

    /// A person in memory.
    #[derive(Debug)]
    struct Scripted(Person);

    #[async_trait]
    impl HumanChannel for Scripted {
        async fn ask(&self, _run: &RunId, _request: &Request) -> Option<HumanAnswer> {
            match &self.0 {
                Person::Answers(answer) => Some(answer.clone()),
                Person::Declines => None,
                Person::IsAway => std::future::pending().await,
            }
        }
    }

    struct InMemory;

    impl Fresh for InMemory {
        fn fresh(&self, person: Person) -> Fixture {
            Fixture::new(Scripted(person))
        }
    }

    plan_testkit::human_suite!(InMemory);
}

mod clocks {
    use plan_testkit::clock_suite::{Fixture, Fresh};

    use super::*;

    mod of_the_system {
        use super::*;

        struct System;

        impl Fresh for System {
            fn fresh(&self) -> Fixture {
                Fixture::new(SystemClock)
            }
        }

        plan_testkit::clock_suite!(System);
    }

    mod by_hand {
        use super::*;

        struct Manual;

        impl Fresh for Manual {
            fn fresh(&self) -> Fixture {
                let clock = ManualClock::default();
                Fixture::new(clock.clone()).moved_by(move |span| clock.advance(span))
            }
        }

        plan_testkit::clock_suite!(Manual);
    }
}
