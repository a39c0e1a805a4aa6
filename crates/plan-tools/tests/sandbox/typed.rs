//! What a denied script fails of: a class of its own, and what it was denied.

use std::net::TcpListener;

use plan_exec::{CodeOutput, CodeRunner, Dispatched, ToolError};
use plan_run::FailureClass;
use plan_tools::ProcessCodeRunner;
use plan_tools::process::Support;
use plan_validate::Policy;
use plan_validate::policy::{SandboxLimits, SandboxMode, SandboxPolicy};
use serde_json::{Value, json};

use crate::cases::{Lab, connecting};

/// The failure of a script that had begun.
#[track_caller]
fn failed(ended: Result<CodeOutput, ToolError>, class: FailureClass) -> (String, Value) {
    let error = ended.unwrap_err();
    assert_eq!(error.class, class, "{error:?}");
    assert_eq!(error.dispatched, Dispatched::Yes);
    (error.message, *error.details.unwrap())
}

pub(crate) async fn a_denied_file_is_a_failure_that_names_it() {
    let lab = Lab::new();
    let secret = lab.secret().display().to_string();
    for (language, text) in [
        ("python", format!("open('{secret}').read()")),
        ("py", format!("open('{secret}', 'w')")),
        ("python3", format!("import os; os.remove('{secret}')")),
        (
            "python",
            format!(
                "import pathlib\ntry:\n    pathlib.Path('{secret}').read_text()\nexcept OSError as error:\n    raise RuntimeError('no settings') from error"
            ),
        ),
        ("node", format!("require('fs').readFileSync('{secret}')")),
        (
            "js",
            format!("require('fs').promises.writeFile('{secret}', 'x')"),
        ),
        (
            "javascript",
            format!(
                "try {{ require('fs').readFileSync('{secret}') }} catch (cause) {{ throw new Error('no settings', {{ cause }}) }}"
            ),
        ),
    ] {
        let (message, details) = failed(lab.run(language, &text).await, FailureClass::Permission);
        assert_eq!(
            message,
            format!(
                "the script was denied the file `{secret}`; a directory input, `roots` of the policy or `read_roots` of the language would grant it"
            ),
            "{text}"
        );
        assert_eq!(
            details,
            json!({"denied": "file", "path": secret, "exit_code": 1}),
            "{text}"
        );
    }
    let kill = format!("import os; os.kill({}, 0)", std::process::id());
    if Support::of_this_system().signals() {
        let (message, details) = failed(lab.run("python", &kill).await, FailureClass::Permission);
        assert_eq!(message, "the script was denied what it tried");
        assert_eq!(details, json!({"denied": "other", "exit_code": 1}));
    }
}

pub(crate) async fn a_denied_connection_is_a_failure_that_names_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let [python, _, _] = connecting(port);
    for (language, text) in [
        python,
        (
            "python",
            format!("import urllib.request; urllib.request.urlopen('http://{address}/')"),
        ),
        (
            "node",
            format!("require('net').connect({port}, '127.0.0.1')"),
        ),
        ("node", format!("fetch('http://{address}/')")),
        (
            "python",
            format!("import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', {port}))"),
        ),
    ] {
        let ended = Lab::new().run(language, &text).await;
        let (message, details) = failed(ended, FailureClass::Permission);
        assert_eq!(
            message,
            format!(
                "the script was denied the address `{address}`; `network: true` of the language would open the network to it"
            )
        );
        assert_eq!(
            details,
            json!({"denied": "network", "address": address, "exit_code": 1}),
            "{text}"
        );
    }
}

pub(crate) async fn memory_files_and_open_files_past_their_bound_are_failures_that_name_it() {
    let mut lab = Lab::new();
    lab.limits.memory_bytes = 384 << 20;
    lab.limits.file_bytes = 4_096;
    lab.limits.open_files = 64;
    for (language, text, limit) in [
        (
            "python",
            "x = []\nwhile True: x.append(bytearray(64 << 20))",
            "memory",
        ),
        (
            "python",
            "x = []\nwhile True: x.append((len(x), str(len(x))))",
            "memory",
        ),
        (
            "node",
            "const x = []; for (;;) x.push(Buffer.alloc(64 << 20, 1))",
            "memory",
        ),
        (
            "python",
            "open('big', 'wb').write(bytes(100000))",
            "file_size",
        ),
        (
            "node",
            "require('fs').writeFileSync('big', Buffer.alloc(100000))",
            "file_size",
        ),
        (
            "python",
            "x = [open('/dev/null') for _ in range(99)]",
            "open_files",
        ),
        (
            "node",
            "for (let i = 0; i < 99; i++) require('fs').openSync('/dev/null')",
            "open_files",
        ),
    ] {
        let ended = lab.run(language, text).await;
        let (_, details) = failed(ended, FailureClass::LimitExceeded);
        assert_eq!(details.get("limit"), Some(&limit.into()), "{text}");
    }
}

