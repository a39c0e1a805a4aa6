//! What a plan of one's own may do and what is found in it, as assertions in a chain.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt;

use plan_model::{Reference, Root, StepId, ToolName};
use plan_validate::render::{Colour, pretty};
use plan_validate::{
    Context, Finding, PlanRejected, Policy, Severity, ToolCatalog, ValidatedPlan, check,
};
use serde_json::{Map, Value};

/// Begins assertions about a plan: its text, or a JSON value.
///
/// Without [`AssertPlan::with`] there are no tools; without [`AssertPlan::under`] the policy is the default.
/// Every assertion panics with what was found, drawn into the plan's text.
///
/// ```
/// use plan_testkit::assert_plan;
/// use plan_validate::ToolCatalog;
/// use serde_json::json;
///
/// let catalog = ToolCatalog::from_names(["find", "send"])?;
/// let plan = json!({"steps": [
///     {"name": "look", "tool": "find", "args": {"query": "rust"}},
///     {"name": "mail", "tool": "send", "args": {"to": "alice", "text": "${step.look.best}"}},
/// ]});
/// assert_plan(&plan)
///     .with(&catalog)
///     .is_valid()
///     .reading("${step.look.best}", json!("a page"))
///     .allows("mail", "send", json!({"to": "alice", "text": "a page"}))
///     .refuses("mail", "send", json!({"to": "mallory", "text": "a page"}))
///     .refuses("mail", "send", json!({"to": "alice", "text": "another page"}))
///     .finds_nothing_else();
///
/// assert_plan(r#"{"steps": [{"name": "look", "tool": "finds"}]}"#)
///     .with(&catalog)
///     .finds("P301", "/steps/0/tool")
///     .finds_nothing_else();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a plan is checked by the first assertion about it"]
pub fn assert_plan(plan: impl fmt::Display) -> AssertPlan {
    AssertPlan {
        // a JSON value on many lines, so that findings can be drawn into it
        text: format!("{plan:#}"),
        catalog: ToolCatalog::default(),
        policy: Policy::default(),
        readings: BTreeMap::new(),
        checked: OnceCell::new(),
        claimed: Vec::new(),
    }
}

/// Assertions about one plan, as [`assert_plan`] begins them.
#[derive(Debug)]
pub struct AssertPlan {
    text: String,
    catalog: ToolCatalog,
    policy: Policy,
    readings: BTreeMap<String, Value>,
    checked: OnceCell<Result<ValidatedPlan, PlanRejected>>,
    /// The findings that were asked about, by their number.
    claimed: Vec<usize>,
}

#[expect(
    clippy::return_self_not_must_use,
    reason = "each assertion may be the last of its chain"
)]
impl AssertPlan {
    /// With the tools, models, languages and agents of a catalog.
    pub fn with(mut self, catalog: &ToolCatalog) -> Self {
        self.catalog = catalog.clone();
        self.checked = OnceCell::new();
        self.claimed.clear();
        self
    }

    /// Under a policy.
    pub fn under(mut self, policy: &Policy) -> Self {
        self.policy = policy.clone();
        self.checked = OnceCell::new();
        self.claimed.clear();
        self
    }

    /// With what a reference reads at the calls that follow, such as `${step.look.best}`.
    ///
    /// What the config of the plan says need not be said here.
    ///
    /// # Panics
    /// When the text is no reference.
    #[track_caller]
    pub fn reading(mut self, reference: &str, value: Value) -> Self {
        match Reference::parse(reference) {
            Ok(parsed) => self.readings.insert(parsed.to_string(), value),
            Err(error) => panic!("`{reference}` is no reference: {error}"),
        };
        self
    }

    /// The plan passes every rule.
    ///
    /// # Panics
    /// With the findings, when it does not.
    #[track_caller]
    pub fn is_valid(self) -> Self {
        self.plan();
        self
    }

    /// The plan is refused.
    ///
    /// # Panics
    /// When it passes.
    #[track_caller]
    pub fn is_rejected(self) -> Self {
        if let Ok(plan) = self.result() {
            panic!("the plan is valid{}", self.shown(plan.warnings()));
        }
        self
    }

    /// The run may make this call: the arguments as they would be sent, after references were read.
    ///
    /// # Panics
    /// With the reason, when the grant refuses the call; with the findings, when the plan is refused.
    #[track_caller]
    pub fn allows(self, step: &str, tool: &str, arguments: Value) -> Self {
        if let Err(reason) = self.permits(step, tool, arguments) {
            panic!("the call is refused: {reason}\n\n{}", self.plan().grant());
        }
        self
    }

