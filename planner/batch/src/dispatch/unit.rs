//! What jobs ask for: units, each of which asks for the same of one node; and units of other kinds beside these.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;

/// What one unit asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UnitRequest {
    /// Of its node: positions of resources with amounts above nothing.
    pub of_node: Box<[(usize, u32)]>,
    /// Of what all nodes share, likewise.
    pub shared: Box<[(usize, u32)]>,
    /// Properties that its node must have: bits by position in [`System::properties`](super::system::System::properties).
    pub properties: u64,
    /// Whether the job has its nodes for itself.
    pub exclusive: bool,
    /// Units of other kinds that the job asks for beside these, in the order in which they are placed; they have no others themselves.
    pub beside: Box<[OtherUnits]>,
}

/// Units of another kind that a job asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OtherUnits {
    /// How many of them the job has.
    pub units: u32,
    /// What each asks for.
    pub each: UnitRequest,
}

impl UnitRequest {
    /// A unit that asks for `amounts`: of `kinds` resources of nodes by position, then of what is shared.
    pub fn of(amounts: &[u32], kinds: usize) -> Self {
        let (of_node, shared) = amounts.split_at(kinds.min(amounts.len()));
        let some = |amounts: &[u32]| {
            amounts.iter().copied().enumerate().filter(|(_, amount)| *amount > 0).collect()
        };
        Self { of_node: some(of_node), shared: some(shared), ..Self::default() }
    }

    /// All kinds of a job that has `units` such units: this one first, then those beside it.
    pub fn kinds(&self, units: u32) -> impl Iterator<Item = (u32, &Self)> {
        std::iter::once((units, self)).chain(self.beside.iter().map(|it| (it.units, &it.each)))
    }

    /// How many units a job has that has `units` such units.
    pub fn all_units(&self, units: u32) -> u32 {
        self.beside.iter().fold(units, |sum, it| sum.saturating_add(it.units))
    }

    /// What a job of `units` such units asks for of a resource of nodes, by its position.
    pub fn asked_of_nodes(&self, units: u32, place: usize) -> u64 {
        self.kinds(units).map(|(units, it)| u64::from(units) * u64::from(it.amount(place))).sum()
    }

    /// What it asks for of something that is shared, by its position.
    pub fn asked_of_shared(&self, units: u32, place: usize) -> u64 {
        let of = |it: &Self| it.shared.iter().find(|(at, _)| *at == place).map_or(0, |it| it.1);
        self.kinds(units).map(|(units, it)| u64::from(units) * u64::from(of(it))).sum()
    }

    /// The positions of what it and the kinds beside it ask for of what is shared; some come more than once.
    pub fn of_shared(&self) -> impl Iterator<Item = usize> {
        self.kinds(1).flat_map(|(_, kind)| kind.shared.iter().map(|it| it.0))
    }

    /// How many units fit into `free`, which is by position, as far as amounts go; see [`FreeResources::room`](super::free::FreeResources::room).
    pub fn fits(&self, free: &[u32]) -> u32 {
        let mut fits = u32::MAX;
        for &(place, amount) in &self.of_node {
            let free = free[place];
            if free < amount {
                return 0;
            }
            fits = fits.min(if amount == 1 { free } else { free / amount });
        }
        fits
    }

    /// How many units fit into what is free of what all nodes share.
    pub fn fits_shared(&self, free: &[u32]) -> u32 {
        let fits = self.shared.iter().map(|&(place, amount)| free[place] / amount);
        fits.min().unwrap_or(u32::MAX)
    }

    /// All that a unit asks for of its node, added up over resources: the thesis's sum of `r`.
    pub fn sum(&self) -> u64 {
        self.of_node.iter().map(|&(_, amount)| u64::from(amount)).sum()
    }

    /// All that a job of `units` such units asks for of nodes, added up over resources and kinds.
    pub fn sum_of_all(&self, units: u32) -> u64 {
        self.kinds(units).map(|(units, it)| u64::from(units) * it.sum()).sum()
    }

    /// What it asks for of a resource of its node.
    pub fn amount(&self, place: usize) -> u32 {
        self.of_node.iter().find(|(at, _)| *at == place).map_or(0, |&(_, amount)| amount)
    }
}

/// What amounts are divided by many times: multiplying is faster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor(u64);

impl Divisor {
    /// By an amount above nothing.
    pub fn by(amount: u32) -> Self {
        Self(u64::MAX / u64::from(amount))
    }

    /// How often it goes into an amount `n`. With `m` for `(2^64 - 1) / d`, rounded down, `(n + 1) m / 2^64` is below `(n + 1) / d` by at
    /// most `(n + 1) / 2^64`, which is less than `1 / d`: rounded down it is what `n / d` is.
    #[expect(clippy::cast_possible_truncation, reason = "no more than the amount")]
    pub fn quotient(self, amount: u32) -> u32 {
        let product = (u128::from(amount) + 1) * u128::from(self.0);
        (product >> 64) as u32
    }
}

/// Names a unit request among those that were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(u32);

impl UnitId {
    /// The place in a table by id.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Unit requests that were met: equal ones have one id.
#[derive(Clone, Debug, Default)]
pub struct UnitRequests {
    all: Vec<UnitRequest>,
    ids: HashMap<UnitRequest, UnitId, BuildHasherDefault<DefaultHasher>>,
}

impl UnitRequests {
    /// The id of a unit request.
    pub fn id(&mut self, unit: &UnitRequest) -> UnitId {
        if let Some(id) = self.ids.get(unit) {
            return *id;
        }
        let id = UnitId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(unit.clone());
        self.ids.insert(unit.clone(), id);
        id
    }

    /// The unit request of an id.
    pub fn get(&self, id: UnitId) -> &UnitRequest {
        &self.all[id.index()]
    }

    /// Those that were met after so many others.
    pub fn after(&self, count: usize) -> &[UnitRequest] {
        self.all.get(count..).unwrap_or_default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of 16 cores and 10 GB three units of 4 cores and 3 GB fit: 16 / 4 = 4, 10 / 3 = 3. Of the 2 licences that a unit asks
    /// for nothing is on the node.
    #[test]
    fn so_many_units_fit_as_of_what_is_scarcest() {
        let unit = UnitRequest::of(&[4, 3, 0, 2], 3);
        assert_eq!(unit.fits(&[16, 10, 0]), 3);
        assert_eq!(unit.fits(&[3, 10, 0]), 0);
        assert_eq!((unit.sum(), unit.amount(1), unit.amount(2)), (7, 3, 0));
        assert_eq!(*unit.shared, [(0, 2)]);
    }

    proptest! {
        #[test]
        fn multiplying_divides(amount: u32, by in 1_u32.., times in 0_u32..3, off in -1_i64..=1) {
            prop_assert_eq!(Divisor::by(by).quotient(amount), amount / by);
            // Next to where the quotient changes.
            let near = i64::from(by) * i64::from(times) + off;
            if let Ok(near) = u32::try_from(near) {
                prop_assert_eq!(Divisor::by(by).quotient(near), near / by);
            }
        }
    }

    #[test]
    fn equal_requests_have_one_id() {
        let mut units = UnitRequests::default();
        let ids = [[1, 2], [2, 1], [1, 2]].map(|it| units.id(&UnitRequest::of(&it, 2)));
        assert_eq!((ids[0] == ids[2], ids[0] == ids[1], units.len()), (true, false, 2));
        assert_eq!(*units.get(ids[1]), UnitRequest::of(&[2, 1], 2));
    }
}
