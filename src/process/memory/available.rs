//! Memory that the system still allows this process to use.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the number of free bytes: the minimum of what the machine, the control groups of the process and its address space limit allow;
/// `usize::MAX` if none of them is known.
pub(super) fn bytes() -> usize {
    below(Path::new("/"))
}

/// Returns the number of free bytes, reading `/proc` and `/sys` below `root` (another folder in tests).
fn below(root: &Path) -> usize {
    [machine(root), groups(root), addresses(root)].into_iter().flatten().min().unwrap_or(usize::MAX)
}

/// Returns the number of bytes available on the machine; `None` if unknown.
fn machine(root: &Path) -> Option<usize> {
    kibibytes(&fs::read_to_string(root.join("proc/meminfo")).ok()?, "MemAvailable:")
}

/// Returns the number of bytes that the address space limit still allows; `None` without a limit.
fn addresses(root: &Path) -> Option<usize> {
    let used = kibibytes(&fs::read_to_string(root.join("proc/self/status")).ok()?, "VmSize:")?;
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    Some(limit.split_whitespace().next()?.parse::<usize>().ok()?.saturating_sub(used))
}

/// Returns in bytes the number of kibibytes that stands after `name` at the start of a line; `None` if no line starts with `name`.
fn kibibytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// Returns the minimum number of bytes that the control groups of the process and their parents still allow; `None` without a limit.
fn groups(root: &Path) -> Option<usize> {
    let said = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let free = said.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        match controllers {
            "" => free(&root.join("sys/fs/cgroup"), path, &VERSION_2),
            of if of.split(',').any(|of| of == "memory") => free(&root.join("sys/fs/cgroup/memory"), path, &VERSION_1),
            _ => None,
        }
    });
    free.min()
}

/// Names of the files of a control group (cgroup) that describe its memory.
struct Files {
    /// Names of the files that hold limits in bytes; the smallest limit applies.
    limits: &'static [&'static str],
    /// Name of the file that holds the number of bytes in use.
    used: &'static str,
    /// Names of the entries in `memory.stat` that count bytes in use which the system can reclaim.
    spare: &'static [&'static str],
}

/// Names of the files of control groups (cgroups), version 2.
const VERSION_2: Files = Files {
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    spare: &["inactive_file ", "active_file "],
};
/// Names of the files of control groups (cgroups), version 1.
const VERSION_1: Files = Files {
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    spare: &["total_inactive_file ", "total_active_file "],
};

/// Returns the minimum number of bytes that a control group and its parents still allow; `None` without a limit. Also tries the root of
/// `mount`, where a container may see its own group regardless of `path`.
fn free(mount: &Path, path: &str, files: &Files) -> Option<usize> {
    let inner: PathBuf = mount.join(path.trim_start_matches('/'));
    let around = inner.ancestors().take_while(|group| group.starts_with(mount));
    around.filter_map(|group| free_of(group, files)).min()
}

/// Returns the number of bytes that a single control group still allows; `None` if it has no limit.
fn free_of(group: &Path, files: &Files) -> Option<usize> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<usize>().ok();
    let limit = files.limits.iter().filter_map(|name| number(name)).min()?;
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let of = |name: &&str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<usize>().ok());
    let spare: usize = files.spare.iter().filter_map(of).sum();
    Some(limit.saturating_sub(number(files.used)?.saturating_sub(spare)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> usize {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        below(root.path())
    }

    #[test]
    fn the_least_of_machine_groups_and_addresses_counts() {
        let meminfo = ("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:   800 kB\n");
        let group = |text| ("proc/self/cgroup", text);
        assert_eq!(of(&[]), usize::MAX);
        assert_eq!(of(&[meminfo]), 800 << 10);
        let inner = "sys/fs/cgroup/a/b/memory.";
        let [max, current, stat] = ["max", "current", "stat"].map(|name| format!("{inner}{name}"));
        let files = [
            meminfo,
            group("0::/a/b\n"),
            (&*max, "500000\n"),
            (&*current, "300000\n"),
            (&*stat, "anon 7\ninactive_file 30000\nactive_file 20000\n"),
        ];
        assert_eq!(of(&files), 250_000);
        // A limit of the containing group that throttles.
        let around = [("sys/fs/cgroup/a/memory.high", "400000"), ("sys/fs/cgroup/a/memory.current", "390000")];
        assert_eq!(of(&[&files[..], &around].concat()), 10_000);
        // Group without a limit.
        assert_eq!(of(&[meminfo, group("0::/a/b\n"), (&*max, "max\n"), (&*current, "300000\n")]), 800 << 10);
        // Container that sees its group as the root.
        let rooted = [("sys/fs/cgroup/memory.max", "1000"), ("sys/fs/cgroup/memory.current", "400")];
        assert_eq!(of(&[&[meminfo, group("0::/elsewhere\n")][..], &rooted].concat()), 600);
        let old = [
            group("5:cpu:/x\n4:memory:/x\n"),
            ("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "900"),
            ("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "700"),
        ];
        assert_eq!(of(&old), 200);
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax address space  204800  unlimited  bytes\n";
        assert_eq!(of(&[("proc/self/limits", limits), ("proc/self/status", "VmSize:\t 100 kB\n")]), 204_800 - 102_400);
    }

    #[test]
    fn there_is_some() {
        assert!(bytes() > 1 << 20);
    }
}
