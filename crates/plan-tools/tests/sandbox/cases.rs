//! The sandbox, with real processes: what a script cannot do, and how it is allowed on purpose.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use plan_exec::{
    CodeOutput, CodeRequest, CodeRunner, Dispatched, FileAccess, GrantedFile, ScriptSource,
    ToolContext, ToolError,
};
use plan_model::LanguageName;
use plan_run::{FailureClass, Restraint};
use plan_tools::ProcessCodeRunner;
use plan_tools::process::{ResourceLimits, Support};
use plan_validate::ToolCatalog;
use plan_validate::catalog::LanguageSpec;
use plan_validate::policy::{SandboxMode, SandboxPolicy};

use crate::context;

/// A run of scripts under a sandbox: its folder, its catalog and what else it was granted.
pub(crate) struct Lab {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) catalog: ToolCatalog,
    pub(crate) roots: Vec<std::path::PathBuf>,
    pub(crate) files: Vec<GrantedFile>,
    pub(crate) limits: ResourceLimits,
    pub(crate) args: Vec<String>,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            catalog: ToolCatalog::default().with_built_in_languages(),
            roots: Vec::new(),
            files: Vec::new(),
            limits: ResourceLimits::default(),
            args: Vec::new(),
        }
    }

    pub(crate) fn language(mut self, name: &str, change: impl FnOnce(&mut LanguageSpec)) -> Self {
        let name = LanguageName::new(name).unwrap();
        let mut spec = self.catalog.languages()[&name].clone();
        change(&mut spec);
        self.catalog = self.catalog.with_language(name, spec);
        self
    }

    pub(crate) async fn run(&self, language: &str, text: &str) -> Result<CodeOutput, ToolError> {
        self.run_on(
            Support::of_this_system(),
            SandboxMode::Required,
            language,
            text,
        )
        .await
    }

    pub(crate) async fn run_on(
        &self,
        support: Support,
        sandbox: impl Into<SandboxPolicy>,
        language: &str,
        text: &str,
    ) -> Result<CodeOutput, ToolError> {
        let cx = self.context();
        let code = self.request(language, text);
        ProcessCodeRunner::new(&self.catalog, sandbox)
            .on(support)
            .limits(self.limits)
            .run(code, &cx)
            .await
    }

    pub(crate) fn context(&self) -> ToolContext {
        context()
            .with_scratch(self.folder.path().join("scratch"))
            .with_roots(self.roots.clone())
            .with_files(self.files.clone())
    }

    pub(crate) fn request(&self, language: &str, text: &str) -> CodeRequest {
        CodeRequest {
            language: LanguageName::new(language).unwrap(),
            source: ScriptSource::Inline(text.to_owned()),
            args: self.args.clone(),
            stdin: None,
            env: BTreeMap::new(),
            working_dir: None,
            timeout: Some(Duration::from_mins(1)),
        }
    }

    /// A file beside the scratch folder, which nobody was granted.
    pub(crate) fn secret(&self) -> std::path::PathBuf {
        let path = self.folder.path().join("secret");
        std::fs::write(&path, "canary").unwrap();
        path
    }
}

/// The script did not get what it wanted: it failed of that, or said so by its exit code.
#[track_caller]
pub(crate) fn denied(ended: Result<CodeOutput, ToolError>) {
    match ended {
        Ok(output) => {
            assert_ne!(output.exit_code, 0, "{output:?}");
            assert!(!output.stdout.contains("canary"), "{output:?}");
        }
        Err(error) => {
            let known = [FailureClass::Permission, FailureClass::LimitExceeded];
            assert!(known.contains(&error.class), "{error:?}");
            assert_eq!(error.dispatched, Dispatched::Yes, "{error:?}");
            let printed = error.stdout_tail.unwrap_or_default();
            assert!(!printed.contains("canary"), "{printed}");
        }
    }
}

