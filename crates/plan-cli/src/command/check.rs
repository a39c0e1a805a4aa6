//! `planwright check`: everything that is wrong with a plan, before anything runs.

mod fix;
mod lock;

use std::path::Path;

use planwright::model::document::{Document, DocumentKind, ReadOptions, parse, read};
use planwright::model::{Limits, Plan};
use planwright::validate::{Finding, PlanRejected, ValidatedPlan, check_bytes};
use serde_json::Value;

use crate::args::{Check, Format, PlanArgs};
use crate::exit::{Exit, Halt};
use crate::host::Host;
use crate::input::{Input, is_stdin, read_options};
use crate::output::{self, refusal_json};
use lock::{Locked, Mode};

/// Checks one plan.
pub(super) fn check(arguments: &Check) -> Result<Exit, Halt> {
    if arguments.fix {
        fix::refuse_mixtures(arguments)?;
    }
    let mut subject = Subject::read(&arguments.plan)?;
    let mut host = match subject.host(&arguments.host, None) {
        Ok(host) => host,
        Err(halt) => {
            if !halt.findings.is_empty() {
                subject.report_refusal(&halt.findings, arguments.format);
            }
            return Err(halt);
        }
    };
    if let Some(plan) = &subject.plan {
        host.assume_tools_of(plan)?;
    }
    let mut fixed = None;
    if arguments.fix {
        fixed = Some(fix::fix(&mut subject, &host, arguments)?);
    }
    let checked = subject.check(&host);
    let locked = match (&checked, &arguments.grant_lock) {
        (Ok(plan), Some(path)) => {
            let mode = if arguments.write_lock {
                Mode::Write
            } else {
                Mode::Compare
            };
            Some(Locked::new(plan.grant(), path, mode)?)
        }
        _ => None,
    };
    match arguments.format {
        Format::Json => {
            let mut report = output::check_json(subject.plan.as_ref(), checked.as_ref());
            if arguments.grant_lock.is_some() {
                lock::report(locked.as_ref(), &mut report);
            }
            if let (Some(fixed), Some(members)) = (fixed, report.as_object_mut()) {
                members.extend(fixed);
            }
            output::print_json(&report);
        }
        Format::Sarif => {
            let (findings, truncated) = output::findings_of(checked.as_ref());
            let mut log = output::sarif_of(findings, truncated, &subject.input);
            if arguments.grant_lock.is_some()
                && let Some(properties) = log.pointer_mut("/runs/0/properties")
            {
                lock::report(locked.as_ref(), properties);
            }
            output::print_json(&log);
        }
        Format::Model => {
            let (findings, truncated) = output::findings_of(checked.as_ref());
            let mut report = output::model_of(findings, truncated);
            if arguments.grant_lock.is_some() {
                lock::report(locked.as_ref(), &mut report);
            }
            output::print_json_line(&report);
        }
        Format::Pretty => pretty(&subject, &checked),
    }
    match checked {
        Ok(plan) => {
            if arguments.grant && arguments.format == Format::Pretty {
                output::print(plan.grant().to_string());
            }
            // a JSON report has it in members of its own
            if let Some(locked) = &locked
                && arguments.format != Format::Json
            {
                locked.say(arguments.grant);
            }
            Ok(locked.map_or(Exit::Fine, |locked| locked.exit()))
        }
        Err(_) => Ok(Exit::Rejected),
    }
}

fn pretty(subject: &Subject, checked: &Result<ValidatedPlan, PlanRejected>) {
    match checked {
        Ok(plan) => {
            output::show_findings(plan.warnings(), plan.truncated(), &subject.input);
            output::say(format!(
                "`{}` is a valid plan of {}, in {}",
                plan.plan().name,
                counted(plan.plan().steps.len(), "step"),
                counted(plan.graph().groups().len(), "group"),
            ));
            if plan.bounds().attempts > 0 {
                output::say(output::bounds_text(plan.bounds()));
            }
            for ask in &plan.bounds().asks {
                output::say(format!("will be asked at `{}`: {}", ask.step, ask.reason));
            }
        }
        Err(rejected) => {
            output::show_rejected(rejected, &subject.input);
            subject.hint();
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A plan's document, read as far as it can be.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) input: Input,
    pub(super) options: ReadOptions,
    document: Option<Document>,
    /// The plan, stand-ins where something was not read.
    pub(super) plan: Option<Plan>,
    kind: DocumentKind,
    /// Whether the reader had nothing to say.
    pub(super) clean: bool,
    path: std::path::PathBuf,
}

impl Subject {
    /// Reads the document that the command line names.
    pub(super) fn read(arguments: &PlanArgs) -> Result<Self, Halt> {
        let input = Input::read(&arguments.path, &Limits::default())?;
        Ok(Self::of(arguments, input))
    }

    /// Reads what came in.
    fn of(arguments: &PlanArgs, input: Input) -> Self {
        let limits = Limits::default();
        let options = read_options(arguments, limits);
        let parsed = parse(&input.bytes, &limits);
        let mut subject = Self {
            input,
            options,
            clean: parsed.problems.is_empty(),
            document: parsed.document,
            plan: None,
            kind: options.kind,
            path: arguments.path.clone(),
        };
        if let Some(document) = &subject.document {
            let read = read(document, &options);
            subject.clean &= read.problems.is_empty();
            subject.kind = read.kind;
            subject.plan = read.plan;
        }
        subject
    }

    /// What the plan is checked against: the flags, or its own bundle.
    pub(super) fn host(
        &self,
        flags: &crate::args::Host,
        sandbox: Option<crate::args::Sandbox>,
    ) -> Result<Host, Halt> {
        let bundle = match (&self.document, self.kind) {
            (Some(document), DocumentKind::Bundle) => Some((document, self.path())),
            _ => None,
        };
        Host::load(flags, sandbox, bundle)
    }

    /// Checks the document.
    pub(super) fn check(&self, host: &Host) -> Result<ValidatedPlan, PlanRejected> {
        check_bytes(
            &self.input.bytes,
            &self.options_under(host),
            &host.context(),
        )
    }

    fn options_under(&self, host: &Host) -> ReadOptions {
        let mut options = self.options;
        options.limits = host.policy.limits;
        options
    }

    /// Reports that what came with the plan is refused.
    fn report_refusal(&self, findings: &[Finding], format: Format) {
        match format {
            Format::Json => output::print_json(&self.refusal(findings)),
            Format::Sarif => output::print_json(&output::sarif_of(findings, 0, &self.input)),
            Format::Model => output::print_json_line(&output::model_of(findings, 0)),
            // the lines have been said where they were found
            Format::Pretty => {}
        }
    }

    /// The report where what came with the plan is refused.
    pub(super) fn refusal(&self, findings: &[Finding]) -> Value {
        let findings = findings.iter().map(output::finding_json).collect();
        refusal_json(output::unchecked_json(self.plan.as_ref()), findings)
    }

    /// Says what a document that is no JSON may be.
    pub(super) fn hint(&self) {
        let named = |ends: &str| self.path.extension().is_some_and(|end| end == ends);
        if self.document.is_none() && (named("yaml") || named("yml")) {
            output::say("help: a plan is JSON; catalogs (`--tools`) and policies may be YAML");
        }
    }

    /// Where the document is; nowhere for standard input.
    fn path(&self) -> Option<&Path> {
        (!is_stdin(&self.path)).then_some(self.path.as_path())
    }
}
