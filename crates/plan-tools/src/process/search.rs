//! Where programs are found.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::ProcessError;

/// Where programs are looked for when the host says nothing.
const FALLBACK: &str = "/usr/local/bin:/usr/bin:/bin";

/// The host's `PATH`, its relative entries left out, as children get it.
///
/// The one variable that children inherit: it says where programs are, and without
/// it hardly a script runs. A tool that declares its own `PATH` gets that instead.
pub fn host_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let kept: Vec<&str> = path
        .split(':')
        .filter(|entry| entry.starts_with('/'))
        .collect();
    if kept.is_empty() {
        FALLBACK.to_owned()
    } else {
        kept.join(":")
    }
}

/// Finds the file of a program: a name on `path`, or a path relative to `base`.
///
/// # Errors
/// When there is no such file, or it may not be run.
pub fn find_program(program: &str, base: &Path, path: &str) -> Result<PathBuf, ProcessError> {
    if program.contains('/') {
        let file = base.join(program);
        return match state(&file) {
            State::Runs => Ok(file),
            State::MayNotRun => Err(ProcessError::NotPermitted {
                program: program.to_owned(),
            }),
            State::Absent => Err(missing(program)),
        };
    }
    if program.is_empty() {
        return Err(missing(program));
    }
    let mut refused = false;
    for folder in path.split(':').filter(|entry| entry.starts_with('/')) {
        let file = Path::new(folder).join(program);
        match state(&file) {
            State::Runs => return Ok(file),
            State::MayNotRun => refused = true,
            State::Absent => {}
        }
    }
    if refused {
        Err(ProcessError::NotPermitted {
            program: program.to_owned(),
        })
    } else {
        Err(missing(program))
    }
}

enum State {
    Runs,
    MayNotRun,
    Absent,
}

fn state(file: &Path) -> State {
    match file.metadata() {
        Ok(metadata) if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 => {
            State::Runs
        }
        Ok(_) => State::MayNotRun,
        Err(_) => State::Absent,
    }
}

fn missing(program: &str) -> ProcessError {
    ProcessError::MissingProgram {
        program: program.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_on_the_path() {
        let found = find_program("sh", Path::new("/"), "/nowhere:relative:/bin").unwrap();
        assert_eq!(found, Path::new("/bin/sh"));
    }

    #[test]
    fn a_relative_entry_of_the_path_is_never_searched() {
        let error = find_program("sh", Path::new("/"), "bin:.").unwrap_err();
        assert!(matches!(error, ProcessError::MissingProgram { .. }));
    }

    #[test]
    fn a_path_is_relative_to_the_base() {
        let found = find_program("./sh", Path::new("/bin"), "").unwrap();
        assert_eq!(found, Path::new("/bin/./sh"));
    }

    #[test]
    fn a_folder_and_a_plain_file_may_not_run() {
        for program in ["/etc", "/etc/passwd"] {
            let error = find_program(program, Path::new("/"), "").unwrap_err();
            assert!(
                matches!(error, ProcessError::NotPermitted { .. }),
                "{error}"
            );
        }
    }

    #[test]
    fn an_empty_name_is_no_program() {
        let error = find_program("", Path::new("/"), "/bin").unwrap_err();
        assert!(matches!(error, ProcessError::MissingProgram { .. }));
    }
}
