//! Tests of denied permissions: since nothing is denied to root, they are run as another user.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Id of a user who owns no files.
const SOMEBODY: u32 = 61_234;

/// If this user is root, runs the test `name` again as another user, with a copy of this program in a folder that this user can read,
/// and returns true; otherwise returns false. If no other user is available, reports this, or panics if the environment variable
/// SUREFOOT_STRICT is set.
pub fn tested(name: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    if folder.path().metadata().unwrap().uid() != 0 {
        return false;
    }
    let program = folder.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    for path in [folder.path(), &program] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(program);
    command.args(["--exact", name]).uid(SOMEBODY).gid(SOMEBODY).stdin(Stdio::null());
    match command.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "as another user: {text}");
        }
        Err(error) => {
            let says = format!("'Permission denied' is not seen: root, and no other user can be had ({error})");
            assert!(std::env::var_os("SUREFOOT_STRICT").is_none_or(|strict| strict.is_empty()), "{says}");
            // Not print!, which is not shown of tests that pass.
            let _ = writeln!(std::io::stderr(), "skipped: {says}");
        }
    }
    true
}
