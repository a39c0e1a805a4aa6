//! A document with everything that it is checked under, as data that tests change.

use std::cell::RefCell;

use plan_model::Limits;
use plan_model::document::{Document, ReadOptions, parse};
use plan_validate::render::{Colour, json, model, pretty, sarif};
use plan_validate::{
    Context, Finding, Policy, Severity, ToolCatalog, ValidatedPlan, check_answer, check_bytes,
    check_inputs, problem_findings,
};
use serde_json::{Map, Value};

/// A plan, and the catalog, the policy and the inputs of a run that it is checked under.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The plan.
    pub document: Value,
    /// The text of the plan, where it is not simply the document written out.
    pub text: Option<Vec<u8>>,
    /// Whether the text is a model's answer, in which the plan has to be found.
    pub is_answer: bool,
    /// The catalog file.
    pub catalog: Value,
    /// The policy file.
    pub policy: Value,
    /// The inputs of a run, where they are checked too.
    pub inputs: Option<Map<String, Value>>,
}

impl Case {
    /// A document under a catalog, without a policy.
    pub fn new(document: Value, catalog: Value) -> Self {
        Self {
            document,
            text: None,
            is_answer: false,
            catalog,
            policy: Value::Object(Map::new()),
            inputs: None,
        }
    }

    /// The bytes that are checked.
    pub fn bytes(&self) -> Vec<u8> {
        match &self.text {
            Some(text) => text.clone(),
            None => self.document.to_string().into_bytes(),
        }
    }

    /// The same as text; what is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    /// Everything that is found: in the catalog, in the policy, in the plan, in the inputs.
    ///
    /// What is refused earlier keeps what comes later from being looked at.
    pub fn findings(&self) -> Vec<Finding> {
        self.check().0
    }

    /// The findings that refuse.
    pub fn errors(&self) -> Vec<Finding> {
        let mut findings = self.findings();
        findings.retain(|finding| finding.severity == Severity::Error);
        findings
    }

    /// The plan, where nothing refuses it.
    pub fn validated(&self) -> Option<ValidatedPlan> {
        self.validated_under(|_| {})
    }

    /// The same, under bounds of the host that no file can say.
    pub(crate) fn validated_under(&self, bound: impl FnOnce(&mut Limits)) -> Option<ValidatedPlan> {
        let catalog = catalog(&self.catalog).ok()?;
        let mut policy = Policy::from_document(&document(&self.policy).ok()?).ok()?;
        bound(&mut policy.limits);
        let cx = Context::new(&catalog, &policy);
        check_bytes(&self.bytes(), &ReadOptions::default(), &cx).ok()
    }

    /// Everything that a check says, in every way of saying it. The findings are the first line, as JSON.
    pub fn said(&self) -> String {
        let (findings, result) = self.check();
        let text = self.text();
        let shown = pretty(&findings, "plan.json", &text, Colour::Never);
        let sarif = sarif(&findings, 0, "plan.json", &text);
        let model = model(&findings, 0);
        let findings = serde_json::to_string(&findings).unwrap_or_default();
        format!("{findings}\n{result}\n{sarif}\n{model}\n{shown}")
    }

    fn check(&self) -> (Vec<Finding>, Value) {
        let catalog = match catalog(&self.catalog) {
            Ok(catalog) => catalog,
            Err(findings) => return (findings, Value::Null),
        };
        let policy = match document(&self.policy).and_then(|document| {
            Policy::from_document(&document).map_err(|rejected| rejected.findings().to_vec())
        }) {
            Ok(policy) => policy,
            Err(findings) => return (findings, Value::Null),
        };
        let mut findings = policy.findings_against(&catalog);
        let cx = Context::new(&catalog, &policy);
        let result = if self.is_answer {
            check_answer(&self.text(), &cx)
        } else {
            check_bytes(&self.bytes(), &ReadOptions::default(), &cx)
        };
        match &result {
            Ok(plan) => {
                findings.extend(plan.warnings().iter().cloned());
                if let Some(Err(found)) = self.inputs.clone().map(|it| check_inputs(plan, it)) {
                    findings.extend(found);
                }
            }
            Err(rejected) => findings.extend(rejected.findings().iter().cloned()),
        }
        (findings, json(result.as_ref()))
    }
}

thread_local! {
    /// The last catalog: thousands of cases have the same, and its schemas are slow to compile.
    static LAST: RefCell<Option<(Value, ToolCatalog)>> = const { RefCell::new(None) };
}

fn catalog(file: &Value) -> Result<ToolCatalog, Vec<Finding>> {
    let last = LAST.with_borrow(|last| match last {
        Some((same, catalog)) if same == file => Some(catalog.clone()),
        _ => None,
    });
    if let Some(catalog) = last {
        return Ok(catalog);
    }
    let catalog = ToolCatalog::from_document(&document(file)?)
        .map_err(|rejected| rejected.findings().to_vec())?;
    LAST.set(Some((file.clone(), catalog.clone())));
    Ok(catalog)
}

/// A value as a document that was read from its own text.
fn document(value: &Value) -> Result<Document, Vec<Finding>> {
    let mut parsed = parse(value.to_string().as_bytes(), &Limits::default());
    match parsed.document.take() {
        Some(document) if parsed.problems.is_empty() => Ok(document),
        document => {
            parsed.document = document;
            Err(problem_findings(&parsed))
        }
    }
}
