//! From hours to an agenda.

use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::granularity::Granularity;
use super::wire::{Answer, Hour};
use crate::feed::{
    Accounting, Factors, FeedError, Identity, Kind, Quality, Reading, Series, assemble, instant,
    instant_to_second, nearest_millionths,
};
use crate::provider::json;

/// How trial tokens mark their data.
pub(super) const SANDBOX: &str = "SANDBOX_MODE_DATA";

/// What intensities are of.
const UNIT: &str = "gCO2eq/kWh";

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub struct IntensityQuery<'a> {
    /// The zone, such as `FR`.
    pub zone: &'a str,
    /// What a kWh emits.
    pub factors: Factors,
    /// How long a value holds; any where it is not given.
    pub granularity: Option<Granularity>,
}

/// Reads an answer.
///
/// # Errors
/// What is not JSON of this shape.
pub fn read(text: &str) -> Result<Answer, FeedError> {
    json(text)
}

/// The intensities of answers, history and forecast together.
///
/// # Errors
/// Another zone, unit or granularity, other factors than asked for, imports that are not traced, scrambled
/// data, words for numbers.
pub fn intensities(answers: &[Answer], asked: IntensityQuery<'_>) -> Result<Series, FeedError> {
    let mut readings = Vec::new();
    let (mut unknown, mut traced) = (0, false);
    let mut issued_at: Option<Timestamp> = None;
    for answer in answers {
        is_as_asked(answer, asked)?;
        let granularity = granularity(answer, asked)?;
        issued_at = issued_at.max(answer.updated_at.as_deref().and_then(instant_to_second));
        let measured = answer.history.iter().chain(&answer.data);
        let measured = measured.map(|hour| (hour, Quality::Measured));
        let expected = answer.forecast.iter().map(|hour| (hour, Quality::Forecast));
        for (hour, quality) in measured.chain(expected) {
            issued_at = issued_at.max(hour.updated_at.as_deref().and_then(instant_to_second));
            traced |= hour.flow_traced == Some(true);
            match reading(hour, quality, granularity, asked.factors)? {
                Some(reading) => readings.push(reading),
                None => unknown += 1,
            }
        }
    }
    if readings.is_empty() {
        return Err(FeedError::not_published("no hour has an intensity"));
    }
    let kind = Kind::Co2 { accounting: Accounting::Average, factors: asked.factors };
    let mut notes = Vec::new();
    if unknown > 0 {
        notes.push(format!("{unknown} hours without a value are gaps"));
    }
    if traced {
        notes.push("imports are traced, as the answer says".to_owned());
    }
    let agenda = assemble(kind, readings, &mut notes)?;
    Ok(Series { kind, issued_at, agenda, notes })
}

/// An answer with hours names its zone, for all of them or at each. Version 4 says its unit and factors too.
fn is_as_asked(answer: &Answer, asked: IntensityQuery<'_>) -> Result<(), FeedError> {
    let identity = Identity { what: "zone", asked: asked.zone, setting: "`zone`" };
    identity.told("/zone", answer.zone.as_deref())?;
    let unit = answer.unit.as_deref().map(|unit| unit.replace('₂', "2"));
    let in_unit = Identity { what: "unit", asked: UNIT, setting: "`base_url`" };
    in_unit.told("/unit", unit.as_deref())?;
    by_factors(asked.factors)
        .told("/emissionFactorType", answer.emission_factor_type.as_deref())?;
    for hour in answer.history.iter().chain(&answer.data).chain(&answer.forecast) {
        let place = format!("{}/zone", hour.datetime);
        match &answer.zone {
            Some(_) => identity.told(&place, hour.zone.as_deref())?,
            None => identity.named(&place, hour.zone.as_deref())?,
        }
    }
    Ok(())
}

const fn by_factors(factors: Factors) -> Identity<'static> {
    let asked = match factors {
        Factors::Direct => "direct",
        Factors::Lifecycle => "lifecycle",
    };
    Identity { what: "factors", asked, setting: "`factors`" }
}

/// How long the values of an answer hold: an hour where it does not say.
fn granularity(answer: &Answer, asked: IntensityQuery<'_>) -> Result<Granularity, FeedError> {
    let place = "/temporalGranularity";
    let mut hours = answer.history.iter().chain(&answer.data).chain(&answer.forecast);
    let at_hours = || hours.find_map(|hour| hour.temporal_granularity.as_deref());
    let said = answer.temporal_granularity.as_deref().or_else(at_hours);
    if let Some(asked) = asked.granularity {
        let asked = asked.name();
        let setting = "`granularity`, which not every zone and plan has,";
        Identity { what: "granularity", asked, setting }.told(place, said)?;
    }
    let said = said.or(asked.granularity.map(Granularity::name)).unwrap_or("hourly");
    Granularity::parse(said)
        .ok_or_else(|| FeedError::payload(place, format!("unknown granularity {said}")))
}

/// `None` where the hour has no value.
fn reading(
    hour: &Hour,
    quality: Quality,
    granularity: Granularity,
    factors: Factors,
) -> Result<Option<Reading>, FeedError> {
    let place = |field: &str| format!("{}/{field}", hour.datetime);
    let wrong = |field: &str, message: String| FeedError::payload(place(field), message);
    let method = hour.estimation_method.as_deref().unwrap_or_default();
    if method == SANDBOX {
        return Err(FeedError::Sandbox { message: format!("estimationMethod {SANDBOX}") });
    }
    by_factors(factors).told(&place("emissionFactorType"), hour.emission_factor_type.as_deref())?;
    let traced = hour.flow_traced.map(|traced| if traced { "true" } else { "false" });
    let tracing = Identity { what: "flow tracing", asked: "true", setting: "`version`" };
    tracing.told(&place("flowTraced"), traced)?;
    let (asked, setting) = (granularity.name(), "`granularity`");
    Identity { what: "granularity", asked, setting }
        .told(&place("temporalGranularity"), hour.temporal_granularity.as_deref())?;
    let step = granularity.step();
    let span = instant(&hour.datetime)
        .filter(|start| start.ceil_to(step) == *start)
        .and_then(|start| Span::starting(start, step))
        .ok_or_else(|| wrong("datetime", format!("is no start of {} s", step.get())))?;
    let Some(number) = &hour.carbon_intensity else { return Ok(None) };
    let value = number
        .decimal()
        .map(|value| nearest_millionths(value, Decimal::ONE))
        .ok_or_else(|| wrong("carbonIntensity", "is not a number".to_owned()))?;
    let estimated = hour.is_estimated.unwrap_or(false) || !method.is_empty();
    let quality = if estimated { Quality::Estimated } else { quality };
    Ok(Some(Reading { span, value, quality }))
}
