//! `wattbook supplier`: the replay supplier as a process, for trials of a site's feeds.
//!
//! Nothing but this and `wattbook demo` knows the replay supplier; without the feature `supplier` it
//! is not even built.

mod fault;
pub(super) mod series;
mod sources;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use planner::time::Timestamp;
use replay_supplier::{Supplier, eve_of_clock_change};
use tokio::net::TcpListener;

use self::fault::Switch;
use self::series::ReplayedSeries;
use super::{Failure, print, serve};
use crate::clock::Clock;

/// Arguments of `wattbook supplier`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Address and port to answer at
    #[arg(long, default_value = "127.0.0.1:8090", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// The virtual time to begin at, RFC 3339 [default: now]
    #[arg(long, value_parser = Timestamp::parse, value_name = "TIME")]
    at: Option<Timestamp>,
    /// Virtual seconds in a real one; 0 stands still
    #[arg(long, default_value_t = 1.0, value_parser = rate)]
    rate: f64,
    /// What is wrong with a share of all answers: 429, 503, 404, empty, empty-object, slow,
    /// truncated, nulls, late, revised or sandbox, each as NAME or NAME=SHARE; dst-day begins on
    /// the eve of the next clock change
    #[arg(long = "fault", value_name = "NAME[=SHARE]")]
    faults: Vec<Switch>,
    /// Which answers the faults fall on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Prices to replay, CSV or JSON [default: the demonstration's]
    #[arg(long, value_name = "FILE")]
    price: Option<PathBuf>,
    /// CO2 intensities to replay, CSV or JSON [default: the demonstration's]
    #[arg(long, value_name = "FILE")]
    co2: Option<PathBuf>,
    /// Power caps for the folder of --drop, CSV or JSON [default: the demonstration's]
    #[arg(long, value_name = "FILE", requires = "drop")]
    power_cap: Option<PathBuf>,
    /// Folder to write the series into as files; caps have no other interface
    #[arg(long, value_name = "FOLDER")]
    drop: Option<PathBuf>,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0);
    rate.ok_or_else(|| "must be a number of at least 0".to_owned())
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let shares =
        fault::shares(&arguments.faults).map_err(|error| Failure::BadInput(vec![error]))?;
    let mut at = arguments.at.unwrap_or_else(|| Clock::default().now());
    if arguments.faults.contains(&Switch::DstDay) {
        at = eve_of_clock_change(at).context("there is no clock change after this time")?;
    }
    let series = ReplayedSeries::read(arguments, at)?;
    if let Some(folder) = &arguments.drop {
        series.write_files(folder)?;
    }
    let supplier = Supplier::new(series.truth(), at);
    supplier.set_rate(arguments.rate);
    supplier.set_random_faults(arguments.seed, &shares);
    super::block_on(async {
        let listen = arguments.listen;
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("cannot listen on {listen}"))?;
        let base = format!("http://{}", listener.local_addr()?);
        print(sources::settings(&base, at, arguments.drop.as_deref()))?;
        tokio::select! {
            served = supplier.serve(listener) => served?,
            signalled = serve::signalled() => signalled?,
        }
        Ok(())
    })
}
