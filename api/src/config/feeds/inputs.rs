//! `[[inputs]]`: series that forecasts know ahead of time. See `docs/FEEDS.md`.

use std::collections::HashSet;

use anyhow::{Context, bail, ensure};
use grid_feeds::input::{InputProvider, InputQuantity};
use serde::Deserialize;
use toml::{Table, Value};

use super::is_id;

/// A series that forecasts know ahead of time.
#[derive(Clone, Debug)]
pub struct InputSource {
    /// Its name: in the forecasts that take it.
    pub id: String,
    /// What it is about.
    pub quantity: InputQuantity,
    /// Who is asked, and what that needs to know.
    pub provider: InputProvider,
}

/// What the file says of an input beside its provider's settings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InputFields {
    id: String,
    quantity: InputQuantity,
}

/// All inputs, checked; secrets are not read yet.
///
/// # Errors
/// Names the input by its position and id.
pub(super) fn read_all(inputs: Vec<Table>) -> anyhow::Result<Vec<InputSource>> {
    let mut ids = HashSet::new();
    let read = |(index, table): (usize, Table)| {
        let id = table.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let place = || format!("inputs[{index}] {id:?}");
        let source = source(table).with_context(place)?;
        ensure!(ids.insert(source.id.clone()), "{}: the id is taken", place());
        Ok(source)
    };
    inputs.into_iter().enumerate().map(read).collect()
}

fn source(mut table: Table) -> anyhow::Result<InputSource> {
    const OURS: [&str; 2] = ["id", "quantity"];
    let ours = OURS.iter().filter_map(|&name| Some((name.to_owned(), table.remove(name)?)));
    let InputFields { id, quantity } = Value::Table(ours.collect()).try_into()?;
    ensure!(is_id(&id), "an id has 1 to 64 letters, digits, - _ and .");
    let provider: InputProvider = Value::Table(table).try_into()?;
    provider.check(quantity)?;
    Ok(InputSource { id, quantity, provider })
}

/// The inputs that a forecast names, in its order.
///
/// # Errors
/// Names what is not there, and what is there twice.
pub(super) fn named(ids: &[String], inputs: &[InputSource]) -> anyhow::Result<Vec<InputSource>> {
    let mut found: Vec<InputSource> = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(input) = inputs.iter().find(|input| input.id == *id) else {
            bail!("inputs: there is no [[inputs]] {id:?}");
        };
        ensure!(found.iter().all(|other| other.id != *id), "inputs: {id:?} is there twice");
        found.push(input.clone());
    }
    Ok(found)
}
