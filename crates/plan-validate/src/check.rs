//! The check: text or a plan in, a validated plan or every finding out.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use plan_model::document::{
    self, Document, NameLength, Origin, Parsed, Problem, ReadOptions, extract_plan,
};
use plan_model::{Digest, Graph, Limits, Plan, Pointer};
use serde::Serialize;

use crate::bounds::{self, Unknown};
use crate::catalog::ToolCatalog;
use crate::facts::Facts;
use crate::finding::{Finding, Severity};
use crate::findings::{Findings, Report, Telling, is_sensitive, step_of};
use crate::grant;
use crate::plan_schemas::PlanSchemas;
use crate::policy::Policy;
use crate::rule::Rule;
use crate::rules::{self, rules};
use crate::validated::{Parts, ValidatedPlan};
use crate::visit::Looks;

/// What a plan is checked against. No IO and no clock hide in it.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What the host can do.
    pub catalog: &'a ToolCatalog,
    /// What the host allows.
    pub policy: &'a Policy,
}

impl<'a> Context<'a> {
    /// A catalog under a policy.
    pub fn new(catalog: &'a ToolCatalog, policy: &'a Policy) -> Self {
        Self { catalog, policy }
    }
}

/// A plan that was refused, with every finding and not only the first.
#[derive(Debug, Clone, Serialize, thiserror::Error)]
#[error("{}", summary("the plan is refused", .findings, *.truncated))]
pub struct PlanRejected {
    findings: Vec<Finding>,
    truncated: usize,
    digest: Option<Digest>,
}

impl PlanRejected {
    /// The findings, ordered by place and then by code; at most as many as the limits say.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many further findings there were.
    pub fn truncated(&self) -> usize {
        self.truncated
    }

    /// The digest of the plan, where the document could be read as one without a problem.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }
}

/// Checks the text of a plan, a bundle or a planner's list, under default options.
///
/// ```
/// use plan_validate::{Context, Policy, ToolCatalog, check};
///
/// let catalog = ToolCatalog::from_names(["search"])?;
/// let policy = Policy::default();
/// let text = r#"{"steps": [{"tool": "search", "args": {"query": "rust"}}]}"#;
/// let plan = check(text, &Context::new(&catalog, &policy))?;
/// assert_eq!(plan.bounds().tool_calls, 1);
///
/// let misspelt = text.replace("search\"", "serach\"");
/// let rejected = check(&misspelt, &Context::new(&catalog, &policy)).unwrap_err();
/// assert_eq!(rejected.findings()[0].code, "P301");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every finding, when one of them is an error.
pub fn check(text: &str, cx: &Context<'_>) -> Result<ValidatedPlan, PlanRejected> {
    check_bytes(text.as_bytes(), &options(cx), cx)
}

/// Checks bytes that may not even be text.
///
/// # Errors
/// Every finding, when one of them is an error.
pub fn check_bytes(
    bytes: &[u8],
    options: &ReadOptions,
    cx: &Context<'_>,
) -> Result<ValidatedPlan, PlanRejected> {
    check_parsed(&document::parse(bytes, &options.limits), options, cx)
}

/// Checks what [`document::parse`] made of some bytes: its problems become findings too.
///
/// # Errors
/// Every finding, when one of them is an error.
pub fn check_parsed(
    parsed: &Parsed,
    options: &ReadOptions,
    cx: &Context<'_>,
) -> Result<ValidatedPlan, PlanRejected> {
    run(parsed.document.as_ref(), Some(parsed), options, cx)
}

/// Checks a document that was parsed without a problem.
///
/// # Errors
/// Every finding, when one of them is an error.
pub fn check_document(
    document: &Document,
    options: &ReadOptions,
    cx: &Context<'_>,
) -> Result<ValidatedPlan, PlanRejected> {
    run(Some(document), None, options, cx)
}

/// Checks a plan that was built in code, in the form in which it would be written.
///
/// Its findings point into [`Plan::to_json`].
///
/// # Errors
/// Every finding, when one of them is an error.
pub fn check_plan(
    plan: impl Borrow<Plan>,
    cx: &Context<'_>,
) -> Result<ValidatedPlan, PlanRejected> {
    let mut options = options(cx);
    options.kind = document::DocumentKind::Plan;
    options.names = NameLength::Imported;
    let parsed = Document::from_value(&plan.borrow().to_json(), &options.limits);
    check_parsed(&parsed, &options, cx)
}

/// Checks a model's answer: the plan is found in its prose or fence, and a note says what was cut (P109).
///
/// # Errors
/// Every finding, when one of them is an error. Places are those of the whole answer.
pub fn check_answer(answer: &str, cx: &Context<'_>) -> Result<ValidatedPlan, PlanRejected> {
    let options = options(cx);
    let (span, cut) = extract_plan(answer);
    let Some(cut) = cut else {
        return check(answer, cx);
    };
    // what was cut becomes blank, so that every place is one of the whole answer
    let text: Vec<u8> = answer
        .bytes()
        .enumerate()
        .map(|(at, byte)| match byte {
            b'\n' => byte,
            _ if at < span.start || at >= span.end => b' ',
            _ => byte,
        })
        .collect();
    let mut parsed = document::parse(&text, &options.limits);
    parsed.problems.push(Problem {
        kind: document::ProblemKind::ProseAround { cut },
        pointer: Pointer::root(),
        span,
    });
    check_parsed(&parsed, &options, cx)
}

/// The findings of a parsed document's own problems (P101 to P106), with their places.
///
/// For files that are no plans: catalogs, policies, inputs.
pub fn problem_findings(parsed: &Parsed) -> Vec<Finding> {
    let mut findings = Findings::new(Limits::default().findings, &BTreeMap::new());
    findings.extend(of_problems(
        &parsed.problems,
        parsed.document.as_ref(),
        Some(parsed),
        None,
    ));
    findings.finish(parsed.document.as_ref()).findings
}

