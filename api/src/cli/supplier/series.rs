//! What is replayed: the series of files, else the demonstration's around the virtual time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use grid_feeds::demonstration::{Demonstration, demonstration};
use grid_feeds::feed::Quantity;
use grid_feeds::provider::file_drop::map::{Format, read};
use grid_feeds::provider::rte_tempo;
use grid_feeds::table::write_agenda;
use planner::agenda::Agenda;
use planner::quantity::{Power, Rate};
use planner::time::Timestamp;
use replay_supplier::{Colour, Truth};

use super::Arguments;

/// The series that the supplier replays, in whole millionths of each unit.
pub struct ReplayedSeries {
    price: Agenda<i64>,
    co2: Agenda<i64>,
    power_cap: Agenda<i64>,
    demonstration: Demonstration,
}

impl ReplayedSeries {
    /// Those of a demonstration.
    pub fn of(demonstration: Demonstration) -> Self {
        Self {
            price: demonstration.price.map(Rate::as_millionths),
            co2: demonstration.co2.map(Rate::as_millionths),
            power_cap: demonstration.power_cap.map(Power::as_microwatts),
            demonstration,
        }
    }

    /// Those of the files that are named, else of the demonstration around `at`.
    ///
    /// # Errors
    /// A file that cannot be read, with its lines or pointers.
    pub fn read(arguments: &Arguments, at: Timestamp) -> anyhow::Result<Self> {
        let or = |path: &Option<PathBuf>, quantity, default| match path {
            Some(path) => file(path, quantity),
            None => Ok(default),
        };
        let Self { price, co2, power_cap, demonstration } = Self::of(demonstration(at)?);
        Ok(Self {
            price: or(&arguments.price, Quantity::Price, price)?,
            co2: or(&arguments.co2, Quantity::Co2, co2)?,
            power_cap: or(&arguments.power_cap, Quantity::PowerCap, power_cap)?,
            demonstration,
        })
    }

    /// What the interfaces tell; the colours of days are always the demonstration's.
    pub fn truth(&self) -> Truth {
        let colour = |colour: rte_tempo::Colour| match colour {
            rte_tempo::Colour::Blue => Colour::Blue,
            rte_tempo::Colour::White => Colour::White,
            rte_tempo::Colour::Red => Colour::Red,
        };
        let colours = self.demonstration.colours.iter();
        let colours: BTreeMap<_, _> =
            colours.map(|(&day, &of_day)| (day, colour(of_day))).collect();
        Truth {
            price: Arc::new(self.price.clone()),
            co2: Arc::new(self.co2.clone()),
            colours: Arc::new(colours),
        }
    }

    /// Writes each series whole, as the provider `file-drop` reads it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_files(&self, folder: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (name, column, agenda) in [
            ("price.csv", "price_per_mwh", &self.price),
            ("co2.csv", "intensity_g_per_kwh", &self.co2),
            ("power-cap.csv", "cap_w", &self.power_cap),
        ] {
            let path = folder.join(name);
            fs::write(&path, write_agenda(agenda, column))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

fn file(path: &Path, quantity: Quantity) -> anyhow::Result<Agenda<i64>> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let format = if json { Format::Json } else { Format::Csv };
    Ok(read(&name, format, &text, quantity)?)
}
