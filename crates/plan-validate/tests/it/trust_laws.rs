//! The law of trust: a value is trusted exactly where no untrusted source has a way to it that no
//! approval endorsed. Held against a slow reference that reads nothing but the plan's own steps.

use plan_validate::{Context, Policy, ToolCatalog, UntrustedSource, check};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalogs::catalog;
use crate::sample;

fn tools() -> ToolCatalog {
    catalog(&json!({
        "planwright": 1,
        "tools": [
            {"name": "open"},
            {"name": "vouched", "output_trust": "trusted"},
            {"name": "send", "output_trust": "trusted", "sensitive_arguments": ["to"]},
        ],
        "languages": {"bash": {"command": "b"}, "pure": {"command": "p", "output_trust": "trusted"}},
        "agents": {"helper": {"kind": "loop", "model": "m"}},
    }))
}

/// What a step reads.
#[derive(Debug, Clone, PartialEq)]
enum Read {
    Input,
    Config,
    /// All of an output of this step, or a member of it.
    Step(usize, bool),
    /// The item of the fan-out around the step; a literal where there is none.
    Item,
    Either(Box<Read>, Box<Read>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Open,
    Vouched,
    /// The sink; its output is vouched for.
    Send,
    Script,
    PureScript,
    Prompt,
    Agent,
    Question,
    Approval,
    Condition,
    FanIn,
    /// Over what it reads, with the next step and the one after as its body.
    FanOut,
}

#[derive(Debug, Clone)]
struct Step {
    kind: Kind,
    read: Read,
    shape: usize,
    waits_for: Option<usize>,
}

#[derive(Debug, Clone)]
struct World(Vec<Step>);

fn step() -> impl Strategy<Value = Step> {
    let kind = prop::sample::select(vec![
        Kind::Open,
        Kind::Vouched,
        Kind::Send,
        Kind::Send,
        Kind::Script,
        Kind::PureScript,
        Kind::Prompt,
        Kind::Prompt,
        Kind::Agent,
        Kind::Question,
        Kind::Approval,
        Kind::Approval,
        Kind::Condition,
        Kind::FanIn,
        Kind::FanOut,
    ]);
    let leaf = prop_oneof![
        Just(Read::Input),
        Just(Read::Config),
        Just(Read::Item),
        (any::<usize>(), any::<bool>()).prop_map(|(step, part)| Read::Step(step, part)),
        (any::<usize>(), any::<bool>()).prop_map(|(step, part)| Read::Step(step, part)),
    ];
    let read = leaf.prop_recursive(2, 4, 2, |read| {
        (read.clone(), read).prop_map(|(a, b)| Read::Either(Box::new(a), Box::new(b)))
    });
    (kind, read, 0..3_usize, prop::option::of(any::<usize>())).prop_map(
        |(kind, read, shape, waits_for)| Step {
            kind,
            read,
            shape,
            waits_for,
        },
    )
}

impl World {
    /// The fan-out whose body a step is in: the two steps after it, as far as they may be there.
    fn owner(&self, step: usize) -> Option<usize> {
        (1..=2)
            .filter_map(|back| step.checked_sub(back))
            .find(|at| self.0[*at].kind == Kind::FanOut && self.body(*at).contains(&step))
    }

    /// A body has no fan-out, no approval and no question, to keep the reference plain.
    fn body(&self, fan_out: usize) -> Vec<usize> {
        (fan_out + 1..self.0.len().min(fan_out + 3))
            .take_while(|at| {
                use Kind::{Approval, Condition, FanIn, FanOut, Question};
                !matches!(
                    self.0[*at].kind,
                    FanOut | Approval | Question | FanIn | Condition
                )
            })
            .collect()
    }

    /// What step `at` can mean by `step`: one before it that it may read.
    fn target(&self, at: usize, step: usize) -> Option<usize> {
        let step = step % at.max(1);
        let is_visible =
            |step: usize| self.0[step].kind != Kind::FanOut || !self.body(step).is_empty();
        // a body is read from outside through its fan-out, and a fan-out not from inside
        let step = match self.owner(step) {
            Some(owner) if self.owner(at) != Some(owner) => owner,
            _ => step,
        };
        (step < at && self.owner(at) != Some(step) && is_visible(step)).then_some(step)
    }

    /// The paths that a step reads, as the plan spells them; `None` is a literal.
    fn paths(&self, at: usize, read: &Read) -> Vec<String> {
        match read {
            Read::Input => vec!["input.who".to_owned()],
            Read::Config => vec!["conf.boss".to_owned()],
            Read::Item => self
                .owner(at)
                .map(|owner| format!("item.row{owner}"))
                .into_iter()
                .collect(),
            Read::Step(step, part) => self
                .target(at, *step)
                .map(|step| {
                    format!(
                        "step.s{step}.{}{}",
                        self.output(step),
                        if *part { ".part" } else { "" }
                    )
                })
                .into_iter()
                .collect(),
            Read::Either(a, b) => [self.paths(at, a), self.paths(at, b)].concat(),
        }
    }

