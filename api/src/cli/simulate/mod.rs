//! `wattbook simulate`: a month of requests played against agendas under policies.

mod arguments;
mod comparison;
mod managed;
mod output;
mod shares;
mod values;
mod work;

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use simulator::experiment::{Experiment, Variant};
use simulator::policy::Policy;
use simulator::sesames::{Cell, Inputs, PlayedRun, Summary};

use super::batch::files;
use super::engine::LongWork;
use super::journal::Journal;
use super::out::Target;
use super::{Failure, out, tell};
use crate::simulation::inputs;
use arguments::{Command, Format, MonthCommand};
use work::Work;

pub use arguments::Arguments;

/// A finished run of a cell, by their numbers from 0.
#[derive(Serialize, Deserialize)]
struct FinishedRun {
    cell: usize,
    played: PlayedRun,
}

/// What was read: a digest of each file, by path.
type Digests = BTreeMap<String, String>;

/// Plays what was asked for.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Month(command) => month(command),
        Command::Shares(study) => shares::run(study),
    }
}

/// What is wrong with an experiment ends here; the rest is the experiment's.
fn month(command: &MonthCommand) -> Result<(), Failure> {
    let settings = command.settings();
    let experiment = command.experiment()?;
    let variants =
        experiment.variants().map_err(|error| Failure::BadInput(vec![error.to_string()]))?;
    let mut digests = Digests::new();
    let cells = variants
        .iter()
        .map(|variant| cell(variant, &experiment.policies, &mut digests))
        .collect::<Result<Vec<_>, _>>()?;
    let threads = settings.threads.map_or_else(
        || thread::available_parallelism().map_or(1, std::num::NonZero::get),
        std::num::NonZero::get,
    );
    let pieces = cells.iter().map(|cell| cell.parameters().runs as usize).sum();
    if let (Some(parts), Some(out)) = (settings.engine.parts(), &settings.out) {
        let inputs = digests.keys().map(Path::new).chain(command.file()).collect();
        let work = LongWork { out, pieces, inputs };
        return settings.engine.play(parts, &work, &work::progress_bar(pieces as u64));
    }
    let part = settings.part.part;
    let target = settings.out.as_deref().map(Target::of).transpose()?;
    let (journal, kept) = match &target {
        None => (None, Vec::new()),
        Some(target) => {
            let (journal, kept) =
                Journal::open(target, &fingerprint(&experiment, &digests)?, settings.force, part)?;
            journal.tell_left(pieces);
            (Some(journal), kept)
        }
    };
    let mut work = Work::new(&experiment, &variants, &cells, target.as_ref(), journal);
    work.play(kept, threads, part)?;
    if let (Some(part), Some(target)) = (part, &target) {
        part.tell_played(target);
        return Ok(());
    }
    let results = work.finish()?;
    let named: Vec<(String, &Summary)> =
        variants.iter().map(Variant::name).zip(results.iter()).collect();
    match settings.format {
        Format::Json => match results.as_slice() {
            [one] => super::print(serde_json::to_string_pretty(one)?)?,
            several => super::print(serde_json::to_string_pretty(several)?)?,
        },
        Format::Table => super::print(comparison::comparison(&experiment.name, &named))?,
    }
    if let Some(target) = &target {
        out::tell_written(target);
    }
    Ok(())
}

/// The cell of a variant, with its files.
fn cell(variant: &Variant, policies: &[Policy], digests: &mut Digests) -> Result<Cell, Failure> {
    let mut read = |path: &str| {
        let text = files::text(Path::new(path)).map_err(|error| error.to_string())?;
        digests.insert(path.to_owned(), hex::encode(Sha256::digest(&text)));
        Ok(text)
    };
    let prepared = inputs::cell(variant, policies, &Inputs::default(), &mut read);
    let prepared = prepared
        .map_err(|errors| Failure::BadInput(errors.iter().map(ToString::to_string).collect()))?;
    for note in &prepared.notes {
        tell(note);
    }
    Ok(prepared.cell)
}

/// What a journal is of: another experiment, other contents of its files or another program begin
/// anew.
fn fingerprint(experiment: &Experiment, digests: &Digests) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&(env!("CARGO_PKG_VERSION"), experiment, digests))?)
}