/// One line for an error: what is refused, the first finding, and the count of the rest.
pub(crate) fn summary(what: &str, findings: &[Finding], truncated: usize) -> String {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    let mut errors = errors.peekable();
    let mut text = what.to_owned();
    if let Some(first) = errors.next() {
        text.push_str(": ");
        text.push_str(&first.line());
    }
    match errors.count() + truncated {
        0 => text,
        more => format!("{text}, and {more} more"),
    }
}

fn options(cx: &Context<'_>) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = cx.policy.limits;
    options
}

/// What a check looks at.
#[derive(Debug)]
struct Subject<'a> {
    plan: Option<&'a Plan>,
    document: Option<&'a Document>,
    /// Where its problems stand when there is no document.
    parsed: Option<&'a Parsed>,
    problems: Vec<&'a Problem>,
    further: usize,
    origin: &'a Origin,
    unread: &'a BTreeSet<Pointer>,
    limits: &'a Limits,
}

fn run(
    document: Option<&Document>,
    parsed: Option<&Parsed>,
    options: &ReadOptions,
    cx: &Context<'_>,
) -> Result<ValidatedPlan, PlanRejected> {
    let mut read = document.map(|document| document::read(document, options));
    let plan = read.as_mut().and_then(|read| read.plan.take());
    let (origin, unread) = (Origin::default(), BTreeSet::new());
    let mut subject = Subject {
        plan: plan.as_ref(),
        document,
        parsed,
        problems: parsed.map_or_else(Vec::new, |parsed| parsed.problems.iter().collect()),
        further: parsed.map_or(0, |parsed| parsed.further),
        origin: &origin,
        unread: &unread,
        limits: &options.limits,
    };
    if let Some(read) = &read {
        subject.problems.extend(&read.problems);
        subject.further += read.further;
        subject.origin = &read.origin;
        subject.unread = &read.unread;
    }
    let (report, parts) = judge(&subject, cx);
    let is_read = subject.problems.iter().all(|problem| !refuses(problem));
    match (plan, parts) {
        (Some(plan), Some(parts)) if !report.refused => {
            let policy = cx.policy.clone();
            Ok(ValidatedPlan::new(plan, policy, parts, report))
        }
        (plan, _) => Err(PlanRejected {
            findings: report.findings,
            truncated: report.truncated,
            digest: plan.filter(|_| is_read).map(|plan| plan.digest()),
        }),
    }
}

/// Runs every rule; the parts of a validated plan where none of them refuses.
fn judge(subject: &Subject<'_>, cx: &Context<'_>) -> (Report, Option<Parts>) {
    let mut findings =
        Findings::new(subject.limits.findings, &cx.policy.severities).beside(subject.unread);
    let Some(plan) = subject.plan else {
        return (finish(findings, subject), None);
    };
    let graph = Graph::new(plan);
    let schemas = PlanSchemas::of(plan, subject.limits);
    let facts = Facts::new(
        plan,
        &graph,
        (cx.catalog, cx.policy),
        &schemas,
        subject.limits,
        (subject.origin, subject.unread),
    );
    let rules = rules().iter().filter(|rule| is_on(rule, cx.policy));
    Looks::of(rules).at(&facts, &mut findings);
    findings.tell(&Telling {
        plan: Some(plan),
        origin: subject.origin,
    });
    let report = finish(findings, subject);
    if report.refused {
        return (report, None);
    }
    let digest = plan.digest();
    let grant = grant::derive(&facts, digest);
    let bounds = bounds::count(&facts, Unknown::Most).with_asks(&facts, &grant);
    let tools = facts.shared_tools();
    drop(facts);
    let parts = Parts {
        digest,
        graph,
        grant,
        bounds,
        tools,
        schemas,
    };
    (report, Some(parts))
}

fn finish(mut findings: Findings, subject: &Subject<'_>) -> Report {
    findings.extend(of_problems(
        subject.problems.iter().copied(),
        subject.document,
        subject.parsed,
        subject.plan,
    ));
    let mut report = findings.finish(subject.document);
    report.truncated += subject.further;
    report.refused |= subject.further > 0;
    report
}

fn is_on(rule: &Rule, policy: &Policy) -> bool {
    let severity = policy.severities.get(&rule.code);
    rule.severity == Severity::Error || severity.map_or(rule.on_by_default, Option::is_some)
}

fn of_problems<'p>(
    problems: impl IntoIterator<Item = &'p Problem>,
    document: Option<&Document>,
    parsed: Option<&Parsed>,
    plan: Option<&Plan>,
) -> Vec<Finding> {
    let finding = |problem: &Problem| {
        let mut finding = rules::of_problem(problem)?;
        if let Some(document) = document {
            finding = rules::with_edit(finding, problem, document);
        }
        finding.step = step_of(plan, &problem.pointer);
        if is_sensitive(plan, &problem.pointer) {
            finding.conceal();
        }
        for suggestion in &mut finding.suggestions {
            if let Some(edit) = &suggestion.edit {
                suggestion.step = step_of(plan, edit.pointer());
            }
        }
        if let Some(document) = document {
            finding.place(document, Some(problem.span));
        } else if let Some(parsed) = parsed {
            finding.place_in_text(parsed, problem.span);
        }
        Some(finding)
    };
    problems.into_iter().filter_map(finding).collect()
}

fn refuses(problem: &Problem) -> bool {
    rules::of_problem(problem).is_none_or(|finding| finding.severity == Severity::Error)
}
