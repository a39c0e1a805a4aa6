//! Two processes and one run.

use crate::signals::holding;

#[test]
fn case_46_one_process_drives_and_a_third_may_cancel() {
    let (folder, running, run) = holding();
    let second = folder.planwright(["resume", &run]).expect(6);
    assert!(second.stderr.contains(&run), "{}", second.stderr);
    // looking does not disturb
    let record = folder
        .planwright(["runs", "show", &run, "--json"])
        .expect(0)
        .json();
    assert_eq!(record["status"], "running");
    folder.planwright(["cancel", &run]).expect(0);
    let record = running.end().expect(5).json();
    assert_eq!(record["status"], "cancelled");
    assert!(!folder.at("notes").exists());
}

#[test]
fn case_46_a_killed_owners_run_is_taken_at_once() {
    let (folder, running, run) = holding();
    running.kill();
    let record = folder
        .planwright(["resume", &run, "--json"])
        .expect(4)
        .json();
    assert_eq!(record["steps"]["hold"]["status"], "in_doubt");
}

#[test]
fn waiting_for_a_run_that_another_process_drives_ends_with_it() {
    let (folder, running, run) = holding();
    let mut waiting = folder.start(["resume", &run, "--wait", "--json"]);
    waiting
        .line_with("another process drives it")
        .expect("it says that it waits");
    running.signal("INT");
    running.end().expect(5);
    assert_eq!(waiting.end().expect(5).json()["status"], "cancelled");
}
