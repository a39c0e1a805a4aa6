//! Which programs take their script from the command line or from standard input.

/// Programs that run what they are given as code.
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "busybox",
    "fish",
    "python",
    "pypy",
    "node",
    "nodejs",
    "deno",
    "bun",
    "perl",
    "ruby",
    "php",
    "lua",
    "Rscript",
    "pwsh",
    "osascript",
    "tclsh",
];

/// Programs that run the program named by their arguments.
const WRAPPERS: &[&str] = &[
    "env", "nice", "nohup", "time", "timeout", "stdbuf", "setsid", "xargs", "sudo",
];

/// Options after which an interpreter takes a script.
const SCRIPT_OPTIONS: &[&str] = &[
    "-c",
    "-e",
    "-p",
    "-r",
    "-E",
    "--eval",
    "--print",
    "--command",
    "-Command",
];

/// The element of `args` that an interpreter would run as a script.
pub(super) fn script_of<'a>(command: &str, args: &'a [String]) -> Option<&'a str> {
    if !runs_scripts(command, args) {
        return None;
    }
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if SCRIPT_OPTIONS.contains(&arg.as_str()) || ends_a_cluster(arg) {
            return args.next().map(String::as_str);
        }
        if let Some((option, script)) = arg.split_once('=')
            && SCRIPT_OPTIONS.contains(&option)
        {
            return Some(script);
        }
        // the script is a file, and what follows are its own arguments
        if !arg.starts_with('-') && arg.contains(['.', '/']) && !is_interpreter(arg) {
            return None;
        }
    }
    None
}

/// Whether the program would take its standard input for a script.
pub(super) fn reads_script_from_stdin(command: &str, args: &[String]) -> bool {
    is_interpreter(command)
        && script_of(command, args).is_none()
        && args.iter().all(|arg| arg.starts_with('-'))
}

fn runs_scripts(command: &str, args: &[String]) -> bool {
    is_interpreter(command)
        || (is_one_of(command, WRAPPERS) && args.iter().any(|arg| is_interpreter(arg)))
}

fn is_interpreter(command: &str) -> bool {
    is_one_of(command, INTERPRETERS)
}

/// By file name, with a version such as `3.12` left out.
fn is_one_of(command: &str, names: &[&str]) -> bool {
    let name = command.rsplit('/').next().unwrap_or(command);
    let name =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    names.contains(&name)
}

/// Options written together, such as `-ec`, of which the last takes a script.
fn ends_a_cluster(arg: &str) -> bool {
    let Some(letters) = arg.strip_prefix('-') else {
        return false;
    };
    letters.len() > 1
        && letters.chars().all(|letter| letter.is_ascii_alphabetic())
        && letters.ends_with(['c', 'e'])
}
