//! The command `scontrol`, run without a shell: for what slurmrestd cannot do in this version.

use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use planner::resource_manager::ManagerError;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use crate::rest::{INVALID_RESERVATION, INVALID_USER, refused};
use crate::settings::SlurmSettings;
use crate::token::TokenSource;

/// No more is read of what it says.
const MAX_OUTPUT_BYTES: u64 = 4 << 20;

/// What `scontrol` says, and Slurm's number for it; it tells no numbers itself.
const WORDS: [(&str, i64); 10] = [
    ("Invalid user id", INVALID_USER),
    ("Requested nodes are busy", 2016),
    ("Invalid node name specified", 2018),
    ("Access denied to requested reservation", 2052),
    ("Requested reservation is invalid", INVALID_RESERVATION),
    ("Invalid time specified", 2054),
    ("Requested reservation is in use", 2055),
    ("Requested reservation overlaps with another reservation", 2058),
    ("Duplicate reservation name", 2082),
    ("Reservation already started", 2104),
];

/// How `scontrol` is run.
#[derive(Debug)]
pub(crate) struct Scontrol {
    path: PathBuf,
    slurm_conf: Option<PathBuf>,
    timeout: Duration,
    user: String,
    token: TokenSource,
}

impl Scontrol {
    /// The `scontrol` of the settings, where they name one.
    pub fn new(settings: SlurmSettings) -> Option<Self> {
        Some(Self {
            path: settings.scontrol?,
            slurm_conf: settings.slurm_conf,
            timeout: settings.timeout,
            user: settings.user,
            token: settings.token,
        })
    }

    /// What it prints when it is given these arguments.
    ///
    /// # Errors
    /// Unreachable where it cannot be run, takes too long or does not reach the controller; else what it refuses.
    pub async fn run(&self, arguments: &[String]) -> Result<String, ManagerError> {
        let mut child =
            self.command(arguments).await?.spawn().map_err(|error| self.failed(&error))?;
        let ended = tokio::time::timeout(self.timeout, outcome(&mut child)).await;
        let (status, printed, complaint) = match ended {
            Err(_) => return Err(self.failed(&format!("no answer within {:?}", self.timeout))),
            Ok(ended) => ended.map_err(|error| self.failed(&error))?,
        };
        if status.success() {
            return Ok(printed);
        }
        // Some refusals go to standard output.
        let complaint = if complaint.trim().is_empty() { printed } else { complaint };
        Err(meaning(complaint.trim(), status))
    }

    /// Runs in UTC, in which times are written, and as the user of the token whoever runs the service.
    async fn command(&self, arguments: &[String]) -> Result<Command, ManagerError> {
        let token = self.token.token(&self.user).await?;
        let mut command = Command::new(&self.path);
        command.args(arguments).env_clear().env("TZ", "UTC").env("LC_ALL", "C");
        command.env("SLURM_JWT", token.text());
        for kept in ["PATH", "LD_LIBRARY_PATH"] {
            command.envs(std::env::var_os(kept).map(|value| (kept, value)));
        }
        command.envs(self.slurm_conf.as_ref().map(|file| ("SLURM_CONF", file)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        Ok(command)
    }

    fn failed(&self, what: &dyn std::fmt::Display) -> ManagerError {
        ManagerError::Unreachable(format!("{}: {what}", self.path.display()))
    }
}

async fn outcome(child: &mut Child) -> std::io::Result<(ExitStatus, String, String)> {
    let (printed, complaint) = (child.stdout.take(), child.stderr.take());
    let (printed, complaint) = tokio::join!(beginning(printed), beginning(complaint));
    Ok((child.wait().await?, printed?, complaint?))
}

/// What a stream says, cut after a while: what comes then is refused to its writer.
async fn beginning(stream: Option<impl AsyncRead + Unpin>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a complaint of `scontrol` means.
fn meaning(complaint: &str, status: ExitStatus) -> ManagerError {
    let code = WORDS.iter().find(|(words, _)| complaint.contains(words)).map(|(_, code)| *code);
    let message =
        if complaint.is_empty() { format!("scontrol: {status}") } else { complaint.to_owned() };
    if code.is_some() {
        return refused(code, message);
    }
    let says = |words: &[&str]| words.iter().any(|it| complaint.contains(it));
    if says(&["authentication", "Access/permission denied", "Unexpected message received"]) {
        ManagerError::Denied(message)
    } else if says(&[
        "Unable to contact slurm controller",
        "timed out",
        "cannot stat file",
        "Zero Bytes",
    ]) {
        ManagerError::Unreachable(message)
    } else {
        refused(None, message)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// In the words of 22.05.8.
    #[test]
    fn complaints_get_the_numbers_of_slurm() {
        for (complaint, number) in [
            ("delete_reservation ReservationName=a: Requested reservation is in use", Some(2055)),
            ("delete_reservation ReservationName=a: Requested reservation is invalid", Some(2053)),
            ("Error creating the reservation: Invalid time specified", Some(2054)),
            ("Error creating the reservation: Something new", None),
        ] {
            let meant = meaning(complaint, ExitStatus::from_raw(256));
            assert!(
                matches!(meant, ManagerError::Refused { code, .. } if code == number),
                "{meant}"
            );
        }
    }

    #[test]
    fn refused_tokens_and_lost_controllers_are_no_refusals() {
        let failed = ExitStatus::from_raw(256);
        let denied = meaning("Error creating the reservation: Unexpected message received", failed);
        assert!(matches!(denied, ManagerError::Denied(_)));
        let lost = "delete_reservation: Unable to contact slurm controller (connect failure)";
        assert!(matches!(meaning(lost, failed), ManagerError::Unreachable(_)));
    }
}
