//! What a meter is.

use std::fmt;

use crate::decimal::{DecimalError, parse_scaled};
use crate::node::{NAME_RULE, is_name};
use crate::quantity::Power;
use crate::time::Seconds;

/// No meter bridges more than this between two samples.
pub const LONGEST_GAP: Seconds = Seconds::new(4 * 3600);

/// No meter measures more power than this: 1 GW. Its energy over any time that is bridged stays within 64 bits.
pub const LARGEST_POWER: Power = Power::from_microwatts(1_000_000_000 * 1_000_000);

/// Declares an enumeration with the words that settings and documents know it by.
macro_rules! words {
    ($(#[$docs:meta])* $name:ident { $($(#[$variant_docs:meta])* $variant:ident = $word:expr,)* }) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_docs])* $variant,)*
        }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word used in settings, documents and tables.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The value of this word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.word() == word)
            }
        }
    };
}

words! {
    /// What a meter measures the whole of.
    MeterScope {
        /// A node.
        Node = "node",
        /// A part of a node, such as its processors; never summed with meters of whole nodes.
        Component = "component",
        /// A rack.
        Rack = "rack",
        /// The whole site.
        Site = "site",
    }
}

impl MeterScope {
    /// Whether what is measured are nodes, or parts of nodes, by their names.
    pub const fn is_of_nodes(self) -> bool {
        matches!(self, Self::Node | Self::Component)
    }
}

words! {
    /// What a meter's numbers are.
    ValueKind {
        /// The power at the instant of the sample.
        Gauge = "gauge",
        /// The energy since some earlier instant; it only grows, until it is reset.
        Counter = "counter",
        /// The energy since the sample before.
        Difference = "difference",
    }
}

words! {
    /// The unit of a meter's numbers as its source writes them.
    MeterUnit {
        /// Kilowatts.
        Kilowatt = "kW",
        /// Watts.
        Watt = "W",
        /// Milliwatts.
        Milliwatt = "mW",
        /// Microwatts.
        Microwatt = "uW",
        /// Kilowatt-hours.
        KilowattHour = "kWh",
        /// Watt-hours.
        WattHour = "Wh",
        /// Joules.
        Joule = "J",
        /// Millijoules.
        Millijoule = "mJ",
        /// Microjoules.
        Microjoule = "uJ",
    }
}

/// One way of measuring: what its numbers are, and which of them are believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// Its name, by which samples are sent and kept.
    pub name: Box<str>,
    /// What it measures the whole of.
    pub covers: MeterScope,
    /// What its numbers are.
    pub values: ValueKind,
    /// The unit of its numbers as its source writes them.
    pub unit: MeterUnit,
    /// How often a sample is expected.
    pub period: Seconds,
    /// Samples that are further apart than this are not bridged.
    pub longest_gap: Seconds,
    /// Whether a value of zero means that there is none.
    pub zero_is_missing: bool,
    /// Less power than this is implausible.
    pub least: Power,
    /// More power than this is implausible; of counters and differences, on average between two samples.
    pub most: Power,
}

/// Why something is no meter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeterError {
    /// The name cannot be one.
    #[error("name {NAME_RULE}")]
    Name,
    /// A unit of energy for a gauge, or of power for energy.
    #[error("unit {} is not one of a {}; those are {expected}", unit.word(), values.word())]
    Unit {
        /// The unit.
        unit: MeterUnit,
        /// What the numbers are.
        values: ValueKind,
        /// The units that fit, with commas between.
        expected: String,
    },
    /// No period.
    #[error("period_s must lie between 1 and {}", LONGEST_GAP.get())]
    Period,
    /// A gap that cannot be.
    #[error("longest_gap_s must lie between period_s and {}", LONGEST_GAP.get())]
    Gap,
    /// Bounds that cannot be.
    #[error("least_w must not be negative nor above most_w, and most_w at most 1e9")]
    Bounds,
}

impl Meter {
    /// The meter, where its parts go together.
    ///
    /// # Errors
    /// The first part that does not.
    pub fn checked(self) -> Result<Self, MeterError> {
        if !is_name(&self.name) {
            return Err(MeterError::Name);
        }
        if !self.unit.is_of(self.values) {
            let expected = MeterUnit::ALL.iter().filter(|unit| unit.is_of(self.values));
            let expected = expected.map(|unit| unit.word()).collect::<Vec<_>>().join(", ");
            return Err(MeterError::Unit { unit: self.unit, values: self.values, expected });
        }
        if !(Seconds::ONE..=LONGEST_GAP).contains(&self.period) {
            return Err(MeterError::Period);
        }
        if !(self.period..=LONGEST_GAP).contains(&self.longest_gap) {
            return Err(MeterError::Gap);
        }
        let bounds = Power::ZERO..=LARGEST_POWER;
        if !bounds.contains(&self.least) || !(self.least..=LARGEST_POWER).contains(&self.most) {
            return Err(MeterError::Bounds);
        }
        Ok(self)
    }