    fn output(&self, step: usize) -> &'static str {
        match self.0[step].kind {
            Kind::FanOut => "results",
            Kind::Condition => "result",
            _ => "out",
        }
    }

    fn is_part_of_scalar(&self, at: usize, read: &Read) -> bool {
        match read {
            Read::Step(step, part) => self.target(at, *step).is_some_and(|step| {
                use Kind::{Approval, Condition, FanOut, Question};
                *part && matches!(self.0[step].kind, Condition | Question | Approval | FanOut)
            }),
            Read::Either(a, b) => self.is_part_of_scalar(at, a) || self.is_part_of_scalar(at, b),
            _ => false,
        }
    }

    /// The references that a step holds. What cannot be read becomes a literal.
    fn reads(&self, at: usize) -> Vec<Vec<String>> {
        let step = &self.0[at];
        if step.kind == Kind::FanIn || self.is_part_of_scalar(at, &step.read) {
            return Vec::new();
        }
        let paths = self.paths(at, &step.read);
        if paths.is_empty() {
            Vec::new()
        } else {
            vec![paths]
        }
    }

    fn dependencies(&self, at: usize) -> Vec<usize> {
        let named = self.0[at].waits_for.and_then(|step| self.target(at, step));
        let read = self.reads(at).concat();
        let read = read
            .iter()
            .filter_map(|path| path.strip_prefix("step.s")?.split('.').next()?.parse().ok());
        let mut all: Vec<usize> = read.chain(named).chain(self.sources(at)).collect();
        all.extend(self.owner(at));
        if self.0[at].kind == Kind::FanOut {
            // what its body waits for outside, it waits for
            for step in self.body(at) {
                let outside = self.dependencies(step).into_iter();
                all.extend(outside.filter(|it| *it < at));
            }
        }
        all
    }

    fn sources(&self, at: usize) -> Vec<usize> {
        let is_fan_in = self.0[at].kind == Kind::FanIn;
        let source = self.0[at].waits_for.filter(|_| is_fan_in);
        source
            .and_then(|step| self.target(at, step))
            .into_iter()
            .collect()
    }

    fn is_before(&self, first: usize, step: usize) -> bool {
        self.dependencies(step)
            .into_iter()
            .any(|before| before == first || self.is_before(first, before))
    }

    /// Whether an untrusted source has a way into what a step delivers.
    fn is_tainted(&self, at: usize, inputs: bool) -> bool {
        match self.0[at].kind {
            Kind::Open | Kind::Script | Kind::Agent => true,
            Kind::Vouched | Kind::Send | Kind::Question | Kind::Approval => false,
            Kind::PureScript | Kind::Prompt | Kind::Condition => self.takes_in(at, inputs),
            Kind::FanIn => self
                .sources(at)
                .iter()
                .any(|step| self.is_tainted(*step, inputs)),
            Kind::FanOut => self
                .body(at)
                .last()
                .is_some_and(|last| self.is_tainted(*last, inputs)),
        }
    }

    /// Whether something that a step reads is tainted, and no approval before it endorsed that.
    fn takes_in(&self, at: usize, inputs: bool) -> bool {
        self.reads(at).iter().any(|paths| {
            let indices = 0..paths.len();
            indices
                .filter(|index| self.is_tainted_path(&paths[*index], inputs))
                .any(|index| !self.is_endorsed(at, &paths[..=index]))
        })
    }

    fn is_tainted_path(&self, path: &str, inputs: bool) -> bool {
        if let Some(step) = path.strip_prefix("step.s") {
            let step = step.split('.').next().unwrap().parse().unwrap();
            return self.is_tainted(step, inputs);
        }
        if let Some(owner) = path.strip_prefix("item.row") {
            return self.takes_in(owner.parse().unwrap(), inputs);
        }
        path.starts_with("input.") && inputs
    }

    /// Whether an approval that comes first shows the value of the last of these paths, chosen the same way.
    fn is_endorsed(&self, at: usize, paths: &[String]) -> bool {
        let root = |path: &str| path.split('.').take(2).collect::<Vec<_>>().join(".");
        let covers = |shown: &String, read: &String| {
            root(shown) == root(read) && (read == shown || read.starts_with(&format!("{shown}.")))
        };
        (0..at).any(|approval| {
            self.0[approval].kind == Kind::Approval
                && self.is_before(approval, at)
                && self.reads(approval).iter().any(|shown| {
                    shown.len() >= paths.len()
                        && shown
                            .iter()
                            .zip(paths)
                            .all(|(shown, read)| covers(shown, read))
                })
        })
    }

