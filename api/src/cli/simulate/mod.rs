//! `wattbook simulate`: a month of requests played against agendas under policies.

mod arguments;
mod comparison;
mod forecasts;
mod inputs;
mod journal;
mod judge;
mod output;
mod pool;

mod work;

use std::thread;

use simulator::experiment::{Experiment, Variant};
use simulator::sesames::Summary;

use super::Failure;
use arguments::Format;
use inputs::Digests;
use journal::{FinishedRuns, Journal};
use work::Work;

pub use arguments::Arguments;

/// What is wrong with an experiment ends here; the rest is the experiment's.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.command.settings();
    let experiment = arguments.command.experiment()?;
    let variants =
        experiment.variants().map_err(|error| Failure::BadInput(vec![error.to_string()]))?;
    let mut digests = Digests::new();
    let cells = variants
        .iter()
        .map(|variant| inputs::cell(variant, &experiment.policies, &mut digests))
        .collect::<Result<Vec<_>, _>>()?;
    let threads = settings.threads.map_or_else(
        || thread::available_parallelism().map_or(1, std::num::NonZero::get),
        std::num::NonZero::get,
    );
    let (journal, kept) = match &settings.out {
        None => (None, FinishedRuns::new()),
        Some(folder) => {
            let (journal, kept) = Journal::open(folder, &fingerprint(&experiment, &digests)?)?;
            (Some(journal), kept)
        }
    };
    let out = settings.out.as_deref();
    let mut work = Work::new(&experiment, &variants, &cells, out, journal);
    work.play(kept, threads)?;
    let results = work.finish()?;
    let named: Vec<(String, &Summary)> =
        variants.iter().map(Variant::name).zip(results.iter()).collect();
    match settings.format {
        Format::Json => match results.as_slice() {
            [one] => super::print(serde_json::to_string_pretty(one)?)?,
            several => super::print(serde_json::to_string_pretty(several)?)?,
        },
        Format::Table => super::print(comparison::comparison(&named))?,
    }
    Ok(())
}

/// What a journal is of: another experiment, other contents of its files or another program begin
/// anew.
fn fingerprint(experiment: &Experiment, digests: &Digests) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&(env!("CARGO_PKG_VERSION"), experiment, digests))?)
}
