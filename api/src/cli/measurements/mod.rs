//! `wattbook measurements import`: sends files of measurements to a service, in parts.

mod parts;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use tokio::sync::mpsc;

use super::booking::server::{Connection, Server};
use super::{Failure, ListFormat, block_on, print, tell};
use crate::http::v1::measurements::create::{BehindDocument, MeasurementsTaken, RefusedSample};
use parts::{Part, PartError, csv_parts, json_parts};

/// How often a part is sent while the service cannot take it, and the pause between.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(2);

/// Refused samples that are told one by one.
const MOST_TOLD: usize = 20;

/// Arguments of `wattbook measurements`.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Send a file of measurements, CSV or JSON as the API takes it, in parts; for operators
    Import(Import),
}

#[derive(Args)]
struct Import {
    /// The file; CSV has the columns meter, node, at, and the power or the energy
    file: PathBuf,
    /// What the file is [default: by its name: .csv or .json]
    #[arg(long, value_name = "KIND")]
    input: Option<FileKind>,
    #[arg(long, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Clone, Copy, ValueEnum)]
enum FileKind {
    Csv,
    Json,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Command::Import(arguments) = &arguments.command;
    let (file, kind) = arguments.opened().map_err(|error| bad(&arguments.file, &error))?;
    block_on(async {
        let server = arguments.connection.open()?;
        let taken = send(&server, &arguments.file, file, kind).await?;
        Ok(arguments.show(&taken)?)
    })
}

fn bad(file: &Path, error: &impl std::fmt::Display) -> Failure {
    Failure::BadInput(vec![format!("{}: {error}", file.display())])
}

impl Import {
    fn opened(&self) -> Result<(File, FileKind), String> {
        let extension = self.file.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let kind = match (self.input, extension.to_ascii_lowercase().as_str()) {
            (Some(kind), _) => kind,
            (None, "csv") => FileKind::Csv,
            (None, "json") => FileKind::Json,
            _ => return Err("is neither .csv nor .json; --input says what it is".to_owned()),
        };
        let file = File::open(&self.file).map_err(|error| error.to_string())?;
        Ok((file, kind))
    }

    fn show(&self, taken: &MeasurementsTaken) -> anyhow::Result<()> {
        if let ListFormat::Json = self.format {
            return print(serde_json::to_string_pretty(taken)?);
        }
        for it in taken.first_refused.iter().take(MOST_TOLD) {
            let place = it.place.as_deref().or(it.pointer.as_deref()).unwrap_or_default();
            tell(format_args!("{place}: {} at {}: {}", it.node, it.at, it.detail));
        }
        for it in &taken.reasons {
            tell(format_args!("refused: {} ({})", it.count, it.reason));
        }
        if let Some(BehindDocument { node, newest_at, behind_s }) = &taken.furthest_behind {
            tell(format_args!(
                "{} nodes have no sample of lately, such as {node}: its newest, of {newest_at}, was {behind_s} s old when \
                 it came; unless the file is of then, a clock runs behind",
                taken.behind
            ));
        }
        let MeasurementsTaken { taken, late, out_of_order, doubled, resets, refused, .. } = taken;
        print(format_args!(
            "{taken} samples were taken ({late} late, {out_of_order} out of order, {resets} after a reset), \
             {doubled} were there already, {refused} were refused"
        ))
    }
}

/// Sends a file part by part; what was sent before an error is kept, and changes nothing when it is sent again.
async fn send(
    server: &Server,
    path: &Path,
    file: File,
    kind: FileKind,
) -> Result<MeasurementsTaken, Failure> {
    let (sender, mut parts) = mpsc::channel::<Result<Part, PartError>>(2);
    let reading = tokio::task::spawn_blocking(move || {
        let reader = BufReader::new(file);
        // Where nobody receives any more, sending failed and reading ends.
        let send = |part| sender.blocking_send(part).is_ok();
        match kind {
            FileKind::Csv => csv_parts(reader, send),
            FileKind::Json => json_parts(reader, send),
        }
    });
    let mut taken = MeasurementsTaken::default();
    while let Some(part) = parts.recv().await {
        let part = part.map_err(|error| bad(path, &error))?;
        let before = part.before();
        match post(server, part).await {
            Ok(answer) => add(&mut taken, answer, before),
            Err(Failure::BadInput(errors)) => {
                let placed = errors.iter().map(|error| before.shifted(error));
                let told = placed.map(|error| format!("{}: {error}", path.display()));
                return Err(Failure::BadInput(told.collect()));
            }
            Err(failure) => return Err(failure),
        }
    }
    reading.await.context("the file was not read to its end")?;
    Ok(taken)
}

/// Sends a part, again where the service cannot take it at the moment.
async fn post(server: &Server, part: Part) -> Result<MeasurementsTaken, Failure> {
    let mut tries = 1;
    loop {
        let sent = match &part {
            Part::Csv { text, .. } => server.post_csv("measurements", text.clone()).await,
            Part::Json { body, .. } => server.post("measurements", body.clone()).await,
        };
        match sent {
            Err(Failure::Unavailable(error)) if tries < TRIES => {
                tell(format_args!("{error:#}; trying again"));
                tokio::time::sleep(PAUSE).await;
                tries += 1;
            }
            sent => return sent,
        }
    }
}

fn add(taken: &mut MeasurementsTaken, part: MeasurementsTaken, before: parts::Before) {
    taken.taken += part.taken;
    taken.late += part.late;
    taken.out_of_order += part.out_of_order;
    taken.doubled += part.doubled;
    taken.resets += part.resets;
    taken.refused += part.refused;
    taken.add_behind(part.behind, part.furthest_behind);
    for it in part.reasons {
        match taken.reasons.iter_mut().find(|known| known.reason == it.reason) {
            Some(known) => known.count += it.count,
            None => taken.reasons.push(it),
        }
    }
    let room = MOST_TOLD.saturating_sub(taken.first_refused.len());
    let placed = |it: RefusedSample| RefusedSample {
        pointer: it.pointer.map(|it| before.shifted(&it)),
        place: it.place.map(|it| before.shifted(&it)),
        ..it
    };
    taken.first_refused.extend(part.first_refused.into_iter().take(room).map(placed));
}
