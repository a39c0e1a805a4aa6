//! What every program needs of the system, and what one needs of its own installation.

use std::path::{Path, PathBuf};

use super::Network;

/// Programs, libraries and the files that a C library looks at. No list of users, no secrets.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/gitconfig",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
];

/// How names become addresses.
const RESOLVER: &[&str] = &[
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
];

/// Devices that hold nothing.
pub(super) const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// Folders of an installation that hold programs and their libraries, and nothing of a user's.
const PARTS: &[&str] = &[
    "bin",
    "sbin",
    "shims",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "versions",
    "plugins",
    "version",
    "pyvenv.cfg",
];

/// What every child may read.
pub(super) fn readable(network: Network) -> impl Iterator<Item = PathBuf> {
    let resolver = match network {
        Network::Closed => &[][..],
        Network::Open => RESOLVER,
    };
    SYSTEM.iter().chain(resolver).map(PathBuf::from)
}

/// What a program is installed with: itself, and what lies beside the folder it is in.
///
/// Both where it was found and where its links lead to, so that environments and
/// version managers work. A home folder is no installation, though programs may be in its `bin`.
pub(super) fn installation(program: &Path) -> impl Iterator<Item = PathBuf> {
    let found = program.to_owned();
    let real = program.canonicalize().ok();
    [Some(found), real].into_iter().flatten().flat_map(|file| {
        let folder = file.parent();
        let is_of_programs = folder
            .and_then(Path::file_name)
            .is_some_and(|name| name == "bin" || name == "sbin" || name == "shims");
        let parts: Vec<PathBuf> = match folder.and_then(Path::parent) {
            Some(installed) if is_of_programs && installed != Path::new("/") => {
                PARTS.iter().map(|part| installed.join(part)).collect()
            }
            _ => Vec::new(),
        };
        parts.into_iter().chain([file])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(program: &str) -> Vec<String> {
        installation(Path::new(program))
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn a_program_comes_with_its_libraries_and_nothing_else_of_its_folder() {
        let parts = parts("/srv/py/bin/python9");
        assert!(parts.contains(&"/srv/py/lib".to_owned()));
        assert!(parts.contains(&"/srv/py/bin/python9".to_owned()));
        assert!(!parts.contains(&"/srv/py".to_owned()));
        assert!(!parts.contains(&"/srv/py/share".to_owned()));
    }

    #[test]
    fn a_program_outside_of_a_folder_of_programs_comes_alone() {
        assert_eq!(parts("/srv/data/run"), ["/srv/data/run"]);
    }

    #[test]
    fn a_folder_of_programs_at_the_top_opens_nothing_beside_it() {
        assert!(parts("/bin/none-such").iter().all(|part| part != "/lib"));
    }
}
