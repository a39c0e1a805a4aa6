//! Laws of grants: what is narrowed allows no more, and what a lock holds is all that it holds.

mod generated;

use std::collections::BTreeMap;

use plan_model::{LanguageName, ModelName, Reference, SecretName, StepId, ToolName};
use plan_validate::{ArgRule, Context, Grant, Narrowing, Policy, Roots, ToolCatalog, check};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::sample;
use generated::{grant, plan, policy, rule, value};

const STEPS: [&str; 4] = ["a", "b", "c", "d"];
const TOOLS: [&str; 2] = ["send", "save"];
const NAMES: [&str; 3] = ["to", "copies", "text"];
const SECRETS: [&str; 2] = ["KEY", "OTHER"];

fn narrowing() -> impl Strategy<Value = Narrowing> {
    let rules = prop::collection::vec(
        (
            prop::sample::select(&STEPS[..]),
            prop::sample::select(&NAMES[..]),
            rule(),
        ),
        0..4,
    );
    (
        prop::option::of(prop::sample::subsequence(&STEPS[..], 0..=4)),
        prop::option::of(prop::sample::subsequence(&TOOLS[..], 0..=2)),
        prop::option::of(prop::sample::subsequence(&SECRETS[..], 0..=2)),
        prop::option::of(0_u64..4),
        prop::option::of(0_u64..6),
        rules,
    )
        .prop_map(|(steps, tools, secrets, attempts, calls, rules)| {
            let mut by = Narrowing::default();
            by.steps = steps.map(|steps| steps.into_iter().map(id).collect());
            by.tools = tools.map(|tools| tools.into_iter().map(tool).collect());
            by.secrets = secrets.map(|names| {
                let names = names.into_iter();
                names.map(|name| SecretName::new(name).unwrap()).collect()
            });
            by.attempts = attempts;
            by.budgets.max_tool_calls = calls;
            for (step, name, rule) in rules {
                by.arguments
                    .entry(id(step))
                    .or_default()
                    .insert(name.to_owned(), rule);
            }
            by
        })
}

/// What references read in one run.
#[derive(Debug, Clone)]
struct Reading(BTreeMap<String, Value>);

fn reading() -> impl Strategy<Value = Reading> {
    let references = prop::sample::select(vec![
        "${input.p}",
        "${input.q}",
        "${conf.k}",
        "${secret.KEY}",
        "${input.p ?? input.q}",
    ]);
    let references = references.prop_map(str::to_owned);
    prop::collection::btree_map(references, value(), 0..6).prop_map(Reading)
}

impl Reading {
    fn resolve(&self, reference: &Reference) -> Option<Value> {
        self.0.get(&reference.to_string()).cloned()
    }
}

/// A call that somebody may try.
#[derive(Debug, Clone)]
struct Attempt {
    step: StepId,
    tool: ToolName,
    arguments: Map<String, Value>,
    number: u64,
    reading: Reading,
}

fn attempt() -> impl Strategy<Value = Attempt> {
    let arguments = prop::collection::btree_map(prop::sample::select(&NAMES[..]), value(), 0..4);
    (
        prop::sample::select(&STEPS[..]),
        prop::sample::select(&TOOLS[..]),
        arguments,
        1_u64..5,
        reading(),
    )
        .prop_map(|(step, name, arguments, number, reading)| Attempt {
            step: id(step),
            tool: tool(name),
            arguments: arguments
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            number,
            reading,
        })
}

impl Attempt {
    /// The same attempt with the call that a grant would let through, but for what is kept of its own.
    fn near(&self, grant: &Grant, keep: Option<&str>) -> Self {
        let mut near = self.clone();
        let sites: Vec<_> = grant.sites().iter().collect();
        let Some((step, site)) = sites
            .iter()
            .find(|(step, _)| **step == self.step)
            .or(sites.first())
        else {
            return near;
        };
        near.step = (*step).clone();
        if let plan_validate::Target::Tool(name) = &site.target {
            near.tool = name.clone();
        }
        near.number = site.max_attempts.min(self.number);
        near.arguments.clear();
        for (name, rule) in &site.arguments {
            if let Some(value) = fitting(rule, &self.reading) {
                near.arguments.insert(name.clone(), value);
            }
        }
        if let Some(name) = keep {
            match self.arguments.get(name) {
                Some(value) => near.arguments.insert(name.to_owned(), value.clone()),
                None => near.arguments.remove(name),
            };
        }
        near
    }

