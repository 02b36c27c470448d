//! Ranges and errors of the parameters.

use super::*;
use crate::policy::Policy;
use crate::sesames::Manager;

#[test]
fn the_defaults_are_valid() {
    let parameters = Parameters::default();
    assert_eq!(parameters.errors(), []);
    assert_eq!(parameters.month().to_string(), "2013-01-01T00:00:00Z to 2013-01-31T00:00:00Z");
    assert_eq!(parameters.horizon().to_string(), "2013-01-01T00:00:00Z to 2013-02-02T00:00:00Z");
    assert_eq!(parameters.duration_slots(), 1..=96);
    assert_eq!(parameters.slots_in_month(), 2880);
}

#[test]
fn every_error_is_listed() {
    let broken = Parameters {
        nodes: 0,
        requests: 0,
        runs: 0,
        days: 0,
        slot_s: 7,
        max_delay_h: f64::NAN,
        seed: 0,
        start: Timestamp::from_unix_seconds(-1),
        min_duration_s: 0,
        max_duration_s: u32::MAX,
        cap_mean_percent: -1.0,
        cap_standard_deviation_percent: f64::INFINITY,
        max_request_percent: 0.0,
        daily_swing: 2.0,
        weekend_rate: -1.0,
        agenda_correlation: 1.5,
        co2_hour_percent: 101,
        forecast_error_percent: f64::NAN,
        mix: Mix::of(vec![(Policy::AsapFirst, 1)]),
        starts_until: StartsUntil::Fits,
        manager: ManagerParameters {
            manager: Manager::Sleep,
            off_power_percent: -1.0,
            switching_on_s: 86_400.0,
            boot_failure_percent: 101.0,
            repair_h: 0.0,
            off_from_h: 24,
            wear_j: f64::NAN,
            ..ManagerParameters::default()
        },
        ..Parameters::default()
    };
    assert_eq!(broken.errors().len(), 24);
    let off_slots =
        Parameters { start: Timestamp::from_unix_seconds(901), ..Parameters::default() };
    assert_eq!(off_slots.errors(), [ParameterError::Start]);
    let no_slot = Parameters { min_duration_s: 901, max_duration_s: 1799, ..Parameters::default() };
    assert_eq!(no_slot.errors(), [ParameterError::Duration]);
}
