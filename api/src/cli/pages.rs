//! `wattbook completions` and `wattbook man`: what shells and `man` know of the commands, made from the commands.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::Failure;

/// Arguments of `wattbook completions`.
#[derive(clap::Args)]
pub struct Completions {
    /// For which shell
    shell: Shell,
}

/// Arguments of `wattbook man`.
#[derive(clap::Args)]
pub struct Man {
    /// Where the pages go; it is made where it is missing
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Prints the script that completes commands and options.
pub fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "wattbook", &mut script);
    Ok(super::print(String::from_utf8(script)?.trim_end())?)
}

/// Writes a page for each command.
pub fn man(arguments: &Man) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let written =
        std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command(), folder));
    Ok(written.with_context(|| format!("cannot write man pages to {}", folder.display()))?)
}

fn command() -> Command {
    super::Arguments::command()
}