    /// The unit in which samples of a meter are pushed: watts, or joules.
    pub const fn pushed_unit(kind: ValueKind) -> MeterUnit {
        match kind {
            ValueKind::Gauge => MeterUnit::Watt,
            ValueKind::Counter | ValueKind::Difference => MeterUnit::Joule,
        }
    }
}

impl MeterUnit {
    /// Whether numbers of this kind may be in this unit.
    pub const fn is_of(self, kind: ValueKind) -> bool {
        let power = matches!(self, Self::Kilowatt | Self::Watt | Self::Milliwatt | Self::Microwatt);
        power == matches!(kind, ValueKind::Gauge)
    }

    /// A number in this unit, such as `401.25` or `1.2e3`, as milliwatts or millijoules, rounded to the nearest.
    ///
    /// # Errors
    /// What is no number, or is too large.
    pub fn parse_milli(self, text: &str) -> Result<i64, DecimalError> {
        // 1 kWh = 3.6e6 J = 36e8 mJ.
        let (factor, exponent) = match self {
            Self::Kilowatt => (1, 6),
            Self::Watt | Self::Joule => (1, 3),
            Self::Milliwatt | Self::Millijoule => (1, 0),
            Self::Microwatt | Self::Microjoule => (1, -3),
            Self::KilowattHour => (36, 8),
            Self::WattHour => (36, 5),
        };
        parse_scaled(text, factor, exponent)
    }
}

impl fmt::Display for MeterUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter() -> Meter {
        Meter {
            name: "bmc".into(),
            covers: MeterScope::Node,
            values: ValueKind::Gauge,
            unit: MeterUnit::Watt,
            period: Seconds::new(60),
            longest_gap: Seconds::new(150),
            zero_is_missing: true,
            least: Power::ZERO,
            most: LARGEST_POWER,
        }
    }

    #[test]
    fn numbers_of_every_unit_become_milliwatts_or_millijoules() {
        for (unit, text, milli) in [
            (MeterUnit::Kilowatt, "1.5", 1_500_000),
            (MeterUnit::Watt, "401.25", 401_250),
            (MeterUnit::Watt, "401.20000000000005", 401_200),
            (MeterUnit::Watt, "1e2", 100_000),
            (MeterUnit::Milliwatt, "0.5", 1),
            (MeterUnit::Microwatt, "1499", 1),
            (MeterUnit::KilowattHour, "1", 3_600_000_000),
            (MeterUnit::WattHour, "0.001", 3_600),
            (MeterUnit::Joule, "123456789012.3456", 123_456_789_012_346),
            (MeterUnit::Millijoule, "7", 7),
            (MeterUnit::Microjoule, "500", 1),
        ] {
            assert_eq!(unit.parse_milli(text), Ok(milli), "{text} {unit}");
        }
        for text in ["NaN", "+Inf", "", "12 W", "1e400", "0x10"] {
            assert!(MeterUnit::Watt.parse_milli(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_parts_of_a_meter_go_together() {
        assert_eq!(meter().checked(), Ok(meter()));
        let errors = [
            Meter { name: "".into(), ..meter() },
            Meter { unit: MeterUnit::Joule, ..meter() },
            Meter { values: ValueKind::Counter, ..meter() },
            Meter { period: Seconds::new(0), ..meter() },
            Meter { longest_gap: Seconds::new(59), ..meter() },
            Meter { longest_gap: Seconds::new(14_401), ..meter() },
            Meter { least: Power::from_microwatts(-1), ..meter() },
            Meter { least: Power::from_microwatts(2), most: Power::from_microwatts(1), ..meter() },
        ]
        .map(|meter| meter.checked().unwrap_err().to_string());
        assert!(errors[0].contains("name"), "{errors:?}");
        assert_eq!(errors[1], "unit J is not one of a gauge; those are kW, W, mW, uW");
        assert_eq!(errors[2], "unit W is not one of a counter; those are kWh, Wh, J, mJ, uJ");
        assert!(errors[3].contains("period_s") && errors[4].contains("longest_gap_s"));
        assert!(errors[5].contains("14400") && errors[6].contains("least_w"));
        assert!(errors[7].contains("most_w"), "{errors:?}");
    }
}
