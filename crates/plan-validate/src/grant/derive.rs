//! From a plan, a catalog and a policy to a grant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use plan_model::{Digest, Effects, InputKind, Root, Step, StepConfig, StepId, Template, ToolCall};

use super::gates::Gates;
use super::host::Host;
use super::narrow::least;
use super::source::Sources;
use super::{Approval, ArgRule, Grant, GrantedRoot, SiteGrant, Target, sent};
use crate::catalog::CatalogTool;
use crate::demand;
use crate::facts::Facts;
use crate::normal;
use crate::policy::{Roots, Untrusted};

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
        sources: Arc::new(Sources::of(facts, &gates)),
        host: Host::new(facts.policy.sandbox),
        digest: OnceLock::new(),
    };
    let sites = facts.steps().filter_map(|(index, step)| {
        let mut site = site(facts, index, step, &mut grant)?;
        site.within = gates.owner(index);
        site.behind = gates.before(index);
        Some((step.id.clone(), site))
    });
    grant.sites = by_id(sites.collect());
    grant
}

/// A map that is filled in the order of its keys looks for no places in it. The sites stay where they are until
/// their order is known, and ids are told apart by their first bytes, which lie beside each other.
fn by_id(sites: Vec<(StepId, SiteGrant)>) -> BTreeMap<StepId, SiteGrant> {
    let mut order: Vec<([u8; 16], usize)> = sites
        .iter()
        .enumerate()
        .map(|(at, (id, _))| (first_bytes(id), at))
        .collect();
    let id = |at: usize| sites.get(at).map(|(id, _)| id);
    order.sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| id(*i).cmp(&id(*j))));
    let mut sites: Vec<Option<(StepId, SiteGrant)>> = sites.into_iter().map(Some).collect();
    let sorted = order
        .into_iter()
        .filter_map(|(_, at)| sites.get_mut(at)?.take());
    sorted.collect()
}

/// The bytes that decide the order of most ids; a shorter id ends in zeros, which no id has.
fn first_bytes(id: &StepId) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes
        .iter_mut()
        .zip(id.as_str().bytes())
        .for_each(|(to, from)| *to = from);
    bytes
}

fn site(facts: &Facts<'_>, index: usize, step: &Step, grant: &mut Grant) -> Option<SiteGrant> {
    let mut arguments;
    let mut effects = Effects::default();
    let mut untrusted = None;
    let mut timeout = None;
    let target = match &step.config {
        StepConfig::ToolCall(call) => {
            let tool = facts.tool(index)?;
            if !grant.tools.contains_key(&call.tool) {
                grant.tools.insert(call.tool.clone(), tool.digest);
            }
            effects = tool.spec.effects;
            timeout = tool.spec.timeout;
            arguments = self::arguments(facts, tool, call);
            untrusted = self::untrusted(facts, index, &mut arguments);
            Target::Tool(call.tool.clone())
        }
        StepConfig::CodeCall(call) => {
            grant.languages.insert(call.language.clone());
            grant.host.add_language(facts.catalog, &call.language);
            timeout = call.timeout_secs;
            arguments = sent::code(call);
            Target::Language(call.language.clone())
        }
        StepConfig::PromptCall(call) => {
            grant.models.insert(call.model.clone());
            grant.host.add_model(facts.catalog, &call.model);
            arguments = sent::prompt(call);
            Target::Model(call.model.clone())
        }
        StepConfig::AgentCall(call) => {
            if let Some(agent) = &call.agent {
                grant.agents.insert(agent.clone());
                grant.host.add_agent(facts.catalog, agent);
            }
            timeout = call.timeout_secs;
            arguments = sent::agent(call);
            let tools: BTreeSet<_> = call.tools.iter().flatten().cloned().collect();
            for name in &tools {
                if let Some(tool) = facts.catalog.tool(name) {
                    grant.tools.insert(name.clone(), tool.digest);
                }
                let within = facts.policy.arguments.get(name).into_iter().flatten();
                arguments
                    .extend(within.map(|(argument, rule)| {
                        (format!("tools.{name}.{argument}"), rule.clone())
                    }));
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
    let approval = approval(facts, index, untrusted);
    Some(SiteGrant {
        target,
        arguments,
        max_attempts: step.retry.as_ref().map_or(1, |retry| retry.max_attempts),
        timeout: match (step.timeout_secs, timeout) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
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

/// Why a person must be asked about the sensitive arguments of a call.
///
/// Where the policy denies, P604 has refused the plan; what reaches such an argument all the same is refused
/// at the call.
fn untrusted(
    facts: &Facts<'_>,
    index: usize,
    arguments: &mut BTreeMap<String, ArgRule>,
) -> Option<String> {
    match facts.policy.untrusted {
        Untrusted::Allow => None,
        Untrusted::Ask => facts.inflows(index).next().map(|it| it.words(facts)),
        Untrusted::Deny => {
            for inflow in facts.inflows(index) {
                if let Some(rule) = arguments.get_mut(inflow.argument) {
                    *rule = ArgRule::OneOf(Vec::new());
                }
            }
            None
        }
    }
}

/// An approval step of the plan gives what is needed; where none does, a person is asked at the call.
///
/// An untrusted value is one that no approval before the call has shown.
fn approval(facts: &Facts<'_>, index: usize, untrusted: Option<String>) -> Approval {
    let demanded = demand::of(facts, index).map(|demand| demand.asks());
    let is_trusted = untrusted.is_none();
    let Some(reason) = demanded.or(untrusted) else {
        return Approval::NotNeeded;
    };
    let given = is_trusted.then(|| facts.approval_of(index)).flatten();
    match given.and_then(|approval| facts.step(approval)) {
        Some(approval) => Approval::GivenBy(approval.id.clone()),
        None => Approval::AskAtCall(reason),
    }
}

fn secrets(facts: &Facts<'_>) -> BTreeSet<plan_model::SecretName> {
    let read = facts.uses.iter().filter(|read| read.glance.secret());
    let read = read.flat_map(|each| each.reference.paths());
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
