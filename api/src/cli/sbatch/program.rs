//! sbatch itself: found, and run without a shell.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, ensure};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::ChildStdout;

/// Slurm's programs on this computer.
pub struct Programs {
    sbatch: PathBuf,
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
        Ok(Self { sbatch })
    }

    /// sbatch, without words yet.
    pub fn command(&self) -> Command {
        Command::new(&self.sbatch)
    }

    /// Another one, which stands where sbatch does.
    pub fn beside(&self, name: &str) -> PathBuf {
        let folder = self.sbatch.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
    }

    /// Runs sbatch with these words, and `input` as its standard input where there is one. What it writes to
    /// its standard output goes to ours. It is killed when `interruption` gives the status to end with.
    ///
    /// # Errors
    /// It cannot be run, or spoken to.
    pub async fn sbatch(
        &self,
        words: &[OsString],
        input: Option<&[u8]>,
        interruption: impl Future<Output = u8>,
    ) -> anyhow::Result<SbatchEnd> {
        let mut child = tokio::process::Command::new(&self.sbatch)
            .args(words)
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::inherit() })
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", self.sbatch.display()))?;
        let (script, output) = (child.stdin.take(), child.stdout.take());
        let feed = async {
            if let (Some(mut pipe), Some(input)) = (script, input) {
                // It may refuse its options before it reads the script; its status says so.
                let _ = pipe.write_all(input).await;
            }
        };
        let spoken = async { tokio::join!(feed, passed_on(output)).1 };
        tokio::pin!(spoken);
        let (mut wrote, mut status) = (None, None);
        tokio::select! {
            read = &mut spoken => wrote = Some(read?),
            signalled = interruption => {
                status = Some(signalled);
                child.start_kill()?;
            }
        }
        // Of one that was killed, too, some may be left to read.
        let wrote = match wrote {
            Some(wrote) => wrote,
            None => spoken.await?,
        };
        let ended = child.wait().await?;
        Ok(SbatchEnd { status: status.unwrap_or_else(|| exit_status(ended)), wrote })
    }

    /// The line by which a person would run sbatch with these words in a shell.
    pub fn line(&self, words: &[OsString]) -> String {
        let all =
            std::iter::once(self.sbatch.as_os_str()).chain(words.iter().map(OsString::as_os_str));
        all.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// The exit status of errors, which Slurm's users set by `SLURM_EXIT_ERROR`.
pub fn error_status() -> u8 {
    let set = std::env::var("SLURM_EXIT_ERROR").ok().and_then(|it| it.trim().parse::<u8>().ok());
    set.filter(|status| *status > 0).unwrap_or(1)
}

/// Writes sbatch's lines as they come, and says whether there was one.
async fn passed_on(output: Option<ChildStdout>) -> io::Result<bool> {
    let mut wrote = false;
    let Some(output) = output else { return Ok(wrote) };
    let mut lines = BufReader::new(output).split(b'\n');
    while let Some(line) = lines.next_segment().await? {
        wrote = true;
        pass_on(&line)?;
    }
    Ok(wrote)
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
pub fn quoted(word: &OsStr) -> String {
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

/// The script of this name as sbatch finds it: where the name begins with neither a point nor a slash, in the
/// folder of `--chdir`, then in those of the PATH, and at last where it is run.
pub fn script_path(name: &OsStr, chdir: Option<&str>) -> Option<PathBuf> {
    let own = Path::new(name);
    let mut here = std::iter::once(own.to_owned());
    let is_script = |path: &PathBuf| path.exists() && !path.is_dir();
    if name.to_string_lossy().starts_with(['.', '/']) {
        return here.find(is_script);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(PathBuf::from(chdir.unwrap_or_default()))
        .chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(own)).chain(here).find(is_script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        let programs = Programs { sbatch: "sbatch".into() };
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
