//! Code languages: how a host runs a script.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use plan_model::{LanguageName, Trust};

use crate::policy::SandboxLimits;

/// How a host runs scripts of a language: `command args… SCRIPT script-args…`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LanguageSpec {
    /// The interpreter.
    pub command: String,
    /// Its arguments before the script.
    pub args: Vec<String>,
    /// Variables of the host's environment that the script sees; all others are cleared.
    pub env_pass: Vec<String>,
    /// Folders that the script may read beside the granted roots.
    pub read_roots: Vec<String>,
    /// Whether the script may reach the network.
    pub network: bool,
    /// Bounds on what the script uses, before those of the policy.
    pub limits: SandboxLimits,
    /// Trusted: its scripts read only what a plan hands them, and their outputs are as trusted as that.
    pub output_trust: Trust,
}

impl LanguageSpec {
    /// An interpreter without arguments, environment, folders or network, whose output is untrusted.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env_pass: Vec::new(),
            read_roots: Vec::new(),
            network: false,
            limits: SandboxLimits::default(),
            output_trust: Trust::Untrusted,
        }
    }
}

/// The built-in languages and their aliases.
const BUILT_IN: [(&str, &[&str]); 4] = [
    ("python3", &["python", "py", "python3"]),
    ("bash", &["bash"]),
    ("sh", &["sh", "shell"]),
    ("node", &["javascript", "js", "node"]),
];

static LANGUAGES: LazyLock<Arc<BTreeMap<LanguageName, LanguageSpec>>> = LazyLock::new(|| {
    let mut languages = BTreeMap::new();
    for (command, names) in BUILT_IN {
        for name in names.iter().filter_map(|name| LanguageName::new(name).ok()) {
            let mut spec = LanguageSpec::new(command);
            spec.env_pass = vec!["PATH".to_owned()];
            languages.insert(name, spec);
        }
    }
    Arc::new(languages)
});

/// The built-in languages: python (py, python3), bash, sh (shell), javascript (js, node).
pub(super) fn built_in() -> Arc<BTreeMap<LanguageName, LanguageSpec>> {
    Arc::clone(&LANGUAGES)
}

/// The names under which the language of `name` is built in, itself among them; `name` alone otherwise.
pub(super) fn aliases(name: &str) -> Vec<&str> {
    BUILT_IN
        .iter()
        .find(|(_, names)| names.first() == Some(&name))
        .map_or_else(|| vec![name], |(_, names)| names.to_vec())
}