    fn is_permitted(&self, grant: &Grant) -> bool {
        let resolve = |reference: &Reference| self.reading.resolve(reference);
        grant
            .permits_call(&self.step, &self.tool, &self.arguments, &resolve)
            .is_ok()
            && grant.permits_attempt(&self.step, self.number).is_ok()
    }
}

/// A value that a rule may well take.
fn fitting(rule: &ArgRule, reading: &Reading) -> Option<Value> {
    match rule {
        ArgRule::Exact(value) => Some(value.clone()),
        ArgRule::From(reference, _) => reading.resolve(reference),
        ArgRule::Built(template) => match template.to_value() {
            Value::Array(_) => Some(json!([reading.0.get("${input.p}")?, 1])),
            _ => Some(json!(format!(
                "to {}",
                plan_model::text_of(reading.0.get("${input.p}")?)
            ))),
        },
        ArgRule::OneOf(values) => values.first().cloned(),
        ArgRule::Range { min, max } => min.clone().or_else(|| max.clone()).map(Value::Number),
        ArgRule::Subpath(root) => Some(json!(root)),
        ArgRule::Url { schemes, hosts } => Some(json!(format!(
            "{}://{}",
            schemes.first()?,
            hosts.first()?.replace('*', "a")
        ))),
        ArgRule::All(rules) => rules.first().and_then(|rule| fitting(rule, reading)),
        _ => Some(json!("alice")),
    }
}

/// Every attempt near both grants: theirs, with one argument of its own, and the attempt itself.
fn attempts(grants: [&Grant; 2], attempts: &[Attempt]) -> Vec<Attempt> {
    let mut all = attempts.to_vec();
    for attempt in attempts {
        for grant in grants {
            all.push(attempt.near(grant, None));
            all.extend(NAMES.map(|name| attempt.near(grant, Some(name))));
        }
    }
    all
}

/// Whether the one allows nothing that the other does not, beside calls; the first thing that it does.
fn more_beside_calls(one: &Grant, other: &Grant) -> Option<String> {
    for secret in SECRETS {
        let secret = SecretName::new(secret).unwrap();
        if one.permits_secret(&secret).is_ok() && other.permits_secret(&secret).is_err() {
            return Some(secret.to_string());
        }
    }
    for step in STEPS.map(id) {
        for language in ["bash", "python"].map(|name| LanguageName::new(name).unwrap()) {
            if one.permits_language(&step, &language).is_ok()
                && other.permits_language(&step, &language).is_err()
            {
                return Some(format!("{step} {language}"));
            }
        }
        for model in ["small", "large"].map(|name| ModelName::new(name).unwrap()) {
            if one.permits_model(&step, &model).is_ok()
                && other.permits_model(&step, &model).is_err()
            {
                return Some(format!("{step} {model}"));
            }
        }
        if one.permits_agent(&step, None).is_ok() && other.permits_agent(&step, None).is_err() {
            return Some(format!("{step} agent"));
        }
        for number in 1..5 {
            if one.permits_attempt(&step, number).is_ok()
                && other.permits_attempt(&step, number).is_err()
            {
                return Some(format!("{step} {number}"));
            }
        }
        let (tools, others) = (agents_tools(one, &step), agents_tools(other, &step));
        if tools.iter().any(|tool| !others.contains(tool)) {
            return Some(format!("{step} tools"));
        }
    }
    let (calls, others) = (one.budgets().max_tool_calls, other.budgets().max_tool_calls);
    if others.is_some_and(|most| calls.is_none_or(|calls| calls > most)) {
        return Some("calls".to_owned());
    }
    let root = one
        .roots()
        .iter()
        .find(|root| !other.roots().contains(root));
    root.map(ToString::to_string)
}

