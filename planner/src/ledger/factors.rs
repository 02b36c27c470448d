//! Water, and the CO2 of making nodes, by factors that a site gives.

use crate::time::Seconds;

/// Water for electricity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaterFactors {
    /// What the site evaporates for a kilowatt-hour of its nodes, in millionths of a litre: its WUE (ISO/IEC 30134-9).
    pub on_site_microlitres: i64,
    /// What making a kilowatt-hour of its electricity takes, in millionths of a litre, as the supplier says.
    pub supplier_microlitres: i64,
}

/// The CO2 of making nodes, which the node-hours of their life bear evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbodiedCarbon {
    /// Of a node, milligrams.
    pub per_node_mg: i64,
    /// How long a node is used.
    pub lifetime: Seconds,
}

/// Joules in a kilowatt-hour.
const KILOWATT_HOUR_J: i128 = 3_600_000;

impl WaterFactors {
    /// Millilitres for energy of which the part `nodes_j` is nodes' own, rounded half up.
    pub fn millilitres(self, nodes_j: i64, all_j: i64) -> i64 {
        let on_site = i128::from(nodes_j) * i128::from(self.on_site_microlitres);
        let supplier = i128::from(all_j) * i128::from(self.supplier_microlitres);
        half_up(on_site + supplier, KILOWATT_HOUR_J * 1000)
    }
}

impl EmbodiedCarbon {
    /// Milligrams that fall to seconds of nodes, rounded half up.
    pub fn milligrams(self, node_s: i64) -> i64 {
        half_up(i128::from(node_s) * i128::from(self.per_node_mg), self.lifetime.get().into())
    }
}

/// The score of the standard ISO/IEC 21031 with the node-hour as its functional unit, `(E x I + M) / R`: milligrams of
/// CO2 for a node-hour that was reserved, rounded half up; `None` without any.
pub fn carbon_intensity_score(
    operational_mg: i64,
    embodied_mg: i64,
    reserved_s: i64,
) -> Option<i64> {
    let mass = i128::from(operational_mg) + i128::from(embodied_mg);
    (reserved_s > 0).then(|| half_up(mass * 3600, reserved_s.into()))
}

fn half_up(amount: i128, unit: i128) -> i64 {
    i64::try_from((2 * amount + unit).div_euclid(2 * unit)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 kWh of nodes and 2 kWh of cooling, 0.5 l a kWh of nodes on site and 1.6 l a kWh at the supplier's: 5 l and
    /// 19.2 l. The cooling alone: 3.2 l.
    #[test]
    fn water_is_of_the_site_and_of_the_supplier() {
        let factors =
            WaterFactors { on_site_microlitres: 500_000, supplier_microlitres: 1_600_000 };
        assert_eq!(factors.millilitres(36_000_000, 43_200_000), 24_200);
        assert_eq!(factors.millilitres(0, 7_200_000), 3200);
    }

    /// ARCHER2: 4,400 t over 5,860 nodes and six years of 8,766 h are 14.276 g for a node-hour.
    #[test]
    fn a_node_hour_bears_its_part_of_making_the_node() {
        let lifetime = Seconds::new(6 * 8766 * 3600);
        let embodied = EmbodiedCarbon { per_node_mg: 4_400_000_000_000 / 5860, lifetime };
        assert_eq!(embodied.milligrams(3600), 14_276);
        assert_eq!(embodied.milligrams(-3600), -14_276);
    }

    /// 108 g of running and 28.552 g of making over two node-hours: 68.276 g for each.
    #[test]
    fn the_score_is_for_a_node_hour() {
        assert_eq!(carbon_intensity_score(108_000, 28_552, 7200), Some(68_276));
        assert_eq!(carbon_intensity_score(1, 1, 0), None);
    }
}
