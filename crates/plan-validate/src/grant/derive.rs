//! From a plan, a catalog and a policy to a grant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use plan_model::{
    Digest, Effects, InputKind, Reference, Root, Step, StepConfig, Template, ToolCall, Trust,
};

use super::gates::Gates;
use super::narrow::least;
use super::source::Sources;
use super::{Approval, ArgRule, Grant, GrantedRoot, SiteGrant, Target, sent};
use crate::catalog::CatalogTool;
use crate::facts::Facts;
use crate::normal;
use crate::policy::{EffectKind, Policy, Roots, Untrusted};

/// The grant of a plan that passed every rule.
pub(crate) fn derive(facts: &Facts<'_>, digest: Digest) -> Grant {
    let gates = Gates::of(facts);
    let mut grant = Grant {
        plan: digest,
        tools: BTreeMap::new(),
        sites: BTreeMap::new(),
        models: BTreeSet::new(),
        languages: BTreeSet::new(),
        agents: BTreeSet::new(),
        secrets: secrets(facts),
        roots: roots(facts),
        budgets: least(&facts.plan.limits, &facts.policy.budgets),
        sources: Sources::of(facts, &gates),
        digest: OnceLock::new(),
    };
    for (index, step) in facts.steps() {
        if let Some(mut site) = site(facts, index, step, &mut grant) {
            site.within = gates.owner(index);
            site.behind = gates.before(index);
            grant.sites.insert(step.id.clone(), site);
        }
    }
    grant
}

fn site(facts: &Facts<'_>, index: usize, step: &Step, grant: &mut Grant) -> Option<SiteGrant> {
    let mut arguments;
    let mut effects = Effects::default();
    let mut untrusted = false;
    let target = match &step.config {
        StepConfig::ToolCall(call) => {
            let tool = facts.tool(index)?;
            grant.tools.insert(call.tool.clone(), tool.digest);
            effects = tool.spec.effects;
            arguments = self::arguments(facts, tool, call);
            untrusted = reads_untrusted(facts, tool, call);
            Target::Tool(call.tool.clone())
        }
        StepConfig::CodeCall(call) => {
            grant.languages.insert(call.language.clone());
            arguments = sent::code(call);
            Target::Language(call.language.clone())
        }
        StepConfig::PromptCall(call) => {
            grant.models.insert(call.model.clone());
            arguments = sent::prompt(call);
            Target::Model(call.model.clone())
        }
        StepConfig::AgentCall(call) => {
            grant.agents.extend(call.agent.clone());
            arguments = sent::agent(call);
            let tools: BTreeSet<_> = call.tools.iter().flatten().cloned().collect();
            for name in &tools {
                if let Some(tool) = facts.catalog.tool(name) {
                    grant.tools.insert(name.clone(), tool.digest);
                }
            }
            Target::Agent {
                agent: call.agent.clone(),
                tools,
            }
        }
        StepConfig::HumanInteraction(_)
        | StepConfig::Condition(_)
        | StepConfig::FanOut(_)
        | StepConfig::FanIn(_) => return None,
    };
    if untrusted && facts.policy.untrusted == Untrusted::Deny {
        deny_sensitive(facts, index, &mut arguments);
    }
    let approval = approval(facts.policy, &target, effects, untrusted);
    Some(SiteGrant {
        target,
        arguments,
        max_attempts: step.retry.as_ref().map_or(1, |retry| retry.max_attempts),
        effects,
        approval,
        within: None,
        behind: BTreeSet::new(),
    })
}

/// Literals are exact, in the form in which they are sent; references stand for what they read.
fn arguments(facts: &Facts<'_>, tool: &CatalogTool, call: &ToolCall) -> BTreeMap<String, ArgRule> {
    let policy = facts.policy.arguments.get(&call.tool);
    let mut rules = BTreeMap::new();
    for (name, template) in &call.arguments {
        let rule = match template {
            Template::Literal(value) => match normal::argument(tool, name, value) {
                normal::Form::Dropped => continue,
                normal::Form::AsIs => ArgRule::Exact(value.clone()),
                normal::Form::Text(text) => ArgRule::Exact(text.into()),
            },
            composed => sent::rule(composed),
        };
        let within = policy.and_then(|rules| rules.get(name));
        let rule = match within {
            Some(within) => rule.and(within.clone()),
            None => rule,
        };
        rules.insert(name.clone(), rule);
    }
    // an argument that the policy constrains must be given: the tool's own default is not the policy's
    for (name, within) in policy.into_iter().flatten() {
        rules
            .entry(name.clone())
            .or_insert_with(|| ArgRule::OneOf(Vec::new()).and(within.clone()));
    }
    rules
}

