//! P606 secret-in-wrong-place: a secret where it would be shown or kept, and a credential in the plan itself.

mod literal;

use plan_model::{Root, SecretName};

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
    Check::Plan(check),
);

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
        let same = facts
            .uses
            .iter()
            .skip(at)
            .take_while(|other| is_same(other));
        let secrets = listed(same.filter_map(secret));
        if let Some(finding) = finding(facts, read, &secrets) {
            findings.add(finding);
            told = Some(read);
        }
    }
    literal::check(facts, findings);
}

/// The first secret that a reference may read.
fn secret<'a>(read: &Use<'a>) -> Option<&'a SecretName> {
    read.reference.paths().find_map(|path| match &path.root {
        Root::Secret(name) => Some(name),
        _ => None,
    })
}

fn finding(facts: &Facts<'_>, read: &Use<'_>, secrets: &str) -> Option<Finding> {
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
        Site::PlanOutput(_) => "would be published",
    };
    let severity = match read.site {
        Site::CodeArg(_) => Severity::Warning,
        _ => Severity::Error,
    };
    let help = match read.site {
        Site::CodeArg(_) => "pass it through `env` or `stdin`",
        _ => {
            "a secret goes to an argument that takes secrets, or to a script through `env` or `stdin`"
        }
    };
    let message = format!("the secret {secrets} {what}");
    Some(
        RULE.at(read.pointer(), message)
            .severity(severity)
            .help(help),
    )
}

fn argument_finding(
    facts: &Facts<'_>,
    read: &Use<'_>,
    argument: &str,
    secrets: &str,
) -> Option<Finding> {
    let spec = &facts.tool(read.step?)?.spec;
    if spec.secret_arguments.iter().any(|name| name == argument) {
        return None;
    }
    // of a tool of which only the name is known nobody said that it takes none
    let is_described = spec.input_schema.is_some() || !spec.secret_arguments.is_empty();
    let (name, tool) = (quoted(argument), quoted(&spec.name));
    let message = if is_described {
        format!("the argument {name} of the tool {tool} takes no secrets, and would get {secrets}")
    } else {
        format!(
            "nobody says that the argument {name} of the tool {tool} takes secrets, and it would get {secrets}"
        )
    };
    let severity = if is_described {
        Severity::Error
    } else {
        Severity::Warning
    };
    let finding = RULE
        .at(read.pointer(), message)
        .severity(severity)
        .candidates(spec.secret_arguments.iter().cloned());
    Some(finding.help(format!(
        "add {name} to `secret_arguments` of the tool, if it keeps what it is given"
    )))
}