pub(crate) async fn every_built_in_language_runs_in_the_sandbox() {
    for (language, text) in [
        (
            "python",
            "import json, ssl, tempfile, subprocess; print('hi')",
        ),
        ("py", "print('hi')"),
        ("python3", "print('hi')"),
        ("bash", "cat <<< hi > file && cat < <(cat file)"),
        ("sh", "echo hi | cat"),
        ("shell", "echo hi > /dev/null; echo hi"),
        (
            "javascript",
            "require('fs').writeFileSync('f', 'hi'); console.log('hi')",
        ),
        ("js", "console.log('hi')"),
        (
            "node",
            "new WebAssembly.Memory({initial: 1}); console.log('hi')",
        ),
    ] {
        let output = Lab::new().run(language, text).await.unwrap();
        assert_eq!(
            (output.stdout.as_str(), output.exit_code),
            ("hi\n", 0),
            "{language}: {output:?}"
        );
    }
}

pub(crate) async fn a_script_reads_no_file_outside_of_its_roots() {
    let lab = Lab::new();
    let secret = lab.secret();
    let secret = secret.display();
    for (language, text) in [
        ("sh", format!("cat {secret}")),
        ("sh", "cat ../secret; cd .. && cat secret".to_owned()),
        ("sh", format!("ln -s {secret} link && cat link")),
        ("sh", format!("ln {secret} hard && cat hard")),
        ("sh", "cat /etc/passwd".to_owned()),
        ("sh", "ls /".to_owned()),
        ("sh", "cat /proc/$PPID/environ".to_owned()),
        ("python", format!("print(open('{secret}').read())")),
        (
            "node",
            format!("console.log(require('fs').readFileSync('{secret}', 'utf8'))"),
        ),
    ] {
        denied(lab.run(language, &text).await);
    }
}

pub(crate) async fn a_script_writes_no_file_outside_of_its_roots() {
    let lab = Lab::new();
    let secret = lab.secret();
    let outside = lab.folder.path().join("made");
    for text in [
        format!("echo x > {}", outside.display()),
        format!("mkdir {}", outside.display()),
        format!("echo x > {}", secret.display()),
        format!("truncate -s 0 {}", secret.display()),
        format!("rm {}", secret.display()),
        format!("mv {} here", secret.display()),
        format!("touch mine && mv mine {}", outside.display()),
    ] {
        denied(lab.run("sh", &text).await);
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "canary");
    assert!(!outside.exists());
}

pub(crate) async fn a_granted_root_is_read_and_written_and_a_read_root_is_read() {
    let granted = tempfile::tempdir().unwrap();
    let readable = tempfile::tempdir().unwrap();
    std::fs::write(readable.path().join("data"), "known").unwrap();
    let folder = readable.path().display().to_string();
    let mut lab = Lab::new().language("sh", |sh| sh.read_roots = vec![folder.clone()]);
    lab.roots = vec![granted.path().to_owned()];
    let text = format!(
        "cp {folder}/data {}/copy && cat {folder}/data",
        granted.path().display()
    );
    assert_eq!(lab.run("sh", &text).await.unwrap().stdout, "known");
    assert!(granted.path().join("copy").exists());
    denied(lab.run("sh", &format!("echo x > {folder}/data")).await);
}

pub(crate) async fn a_file_that_the_caller_named_is_read_and_an_output_file_is_written() {
    let named = tempfile::tempdir().unwrap();
    let path = |name: &str| named.path().join(name);
    std::fs::write(path("in"), "known").unwrap();
    std::fs::write(path("beside"), "canary").unwrap();
    let mut lab = Lab::new();
    lab.files = vec![
        GrantedFile {
            path: path("in"),
            access: FileAccess::Read,
        },
        GrantedFile {
            path: path("out"),
            access: FileAccess::Write,
        },
    ];
    let folder = named.path().display().to_string();
    denied(lab.run("sh", &format!("cat {folder}/beside")).await);
    denied(lab.run("sh", &format!("echo x > {folder}/in")).await);
    assert!(!path("out").exists(), "nobody has written it");
    let copied = lab
        .run("sh", &format!("cat {folder}/in > {folder}/out"))
        .await;
    assert_eq!(copied.unwrap().exit_code, 0);
    assert_eq!(std::fs::read_to_string(path("out")).unwrap(), "known");
}

