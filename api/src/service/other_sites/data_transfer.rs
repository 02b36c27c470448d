//! What it costs and takes to bring input to a site and output back.

use planner::criterion::Values;
use planner::quantity::{CarbonMass, Currency, Energy, Money};
use planner::time::Seconds;

use crate::config::sites::OtherSite;

/// Bytes in a gigabyte.
const GIGABYTE: f64 = 1e9;

const JOULES_PER_KWH: f64 = 3.6e6;

/// How much data a job needs and makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataVolume {
    /// Bytes that must be at the site before it starts.
    pub input_bytes: u64,
    /// Bytes that are brought back once it has ended.
    pub output_bytes: u64,
}

/// What becomes of data on its way to a site and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataTransfer {
    /// How much it is.
    pub volume: DataVolume,
    /// How long the input takes.
    pub input: Seconds,
    /// How long the output takes.
    pub output: Seconds,
    /// What both come to, in this site's currency.
    pub values: Values,
}

impl DataTransfer {
    /// To another site and back; `None` where amounts are too large to be told.
    pub(super) fn with(site: &OtherSite, volume: DataVolume, currency: Currency) -> Option<Self> {
        let DataVolume { input_bytes, output_bytes } = volume;
        let gigabytes = (input_bytes as f64 + output_bytes as f64) / GIGABYTE;
        let energy = Energy::from_joules(gigabytes * site.energy_kwh_per_gb * JOULES_PER_KWH)?;
        let cost = gigabytes * site.cost_per_gb * site.exchange_rate.unwrap_or(1.0);
        let cost = Money::from_units(cost, currency)?;
        let co2 = CarbonMass::from_grams(gigabytes * site.co2_g_per_gb)?;
        Some(Self {
            volume,
            input: time(site, input_bytes)?,
            output: time(site, output_bytes)?,
            values: Values { energy, cost, co2 },
        })
    }
}

/// How long so many bytes take, in whole seconds; nothing takes none.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn time(site: &OtherSite, bytes: u64) -> Option<Seconds> {
    const LONGEST_S: f64 = 1e9;
    if bytes == 0 {
        return Some(Seconds::new(0));
    }
    let sending = site.bandwidth_bytes_per_s.map_or(0.0, |rate| bytes as f64 / rate);
    let seconds = (site.latency_s + sending).ceil();
    (seconds <= LONGEST_S).then(|| Seconds::new(seconds as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sites::OtherSiteFields;

    /// 25 GB there and 5 GB back at 100 MB/s with 0.5 s latency: 250.5 and 50.5 s. 30 GB at 0.1 EUR, 0.02 kWh and 3 g each: 3 EUR, 0.6 kWh
    /// = 2.16 MJ, 90 g.
    #[test]
    fn data_takes_time_money_and_energy() {
        let text = "name = \"lyon\"\nurl = \"https://lyon.example\"\nbandwidth_bytes_per_s = 1e8\nlatency_s = 0.5\n\
            cost_per_gb = 0.1\nenergy_kwh_per_gb = 0.02\nco2_g_per_gb = 3.0";
        let fields: OtherSiteFields = toml::from_str(text).unwrap();
        let site = OtherSite::read_all(vec![fields], Some("site")).unwrap().remove(0);
        let volume = DataVolume { input_bytes: 25_000_000_000, output_bytes: 5_000_000_000 };
        let there = DataTransfer::with(&site, volume, Currency::EUR).unwrap();
        assert_eq!((there.input, there.output), (Seconds::new(251), Seconds::new(51)));
        assert!((there.values.energy.as_joules() - 2.16e6).abs() < 1e-3);
        assert!((there.values.cost.as_units() - 3.0).abs() < 1e-9);
        assert!((there.values.co2.as_grams() - 90.0).abs() < 1e-9);
        let nothing = DataTransfer::with(&site, DataVolume::default(), Currency::EUR).unwrap();
        assert_eq!((nothing.input, nothing.output), (Seconds::new(0), Seconds::new(0)));
        assert_eq!(nothing.values.energy, Energy::default());
    }
}