pub(crate) async fn a_script_that_goes_on_after_a_denial_is_its_own_business() {
    let lab = Lab::new();
    let secret = lab.secret().display().to_string();
    for (language, text) in [
        (
            "python",
            format!("try: open('{secret}')\nexcept OSError: print('none')"),
        ),
        (
            "node",
            format!(
                "try {{ require('fs').readFileSync('{secret}') }} catch {{ console.log('none') }}"
            ),
        ),
        ("sh", format!("cat {secret} || echo none")),
    ] {
        let output = lab.run(language, &text).await.unwrap();
        assert_eq!((output.stdout.as_str(), output.exit_code), ("none\n", 0));
    }
}

pub(crate) async fn a_failure_of_another_cause_stays_an_exit_code() {
    let lab = Lab::new();
    let secret = lab.secret().display().to_string();
    for (language, text, code) in [
        (
            "python",
            "raise ValueError('PermissionError: [Errno 13]')".to_owned(),
            1,
        ),
        (
            "python",
            format!("import sys\ntry: open('{secret}')\nexcept OSError: sys.exit(7)"),
            7,
        ),
        (
            "python",
            format!("try: open('{secret}')\nexcept OSError: pass\nassert False"),
            1,
        ),
        (
            "python",
            format!("try: open('{secret}')\nexcept OSError: {{}}['x']"),
            1,
        ),
        ("python", "this is no python".to_owned(), 1),
        ("python", "open('absent')".to_owned(), 1),
        ("node", "throw new Error('EACCES')".to_owned(), 1),
        ("node", "new Array(-1)".to_owned(), 1),
        ("node", "process.exit(7)".to_owned(), 7),
        ("sh", format!("cat {secret}"), 1),
    ] {
        let output = lab.run(language, &text).await.unwrap();
        assert_eq!(output.exit_code, code, "{text}: {output:?}");
    }
}

const PYTHON_FACTS: &str = "\
'''A script.'''
from __future__ import annotations
import inspect, os, sys, threading, traceback
class Thing:
    def method(self): return 1
def main():
    here = os.path.basename(__file__)
    print(__name__, here, __doc__, sorted(globals()), sys.argv[1:], sys.argv[0] == __file__)
    print(sys.path[0] == os.path.dirname(__file__), __spec__, __loader__.path == __file__)
    print(inspect.getsource(Thing.method), sys.modules['__main__'].Thing is Thing)
    print(sorted(threading.enumerate()[0].name), sys.flags.isolated)
    raise ValueError('the end')
main()
";

const NODE_FACTS: &str = "\
const path = require('path');
const { execFileSync, fork } = require('child_process');
const { Worker, isMainThread } = require('worker_threads');
console.log(path.basename(__filename), require.main === module, process.argv.slice(2), process.execArgv);
console.log(Object.keys(require.cache).length, Object.keys(globalThis).length);
new Worker('console.log(\"in a worker\")', { eval: true }).on('exit', () => {
  throw new TypeError('the end');
});
";

pub(crate) async fn a_script_runs_in_the_sandbox_as_it_does_outside_of_it() {
    for (language, text) in [("python", PYTHON_FACTS), ("node", NODE_FACTS)] {
        let mut lab = Lab::new();
        lab.args = vec!["--one".to_owned(), "two words".to_owned()];
        let support = Support::of_this_system();
        let held = lab.run(language, text).await.unwrap();
        let free = lab.run_on(support, SandboxMode::Off, language, text).await;
        assert_eq!(held.exit_code, 1);
        assert_eq!(held, free.unwrap(), "{language}");
        assert!(held.stderr.contains("the end"), "{}", held.stderr);
        assert!(!held.stderr.contains("hook"), "{}", held.stderr);
    }
}

pub(crate) async fn a_report_is_not_read_through_a_link() {
    let lab = Lab::new();
    std::fs::write(lab.folder.path().join("forged"), "EACCES\nfile\n/canary").unwrap();
    let text = format!(
        "import glob, os, sys\n[end] = glob.glob(os.path.dirname(__file__) + '/*.end')\nos.remove(end)\nos.symlink('{}/forged', end)\nsys.exit(5)",
        lab.folder.path().display()
    );
    let output = lab.run("python", &text).await.unwrap();
    assert_eq!(output.exit_code, 5, "{output:?}");
    // and nothing of it stays
    let left = std::fs::read_dir(lab.folder.path().join("scratch/.scripts")).unwrap();
    assert_eq!(left.count(), 0);
}

pub(crate) async fn the_bounds_of_a_language_come_before_those_of_the_policy() {
    let mut policy = SandboxLimits::default();
    policy.cpu_secs = Some(7);
    policy.memory_mib = Some(900);
    let sandbox = SandboxPolicy::from(
        &Policy::default()
            .sandbox(SandboxMode::BestEffort)
            .sandbox_limits(policy),
    );
    let lab = Lab::new().language("sh", |sh| sh.limits.memory_mib = Some(1_000));
    let cx = lab.context();
    let runner = ProcessCodeRunner::new(&lab.catalog, sandbox);
    let said = runner
        .run(lab.request("sh", "ulimit -t; ulimit -d"), &cx)
        .await
        .unwrap();
    assert_eq!(said.stdout, "7\n1024000\n");
    let recorded = cx.confinement().unwrap().limits;
    assert_eq!(recorded.cpu_secs, Some(7));
    assert_eq!(recorded.memory_mib, Some(1_000));
    assert_eq!(recorded.open_files, Some(1_024));
}
