//! Copies of PostgreSQL databases, by its own programs.

use std::path::Path;
use std::process::Stdio;
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use tokio::process::Command;
use url::Url;

use super::CopyError;
use crate::engine::sql;
use crate::error::StorageError;

pub(super) async fn back_up(url: &str, file: &Path) -> Result<(), CopyError> {
    let mut dump = program("pg_dump", url)?;
    dump.args(["--format=custom", "--no-owner", "--no-privileges", "--file"]).arg(file);
    run("pg_dump", dump).await
}

pub(super) async fn restore(url: &str, file: &Path) -> Result<(), CopyError> {
    let options = PgConnectOptions::from_str(url).map_err(StorageError::MalformedUrl)?;
    let target = options.get_database().unwrap_or(options.get_username()).to_owned();
    let opened = PgConnection::connect_with(&options).await;
    let failed = |source| StorageError::Connect { target: target.clone(), source };
    let mut connection = opened.map_err(failed)?;
    let is_ours = sqlx::query(sql::MIGRATIONS).fetch_one(&mut connection).await.is_ok();
    connection.close().await?;
    if is_ours {
        return Err(CopyError::NotEmpty { target });
    }
    let mut restore = program("pg_restore", url)?;
    restore.args(["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]);
    restore.arg(file);
    run("pg_restore", restore).await
}

/// A program of PostgreSQL that asks this database. Its password is where other users of the machine do not see it.
fn program(name: &str, url: &str) -> Result<Command, CopyError> {
    let malformed = |error: url::ParseError| {
        StorageError::MalformedUrl(sqlx::Error::Configuration(Box::new(error)))
    };
    let mut url = Url::parse(url).map_err(malformed)?;
    let mut command = Command::new(name);
    if let Some(password) = url.password() {
        let password = percent_encoding::percent_decode_str(password).decode_utf8_lossy();
        command.env("PGPASSWORD", password.as_ref());
        // A URL with a password has a host.
        let _ = url.set_password(None);
    }
    command.arg(format!("--dbname={url}"));
    Ok(command)
}

async fn run(name: &'static str, mut command: Command) -> Result<(), CopyError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let ran = command.output().await;
    let output = ran.map_err(|source| CopyError::NoProgram { program: name, source })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(CopyError::Program { program: name, said })
}
