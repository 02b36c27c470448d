//! `wattbook batch system`: what `--system` reads, written as a document.

use std::io::Write;
use std::path::PathBuf;

use super::files::Pending;
use super::nodes::Services;
use super::system_source::{self, SystemSource};
use crate::cli::identity::Identity;
use crate::cli::{Failure, print};

/// From what to which document.
#[derive(clap::Args)]
pub struct Arguments {
    /// What knows the nodes: slurm.conf, what sinfo -N -h -o "%N|%c|%m|%G|%P|%f|%l|%s" or sinfo --json printed, AccaSim's
    /// JSON, the URL of a Wattbook service, its nodes in a file (JSON or CSV), or a system in TOML
    #[arg(long, value_name = "SOURCE")]
    from: PathBuf,
    /// What these nodes draw, by their names: the URL of a Wattbook service, or nodes in a file (JSON or CSV)
    #[arg(long, value_name = "SOURCE")]
    powers: Option<String>,
    /// The file to write [default: print it]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    identity: Identity,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let token = arguments.identity.token()?;
    let services = Services::Asked(token.as_ref());
    let powers = arguments.powers.as_deref();
    let source = system_source::read_with_powers(&arguments.from, powers, services)?;
    let mut text = Vec::new();
    match &source {
        SystemSource::Document(system) => system.write(&mut text)?,
        SystemSource::Listed(listed) => listed.write(&mut text)?,
    }
    let Some(out) = &arguments.out else {
        return Ok(print(String::from_utf8_lossy(&text).trim_end())?);
    };
    let (pending, mut sink) = Pending::create_at(out)?;
    sink.write_all(&text)?;
    sink.finish()?;
    Ok(pending.keep()?)
}