/// Whether a sensitive argument can hold what an untrusted source wrote.
fn reads_untrusted(facts: &Facts<'_>, tool: &CatalogTool, call: &ToolCall) -> bool {
    let sensitive = &tool.spec.sensitive_arguments;
    sensitive.iter().any(|name| {
        let mut untrusted = false;
        if let Some(template) = call.arguments.get(name) {
            template.references(&mut |reference| untrusted |= !is_trusted(facts, reference));
        }
        untrusted
    })
}

/// Literals, config, inputs and people's answers are trusted; outputs of tools as the catalog says.
fn is_trusted(facts: &Facts<'_>, reference: &Reference) -> bool {
    reference.paths().all(|path| match &path.root {
        Root::Input(_) | Root::Config(_) | Root::Secret(_) => true,
        Root::Step(id) => facts.index_of(id).is_some_and(|index| {
            let human = matches!(
                facts.step(index).map(|step| &step.config),
                Some(StepConfig::HumanInteraction(_))
            );
            let trusted = |tool: &CatalogTool| tool.spec.output_trust == Trust::Trusted;
            human || facts.tool(index).is_some_and(trusted)
        }),
        Root::Item(_) => false,
    })
}

fn deny_sensitive(facts: &Facts<'_>, index: usize, arguments: &mut BTreeMap<String, ArgRule>) {
    let names = facts
        .tool(index)
        .map_or(&[][..], |tool| &tool.spec.sensitive_arguments);
    for name in names {
        if let Some(rule) = arguments.get_mut(name)
            && !matches!(rule, ArgRule::Exact(_))
        {
            *rule = ArgRule::OneOf(Vec::new());
        }
    }
}

fn approval(policy: &Policy, target: &Target, effects: Effects, untrusted: bool) -> Approval {
    let required = &policy.require_approval;
    let tool = match target {
        Target::Tool(tool) => tool,
        Target::Language(_) | Target::Agent { .. } => {
            return if required.effects.contains(&EffectKind::Code) {
                Approval::AskAtCall("the policy asks before code runs".to_owned())
            } else {
                Approval::NotNeeded
            };
        }
        Target::Model(_) => return Approval::NotNeeded,
    };
    if required.tools.contains(tool) {
        return Approval::AskAtCall(format!("the policy asks before each call of `{tool}`"));
    }
    for (kind, has, words) in [
        (
            EffectKind::Destructive,
            effects.destructive,
            "calls that may destroy",
        ),
        (
            EffectKind::OpenWorld,
            effects.open_world,
            "calls that reach the open world",
        ),
    ] {
        if has.holds && required.effects.contains(&kind) {
            return Approval::AskAtCall(format!("the policy asks before {words}"));
        }
    }
    if !effects.read_only.holds && required.effects.contains(&EffectKind::Write) {
        return Approval::AskAtCall(
            "the policy asks before calls that change something".to_owned(),
        );
    }
    if untrusted && policy.untrusted == Untrusted::Ask {
        return Approval::AskAtCall(
            "an untrusted value reaches an argument that the tool calls sensitive".to_owned(),
        );
    }
    Approval::NotNeeded
}

fn secrets(facts: &Facts<'_>) -> BTreeSet<plan_model::SecretName> {
    let read = facts.uses.iter().flat_map(|each| each.reference.paths());
    let names = read.filter_map(|path| match &path.root {
        Root::Secret(name) => Some(name),
        _ => None,
    });
    let allowed = |name: &&plan_model::SecretName| {
        let listed = facts.policy.secrets.as_ref();
        listed.is_none_or(|listed| listed.contains(*name))
    };
    names.filter(allowed).cloned().collect()
}

fn roots(facts: &Facts<'_>) -> Vec<GrantedRoot> {
    let mut roots = vec![GrantedRoot::Scratch];
    let inputs = facts.plan.inputs.iter();
    roots.extend(
        inputs
            .filter(|input| input.input_kind == InputKind::DirectoryPath)
            .map(|input| GrantedRoot::Input(input.name.clone())),
    );
    match &facts.policy.roots {
        Roots::RunOnly => {}
        Roots::Unrestricted => roots.push(GrantedRoot::Anywhere),
        Roots::Listed(folders) => {
            roots.extend(folders.iter().cloned().map(GrantedRoot::Folder));
        }
    }
    roots.sort();
    roots.dedup();
    roots
}
