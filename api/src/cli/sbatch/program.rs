//! sbatch itself: found, and run without a shell.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, ensure};

/// Slurm's programs on this computer.
pub struct Programs {
    sbatch: PathBuf,
    /// Tells of partitions.
    pub sinfo: PathBuf,
}

/// How sbatch ended.
pub struct SbatchEnd {
    /// Its exit status; 128 and the signal's number where a signal ended it.
    pub status: u8,
    /// Whether it wrote to its standard output: it does so once a job is submitted.
    pub wrote: bool,
}

impl Programs {
    /// Finds sbatch where `WATTBOOK_SBATCH` says, or on the PATH, and the others beside it.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn find() -> anyhow::Result<Self> {
        let named = std::env::var_os("WATTBOOK_SBATCH").filter(|it| !it.is_empty());
        let sbatch = named.map_or_else(|| PathBuf::from("sbatch"), PathBuf::from);
        let told = || {
            format!("cannot run {}; WATTBOOK_SBATCH says where Slurm's sbatch is", sbatch.display())
        };
        let answer = Command::new(&sbatch)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .with_context(told)?;
        ensure!(answer.status.success(), told());
        let beside = sbatch.parent().filter(|folder| !folder.as_os_str().is_empty());
        let sinfo = beside.map_or_else(|| PathBuf::from("sinfo"), |folder| folder.join("sinfo"));
        Ok(Self { sbatch, sinfo })
    }

    /// Runs sbatch with these words, and `input` as its standard input where there is one. What it writes to
    /// its standard output goes to ours.
    ///
    /// # Errors
    /// It cannot be run, or spoken to.
    pub fn sbatch(&self, words: &[OsString], input: Option<&[u8]>) -> anyhow::Result<SbatchEnd> {
        let mut child = Command::new(&self.sbatch)
            .args(words)
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::inherit() })
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", self.sbatch.display()))?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
            // It may refuse its options before it reads the script; its status says so.
            let _ = pipe.write_all(input);
        }
        let mut wrote = false;
        if let Some(pipe) = child.stdout.take() {
            for line in BufReader::new(pipe).split(b'\n') {
                wrote = true;
                pass_on(&line?)?;
            }
        }
        Ok(SbatchEnd { status: exit_status(child.wait()?), wrote })
    }

    /// The line by which a person would run sbatch with these words in a shell.
    pub fn line(&self, words: &[OsString]) -> String {
        let all =
            std::iter::once(self.sbatch.as_os_str()).chain(words.iter().map(OsString::as_os_str));
        all.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// Writes a line of sbatch's. A reader that has gone is no failure.
fn pass_on(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(&[line, b"\n"].concat()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn exit_status(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A word as a shell reads it back.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_=./:,+@%[]".contains(it);
    // A shell takes brackets for a pattern.
    let brackets = text.contains(['[', ']']);
    if text.is_empty() || brackets || !text.chars().all(plain) {
        format!("'{}'", text.replace('\'', r"'\''"))
    } else {
        text.into_owned()
    }
}

/// The script of this name as sbatch finds it: in the folder that it is run in, and where the name begins
/// with neither a point nor a slash in those of the PATH.
pub fn script_path(name: &OsStr) -> Option<PathBuf> {
    let own = Path::new(name);
    let elsewhere = name.to_string_lossy().starts_with(['.', '/']);
    let path = std::env::var_os("PATH").filter(|_| !elsewhere).unwrap_or_default();
    let folders = std::env::split_paths(&path).map(|folder| folder.join(own));
    std::iter::once(own.to_owned()).chain(folders).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        let programs = Programs { sbatch: "sbatch".into(), sinfo: "sinfo".into() };
        let words = ["-N", "2", "-J", "it's", "-w", "n[1-2]", "--comment=", "", "a b.sh", "$x"];
        let line = programs.line(&words.map(OsString::from));
        assert_eq!(line, r"sbatch -N 2 -J 'it'\''s' -w 'n[1-2]' --comment= '' 'a b.sh' '$x'");
        let echoed = Command::new("sh").args(["-c", &format!("printf '%s|' {line}")]).output();
        let expected = ["sbatch"].iter().chain(&words).map(|it| format!("{it}|"));
        assert_eq!(
            String::from_utf8(echoed.unwrap().stdout).unwrap(),
            expected.collect::<String>()
        );
    }
}