    /// The run may not make this call.
    ///
    /// # Panics
    /// When the grant permits it; with the findings, when the plan is refused, since such a plan has no grant.
    #[track_caller]
    pub fn refuses(self, step: &str, tool: &str, arguments: Value) -> Self {
        assert!(
            self.permits(step, tool, arguments).is_err(),
            "the call is permitted\n\n{}",
            self.plan().grant()
        );
        self
    }

    /// The plan may do no more than the committed text of a `grant.lock` says.
    ///
    /// # Panics
    /// With what it may newly do; when the text is no lock.
    #[track_caller]
    pub fn does_no_more_than(self, lock: &str) -> Self {
        match self.plan().grant().newly(lock) {
            Ok(newly) if newly.is_empty() => self,
            Ok(newly) => {
                let lines: Vec<String> = newly.iter().map(ToString::to_string).collect();
                panic!(
                    "the plan may do more than its lock says:\n{}",
                    lines.join("\n")
                )
            }
            Err(error) => panic!("the lock cannot be compared with: {error}"),
        }
    }

    /// A person is asked at this step before the run goes on.
    ///
    /// # Panics
    /// With the steps at which somebody is asked, when this is none of them.
    #[track_caller]
    pub fn asks_at(self, step: &str) -> Self {
        let asks = &self.plan().bounds().asks;
        if !asks.iter().any(|ask| ask.step.as_str() == step) {
            let asked: Vec<&str> = asks.iter().map(|ask| ask.step.as_str()).collect();
            panic!("nobody is asked at `{step}`, only at {asked:?}");
        }
        self
    }

    /// There is a finding of this rule at this place, an RFC 6901 pointer into the text.
    ///
    /// # Panics
    /// With all findings, when there is none.
    #[track_caller]
    pub fn finds(mut self, code: &str, pointer: &str) -> Self {
        let findings = self.findings().iter().enumerate();
        let mut found = findings.filter(|(_, finding)| {
            finding.code.as_str() == code && finding.pointer.as_str() == pointer
        });
        // two of one kind are asked about one after the other
        let fresh = found
            .clone()
            .find(|(number, _)| !self.claimed.contains(number));
        match fresh.or_else(|| found.next()).map(|(number, _)| number) {
            Some(number) => self.claimed.push(number),
            None => panic!(
                "there is no {code} at `{pointer}`{}",
                self.shown(self.findings())
            ),
        }
        self
    }

    /// Nothing was found beside what [`AssertPlan::finds`] asked about.
    ///
    /// # Panics
    /// With the rest.
    #[track_caller]
    pub fn finds_nothing_else(self) -> Self {
        let findings = self.findings().iter().enumerate();
        let rest: Vec<Finding> = findings
            .filter(|(number, _)| !self.claimed.contains(number))
            .map(|(_, finding)| finding.clone())
            .collect();
        assert!(
            rest.is_empty(),
            "there is more to find{}",
            self.shown(&rest)
        );
        self
    }

    /// The plan that was checked, for whatever else is to be said of it.
    ///
    /// # Panics
    /// With the findings, when it is refused.
    #[track_caller]
    pub fn plan(&self) -> &ValidatedPlan {
        match self.result() {
            Ok(plan) => plan,
            Err(rejected) => panic!("the plan is refused{}", self.shown(rejected.findings())),
        }
    }

    /// Everything that was found, of every severity.
    pub fn findings(&self) -> &[Finding] {
        match self.result() {
            Ok(plan) => plan.warnings(),
            Err(rejected) => rejected.findings(),
        }
    }

    fn result(&self) -> &Result<ValidatedPlan, PlanRejected> {
        self.checked
            .get_or_init(|| check(&self.text, &Context::new(&self.catalog, &self.policy)))
    }

    #[track_caller]
    fn permits(&self, step: &str, tool: &str, arguments: Value) -> Result<(), String> {
        let plan = self.plan();
        let Value::Object(arguments) = arguments else {
            panic!("the arguments of a call are an object, not {arguments}");
        };
        let (Ok(step), Ok(tool)) = (StepId::new(step), ToolName::new(tool)) else {
            panic!("`{step}` or `{tool}` is a name that none can have");
        };
        assert!(
            plan.plan().step(&step).is_some(),
            "the plan has no step `{step}`"
        );
        let arguments: Map<String, Value> = plan.normalise(&step, arguments);
        plan.grant()
            .permits_call(&step, &tool, &arguments, &|reference| self.read(reference))
            .map_err(|refusal| refusal.to_string())
    }