/// Connects to a listener of ours, by the language's own means.
pub(crate) fn connecting(port: u16) -> [(&'static str, String); 3] {
    [
        (
            "python",
            format!("import socket; socket.create_connection(('127.0.0.1', {port})); print('in')"),
        ),
        (
            "bash",
            format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo in"),
        ),
        (
            "node",
            format!(
                "require('net').connect({port}, '127.0.0.1', () => {{ console.log('in'); process.exit(0) }}).on('error', e => {{ console.error(e.message); process.exit(3) }})"
            ),
        ),
    ]
}

pub(crate) async fn a_script_opens_no_tcp_connection_unless_its_language_has_the_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for (language, text) in connecting(port) {
        let shut = Lab::new().run(language, &text).await;
        denied(shut);
        let open = Lab::new().language(language, |spec| spec.network = true);
        let output = open.run(language, &text).await.unwrap();
        assert_eq!(output.stdout, "in\n", "{language}: {output:?}");
    }
}

pub(crate) async fn a_script_opens_no_tcp_port() {
    let text = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()";
    denied(Lab::new().run("python", text).await);
}

pub(crate) async fn a_script_sees_no_variable_that_nobody_declared() {
    let output = Lab::new().run("sh", "env").await.unwrap();
    let mut names: Vec<&str> = output
        .stdout
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["PATH", "PLANWRIGHT_ATTEMPT", "PWD", "TMPDIR"]);
    let lab = Lab::new().language("sh", |sh| {
        sh.env_pass = vec!["CARGO_MANIFEST_DIR".to_owned()];
    });
    let output = lab.run("sh", "echo $CARGO_MANIFEST_DIR").await.unwrap();
    assert_eq!(output.stdout.trim(), env!("CARGO_MANIFEST_DIR"));
}

