//! Any step of any kind.

use plan_model::{
    AgentCall, AgentName, CodeCall, CodeSource, Condition, Expression, FanIn, FanOut,
    HumanInteraction, ItemName, Join, LanguageName, Limits, ModelName, OnError, OnItemError,
    OnReject, PromptCall, Retry, RetryClass, Step, StepConfig, ToolCall, ToolName,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::{
    host_name, identifier, output, output_name, reference, schema, seconds, step_id, template,
    text, text_template,
};

fn retry() -> BoxedStrategy<Retry> {
    let classes = prop_oneof![
        Just(RetryClass::Timeout),
        Just(RetryClass::NotFound),
        Just(RetryClass::ModelTruncated)
    ];
    (
        0..99_u64,
        seconds(),
        any::<bool>(),
        option::of(seconds()),
        any::<bool>(),
        option::of(vec(classes, 0..3)),
    )
        .prop_map(
            |(max_attempts, delay_secs, backoff, max_delay_secs, jitter, retry_on)| Retry {
                max_attempts,
                delay_secs,
                backoff,
                max_delay_secs,
                jitter,
                retry_on,
            },
        )
        .boxed()
}

pub(super) fn step() -> BoxedStrategy<Step> {
    (
        (step_id(), text(), option::of(text()), config()),
        (vec(step_id(), 0..3), vec(output(), 0..3)),
        (option::of(seconds()), option::of(retry())),
        prop_oneof![Just(Join::All), Just(Join::Any), Just(Join::Settled)],
        prop_oneof![Just(OnError::Fail), Just(OnError::Continue)],
    )
        .prop_map(
            |(
                (id, name, description, config),
                (depends_on, outputs),
                (timeout_secs, retry),
                join,
                on_error,
            )| Step {
                id,
                name,
                description,
                config,
                depends_on,
                outputs,
                timeout_secs,
                retry,
                join,
                on_error,
            },
        )
        .boxed()
}

fn config() -> BoxedStrategy<StepConfig> {
    prop_oneof![
        tool_call(),
        code_call(),
        prompt_call(),
        agent_call(),
        human_interaction(),
        condition(),
        fan_out(),
        (vec(step_id(), 0..3), output_name()).prop_map(|(from_steps, collect_field)| {
            StepConfig::FanIn(FanIn {
                from_steps,
                collect_field,
            })
        }),
    ]
    .boxed()
}

fn tool_call() -> BoxedStrategy<StepConfig> {
    (
        host_name(),
        btree_map("[a-zé日\u{FFFD}😀]{0,3}", template(), 0..4),
    )
        .prop_map(|(tool, arguments)| {
            StepConfig::ToolCall(ToolCall {
                tool: ToolName::new(tool).unwrap(),
                arguments,
            })
        })
        .boxed()
}

fn code_call() -> BoxedStrategy<StepConfig> {
    let source = prop_oneof![
        text().prop_map(CodeSource::Inline),
        text_template().prop_map(CodeSource::File),
    ];
    (
        (host_name(), source),
        vec(text_template(), 0..3),
        (option::of(text_template()), option::of(text_template())),
        btree_map("[A-Z]{1,3}", text_template(), 0..3),
        option::of(seconds()),
    )
        .prop_map(
            |((language, source), args, (stdin, working_dir), env, timeout_secs)| {
                StepConfig::CodeCall(CodeCall {
                    language: LanguageName::new(language).unwrap(),
                    source,
                    args,
                    stdin,
                    env,
                    working_dir,
                    timeout_secs,
                })
            },
        )
        .boxed()
}

fn prompt_call() -> BoxedStrategy<StepConfig> {
    (
        host_name(),
        (option::of(text_template()), text_template()),
        (output_name(), option::of(schema())),
        option::of(0..999_u64),
        option::of((0..30_u32).prop_map(|tenths| f64::from(tenths) / 10.0)),
    )
        .prop_map(
            |(model, prompts, (output_field, output_schema), max_tokens, temperature)| {
                StepConfig::PromptCall(PromptCall {
                    model: ModelName::new(model).unwrap(),
                    system_prompt: prompts.0,
                    user_prompt: prompts.1,
                    output_field,
                    output_schema,
                    max_tokens,
                    temperature,
                })
            },
        )
        .boxed()
}

fn agent_call() -> BoxedStrategy<StepConfig> {
    (
        (text_template(), text_template()),
        option::of(host_name()),
        option::of(vec(host_name(), 0..3)),
        option::of(0..9_u64),
        option::of(seconds()),
    )
        .prop_map(
            |((objective, working_dir), agent, tools, max_turns, timeout_secs)| {
                let tool = |name| ToolName::new(name).unwrap();
                StepConfig::AgentCall(AgentCall {
                    objective,
                    working_dir,
                    agent: agent.map(|name| AgentName::new(name).unwrap()),
                    tools: tools.map(|names: Vec<String>| names.into_iter().map(tool).collect()),
                    max_turns,
                    timeout_secs,
                })
            },
        )
        .boxed()
}

fn human_interaction() -> BoxedStrategy<StepConfig> {
    (text_template(), output_name(), any::<bool>(), any::<bool>())
        .prop_map(|(prompt, response_field, approval_required, goes_on)| {
            StepConfig::HumanInteraction(HumanInteraction {
                prompt,
                response_field,
                approval_required,
                on_reject: if goes_on {
                    OnReject::Continue
                } else {
                    OnReject::Cancel
                },
            })
        })
        .boxed()
}

fn expression() -> BoxedStrategy<Expression> {
    prop_oneof![
        Just("true".to_owned()),
        identifier().prop_map(|id| format!("${{step.{id}.x}} == \"é\\n\"")),
        (0..9_u32).prop_map(|n| format!("size(input.list) > {n} && !(1 < {n})")),
    ]
    .prop_map(|source| Expression::parse(&source, &Limits::default()).unwrap())
    .boxed()
}

fn condition() -> BoxedStrategy<StepConfig> {
    (expression(), vec(step_id(), 0..3), vec(step_id(), 0..3))
        .prop_map(|(expression, true_steps, false_steps)| {
            StepConfig::Condition(Condition {
                expression,
                true_steps,
                false_steps,
            })
        })
        .boxed()
}

fn fan_out() -> BoxedStrategy<StepConfig> {
    (
        (reference(), identifier()),
        vec(step_id(), 0..3),
        option::of(expression()),
        0..4_u64,
        any::<bool>(),
    )
        .prop_map(
            |((over, item_var), spawn_steps, until, max_parallel, collects)| {
                StepConfig::FanOut(FanOut {
                    over,
                    item_var: ItemName::new(item_var).unwrap(),
                    spawn_steps,
                    until,
                    max_parallel,
                    on_item_error: if collects {
                        OnItemError::Collect
                    } else {
                        OnItemError::Fail
                    },
                })
            },
        )
        .boxed()
}
