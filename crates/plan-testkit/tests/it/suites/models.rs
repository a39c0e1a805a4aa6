//! Models: scripted ones, and the wrappers around any.

use std::sync::Arc;

use plan_llm::{Budgeted, Capabilities, ModelBudget, Recorded};
use plan_testkit::model_suite::{Fixture, Fresh, Reply, script_of};

mod scripted {
    use super::*;

    struct Scripted;

    impl Fresh for Scripted {
        fn fresh(&self, script: Vec<Reply>) -> Fixture {
            let model = script_of(script);
            Fixture::new(model.clone(), model)
        }
    }

    plan_testkit::model_suite!(Scripted);
}

mod text_alone {
    use super::*;

    struct TextAlone;

    impl Fresh for TextAlone {
        fn fresh(&self, script: Vec<Reply>) -> Fixture {
            let model = script_of(script).capable_of(Capabilities::text());
            Fixture::new(model.clone(), model)
        }
    }

    plan_testkit::model_suite!(TextAlone);
}

mod recorded {
    use super::*;

    struct Taped;

    impl Fresh for Taped {
        fn fresh(&self, script: Vec<Reply>) -> Fixture {
            let model = script_of(script);
            Fixture::new(Recorded::record(Arc::new(model.clone())), model)
        }
    }

    plan_testkit::model_suite!(Taped);
}

mod budgeted {
    use super::*;

    struct Bounded;

    impl Fresh for Bounded {
        fn fresh(&self, script: Vec<Reply>) -> Fixture {
            let model = script_of(script);
            let budget = ModelBudget::unlimited().calls(1_000).tokens(1_000_000);
            Fixture::new(Budgeted::new(Arc::new(model.clone()), budget), model)
        }
    }

    plan_testkit::model_suite!(Bounded);
}

mod both {
    use super::*;

    struct Both;

    impl Fresh for Both {
        fn fresh(&self, script: Vec<Reply>) -> Fixture {
            let model = script_of(script);
            let bounded = Budgeted::new(Arc::new(model.clone()), ModelBudget::unlimited());
            Fixture::new(Recorded::record(Arc::new(bounded)), model)
        }
    }

    plan_testkit::model_suite!(Both);
}
