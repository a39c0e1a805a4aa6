//! One rule: its code, its name, its page and its check.
//!
//! A rule looks at a problem of the reader, at one step, or at the whole plan. What can be said of a step alone is said
//! by a [`Check::Step`]: all of these are called at one step before the next ([`crate::visit`]). A [`Check::Plan`] is
//! for what only many places together show; it walks over the tables of [`Facts`], and touches the steps themselves
//! only where a table says that there is something to see.

use plan_model::Pointer;
use plan_model::document::Problem;

use crate::facts::Facts;
use crate::finding::{Code, Finding, Severity};
use crate::findings::Findings;
use crate::visit::Visit;

/// A rule of the validator.
///
/// A rule is one file in `rules/`; its page is executed as its test.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// The code, such as `P203`.
    pub code: Code,
    /// The name of the bad thing, such as `dependency-cycle`.
    pub name: &'static str,
    /// The severity of its findings, unless a finding says otherwise.
    pub severity: Severity,
    /// The page: what it finds, why it matters, a bad plan, what it gets, the mended plan.
    pub page: &'static str,
    /// Whether it looks at all where the policy says nothing about it.
    pub on_by_default: bool,
    pub(crate) check: Check,
}

/// How a rule looks at what it checks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Turns a problem of the reader into a finding; `None` where it is another rule's.
    Problem(fn(&Problem) -> Option<Finding>),
    /// Looks at the whole plan.
    Plan(fn(&Facts<'_>, &mut Findings)),
    /// Looks at one step after the other. Nothing is kept from one to the next.
    Step(for<'a> fn(&Facts<'a>, &Visit<'_, 'a>, &mut Findings)),
    /// Does several of these.
    Several(&'static [Check]),
    /// Is called where its subject is read: catalogs, policies, inputs of a run, answers of a model.
    Elsewhere,
}

impl Rule {
    pub(crate) const fn new(
        code: &'static str,
        name: &'static str,
        severity: Severity,
        page: &'static str,
        check: Check,
    ) -> Self {
        Self {
            code: Code::new(code),
            name,
            severity,
            page,
            on_by_default: true,
            check,
        }
    }

    /// The same rule, which looks only where the policy gives it a severity.
    pub(crate) const fn off(mut self) -> Self {
        self.on_by_default = false;
        self
    }

    /// A finding of this rule.
    pub(crate) fn at(&self, pointer: Pointer, message: impl Into<String>) -> Finding {
        Finding::new(self.code, self.name, self.severity, pointer, message)
    }
}
