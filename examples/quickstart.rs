//! The main job in one go: a plan is refused with every finding; a sound one runs in
//! parallel groups, waits for a person, and is finished by another executor on the same file.
//!
//! `cargo run --example quickstart`

#![expect(clippy::print_stdout, reason = "an example speaks to whoever runs it")]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use planwright::validate::Severity;
use planwright::validate::render::{Colour, pretty};
use planwright::{
    Answer, Context, Executor, Policy, PrincipalName, RunId, RunRecord, SqliteStore, ToolError,
    ToolRegistry, ValidatedPlan, check, inputs, tool_fn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const REFUSED: &str = include_str!("quickstart/refused.json");
const DIGEST: &str = include_str!("quickstart/digest.json");

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("runs.db");
    let policy = Policy::default();
    let calls = Calls::default();

    heading("1. A plan with mistakes is refused whole, with every finding");
    tell(
        "A model wrote examples/quickstart/refused.json: a tool and an input that do not exist, an argument \
         too many, a misspelt field, and two steps that wait for each other. It learns of all of them at once.",
    );
    let tools = tools(&calls)?;
    match check(REFUSED, &Context::new(tools.catalog(), &policy)) {
        Ok(_) => return Err("the faulty plan was accepted".into()),
        Err(rejected) => {
            let report = pretty(rejected.findings(), "refused.json", REFUSED, colour());
            let errors = rejected.findings().iter();
            let errors = errors.filter(|finding| finding.severity == Severity::Error);
            println!("{}", report.trim_end());
            println!("\nrefused with {} errors; nothing ran", errors.count());
        }
    }

    heading("2. A sound plan, and exactly what its run may do");
    let plan = check(DIGEST, &Context::new(tools.catalog(), &policy))?;
    tell(
        "examples/quickstart/digest.json passes. Its grant is derived from the plan itself: these tools, with \
         these arguments, at these steps. Every call is held against it.",
    );
    println!("{}\n", plan.grant());
    println!("its steps, side by side where nothing orders them:");
    for (at, group) in plan.graph().groups().iter().enumerate() {
        let steps = group.iter().filter_map(|step| plan.plan().steps.get(*step));
        let ids: Vec<&str> = steps.map(|step| step.id.as_str()).collect();
        println!("  {}. {}", at + 1, ids.join(", "));
    }

    heading("3. The first executor runs it until a person is asked");
    tell(
        "The two searches overlap. Every event is in runs.db before it is acted upon. The approval holds no \
         task: the executor ends, and the question may stay open for days.",
    );
    let run = first_process(plan, tools, &file).await?;
    println!("calls so far: {}", calls.summary());

    heading("4. A second executor opens the same file, takes the answer, and finishes");
    tell(
        "It shares nothing with the first but the file: it checks the plan again, replays the journal, and \
         goes on. What had succeeded is not called again.",
    );
    let later = Calls::default();
    let record = second_process(&run, self::tools(&later)?, &file).await?;
    show(&record);
    println!("calls of the second executor: {}", later.summary());

    heading("5. What the run published");
    println!("{}", serde_json::to_string_pretty(record.outputs())?);

    heading("Next");
    println!("The same from a shell, with programs as tools:\n");
    for command in [
        "check examples/plans/refused.json --tools examples/plans/tools.yaml",
        "run examples/plans/approval.json --tools examples/plans/tools.yaml",
    ] {
        println!("  cargo run -q -p plan-cli -- {command}");
    }
    Ok(())
}

async fn first_process(
    plan: ValidatedPlan,
    tools: ToolRegistry,
    file: &Path,
) -> Result<RunId, Box<dyn Error>> {
    let executor = Executor::new(tools, SqliteStore::open(file).await?);
    let handle = executor
        .start(plan, inputs! { "topic": "durable execution" })
        .await?;
    let record = handle.wait().await?;
    show(&record);
    for request in record.waiting() {
        println!("\n`{}` asks: {}", request.step, request.prompt);
    }
    Ok(handle.id().clone())
}

async fn second_process(
    run: &RunId,
    tools: ToolRegistry,
    file: &Path,
) -> Result<RunRecord, Box<dyn Error>> {
    let executor = Executor::new(tools, SqliteStore::open(file).await?);
    let waiting = executor.open(run).await?;
    for request in waiting.waiting() {
        let by = PrincipalName::new("editor@example.org")?;
        executor
            .answer(run, request.id.clone(), Answer::Approve, by)
            .await?;
        println!("`{}` approved by editor@example.org", request.step);
    }
    Ok(executor.resume(run).await?.wait().await?)
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    query: String,
    source: String,
}

#[derive(Serialize, JsonSchema)]
struct Hits {
    titles: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Summarise {
    titles: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Summary {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Publish {
    title: String,
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Published {
    url: String,
}

/// The host's tools: closures, with what they do to the world.
fn tools(calls: &Calls) -> Result<ToolRegistry, Box<dyn Error>> {
    let (search, summarise, publish) = (calls.clone(), calls.clone(), calls.clone());
    let tools = ToolRegistry::new()
        .with(
            tool_fn("search", "Find titles in one source", move |a: Search| {
                search.note("search");
                async move {
                    let titles = vec![format!("{} ({})", a.query, a.source)];
                    Ok::<_, ToolError>(Hits { titles })
                }
            })
            .read_only()
            .typed_result(),
        )?
        .with(
            tool_fn(
                "summarise",
                "Make one text of titles",
                move |a: Summarise| {
                    summarise.note("summarise");
                    async move {
                        let text = format!("{} found: {}", a.titles.len(), a.titles.join("; "));
                        Ok::<_, ToolError>(Summary { text })
                    }
                },
            )
            .read_only()
            .typed_result(),
        )?
        .with(
            tool_fn(
                "publish",
                "Put a page where everybody reads it",
                move |a: Publish| {
                    publish.note("publish");
                    async move {
                        let slug = a.title.replace(' ', "-");
                        let url = format!("https://news.example.org/{slug}?words={}", a.text.len());
                        Ok::<_, ToolError>(Published { url })
                    }
                },
            )
            .not_idempotent()
            .typed_result(),
        )?;
    Ok(tools)
}

/// How often each tool was called.
#[derive(Debug, Clone, Default)]
struct Calls(Arc<Mutex<BTreeMap<&'static str, usize>>>);

impl Calls {
    fn note(&self, tool: &'static str) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *calls.entry(tool).or_default() += 1;
    }

    fn summary(&self) -> String {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let each: Vec<String> = calls
            .iter()
            .map(|(tool, n)| format!("{tool} {n}"))
            .collect();
        each.join(", ")
    }
}

fn show(record: &RunRecord) {
    println!("the run is {}", record.status());
    for step in record.steps() {
        println!("  {:<10} {}", step.id.to_string(), step.status);
    }
}

fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.len()));
}

/// Prints a paragraph in lines of a readable length.
fn tell(text: &str) {
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 && length + word.len() > 88 {
            println!();
            length = 0;
        }
        if length > 0 {
            print!(" ");
        }
        print!("{word}");
        length += word.len() + 1;
    }
    println!("\n");
}

/// Colour where a person reads.
fn colour() -> Colour {
    let wanted = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    if wanted {
        Colour::Always
    } else {
        Colour::Never
    }
}