    fn reference(&self, at: usize) -> Option<String> {
        let paths = self.reads(at).concat();
        (!paths.is_empty()).then(|| format!("${{{}}}", paths.join(" ?? ")))
    }

    fn document(&self) -> Value {
        let steps: Vec<Value> = (0..self.0.len()).map(|at| self.step(at)).collect();
        sample::with(json!({
            "inputs": [
                {"name": "who"},
                {"name": "dir", "value_type": "string", "input_kind": "directory_path"},
            ],
            "config": {"boss": "b"},
            "steps": steps,
        }))
    }

    fn step(&self, at: usize) -> Value {
        let step = &self.0[at];
        let reference = self.reference(at);
        let text = reference.clone().unwrap_or_else(|| "nothing".to_owned());
        let template = match step.shape {
            0 => json!(text),
            1 => json!(format!("of {text}")),
            _ => json!({"deep": ["x", {"er": text}]}),
        };
        let call = |tool: &str, name: &str| {
            (
                "TOOL_CALL",
                json!({"tool": tool, "arguments": {name: template}}),
            )
        };
        let script = |language: &str| {
            (
                "CODE_CALL",
                json!({"language": language, "inline": "cat", "stdin": text}),
            )
        };
        let (kind, config) = match step.kind {
            Kind::Open => call("open", "q"),
            Kind::Vouched => call("vouched", "q"),
            Kind::Send => call("send", "to"),
            Kind::Script => script("bash"),
            Kind::PureScript => script("pure"),
            Kind::Prompt => (
                "PROMPT_CALL",
                json!({"model": "m", "user_prompt": text, "output_field": "out", "output_schema": {}}),
            ),
            Kind::Agent => (
                "AGENT_CALL",
                json!({"objective": text, "working_dir": "${input.dir}", "agent": "helper"}),
            ),
            Kind::Question | Kind::Approval => (
                "HUMAN_INTERACTION",
                json!({"prompt": format!("Is it {text}?"), "response_field": "out", "approval_required": step.kind == Kind::Approval}),
            ),
            Kind::Condition => {
                let side = reference.unwrap_or_else(|| "1".to_owned());
                (
                    "CONDITION",
                    json!({"expression": format!("{side} == conf.boss"), "true_steps": [], "false_steps": []}),
                )
            }
            Kind::FanIn => {
                let sources: Vec<String> =
                    self.sources(at).iter().map(|it| format!("s{it}")).collect();
                (
                    "FAN_IN",
                    json!({"from_steps": sources, "collect_field": "out"}),
                )
            }
            Kind::FanOut => {
                let body: Vec<String> = self.body(at).iter().map(|it| format!("s{it}")).collect();
                let over = reference.unwrap_or_else(|| "conf.boss".to_owned());
                (
                    "FAN_OUT",
                    json!({"over": over, "item_var": format!("row{at}"), "spawn_steps": body}),
                )
            }
        };
        let own = matches!(step.kind, Kind::Script | Kind::PureScript | Kind::Agent);
        let waits = step.waits_for.and_then(|step| self.target(at, step));
        let after: Vec<String> = waits.iter().map(|it| format!("s{it}")).collect();
        let mut full = sample::step(
            &format!("s{at}"),
            kind,
            config,
            json!({"depends_on": after}),
        );
        if own {
            full["outputs"] = json!([{"name": "out"}]);
        }
        full
    }
}

fn held(world: &World, inputs: bool) -> Result<(), TestCaseError> {
    let catalog = tools();
    let mut policy = Policy::default();
    if inputs {
        policy = policy.distrust(UntrustedSource::Inputs);
    }
    let text = world.document().to_string();
    let Ok(plan) = check(&text, &Context::new(&catalog, &policy)) else {
        // not every world is a plan; the law is about those that are
        return Err(TestCaseError::reject("no plan"));
    };
    let asks: Vec<&str> = plan
        .bounds()
        .asks
        .iter()
        .filter(|ask| ask.reason.contains("untrusted"))
        .map(|ask| ask.step.as_str())
        .collect();
    for (at, step) in world.0.iter().enumerate() {
        if step.kind == Kind::Send {
            let id = format!("s{at}");
            prop_assert_eq!(
                (&id, asks.contains(&id.as_str())),
                (&id, world.takes_in(at, inputs)),
                "{}",
                text
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, max_global_rejects: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn a_value_is_untrusted_exactly_where_a_source_reaches_it_unendorsed(
        steps in prop::collection::vec(step(), 2..9),
        inputs in any::<bool>(),
    ) {
        held(&World(steps), inputs)?;
    }
}
