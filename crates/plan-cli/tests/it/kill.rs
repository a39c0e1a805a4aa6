//! SIGKILL at twenty points of a run of two hundred calls, and a resume in a new process each time.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command::{Folder, Running};
use crate::plans::{plan, tool_call};

const STEPS: usize = 200;
const KILLS: usize = 20;

fn name(step: usize) -> String {
    format!("s{step:03}")
}

fn folder() -> Folder {
    let folder = Folder::new();
    let steps: Vec<Value> = (0..STEPS)
        .map(|step| {
            let before: Vec<String> = step.checked_sub(1).map(name).into_iter().collect();
            let before: Vec<&str> = before.iter().map(String::as_str).collect();
            tool_call(&name(step), "append", json!({"id": name(step)}), &before)
        })
        .collect();
    folder.write_json("plan.json", &plan(json!(steps)));
    // each call leaves a process behind in its group, which has to go with it
    let catalog = format!(
        "planwright: 1\ntools:\n  - name: append\n    config:\n      kind: subprocess\n      command: sh\n      env: {{MARK: '{}'}}\n      args: [-c, 'sleep 1000 >/dev/null 2>&1 & echo \"$PLANWRIGHT_ARG_ID\" >> done']\n",
        folder.path().display()
    );
    folder.write("tools.yaml", catalog);
    folder
}

/// The lines that calls wrote, and how often.
fn lines(folder: &Folder) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(folder.at("done")).unwrap_or_default();
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        *lines.entry(line.to_owned()).or_default() += 1;
    }
    lines
}

/// Processes that were started for this folder, by their environment or command line.
fn survivors(folder: &Path) -> Vec<String> {
    let mark = folder.to_str().unwrap().as_bytes();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        if !pid.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let marked = ["environ", "cmdline"].iter().any(|file| {
            std::fs::read(entry.path().join(file))
                .is_ok_and(|bytes| bytes.windows(mark.len()).any(|window| window == mark))
        });
        if marked {
            found.push(pid);
        }
    }
    found
}

/// Waits until the children of a killed process are gone; the kernel takes a moment to end them.
fn no_survivor(folder: &Folder) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let left = survivors(folder.path());
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "still there: {left:?}");
        std::thread::yield_now();
    }
}

/// Reads on until the run is at a kill point: in odd rounds a call has just ended, in even ones one has just started.
fn reach(running: &mut Running, round: usize) -> bool {
    let step = name((round + 1) * STEPS / (KILLS + 1));
    let event = if round.is_multiple_of(2) {
        "started"
    } else {
        "succeeded"
    };
    running.line_with(&format!("{step}: {event}")).is_some()
}

#[test]
fn case_45_a_run_survives_twenty_kills() {
    let folder = folder();
    let store = format!("sqlite:{}", folder.at("state.db").display());
    let mut running = folder.start([
        "run",
        "plan.json",
        "--tools",
        "tools.yaml",
        "--run-id",
        "r",
        "--store",
        &store,
    ]);
    let mut doubts = 0;
    for round in 0..KILLS {
        assert!(
            reach(&mut running, round),
            "round {round} reaches its kill point"
        );
        running.kill();
        no_survivor(&folder);
        let written = lines(&folder);
        for (line, count) in &written {
            assert_eq!(*count, 1, "{line} ran once (round {round})");
        }

        // in another process: what is done stays done, what was in flight is asked about
        let resumed = folder
            .planwright(["runs", "show", "r", "--store", &store, "--json"])
            .expect(0);
        let record = resumed.json();
        let steps = record["steps"].as_object().unwrap();
        for (step, state) in steps {
            if state["status"] == "succeeded" {
                assert_eq!(
                    written.get(step),
                    Some(&1),
                    "{step} is not lost (round {round})"
                );
            }
        }
        let in_flight: Vec<&String> = steps
            .iter()
            .filter(|(_, state)| state["status"] == "running")
            .map(|(step, _)| step)
            .collect();
        match in_flight.as_slice() {
            [] => running = folder.start(["resume", "r", "--store", &store]),
            [step] => {
                doubts += 1;
                let asked = folder
                    .planwright(["resume", "r", "--store", &store, "--json"])
                    .expect(4);
                assert_eq!(asked.json()["steps"][step.as_str()]["status"], "in_doubt");
                assert_eq!(lines(&folder), written, "nothing was repeated unasked");
                let decision = if written.contains_key(*step) {
                    format!("{step}=succeeded:{{}}")
                } else {
                    format!("{step}=retry")
                };
                running = folder.start(["resume", "r", "--store", &store, "--in-doubt", &decision]);
            }
            many => panic!("a chain has one call in flight, not {many:?}"),
        }
    }
    running.end().expect(0);
    no_survivor(&folder);
    let written = lines(&folder);
    let expected: BTreeMap<String, usize> = (0..STEPS).map(|step| (name(step), 1)).collect();
    assert_eq!(written, expected, "every step ran, and ran once");
    assert!(doubts > 0, "some kill hit a call in flight");
}