/// Whether a process has ended, or does within a few seconds.
async fn ends(pid: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        if matches!(state, None | Some('Z' | 'X')) {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

pub(crate) async fn nothing_of_a_script_outlives_its_step() {
    let stays = "echo $$ > pid; exec sleep 1000";
    for (how, text) in [
        ("in the background", format!("sh -c '{stays}' &")),
        ("twice away", format!("((sh -c '{stays}') &) &")),
        (
            "hung up",
            format!("nohup sh -c '{stays}' >/dev/null 2>&1 &"),
        ),
        (
            "in a session of its own",
            format!("setsid sh -c '{stays}' >/dev/null 2>&1 &"),
        ),
        (
            "in a session of its own, twice away",
            "(setsid sh -c '(sh -c \"echo \\$\\$ > pid; exec sleep 1000\") &' >/dev/null 2>&1 &)"
                .to_owned(),
        ),
    ] {
        let lab = Lab::new();
        let text = format!("{text}\nuntil [ -s pid ]; do :; done");
        let output = lab.run("sh", &text).await.unwrap();
        assert_eq!(output.exit_code, 0, "{how}: {output:?}");
        let pid = std::fs::read_to_string(lab.folder.path().join("scratch/pid")).unwrap();
        assert!(ends(pid.trim()).await, "{how}: it goes on");
    }
}

pub(crate) async fn a_script_signals_nobody_but_its_own() {
    let own = std::process::id();
    denied(Lab::new().run("sh", &format!("kill -0 {own}")).await);
    // its whole group: the guard that leads it is not hit
    let output = Lab::new()
        .run("bash", "trap '' TERM; kill -TERM 0; echo on")
        .await;
    assert_eq!(output.unwrap().stdout, "on\n");
}

pub(crate) async fn a_script_that_fills_memory_is_stopped_and_node_is_not() {
    let mut small = Lab::new();
    small.limits.memory_bytes = 768 << 20;
    for (language, text) in [
        (
            "python",
            "x = []\nwhile True: x.append(bytearray(64 << 20))",
        ),
        (
            "node",
            "const x = []; for (;;) x.push(Buffer.alloc(64 << 20, 1))",
        ),
    ] {
        denied(small.run(language, text).await);
    }
    denied(
        Lab::new()
            .run("python", "x = bytearray(5 << 30); print(len(x))")
            .await,
    );
    let text = "const x = Buffer.alloc(256 << 20, 1); console.log(x.length >> 20)";
    assert_eq!(Lab::new().run("node", text).await.unwrap().stdout, "256\n");
}

pub(crate) async fn a_script_past_a_bound_is_told_which() {
    let mut lab = Lab::new();
    lab.limits.processor_secs = 1;
    lab.limits.file_bytes = 4_096;
    let busy = lab.run("sh", "while :; do :; done").await.unwrap_err();
    assert_eq!(busy.class, FailureClass::LimitExceeded);
    insta::assert_snapshot!(busy.message, @"the script used more than 1 s of processor time");
    let big = lab
        .run("sh", "exec head -c 100000 /dev/zero > big")
        .await
        .unwrap_err();
    assert_eq!(big.class, FailureClass::LimitExceeded);
    insta::assert_snapshot!(big.message, @"the script wrote a file of more than 4096 bytes");
}

pub(crate) async fn a_script_gains_no_privileges() {
    let output = Lab::new()
        .run(
            "python",
            "import ctypes; print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))",
        )
        .await
        .unwrap();
    assert_eq!(output.stdout, "1\n");
}

pub(crate) async fn this_process_and_its_other_children_are_not_held() {
    let lab = Lab::new();
    lab.run("sh", "true").await.unwrap();
    let secret = lab.secret();
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "canary");
    let text = format!("cat {}", secret.display());
    let open = lab
        .run_on(Support::of_this_system(), SandboxMode::Off, "sh", &text)
        .await;
    assert_eq!(open.unwrap().stdout, "canary");
}

pub(crate) async fn a_kernel_that_cannot_hold_a_script_does_not_run_it_where_a_sandbox_is_required()
{
    let lab = Lab::new();
    let refused = lab
        .run_on(
            Support::none(),
            SandboxMode::Required,
            "sh",
            "echo ran > ran",
        )
        .await
        .unwrap_err();
    assert_eq!(refused.class, FailureClass::Permission);
    assert_eq!(refused.dispatched, Dispatched::No);
    insta::assert_snapshot!(refused.message, @"access to files and TCP cannot be held by the kernel of this host, and a sandbox is required; the line `sandbox: {mode: best_effort}` of a policy lets scripts and agents run without");
    let ran = lab
        .run_on(Support::none(), SandboxMode::BestEffort, "sh", "echo ran")
        .await;
    assert_eq!(ran.unwrap().stdout, "ran\n");
}

pub(crate) async fn what_held_a_script_is_said_to_the_attempt() {
    let held = ProcessCodeRunner::available(SandboxMode::BestEffort).unwrap();
    assert_eq!(
        held.held.contains(&Restraint::Files),
        Support::of_this_system().files()
    );
    assert!(held.held.contains(&Restraint::Memory));
    let off = ProcessCodeRunner::available(SandboxMode::Off).unwrap();
    assert!(off.held.is_empty() && off.missing.is_empty());
}

pub(crate) async fn git_and_compilers_run_where_the_catalog_lets_them() {
    let text = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --format=%s";
    let output = Lab::new().run("sh", text).await.unwrap();
    assert_eq!(output.stdout, "one\n", "{output:?}");
}
