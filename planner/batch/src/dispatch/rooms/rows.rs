//! Rows by resource and by how much of it is free: how many units of each kind that allows.

use crate::dispatch::free::FreeResources;
use crate::dispatch::unit::{UnitId, UnitRequest, UnitRequests};

/// Of more than this no row is kept: counts of up to so many are compared many at a time.
const MOST_FREE: u32 = 32_766;
/// As many as are asked for.
const NO_LIMIT: i16 = i16::MAX;
/// The most rows that are kept; then they are made anew.
const MOST_ROWS: usize = 4096;
/// The fewest columns that there is room for.
pub(super) const FEWEST_COLUMNS: usize = 16;

/// Rows whose columns are kinds of units.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The kind of each column; none where it is free for another.
    columns: Vec<Option<UnitId>>,
    unused: Vec<usize>,
    /// Columns of kinds that ask for more than amounts: these are looked at one by one.
    special: Vec<usize>,
    /// How far apart rows are.
    stride: usize,
    /// By row and column: how many units that allows.
    counts: Vec<i16>,
    /// By column: the least of rows.
    least: Vec<i16>,
    /// The resource and amount of each row.
    keys: Vec<(usize, u32)>,
    /// By resource and amount: one more than its row, 0 where there is none.
    index: Vec<Vec<u32>>,
}

impl Rows {
    /// How many kinds there are.
    pub fn kept(&self) -> usize {
        self.columns.len() - self.unused.len()
    }

    /// The kind of a column.
    pub fn kind(&self, column: usize) -> Option<UnitId> {
        self.columns[column]
    }

    /// Gives a kind a column.
    pub fn add(&mut self, unit: UnitId, units: &UnitRequests, free: &FreeResources) -> usize {
        let column = self.unused.pop().unwrap_or_else(|| {
            self.columns.push(None);
            self.columns.len() - 1
        });
        self.columns[column] = Some(unit);
        let request = units.get(unit);
        if request.exclusive || request.properties != 0 {
            self.special.push(column);
        }
        self.index.resize(free.totals().len(), Vec::new());
        if self.columns.len() > self.stride {
            self.stride = (self.stride * 2).max(FEWEST_COLUMNS);
            self.forget();
        }
        for (row, &(resource, amount)) in self.keys.iter().enumerate() {
            self.counts[row * self.stride + column] = allowed(request, resource, amount);
        }
        column
    }

    /// The column of a kind is free for another.
    pub fn remove(&mut self, unit: UnitId) {
        let Some(column) = self.columns.iter().position(|it| *it == Some(unit)) else { return };
        self.columns[column] = None;
        self.unused.push(column);
        self.special.retain(|it| *it != column);
    }

    /// How many units of the kinds of these columns find room on a node.
    pub fn fits_of(
        &mut self,
        columns: &[usize],
        units: &UnitRequests,
        free: &FreeResources,
        node: u32,
        fits: &mut Vec<u32>,
    ) {
        fits.clear();
        let on = free.on(node);
        if !self.special.is_empty() || on.iter().any(|amount| *amount > MOST_FREE) {
            let kinds = columns.iter().map(|it| self.columns[*it]);
            fits.extend(kinds.map(|it| it.map_or(0, |it| free.room(units.get(it), node))));
            return;
        }
        fits.resize(columns.len(), u32::MAX);
        for (resource, &amount) in on.iter().enumerate() {
            let from = self.row(units, resource, amount) * self.stride;
            let row = &self.counts[from..from + self.stride];
            for (fits, column) in fits.iter_mut().zip(columns) {
                *fits = (*fits).min(count_of(row[*column]));
            }
        }
    }

    /// How many units of each kind find room on a node, by column.
    pub fn fits(
        &mut self,
        units: &UnitRequests,
        free: &FreeResources,
        node: u32,
        fits: &mut Vec<u32>,
    ) {
        let on = free.on(node).iter().enumerate().take(self.index.len());
        self.least.clear();
        self.least.resize(self.columns.len(), NO_LIMIT);
        for (resource, &amount) in on.clone().filter(|it| *it.1 <= MOST_FREE) {
            let from = self.row(units, resource, amount) * self.stride;
            let row = &self.counts[from..from + self.stride];
            for (least, allowed) in self.least.iter_mut().zip(row) {
                *least = (*least).min(*allowed);
            }
        }
        fits.clear();
        fits.extend(self.least.iter().map(|least| count_of(*least)));
        for (resource, &amount) in on.filter(|it| *it.1 > MOST_FREE) {
            for (fits, kind) in fits.iter_mut().zip(&self.columns) {
                *fits = (*fits).min(kind.map_or(0, |it| allows(units.get(it), resource, amount)));
            }
        }
        for &column in &self.special {
            if let Some(unit) = self.columns[column] {
                fits[column] = free.room(units.get(unit), node);
            }
        }
    }

    /// The row of so much of a resource.
    fn row(&mut self, units: &UnitRequests, resource: usize, amount: u32) -> usize {
        let index = &mut self.index[resource];
        if index.len() <= amount as usize {
            index.resize(amount as usize + 1, 0);
        }
        match index[amount as usize] {
            0 => {}
            row => return row as usize - 1,
        }
        if self.keys.len() == MOST_ROWS {
            self.forget();
            self.index[resource].resize(amount as usize + 1, 0);
        }
        let row = self.keys.len();
        self.keys.push((resource, amount));
        self.counts.extend(
            self.columns
                .iter()
                .map(|kind| kind.map_or(0, |it| allowed(units.get(it), resource, amount))),
        );
        self.counts.resize((row + 1) * self.stride, 0);
        self.index[resource][amount as usize] = u32::try_from(row + 1).unwrap_or(0);
        row
    }

    fn forget(&mut self) {
        self.counts.clear();
        self.keys.clear();
        self.index.iter_mut().for_each(Vec::clear);
    }
}

/// How many units a row says.
const fn count_of(allowed: i16) -> u32 {
    if allowed == NO_LIMIT { u32::MAX } else { allowed.unsigned_abs() as u32 }
}

/// How many units so much of a resource allows.
fn allows(request: &UnitRequest, resource: usize, free: u32) -> u32 {
    free.checked_div(request.amount(resource)).unwrap_or(u32::MAX)
}

/// How many, as rows keep it: so much is no more than [`MOST_FREE`].
fn allowed(request: &UnitRequest, resource: usize, free: u32) -> i16 {
    i16::try_from(allows(request, resource, free)).unwrap_or(NO_LIMIT)
}