    /// What was said that a reference reads, or what the config says.
    fn read(&self, reference: &Reference) -> Option<Value> {
        if let Some(value) = self.readings.get(&reference.to_string()) {
            return Some(value.clone());
        }
        let Root::Config(key) = &reference.first().root else {
            return None;
        };
        let mut value = self.plan().plan().config.get(key)?;
        for segment in &reference.first().segments {
            value = match segment {
                plan_model::Segment::Name(name) => value.get(name)?,
                plan_model::Segment::Index(index) => value.get(index)?,
            };
        }
        Some(value.clone())
    }

    /// Findings drawn into the text, below a message.
    fn shown(&self, findings: &[Finding]) -> String {
        if findings.is_empty() {
            return ", and nothing was found".to_owned();
        }
        let errors = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .count();
        let drawn = pretty(findings, "plan", &self.text, Colour::Never);
        format!(
            ": {} findings, {errors} of them errors\n\n{drawn}",
            findings.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn catalog() -> ToolCatalog {
        ToolCatalog::from_names(["find", "send"]).unwrap()
    }

    fn plan() -> Value {
        json!({"steps": [
            {"name": "look", "tool": "find", "args": {"query": "rust"}},
            {"name": "mail", "tool": "send", "args": {"to": "alice", "text": "${step.look.best}"}},
        ]})
    }

    /// What an assertion says when it fails.
    fn said(assertion: impl FnOnce(AssertPlan) -> AssertPlan) -> String {
        let begun = assert_plan(plan()).with(&catalog());
        let panic = catch_unwind(AssertUnwindSafe(|| assertion(begun))).unwrap_err();
        match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
        }
    }

    #[test]
    fn what_holds_passes() {
        let sending = || json!({"to": "alice", "text": "a"});
        assert_plan(plan())
            .with(&catalog())
            .is_valid()
            .allows("look", "find", json!({"query": "rust"}))
            .refuses("mail", "send", sending())
            .reading("${step.look.best}", json!("a"))
            .allows("mail", "send", sending())
            .refuses("look", "send", sending())
            .does_no_more_than(&assert_plan(plan()).with(&catalog()).plan().grant().lock())
            .finds_nothing_else();
        assert_plan(plan())
            .is_rejected()
            .finds("P301", "/steps/0/tool")
            .finds("P301", "/steps/1/tool")
            .finds_nothing_else();
    }

    #[test]
    fn a_policy_and_its_asks_are_seen() {
        let send = ToolName::new("send").unwrap();
        assert_plan(plan())
            .with(&catalog())
            .under(&Policy::default().require_approval_of(send))
            .asks_at("mail");
        assert!(said(|plan| plan.asks_at("mail")).contains("nobody is asked at `mail`"));
    }

    #[test]
    fn what_does_not_hold_panics_with_the_reason() {
        let refused = said(|plan| plan.allows("look", "find", json!({"query": "go"})));
        assert!(
            refused.contains("the argument `query` of step `look` is not the value in the plan"),
            "{refused}"
        );
        assert!(
            refused.contains("use the tool `find` in step `look`"),
            "{refused}"
        );
        let permitted = said(|plan| plan.refuses("look", "find", json!({"query": "rust"})));
        assert!(
            permitted.starts_with("the call is permitted"),
            "{permitted}"
        );
        assert!(
            said(|plan| plan.refuses("lok", "find", json!({})))
                .contains("the plan has no step `lok`")
        );
        assert!(said(AssertPlan::is_rejected).starts_with("the plan is valid"));
        assert!(
            said(|plan| plan.finds("P301", "/steps/0/tool"))
                .contains("there is no P301 at `/steps/0/tool`")
        );
        assert!(said(|plan| plan.reading("${step.look", json!(1))).contains("is no reference"));
        let other = "# planwright grant, version 1\n";
        assert!(
            said(|plan| plan.does_no_more_than(other))
                .contains("step `mail` may newly call `send`")
        );
    }

    #[test]
    fn findings_are_drawn_into_the_text() {
        let none = ToolCatalog::default();
        let drawn = said(|plan| plan.with(&none).is_valid());
        assert!(
            drawn.starts_with("the plan is refused: 2 findings, 2 of them errors"),
            "{drawn}"
        );
        assert!(drawn.contains("P301") && drawn.contains('^'), "{drawn}");
    }
}
