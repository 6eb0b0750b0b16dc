//! Runs the command in a temporary folder; also generators of random numbers and rows for tests.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// Id of an unprivileged user, who owns no files.
const SOMEBODY: u32 = 61_234;

/// Reports that a test was skipped, and why; fails the test if the variable `SUREFOOT_STRICT` is set.
pub(crate) fn skipped(reason: &str) {
    assert!(std::env::var_os("SUREFOOT_STRICT").is_none_or(|strict| strict.is_empty()), "skipped: {reason}");
    // Not print!, which is not shown of tests that pass.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("skipped: {reason}\n").as_bytes());
}

/// Temporary folder in which a test runs commands.
pub(crate) struct Sandbox(tempfile::TempDir);

/// Result of a command: its exit status, standard output and standard error.
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Waits until the folder contains a file whose name satisfies `there`.
    pub(crate) fn wait_for(&self, there: impl Fn(&str) -> bool) {
        let began = std::time::Instant::now();
        while !self.names().iter().any(|name| there(name)) {
            // No claim about speed: a test that can never pass is to end.
            assert!(began.elapsed().as_secs() < 600, "waited in vain: {:?}", self.names());
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Returns the sorted names of the files in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null()).env("TMPDIR", self.0.path());
        command
    }

    /// Runs `surefoot LINE`, whose words are separated by blanks.
    pub(crate) fn run(&self, line: &str) -> Ran {
        Ran::from(self.command(line.split_whitespace()).output().unwrap())
    }

    /// Runs `surefoot LINE`, and asserts that it succeeds.
    pub(crate) fn ok(&self, line: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.status, 0, "surefoot {line}: {}", ran.err);
        ran
    }

    /// Runs `surefoot LINE`, and asserts that it fails with this exit status and a well-formed error message.
    pub(crate) fn fails(&self, status: i32, line: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.status, status, "surefoot {line}: {}", ran.err);
        let message = ran.err.lines().last().unwrap_or_default();
        assert!(message.starts_with("surefoot: ") && message.len() < 500, "surefoot {line}: {}", ran.err);
        ran
    }

    /// Runs `BEFORE surefoot LINE` without root privileges: if the tests run as root, as another user and with a copy of the program that
    /// this user may execute. `None` if the system has no means for this.
    pub(crate) fn run_unprivileged(&self, before: &[&str], line: &str) -> Option<Ran> {
        let mut program = PathBuf::from(env!("CARGO_BIN_EXE_surefoot"));
        let is_root = self.0.path().metadata().unwrap().uid() == 0;
        if is_root {
            let copy = self.path("surefoot");
            std::fs::hard_link(&program, &copy).or_else(|_| std::fs::copy(&program, &copy).map(|_| ())).unwrap();
            std::fs::set_permissions(self.0.path(), Permissions::from_mode(0o777)).unwrap();
            program = copy;
        }
        let words = before.iter().map(AsRef::as_ref).chain([program.as_os_str()]).collect::<Vec<&OsStr>>();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(line.split_whitespace());
        command.current_dir(self.0.path()).stdin(Stdio::null()).env("TMPDIR", self.0.path());
        if is_root {
            command.uid(SOMEBODY).gid(SOMEBODY);
        }
        let output = command.output();
        if is_root {
            std::fs::remove_file(program).unwrap();
        }
        output.ok().map(Ran::from)
    }

    /// Runs `surefoot LINE` with this standard input.
    pub(crate) fn feed(&self, line: &str, input: &[u8]) -> Ran {
        let mut child = self.start(line);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_owned();
        let feeder = std::thread::spawn(move || _ = std::io::Write::write_all(&mut stdin, &input));
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Ran::from(output)
    }

    /// Starts `surefoot LINE` with pipes on all three standard streams, without waiting for it.
    pub(crate) fn start(&self, line: &str) -> Child {
        let mut command = self.command(line.split_whitespace());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        use std::os::unix::process::ExitStatusExt;
        Ran {
            status: output.status.code().unwrap_or_else(|| -output.status.signal().unwrap()),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Parses the last line of standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.out.lines().last().expect("a line of JSON")).unwrap()
    }
}

/// Sends a signal, given by its name such as `INT`, to a process.
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Generator of uniform pseudo-random numbers in (0, 1), identical on every machine.
pub(crate) struct Uniform(pub(crate) u64);

impl Uniform {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 + 0.5) / 9007199254740992.0
    }
}

/// Generates `n` svmlight rows of ten features with labels 0 and 1 drawn from a logistic model.
pub(crate) fn rows(n: usize) -> String {
    let mut u = Uniform(2463534242);
    let weights = [1.0, -2.0, 0.5, 0.0, 0.0, 1.5, -0.7, 0.2, 0.0, -1.0];
    let mut text = String::new();
    for _ in 0..n {
        let values: Vec<f64> = (0..10).map(|_| (2e4 * u.next() - 1e4).round() / 1e4).collect();
        let margin: f64 = weights.iter().zip(&values).map(|(w, x)| w * x).sum();
        text += if u.next() < 1.0 / (1.0 + (-margin).exp()) { "1" } else { "0" };
        for (j, value) in values.iter().enumerate() {
            text += &format!(" {}:{value}", j + 1);
        }
        text.push('\n');
    }
    text
}

/// Returns the first `n` lines of a text.
pub(crate) fn head(text: &str, n: usize) -> String {
    text.split_inclusive('\n').take(n).collect()
}
