//! `wattbook project`: who books for which project, by the API of a service.

mod file;
mod slurm_accounts;

use std::path::PathBuf;

use clap::Subcommand;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use planner::node::{NAME_RULE, is_name};
use serde_json::{Value, json};

use super::booking::server::Connection;
use super::{Failure, ListFormat, block_on, print};
use crate::http::v1::projects::document::{ProjectDocument, ProjectsDocument, ProjectsImport};

/// Arguments of `wattbook project`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List projects: those that you are in or manage, or all, for operators
    List {
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        connection: Connection,
    },
    /// Show a project and who is in it
    Show {
        #[arg(value_parser = name)]
        project: String,
        #[arg(long, default_value = "table")]
        format: ListFormat,
        #[command(flatten)]
        connection: Connection,
    },
    /// Make a project, or move it to another place in the tree; for operators
    Put {
        #[arg(value_parser = name)]
        project: String,
        /// The project that it is a part of [default: none]
        #[arg(long, value_parser = name)]
        parent: Option<String>,
        #[command(flatten)]
        connection: Connection,
    },
    /// Remove a project, of which no other is a part; for operators
    Remove {
        #[arg(value_parser = name)]
        project: String,
        #[command(flatten)]
        connection: Connection,
    },
    /// Add a user to a project; for its managers and operators
    Add {
        #[arg(value_parser = name)]
        project: String,
        #[arg(value_parser = name)]
        user: String,
        /// The user manages the project, and all that is part of it; for operators
        #[arg(long)]
        manager: bool,
        #[command(flatten)]
        connection: Connection,
    },
    /// Take a user out of a project; for its managers and operators
    Drop {
        #[arg(value_parser = name)]
        project: String,
        #[arg(value_parser = name)]
        user: String,
        #[command(flatten)]
        connection: Connection,
    },
    /// Import projects from a file or from Slurm's accounts, and remove those that an earlier import made and this one does
    /// not have; for operators
    Import(Import),
}

#[derive(clap::Args)]
struct Import {
    /// The file (TOML, docs/PROJECTS.md); - for standard input
    #[arg(value_name = "FILE", required_unless_present = "slurm", conflicts_with = "slurm")]
    file: Option<PathBuf>,
    /// Take over the accounts of Slurm, which sacctmgr tells: their users, and their coordinators as managers
    #[arg(long)]
    slurm: bool,
    /// The cluster whose accounts are meant [default: all]
    #[arg(long, requires = "slurm")]
    cluster: Option<String>,
    /// The program that tells them
    #[arg(long, requires = "slurm", default_value = "sacctmgr", value_name = "FILE")]
    sacctmgr: PathBuf,
    /// Print what would be taken over, as JSON, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Shows or changes projects.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::List { format, connection } => {
            let server = connection.open()?;
            let listed: ProjectsDocument = block_on(async { server.get("projects").await })?;
            show(&listed, *format)
        }
        Command::Show { project, format, connection } => {
            let (server, path) = (connection.open()?, path(project));
            let shown: ProjectDocument = block_on(async { server.get(&path).await })?;
            show_one(&shown, *format)
        }
        Command::Put { project, parent, connection } => {
            let (server, path) = (connection.open()?, path(project));
            let body = json!({ "parent": parent });
            let _: ProjectDocument = block_on(async { server.put(&path, body).await })?;
            Ok(())
        }
        Command::Remove { project, connection } => {
            let (server, path) = (connection.open()?, path(project));
            block_on(async { server.delete::<Value>(&path).await })?;
            Ok(())
        }
        Command::Add { project, user, manager, connection } => {
            let (server, path) = (connection.open()?, member_path(project, user));
            let body = json!({ "manager": manager });
            let _: ProjectDocument = block_on(async { server.put(&path, body).await })?;
            Ok(())
        }
        Command::Drop { project, user, connection } => {
            let (server, path) = (connection.open()?, member_path(project, user));
            block_on(async { server.delete::<Value>(&path).await })?;
            Ok(())
        }
        Command::Import(arguments) => import(arguments),
    }
}

fn import(arguments: &Import) -> Result<(), Failure> {
    let projects: ProjectsImport = match &arguments.file {
        Some(file) => file::read(file)?,
        None => slurm_accounts::read(&arguments.sacctmgr, arguments.cluster.as_deref())?,
    };
    if arguments.dry_run {
        return Ok(print(serde_json::to_string_pretty(&projects)?)?);
    }
    let (server, body) = (arguments.connection.open()?, serde_json::to_value(&projects)?);
    let after: ProjectsDocument = block_on(async { server.put("projects", body).await })?;
    let members: usize = after.items.iter().map(|it| it.members.len()).sum();
    print(format_args!("{} projects with {members} members are kept now", after.items.len()))?;
    Ok(())
}

/// The name of a project or user.
fn name(text: &str) -> Result<String, String> {
    if is_name(text) { Ok(text.to_owned()) } else { Err(NAME_RULE.to_owned()) }
}

fn path(project: &str) -> String {
    format!("projects/{}", utf8_percent_encode(project, NON_ALPHANUMERIC))
}

fn member_path(project: &str, user: &str) -> String {
    format!("{}/members/{}", path(project), utf8_percent_encode(user, NON_ALPHANUMERIC))
}

fn show(projects: &ProjectsDocument, format: ListFormat) -> Result<(), Failure> {
    if let ListFormat::Json = format {
        return Ok(print(serde_json::to_string_pretty(projects)?)?);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["PROJECT", "PARENT", "MANAGERS", "MEMBERS", "SOURCE"]);
    for it in &projects.items {
        let managers = it.members.iter().filter(|member| member.manager);
        table.add_row([
            it.name.clone(),
            it.parent.clone().unwrap_or_default(),
            managers.map(|member| member.user.as_str()).collect::<Vec<_>>().join(","),
            it.members.len().to_string(),
            it.source.clone(),
        ]);
    }
    Ok(print(table)?)
}

fn show_one(project: &ProjectDocument, format: ListFormat) -> Result<(), Failure> {
    if let ListFormat::Json = format {
        return Ok(print(serde_json::to_string_pretty(project)?)?);
    }
    let parent = project.parent.as_ref().map(|it| format!(", a part of {it}")).unwrap_or_default();
    print(format_args!("{}{parent}", project.name))?;
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["USER", "MANAGES", "SOURCE"]);
    for it in &project.members {
        let manages = if it.manager { "yes" } else { "no" };
        table.add_row([it.user.as_str(), manages, it.source.as_str()]);
    }
    Ok(print(table)?)
}
