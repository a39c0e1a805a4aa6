//! Tools that are programs.

use plan_model::{Declared, ToolName, ToolSpec};
use plan_testkit::tool_suite::{Fixture, Fresh};
use plan_tools::SubprocessTool;
use serde_json::json;

/// Writes a line to a file by its idempotency key, or fails, or stays.
struct Program;

const SCRIPT: &str = r#"
case "$PLANWRIGHT_ARG_DO" in
    fail) echo why >&2; exit 3 ;;
    stay) mkfifo "$$.fifo"; exec 9<> "$$.fifo"; echo $$ >> at-work; exec sleep 1000 ;;
    *) echo once > "done-$PLANWRIGHT_IDEMPOTENCY_KEY"; echo '{"done": true}' ;;
esac
"#;

impl Fresh for Program {
    fn fresh(&self) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let mut spec = ToolSpec::named(ToolName::new("once").unwrap());
        spec.effects.idempotent = Declared::said(true);
        spec.idempotency_key = plan_model::IdempotencyKeySupport::Env;
        let words = json!({"enum": ["work", "fail", "stay"]});
        spec.input_schema = Some(plan_model::Schema(
            json!({"type": "object", "properties": {"do": words}, "required": ["do"]}),
        ));
        spec.output_schema = Some(plan_model::Schema(
            json!({"type": "object", "properties": {"done": {"type": "boolean"}}}),
        ));
        spec.config = Some(json!({"kind": "subprocess", "command": "sh", "args": ["-c", SCRIPT]}));
        let tool = SubprocessTool::new(spec, &path).unwrap();
        let (at_work, written) = (path.clone(), path);
        Fixture::new(tool, json!({"do": "work"}))
            .fails(json!({"do": "fail"}))
            .endless(json!({"do": "stay"}))
            .running(move || {
                let pids = std::fs::read_to_string(at_work.join("at-work")).unwrap_or_default();
                pids.lines().filter(|pid| is_alive(pid)).count()
            })
            .effects(move || {
                let entries = std::fs::read_dir(&written).unwrap().flatten();
                entries
                    .filter(|entry| entry.file_name().to_string_lossy().starts_with("done-"))
                    .count()
            })
            .keeping(folder)
    }
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

plan_testkit::tool_suite!(Program);
