//! The `agendas` object and its three arrays of pieces.

use serde_json::value::RawValue;

use super::reader::Reader;
use crate::agenda::{Agenda, Agendas, Piece, RateAgenda};
use crate::quantity::{CarbonIntensity, EnergyPrice, Power};

/// Reads the three agendas; price and CO2 must be there.
pub fn agendas(reader: &mut Reader, raw: &RawValue) -> Option<Agendas> {
    let object = reader.object(raw, &["price", "co2", "power_cap"])?;
    let price_agenda = reader.required(&object, "price", price);
    let co2_agenda = reader.required(&object, "co2", co2);
    let cap_agenda = reader.optional(&object, "power_cap", power_cap);
    Some(Agendas {
        price: RateAgenda::new(price_agenda?),
        co2: RateAgenda::new(co2_agenda?),
        power_cap: cap_agenda?,
    })
}

/// Reads a price agenda: `[{"start", "end", "price_per_mwh"}]`.
pub fn price(reader: &mut Reader, raw: &RawValue) -> Option<Agenda<EnergyPrice>> {
    agenda(reader, raw, "price_per_mwh", |reader, raw| {
        let price = EnergyPrice::from_millionths_per_mwh(reader.millionths(raw)?);
        reader.accept(price.ok_or("must lie between -1e6 and 1e6 per MWh"))
    })
}

/// Reads a CO2 agenda: `[{"start", "end", "intensity_g_per_kwh"}]`.
pub fn co2(reader: &mut Reader, raw: &RawValue) -> Option<Agenda<CarbonIntensity>> {
    agenda(reader, raw, "intensity_g_per_kwh", |reader, raw| {
        let millionths = reader.millionths(raw)?;
        let intensity =
            CarbonIntensity::from_millionths_g_per_kwh(millionths).filter(|_| millionths >= 0);
        reader.accept(intensity.ok_or("must lie between 0 and 1e6 g/kWh"))
    })
}

/// Reads a power cap agenda: `[{"start", "end", "cap_w"}]`.
pub fn power_cap(reader: &mut Reader, raw: &RawValue) -> Option<Agenda<Power>> {
    agenda(reader, raw, "cap_w", Reader::power)
}

fn agenda<V: Copy>(
    reader: &mut Reader,
    raw: &RawValue,
    value_key: &'static str,
    value: impl Fn(&mut Reader, &RawValue) -> Option<V>,
) -> Option<Agenda<V>> {
    let mut covered_until = None;
    let pieces = reader.array(raw, |reader, raw| {
        let object = reader.object(raw, &["start", "end", value_key])?;
        let span = reader.span(&object);
        let value = reader.required(&object, value_key, &value);
        let span = span?;
        if covered_until.is_some_and(|end| span.start() < end) {
            reader.error_at("start", "lies before the end of the piece before it");
        }
        covered_until = covered_until.max(Some(span.end()));
        Some(Piece { span, value: value? })
    })?;
    // Where pieces overlap, the reader has said so already.
    Agenda::new(pieces).ok()
}
