//! Bounds on the resources of a child, set by a shell that then becomes the program.

use std::path::{Path, PathBuf};

use plan_validate::policy::SandboxLimits;

/// Sets soft and hard bounds, then becomes the program.
///
/// A bound that cannot be set is one that is already narrower. The number of processes is `-u`
/// in some shells and `-p` in others.
const SCRIPT: &str = r#"bound() { ulimit "$1" "$2" 2>/dev/null || :; }
ulimit -S -t "$1" 2>/dev/null || :; ulimit -H -t "$2" 2>/dev/null || :
bound -d "$3"; bound -f "$4"; bound -n "$5"; bound -c 0
ulimit -u "$6" 2>/dev/null || ulimit -p "$6" 2>/dev/null || :
shift 6; exec "$@""#;

/// Seconds between the signal that says that the processor time is over and the one that ends it.
const LAST_WORDS: u64 = 2;

const MEBIBYTE: u64 = 1 << 20;

/// Bounds on the resources of each process of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceLimits {
    /// Seconds of processor time: one hour.
    pub processor_secs: u64,
    /// Bytes of its own memory: 2 GiB. Address space that is only reserved does not count, so that node starts.
    pub memory_bytes: u64,
    /// Bytes of any file that it writes: 4 GiB.
    pub file_bytes: u64,
    /// Files open at once: 1,024.
    pub open_files: u64,
    /// Processes and threads beside all that the system has when it starts: 4,096. Holds nobody who is root.
    pub more_processes: u64,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            processor_secs: 3_600,
            memory_bytes: 2 << 30,
            file_bytes: 4 << 30,
            open_files: 1_024,
            more_processes: 4_096,
        }
    }
}

impl ResourceLimits {
    /// These bounds, but for those that a host has set.
    #[must_use]
    pub fn set(self, host: SandboxLimits) -> Self {
        let bytes = |mebibytes: u64| mebibytes.saturating_mul(MEBIBYTE);
        Self {
            processor_secs: host.cpu_secs.unwrap_or(self.processor_secs),
            memory_bytes: host.memory_mib.map_or(self.memory_bytes, bytes),
            file_bytes: host.file_mib.map_or(self.file_bytes, bytes),
            open_files: host.open_files.unwrap_or(self.open_files),
            more_processes: host.processes.unwrap_or(self.more_processes),
        }
    }

    /// As a host would set them. Mebibytes that are not whole count as one more.
    pub fn settings(&self) -> SandboxLimits {
        let mut settings = SandboxLimits::default();
        settings.cpu_secs = Some(self.processor_secs);
        settings.memory_mib = Some(self.memory_bytes.div_ceil(MEBIBYTE));
        settings.file_mib = Some(self.file_bytes.div_ceil(MEBIBYTE));
        settings.open_files = Some(self.open_files);
        settings.processes = Some(self.more_processes);
        settings
    }
}

/// Whether a bound on the number of processes holds: the system never holds root to it.
pub(super) fn bounds_processes() -> bool {
    !rustix::process::geteuid().is_root()
}

/// The shell that sets the bounds, and its arguments up to those of the program.
pub(in crate::process) fn under_limits(
    limits: &ResourceLimits,
    program: &Path,
) -> (PathBuf, Vec<std::ffi::OsString>) {
    let numbers = [
        limits.processor_secs,
        limits.processor_secs.saturating_add(LAST_WORDS),
        limits.memory_bytes.div_ceil(1_024),
        // in blocks of 512 bytes, as every shell counts that calls itself `sh`
        limits.file_bytes.div_ceil(512),
        limits.open_files,
        tasks().saturating_add(limits.more_processes),
    ];
    let args = ["-c", SCRIPT, "planwright-limits"]
        .into_iter()
        .map(Into::into)
        .chain(numbers.iter().map(|number| number.to_string().into()))
        .chain([program.as_os_str().to_owned()])
        .collect();
    (PathBuf::from("/bin/sh"), args)
}

/// How many tasks the system has: no user has more.
fn tasks() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(['/', ' '])
        .nth(4)
        .and_then(|total| total.parse().ok())
        .unwrap_or(4_096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_sets_counts_and_the_rest_stays() {
        let mut host = SandboxLimits::default();
        host.memory_mib = Some(512);
        host.processes = Some(u64::MAX);
        host.file_mib = Some(u64::MAX);
        let limits = ResourceLimits::default().set(host);
        assert_eq!(limits.memory_bytes, 512 << 20);
        assert_eq!(limits.file_bytes, u64::MAX);
        assert_eq!(limits.open_files, ResourceLimits::default().open_files);
        assert_eq!(limits.settings().memory_mib, Some(512));
        assert_eq!(
            ResourceLimits::default()
                .set(limits.settings())
                .memory_bytes,
            limits.memory_bytes
        );
    }
}
