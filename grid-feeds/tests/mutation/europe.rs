//! Payloads of grid operators of Europe that are not among the others.

use grid_feeds::feed::Factors;
use grid_feeds::provider::terna;

use crate::payload::{Payload, day_from};

pub const EUROPE: &[Payload] = &[Payload {
    name: "Terna",
    text: r#"{"result": {"message": "Operation completed", "status": "Completed"},
            "actual_generation": [
            {"date": "2026-03-01 12:15:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Geothermal"},
            {"date": "2026-03-01 12:15:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Hydro"},
            {"date": "2026-03-01 12:15:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Photovoltaic"},
            {"date": "2026-03-01 12:15:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "3.25", "primary_source": "Self-consumption"},
            {"date": "2026-03-01 12:15:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "8.125", "primary_source": "Thermal"},
            {"date": "2026-03-01 12:15:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Wind"},
            {"date": "2026-03-01 12:00:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Geothermal"},
            {"date": "2026-03-01 12:00:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Hydro"},
            {"date": "2026-03-01 12:00:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Photovoltaic"},
            {"date": "2026-03-01 12:00:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "3.25", "primary_source": "Self-consumption"},
            {"date": "2026-03-01 12:00:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "7.5", "primary_source": "Thermal"},
            {"date": "2026-03-01 12:00:00", "date_tz": "Europe/Rome", "date_offset": "+01:00",
             "actual_generation_GWh": "0", "primary_source": "Wind"}]}"#,
    values: &[490_000_000, 490_000_000],
    written: &["\"8.125\"", "\"7.5\""],
    read: |text| {
        let day = jiff::civil::date(2026, 3, 1);
        let samples = terna::map::read(text, (day, day))?;
        terna::map::intensities(&samples, day_from(1_772_319_600)?, Factors::Lifecycle)
    },
}];
