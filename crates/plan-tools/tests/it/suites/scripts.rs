//! Scripts, in the sandbox as far as there is one, and without.

use plan_testkit::code_suite::{Fixture, Fresh};
use plan_tools::ProcessCodeRunner;
use plan_validate::{SandboxMode, ToolCatalog};

struct Processes(SandboxMode);

impl Fresh for Processes {
    fn fresh(&self) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let catalog = ToolCatalog::default().with_built_in_languages();
        let scratch = folder.path().join("scratch");
        Fixture::new(ProcessCodeRunner::new(&catalog, self.0), "sh", scratch).keeping(folder)
    }
}

mod held {
    use super::*;

    plan_testkit::code_suite!(Processes(SandboxMode::BestEffort));
}

mod free {
    use super::*;

    plan_testkit::code_suite!(Processes(SandboxMode::Off));
}