fn agents_tools(grant: &Grant, step: &StepId) -> Vec<ToolName> {
    match grant.site(step).map(|site| &site.target) {
        Some(plan_validate::Target::Agent { tools, .. }) => tools.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

fn id(text: &str) -> StepId {
    StepId::new(text).unwrap()
}

fn tool(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_narrowed_grant_allows_its_parent_allows_whatever_is_tried(
        plan in plan(), policy in policy(), by in narrowing(), tried in prop::collection::vec(attempt(), 1..6),
    ) {
        let Some(parent) = grant(&plan, &policy) else { return Ok(()) };
        let child = parent.narrow(&by);
        for attempt in attempts([&child, &parent], &tried) {
            prop_assert!(
                !attempt.is_permitted(&child) || attempt.is_permitted(&parent),
                "{attempt:?}\n{child}\n{parent}"
            );
        }
        prop_assert_eq!(more_beside_calls(&child, &parent), None);
        let newly = child.newly(&parent.lock()).unwrap();
        prop_assert!(newly.is_empty(), "{newly:?}");
        prop_assert_eq!(parent.narrow(&Narrowing::default()).digest(), parent.digest());
        prop_assert_eq!(child.plan(), parent.plan());
    }

    #[test]
    fn a_plan_may_newly_do_nothing_against_its_own_lock(plan in plan(), policy in policy()) {
        let Some(grant) = grant(&plan, &policy) else { return Ok(()) };
        let compared = grant.compare(&grant.lock()).unwrap();
        prop_assert!(compared.same && compared.newly.is_empty() && compared.no_longer.is_empty(), "{compared:?}");
    }

    #[test]
    fn what_is_not_new_is_permitted_by_the_grant_of_the_lock(
        before in plan(), after in plan(), takes in prop::collection::vec(any::<bool>(), 4), policies in (policy(), policy(), any::<bool>()),
        tried in prop::collection::vec(attempt(), 1..6),
    ) {
        // the later plan has some steps of its own, and the rest of the former
        let mut after = after;
        let mut steps = before["steps"].as_array().unwrap().clone();
        for step in after["steps"].as_array().unwrap() {
            let place = STEPS.iter().position(|id| step["id"] == *id).unwrap();
            if takes[place] {
                steps.retain(|own| own["id"] != step["id"]);
                steps.push(step.clone());
            }
        }
        after["steps"] = json!(steps);
        let (first, second, same) = policies;
        let second = if same { first.clone() } else { second };
        let (Some(before), Some(after)) = (grant(&before, &first), grant(&after, &second)) else { return Ok(()) };
        if before.newly(&after.lock()).unwrap().is_empty() {
            check_law(&before, &after, &tried)?;
        }
        if after.newly(&before.lock()).unwrap().is_empty() {
            check_law(&after, &before, &tried)?;
        }
    }

    #[test]
    fn a_rule_that_is_within_another_takes_nothing_else(
        narrow in rule(), wide in rule(), plan in plan(), tried in prop::collection::vec(attempt(), 1..4),
    ) {
        let policy = |rule: ArgRule| Policy::default()
            .allow_secrets(SECRETS.map(|name| SecretName::new(name).unwrap()))
            .argument(tool("send"), "to", rule.clone()).argument(tool("save"), "copies", rule);
        let grants = (grant(&plan, &policy(narrow)), grant(&plan, &policy(wide)));
        let (Some(narrow), Some(wide)) = grants else { return Ok(()) };
        if narrow.newly(&wide.lock()).unwrap().is_empty() {
            check_law(&narrow, &wide, &tried)?;
        }
    }
}

/// Whatever the grant permits, the grant of the lock permits.
fn check_law(grant: &Grant, of_lock: &Grant, tried: &[Attempt]) -> Result<(), TestCaseError> {
    for attempt in attempts([grant, of_lock], tried) {
        prop_assert!(
            !attempt.is_permitted(grant) || attempt.is_permitted(of_lock),
            "{attempt:?}\n{grant}\n{of_lock}"
        );
    }
    prop_assert_eq!(more_beside_calls(grant, of_lock), None);
    Ok(())
}

#[test]
fn the_laws_are_tried_on_grants_that_differ_and_on_calls_that_pass() {
    use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
    use std::cell::Cell;

    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let (smaller, passing, refused, other) =
        (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let add = |counter: &Cell<usize>, more: usize| counter.set(counter.get() + more);
    let tried = prop::collection::vec(attempt(), 1..6);
    let sampled = (plan(), policy(), policy(), narrowing(), tried);
    let ran = runner.run(&sampled, |(plan, first, second, by, tried)| {
        let (Some(parent), Some(beside)) = (grant(&plan, &first), grant(&plan, &second)) else {
            return Ok(());
        };
        let child = parent.narrow(&by);
        add(
            &smaller,
            usize::from(child.lock() != parent.lock() && !child.sites().is_empty()),
        );
        let all = attempts([&child, &parent], &tried);
        let passed = all
            .iter()
            .filter(|attempt| attempt.is_permitted(&child))
            .count();
        add(&passing, passed);
        add(&refused, all.len() - passed);
        let within = beside.newly(&parent.lock()).unwrap().is_empty();
        add(
            &other,
            usize::from(within && beside.lock() != parent.lock()),
        );
        Ok(())
    });
    ran.unwrap();
    let counts = [smaller.get(), passing.get(), refused.get(), other.get()];
    assert!(
        counts
            .iter()
            .zip([20, 80, 500, 5])
            .all(|(count, least)| *count >= least),
        "{counts:?}"
    );
}
