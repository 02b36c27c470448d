//! Sections of the settings whose fields depend on what they are about, read field by field.

#[cfg(any(feature = "meters", feature = "power"))]
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
#[cfg(any(feature = "meters", feature = "power"))]
use serde::Deserialize;
use toml::{Table, Value};
#[cfg(any(feature = "meters", feature = "power"))]
use url::Url;

/// A whole number of a table, within bounds.
pub(super) fn whole(
    table: &mut Table,
    name: &str,
    unless: u32,
    least: u32,
    most: u32,
) -> anyhow::Result<u32> {
    let given = match table.remove(name) {
        None => unless,
        Some(value) => value
            .as_integer()
            .and_then(|it| u32::try_from(it).ok())
            .with_context(|| format!("{name} = {value} must be a whole number"))?,
    };
    ensure!((least..=most).contains(&given), "{name} must lie between {least} and {most}");
    Ok(given)
}

/// A value that must be a text.
pub(super) fn text(name: &str, value: &Value) -> anyhow::Result<String> {
    let text = value.as_str().filter(|it| !it.is_empty());
    Ok(text.with_context(|| format!("{name} = {value} must be a text"))?.to_owned())
}

/// Nothing is left that nobody understands.
pub(super) fn nothing_else(rest: &Table, kind: &str) -> anyhow::Result<()> {
    if let Some(name) = rest.keys().next() {
        bail!("{name} is no setting of {kind}");
    }
    Ok(())
}

/// A path of a table, where it is given.
#[cfg(any(feature = "meters", feature = "power"))]
pub(super) fn path(table: &mut Table, name: &str) -> anyhow::Result<Option<PathBuf>> {
    let given = table.remove(name).map(|it| text(name, &it)).transpose()?;
    Ok(given.map(PathBuf::from))
}

/// A yes or no of a table; no unless it is given.
#[cfg(any(feature = "meters", feature = "power"))]
pub(super) fn flag(table: &mut Table, name: &str) -> anyhow::Result<bool> {
    let given = table
        .remove(name)
        .map(|it| it.as_bool().with_context(|| format!("{name} = {it} must be true or false")));
    Ok(given.transpose()?.unwrap_or_default())
}

/// Moves the fields of these names out of a table.
#[cfg(any(feature = "meters", feature = "power"))]
pub(super) fn fields<T: for<'de> Deserialize<'de>>(
    rest: &mut Table,
    names: &[&str],
) -> anyhow::Result<T> {
    let found = names.iter().filter_map(|name| Some(((*name).to_owned(), rest.remove(*name)?)));
    Ok(Value::Table(found.collect()).try_into()?)
}

/// An address without what is asked there.
#[cfg(any(feature = "meters", feature = "power"))]
pub(super) fn address(text: &str) -> anyhow::Result<Url> {
    let url = Url::parse(text)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    ensure!(
        is_plain,
        "{text:?} must be http://host or https://host, with a port and a path where there is one, and \
         without a user or a query"
    );
    Ok(url)
}
