//! `check --grant-lock`: the plan against what was committed that it may do.

use std::path::Path;

use planwright::model::Limits;
use planwright::validate::{Comparison, Grant, LockError};
use serde_json::{Value, json};

use crate::exit::{Exit, Halt};
use crate::input::{Input, is_stdin};
use crate::output;

/// A plan's grant and the file that it was compared with.
#[derive(Debug)]
pub(super) struct Locked {
    name: String,
    /// Nothing where the file could not be compared with and was written anew.
    compared: Option<Comparison>,
    written: bool,
}

/// What to do with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Compare with it.
    Compare,
    /// Compare, then write what the plan may do.
    Write,
}

impl Locked {
    /// Compares a grant with a file, and writes the file where that is asked for.
    pub(super) fn new(grant: &Grant, path: &Path, mode: Mode) -> Result<Self, Halt> {
        if is_stdin(path) {
            return Err(Halt::usage("the lock must be a file, not standard input"));
        }
        let name = path.display().to_string();
        let write = mode == Mode::Write;
        let present = path.try_exists().unwrap_or(true);
        if !present && !write {
            return Err(
                Halt::usage(format!("there is no file `{name}` to compare with"))
                    .help("add `--write-lock` to write what this plan may do"),
            );
        }
        let mut compared = None;
        if present {
            match read(path).and_then(|text| compare(grant, &text)) {
                Ok(found) => compared = Some(found),
                // a merge may have left anything in it
                Err(Unread::Lock(LockError::Malformed { .. } | LockError::Repeated { .. }))
                    if write => {}
                Err(unread) => return Err(unread.halt(&name)),
            }
        }
        let written = write && !compared.as_ref().is_some_and(|compared| compared.same);
        if written {
            std::fs::write(path, grant.lock())
                .map_err(|error| Halt::usage(format!("could not write `{name}`: {error}")))?;
        }
        Ok(Self {
            name,
            compared,
            written,
        })
    }

    /// Fine where the plan may do no more than the file said, or the file has been written.
    pub(super) fn exit(&self) -> Exit {
        let more = self
            .compared
            .iter()
            .any(|compared| !compared.newly.is_empty());
        if more && !self.written {
            Exit::Rejected
        } else {
            Exit::Fine
        }
    }

    /// Says it to a person; `all` also what the plan may no longer do.
    pub(super) fn say(&self, all: bool) {
        let word = if self.written { "note" } else { "error" };
        let newly = self
            .compared
            .as_ref()
            .map_or(&[][..], |compared| &compared.newly);
        for each in newly {
            output::say(format!("{word}: {each}"));
            if let Some(help) = &each.help {
                output::say(format!("  help: {help}"));
            }
        }
        if let Some(compared) = self.compared.as_ref().filter(|_| all) {
            for gone in &compared.no_longer {
                output::say(format!("note: {gone}"));
            }
        }
        let name = &self.name;
        if self.written {
            output::say(format!("wrote what the plan may do to `{name}`"));
        } else if !newly.is_empty() {
            output::say(format!("error: the plan may do more than `{name}` says"));
            output::say("help: where that is meant, add `--write-lock` and commit the file");
        } else if self.compared.iter().any(|compared| !compared.same) {
            output::say(format!(
                "note: `{name}` lets the plan do more than it does; `--write-lock` takes that out"
            ));
        } else {
            output::say(format!("the plan may do what `{name}` says"));
        }
    }
}

/// Adds `newly` and `no_longer` to a report: null where the plan is refused, empty where there was nothing to compare.
pub(super) fn report(locked: Option<&Locked>, report: &mut Value) {
    let Value::Object(members) = report else {
        return;
    };
    let (mut newly, mut no_longer) = (Value::Null, Value::Null);
    if let Some(locked) = locked {
        let compared = locked.compared.as_ref();
        newly = json!(compared.map_or(&[][..], |compared| &compared.newly));
        no_longer = json!(compared.map_or(&[][..], |compared| &compared.no_longer));
    }
    members.insert("newly".to_owned(), newly);
    members.insert("no_longer".to_owned(), no_longer);
}

/// Why a file could not be compared with.
enum Unread {
    File(Halt),
    Lock(LockError),
}

impl Unread {
    fn halt(self, name: &str) -> Halt {
        match self {
            Self::File(halt) => halt,
            Self::Lock(error) => {
                let help = match &error {
                    LockError::NotALock => "name a file that `--write-lock` wrote",
                    LockError::NewerVersion { .. } => {
                        "check with the release that wrote it, or a later one"
                    }
                    _ => {
                        "`--write-lock` writes the file anew; read what changes before it is committed"
                    }
                };
                Halt::usage(format!("`{name}` is no lock that can be read: {error}")).help(help)
            }
        }
    }
}

fn read(path: &Path) -> Result<String, Unread> {
    let limits = Limits::default();
    let input = Input::read(path, &limits).map_err(Unread::File)?;
    if input.bytes.len() > limits.document_bytes {
        let message = format!("`{}` is over {} bytes", input.name, limits.document_bytes);
        return Err(Unread::File(Halt::usage(message)));
    }
    String::from_utf8(input.bytes)
        .map_err(|_| Unread::File(Halt::usage(format!("`{}` is not UTF-8 text", input.name))))
}

fn compare(grant: &Grant, text: &str) -> Result<Comparison, Unread> {
    grant.compare(text).map_err(Unread::Lock)
}
