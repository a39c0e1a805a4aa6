//! The command line, as it is written.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Check, run and resume plans that language models write.
#[derive(Debug, Parser)]
#[command(name = "planwright", version, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a plan as a whole, and say everything that is wrong with it
    Check(Check),
    /// Draw the steps of a plan and their order
    Graph(Graph),
    /// Print the JSON Schema of a document
    Schema(Schema),
    /// Check a plan and run it
    Run(Run),
    /// Go on with a run that waits or was interrupted
    Resume(Resume),
    /// Start a new run from steps of one that has ended, and keep the results before them
    Fork(Fork),
    /// End a run
    Cancel(Cancel),
    /// List runs, or show one
    #[command(subcommand)]
    Runs(Runs),
    /// Print the page of a rule
    Explain(Explain),
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) host: Host,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(crate) format: Format,
    /// Apply what a machine may apply, in the file, and print the difference
    ///
    /// Of standard input the fixed text is printed, and the difference goes to standard error.
    #[arg(long)]
    pub(crate) fix: bool,
    /// Also print what the plan may do, and nothing but that
    #[arg(long)]
    pub(crate) grant: bool,
    /// Fail when the plan may do more than this file says, and say what
    #[arg(long, value_name = "FILE")]
    pub(crate) grant_lock: Option<PathBuf>,
    /// Write what the plan may do to the file of `--grant-lock`, after saying what is new
    #[arg(long, requires = "grant_lock")]
    pub(crate) write_lock: bool,
}

/// Which plan, and how to read it.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The plan's file; `-` is standard input
    #[arg(value_name = "PLAN")]
    pub(crate) path: PathBuf,
    /// What the document is
    #[arg(long = "as", value_enum, default_value_t = Kind::Auto, value_name = "KIND")]
    pub(crate) kind: Kind,
    /// Where a planner's step that names no predecessor gets its edges
    #[arg(long, value_enum, default_value_t = Edges::Position)]
    pub(crate) edges: Edges,
}

/// What the host has and allows.
#[derive(Debug, Args)]
pub(crate) struct Host {
    /// The catalog file of tools, models, languages and agents
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
    /// The policy file
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
}

/// What a document is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// What its members say
    Auto,
    /// A native plan
    Plan,
    /// A plan with its tools
    Bundle,
    /// A planner's list
    Planner,
}

/// Where silent steps of a planner's list get their edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Edges {
    /// From the step before
    Position,
    /// From their references, where they have any
    Dataflow,
}

/// How `check` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Pretty,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// Few and short findings, for the prompt of a model that mends the plan
    Model,
}

/// Arguments of `graph`.
#[derive(Debug, Args)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    /// The notation
    #[arg(long, value_enum, default_value_t = Notation::Mermaid)]
    pub(crate) format: Notation,
}

/// How `graph` draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Notation {
    /// A Mermaid flowchart
    Mermaid,
    /// Graphviz
    Dot,
    /// Nodes, edges and groups
    Json,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// The document
    #[arg(value_enum)]
    pub(crate) document: SchemaOf,
    /// The strict schema of plans and planner's lists over the tools of this catalog file
    ///
    /// It is for the structured output of a model: objects are closed, all members are required,
    /// and what is optional may be null. Ids of steps begin with the name of their tool, and names
    /// of inputs with their type, so that references are known to fit.
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
}

/// Which document's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A native plan
    Plan,
    /// A planner's list
    Planner,
    /// A catalog file
    Catalog,
    /// A policy file
    Policy,
}

/// How scripts and agents are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Sandbox {
    /// Without a sandbox no script and no agent runs
    Required,
    /// With a sandbox where there is one
    #[value(alias = "best-effort")]
    BestEffort,
    /// Without a sandbox
    Off,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) host: Host,
    /// A JSON file with the inputs, by name; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,
    /// One input, as JSON; may be given more than once
    ///
    /// For an input that the plan declares as a string, whatever is neither a JSON string nor
    /// `null` is the text itself: `topic=rust`, `topic="rust"` and `--input topic=42` all give text.
    #[arg(long = "input", value_name = "NAME=JSON")]
    pub(crate) input: Vec<String>,
    /// The run's id; a second run under it is refused
    #[arg(long = "run-id", value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) powers: Powers,
    /// Save an edited plan as its next version
    #[arg(long)]
    pub(crate) bump: bool,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the run record as JSON, and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a run's driver may do beside calling tools.
#[derive(Debug, Args)]
pub(crate) struct Powers {
    /// How scripts and agents are held, whatever the policy says
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) sandbox: Option<Sandbox>,
    /// Where secrets are, in place of the environment: a JSON or YAML file of texts by name, or a folder with a file for each
    #[arg(long, value_name = "PATH")]
    pub(crate) secrets: Option<PathBuf>,
}

/// Where runs are kept unless a flag says otherwise.
pub(crate) const DEFAULT_STORE: &str = "sqlite:.planwright/state.db";

/// Where runs are kept.
#[derive(Debug, Args)]
pub(crate) struct Store {
    /// Where runs are kept: `sqlite:PATH` or `memory:`
    #[arg(
        long = "store",
        value_name = "URL",
        default_value = DEFAULT_STORE
    )]
    pub(crate) url: String,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Answer a question: approve, reject, cancel or text:…
    #[arg(long = "answer", value_name = "STEP|REQUEST=ANSWER")]
    pub(crate) answers: Vec<String>,
    /// Decide about a call in doubt: retry, failed or succeeded:JSON
    #[arg(long = "in-doubt", value_name = "STEP=DECISION")]
    pub(crate) in_doubt: Vec<String>,
    /// Stay until the run has ended, whoever drives it and however long questions stay open
    #[arg(long)]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) host: Host,
    #[command(flatten)]
    pub(crate) powers: Powers,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the run record as JSON, and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `fork`.
#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// The run that has ended; it stays as it is
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The steps that run again, with everything after them
    #[arg(long, value_name = "STEP", required = true, num_args = 1..)]
    pub(crate) from: Vec<String>,
    /// The id of the new run
    #[arg(long = "run-id", value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Only say what would run again and what would be kept
    #[arg(long)]
    pub(crate) preview: bool,
    #[command(flatten)]
    pub(crate) host: Host,
    #[command(flatten)]
    pub(crate) powers: Powers,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the run record, or the preview, as JSON, and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `cancel`.
#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The run
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Why
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "cancelled from the command line"
    )]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) host: Host,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the run record as JSON, and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with runs.
#[derive(Debug, Subcommand)]
pub(crate) enum Runs {
    /// List runs, the newest first
    List(List),
    /// Show one run
    Show(Show),
}

/// Arguments of `runs list`.
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only runs that stand like this; may be given more than once
    #[arg(long, value_enum)]
    pub(crate) status: Vec<Status>,
    /// The most runs to list
    #[arg(long, default_value_t = 100)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Status {
    /// Under way, or interrupted
    Running,
    /// A question or a call in doubt is open
    Waiting,
    /// Ended well
    Succeeded,
    /// Ended by a failure
    Failed,
    /// Ended by a person
    Cancelled,
}

/// Arguments of `runs show`.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The run
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) store: Store,
    /// Print the run record as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The rule's code, such as P203, or its name
    #[arg(value_name = "CODE")]
    pub(crate) rule: String,
}
