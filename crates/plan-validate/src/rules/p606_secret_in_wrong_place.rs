//! P606 secret-in-wrong-place: a secret where it would be shown or kept, and a credential in the plan itself.

mod literal;

use plan_model::document::{Problem, ProblemKind};
use plan_model::{Pointer, Reference, Root, SecretName, ToolSpec};

use crate::facts::{Facts, Site, Use};
use crate::finding::{Finding, Severity};
use crate::findings::Findings;
use crate::rule::{Check, Rule};
use crate::text::{listed, quoted};

pub(super) const RULE: Rule = Rule::new(
    "P606",
    "secret-in-wrong-place",
    Severity::Error,
    include_str!("../../rules/P606-secret-in-wrong-place.md"),
    Check::Several(&[
        Check::Problem(problem),
        Check::Plan(check),
        Check::Plan(literal::check_plan),
        Check::Step(literal::check_step),
    ]),
);

const HELP: &str =
    "a secret goes to an argument that takes secrets, or to a script through `env` or `stdin`";
const PUBLISHED: &str = "would be published";

/// A plan output that reads a secret, which the reader takes for one that reads no step.
pub(super) fn problem(problem: &Problem) -> Option<Finding> {
    let ProblemKind::InvalidSource { actual } = &problem.kind else {
        return None;
    };
    // the reader quotes the text
    let (_, text) = actual.split_once('`')?;
    let reference = Reference::parse(text.strip_suffix('`')?).ok()?;
    let secret = secret_of(&reference)?;
    let at = problem.pointer.clone();
    Some(misplaced(at, &[secret], PUBLISHED))
}

fn check(facts: &Facts<'_>, findings: &mut Findings) {
    let mut told: Option<&Use<'_>> = None;
    for (at, read) in facts.uses.iter().enumerate() {
        if secret(read).is_none() {
            continue;
        }
        let is_same = |other: &Use<'_>| {
            (other.step, other.site, &other.within) == (read.step, read.site, &read.within)
        };
        // one finding for each string
        if told.is_some_and(is_same) {
            continue;
        }
        let mut secrets: Vec<&SecretName> = Vec::new();
        let same = facts.uses.iter().skip(at);
        for secret in same.take_while(|other| is_same(other)).filter_map(secret) {
            if !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
        if let Some(finding) = finding(facts, read, &secrets) {
            findings.add(finding);
            told = Some(read);
        }
    }
}

/// The first secret that a reference may read.
fn secret<'a>(read: &Use<'a>) -> Option<&'a SecretName> {
    if read.glance.secret() {
        secret_of(read.reference)
    } else {
        None
    }
}

fn secret_of(reference: &Reference) -> Option<&SecretName> {
    reference.paths().find_map(|path| match &path.root {
        Root::Secret(name) => Some(name),
        _ => None,
    })
}

fn misplaced(at: Pointer, secrets: &[&SecretName], what: &str) -> Finding {
    let plural = if secrets.len() > 1 { "s" } else { "" };
    let message = format!("the secret{plural} {} {what}", listed(secrets));
    RULE.at(at, message).help(HELP)
}

fn finding(facts: &Facts<'_>, read: &Use<'_>, secrets: &[&SecretName]) -> Option<Finding> {
    let what = match read.site {
        Site::Argument(argument) => return argument_finding(facts, read, argument, secrets),
        Site::Env(_) | Site::Stdin => return None,
        Site::CodeArg(_) => "would stand on a command line, which other processes can read",
        Site::File | Site::WorkingDir => "would become a path",
        Site::SystemPrompt | Site::UserPrompt => "would be told to a model",
        Site::Objective => "would be told to an agent",
        Site::HumanPrompt => "would be shown to a person",
        Site::Expression | Site::Until => {
            "would be read by an expression, which decides in the open"
        }
        Site::Over => "would become the items of a fan-out",
        Site::PlanOutput(_) => PUBLISHED,
    };
    let finding = misplaced(read.pointer(), secrets, what);
    Some(match read.site {
        Site::CodeArg(_) => finding.severity(Severity::Warning),
        _ => finding,
    })
}

fn argument_finding(
    facts: &Facts<'_>,
    read: &Use<'_>,
    argument: &str,
    secrets: &[&SecretName],
) -> Option<Finding> {
    let spec = &facts.tool(read.step?)?.spec;
    if spec.secret_arguments.iter().any(|name| name == argument) {
        return None;
    }
    // of a tool of which only the name is known nobody said that it takes none
    if *spec == ToolSpec::named(spec.name.clone()) {
        return None;
    }
    let secrets = listed(secrets);
    let (name, tool) = (quoted(argument), quoted(&spec.name));
    let message =
        format!("the argument {name} of the tool {tool} takes no secrets, and would get {secrets}");
    let finding = RULE
        .at(read.pointer(), message)
        .candidates(spec.secret_arguments.iter().cloned());
    Some(finding.help(format!(
        "add {name} to `secret_arguments` of the tool, if it keeps what it is given"
    )))
}
