//! Prices, CO2 intensities, caps and budgets that instances are played with.

use std::path::{Path, PathBuf};

use planner::time::Timestamp;
use serde::Deserialize;
use toml::Spanned;

use super::super::super::arguments::Supplier;
use super::super::file::{beside, origin, stem};
use super::super::text::Text;

/// As the arguments of `batch run` of these names.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupplyEntry {
    name: Option<String>,
    price: Option<PathBuf>,
    co2: Option<PathBuf>,
    cap: Option<PathBuf>,
    budgets: Option<PathBuf>,
    origin: Option<String>,
    #[serde(default)]
    allow_uncovered: bool,
}

/// What instances are played with beside jobs, a system and a policy.
pub struct SweptSupply {
    /// Of the file, where there is one.
    pub line: Option<usize>,
    pub name: String,
    pub supplier: Supplier,
    pub budgets: Option<PathBuf>,
}

/// The supply of a sweep by arguments.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SupplyArguments {
    /// With --system: prices of energy, a CSV table as for batch run
    #[arg(long, value_name = "FILE", requires = "system", requires = "origin")]
    price: Option<PathBuf>,
    /// With --system: CO2 intensities of energy, a CSV table as for batch run
    #[arg(long, value_name = "FILE", requires = "system", requires = "origin")]
    co2: Option<PathBuf>,
    /// With --system: caps of the power of nodes, a CSV table as for batch run
    #[arg(long, value_name = "FILE", requires = "system", requires = "origin")]
    cap: Option<PathBuf>,
    /// With --system: what users may take of energy, cost and CO2 in a period, as for batch run
    #[arg(long, value_name = "FILE", requires = "system", requires = "origin")]
    budgets: Option<PathBuf>,
    /// With --system: what instant the simulations begin at, such as 2026-01-01T00:00:00Z
    #[arg(long, value_name = "TIME", requires = "system", value_parser = Timestamp::parse)]
    origin: Option<Timestamp>,
    /// With --system: play although --price, --co2 or --cap do not cover all of a simulation
    #[arg(long, requires = "system")]
    allow_uncovered: bool,
}

impl SweptSupply {
    fn new(
        line: Option<usize>,
        name: Option<String>,
        supplier: Supplier,
        budgets: Option<PathBuf>,
    ) -> Self {
        let mut supply = Self { line, name: String::new(), supplier, budgets };
        let stems: Vec<String> = supply.files().map(|file| stem(file)).collect();
        let default = if stems.is_empty() { "none".to_owned() } else { stems.join("+") };
        supply.name = name.unwrap_or(default);
        supply
    }

    /// Nothing.
    pub fn none() -> Self {
        Self::new(None, None, Supplier::default(), None)
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let Supplier { price, co2, cap, .. } = &self.supplier;
        [price, co2, cap, &self.budgets].into_iter().flatten()
    }

    /// Whether anything is told.
    pub fn is_there(&self) -> bool {
        self.files().next().is_some()
    }
}

impl SupplyArguments {
    /// The supply that they say.
    pub fn supply(&self) -> SweptSupply {
        let Self { price, co2, cap, budgets, origin, allow_uncovered } = self.clone();
        let supplier = Supplier { price, co2, cap, reservations: None, origin, allow_uncovered };
        SweptSupply::new(None, None, supplier, budgets)
    }
}

/// What an entry of the file says.
pub fn supply(text: &mut Text<'_>, entry: Spanned<SupplyEntry>) -> SweptSupply {
    let line = text.line(entry.span().start);
    let entry = entry.into_inner();
    let path: &Path = text.path;
    let file = |named: Option<PathBuf>| named.map(|named| beside(path, &named));
    let (price, co2, cap) = (file(entry.price), file(entry.co2), file(entry.cap));
    let (budgets, allow_uncovered) = (file(entry.budgets), entry.allow_uncovered);
    let by_clock = [&price, &co2, &cap, &budgets].iter().any(|it| it.is_some());
    let origin = origin(text, line, entry.origin.as_deref(), by_clock);
    let supplier = Supplier { price, co2, cap, reservations: None, origin, allow_uncovered };
    SweptSupply::new(Some(line), entry.name, supplier, budgets)
}
