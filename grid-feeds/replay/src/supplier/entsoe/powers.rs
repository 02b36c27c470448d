//! Documents of powers: generation by kind, its forecasts, loads and flows. Forecasts are right, so that what is made of
//! them can be compared with the truth.

use jiff::civil::Date;
use planner::time::{Seconds, Span, Timestamp};

use super::{created, period};
use crate::view::{View, Zone, steps};

const QUARTER: Seconds = Seconds::new(900);

const HOUR: Seconds = Seconds::new(3600);

/// What was generated, consumed and exchanged is told an hour after it was.
const DELAY: Seconds = Seconds::new(3600);

/// Nuclear power, in millionths of a megawatt; also all of a zone's generation where the intensity is no mix of kinds.
const NUCLEAR_POWER: i64 = 10_000_000_000;

/// A megawatt.
const MEGAWATT: i64 = 1_000_000;

/// Life-cycle g/kWh.
const GAS: i64 = 490;
const NUCLEAR: i64 = 12;
const WIND: i64 = 11;
const SOLAR: i64 = 45;

/// Above this intensity there is less nuclear power, so that gas stays below a terawatt.
const DIRTY: i64 = 480;

/// `B04`, `B14`, `B16` and `B19`.
const CODES: [&str; 4] = ["B04", "B14", "B16", "B19"];

/// Hours of the clock of the day before at which forecasts and exchanges of a day come out.
const LOAD_IS_OUT: (i8, i8) = (10, 0);
const EXCHANGES_ARE_OUT: (i8, i8) = (14, 0);
const GENERATION_IS_OUT: (i8, i8) = (18, 0);

/// Whose powers, and when.
pub(super) struct PowersAsked<'a> {
    pub view: &'a View,
    pub zone: &'a str,
    /// Of flows: the zone that they come from.
    pub from: &'a str,
    pub span: Span,
}

impl PowersAsked<'_> {
    /// A75: gas, nuclear, solar and wind power in the proportion that makes the intensity.
    pub fn generation(&self) -> Option<String> {
        let spans = self.past(QUARTER)?;
        let series = (0..CODES.len()).map(|kind| {
            let values = spans.iter().map(|&span| Some(generated(self.view, span)?[kind]));
            self.station(CODES[kind], &spans, &values.collect::<Vec<_>>())
        });
        let series = series.collect::<Option<String>>()?;
        Some(self.document("GL", "A75", Some("A16"), &series))
    }

    /// A69: solar and wind power of the days that are out.
    pub fn weather(&self) -> Option<String> {
        let mut series = String::new();
        for day in self.days_out(GENERATION_IS_OUT) {
            let spans = steps(day, QUARTER);
            for kind in [2, 3] {
                let values = spans.iter().map(|&span| Some(generated(self.view, span)?[kind]));
                series += &self.station(CODES[kind], &spans, &values.collect::<Vec<_>>())?;
            }
        }
        (!series.is_empty()).then(|| self.document("GL", "A69", Some("A01"), &series))
    }

    /// A71: all generation of the days that are out.
    pub fn all_generation(&self) -> Option<String> {
        let head = format!(
            "<businessType>A01</businessType>{}",
            domain("inBiddingZone_Domain", self.zone)
        );
        let series = self.hours_of_days(GENERATION_IS_OUT, &head, |hour| total(self.view, hour));
        Some(self.document("GL", "A71", Some("A01"), &series?))
    }

    /// A65: the load, which is what is generated; of the days that are out, or of the past.
    pub fn load(&self, is_forecast: bool) -> Option<String> {
        let head = format!(
            "<businessType>A04</businessType>{}",
            domain("outBiddingZone_Domain", self.zone)
        );
        let load = |hour| total(self.view, hour);
        let series = if is_forecast {
            self.hours_of_days(LOAD_IS_OUT, &head, load)?
        } else {
            power_series(&head, &self.past(HOUR)?, load)?
        };
        let process = if is_forecast { "A01" } else { "A16" };
        Some(self.document("GL", "A65", Some(process), &series))
    }

    /// A11: flows of the past.
    pub fn flows(&self) -> Option<String> {
        let head = format!("<businessType>A66</businessType>{}", self.border());
        let series = power_series(&head, &self.past(HOUR)?, |hour| Some(self.flow(hour)))?;
        Some(self.document("Publication", "A11", None, &series))
    }

    /// A09: what is to flow, of the days that are out.
    pub fn exchanges(&self) -> Option<String> {
        let contract = "<contract_MarketAgreement.type>A01</contract_MarketAgreement.type>";
        let head = format!("<businessType>A06</businessType>{}{contract}", self.border());
        let flow = |hour| Some(self.flow(hour));
        let series = self.hours_of_days(EXCHANGES_ARE_OUT, &head, flow)?;
        Some(self.document("Publication", "A09", None, &series))
    }

    /// Between two zones power goes one way: into the one whose code is greater.
    fn flow(&self, hour: Span) -> i64 {
        let hours = hour.start().as_unix_seconds().div_euclid(3600);
        let into = i64::from(self.from < self.zone);
        into * (500 + hours.rem_euclid(5) * 100) * MEGAWATT
    }

    fn border(&self) -> String {
        domain("in_Domain", self.zone) + &domain("out_Domain", self.from)
    }

    /// The steps of the span that are told by now.
    fn past(&self, step: Seconds) -> Option<Vec<Span>> {
        let until = floor(self.view.now - DELAY, step);
        let spans = steps(Span::new(self.span.start(), self.span.end().min(until))?, step);
        (!spans.is_empty()).then_some(spans)
    }

    /// The days of the market that touch the span and are out.
    fn days_out(&self, time: (i8, i8)) -> Vec<Span> {
        let market = Zone::named("Europe/Brussels");
        let is_out = |day: &Date| self.view.day_is_out(&market, *day, time);
        market.days(self.span).into_iter().filter(is_out).filter_map(|it| market.day(it)).collect()
    }

    /// A time series of hours for each day that is out; `None` where none is.
    fn hours_of_days(
        &self,
        time: (i8, i8),
        head: &str,
        power: impl Fn(Span) -> Option<i64> + Copy,
    ) -> Option<String> {
        let mut series = String::new();
        for day in self.days_out(time) {
            series += &power_series(head, &steps(day, HOUR), power)?;
        }
        (!series.is_empty()).then_some(series)
    }

    fn station(&self, code: &str, spans: &[Span], values: &[Option<i64>]) -> Option<String> {
        let zone = domain("inBiddingZone_Domain", self.zone);
        let kind = format!("<MktPSRType><psrType>{code}</psrType></MktPSRType>");
        time_series(&format!("<businessType>A01</businessType>{zone}"), &kind, spans, values)
    }

    fn document(&self, root: &str, code: &str, process: Option<&str>, series: &str) -> String {
        let schema = match root {
            "GL" => "451-6:generationloaddocument:3:0",
            _ => "451-3:publicationdocument:7:0",
        };
        let process = process.map_or_else(String::new, |process| {
            format!("<process.processType>{process}</process.processType>")
        });
        format!(
            "<{root}_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:{schema}\">\
             <type>{code}</type>{process}{}{series}</{root}_MarketDocument>",
            created(self.view)
        )
    }
}

fn power_series(head: &str, spans: &[Span], power: impl Fn(Span) -> Option<i64>) -> Option<String> {
    let values: Vec<Option<i64>> = spans.iter().map(|&span| power(span)).collect();
    time_series(head, "", spans, &values)
}

fn time_series(head: &str, kind: &str, spans: &[Span], values: &[Option<i64>]) -> Option<String> {
    let (first, last) = (spans.first()?, spans.last()?);
    let whole = Span::new(first.start(), last.end())?;
    Some(format!(
        "<TimeSeries>{head}<quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name>\
         <curveType>A01</curveType>{kind}{}</TimeSeries>",
        period(whole, first.length(), values, false, "quantity"),
    ))
}

fn domain(name: &str, zone: &str) -> String {
    format!("<{name}.mRID codingScheme=\"A01\">{zone}</{name}.mRID>")
}

fn floor(instant: Timestamp, step: Seconds) -> Timestamp {
    let ceiling = instant.ceil_to(step);
    if ceiling == instant { instant } else { ceiling - step }
}

/// All generation of an hour.
fn total(view: &View, hour: Span) -> Option<i64> {
    let quarters = steps(hour, QUARTER);
    let sum = quarters
        .iter()
        .map(|&quarter| Some(generated(view, quarter)?.iter().sum::<i64>()))
        .sum::<Option<i64>>()?;
    Some(sum / 4)
}

/// Powers by [`CODES`], in millionths of a megawatt. Wind and sun go by the time, and gas is what makes the intensity.
fn generated(view: &View, span: Span) -> Option<[i64; 4]> {
    let unit = i128::from(MEGAWATT);
    let intensity = i128::from(view.co2(span)?);
    let above = |grams: i64| intensity - i128::from(grams) * unit;
    if above(GAS) >= 0 {
        let gas = above(NUCLEAR) * i128::from(NUCLEAR_POWER) / (i128::from(GAS - NUCLEAR) * unit);
        let gas = i64::try_from(gas).ok()?;
        return Some([gas, NUCLEAR_POWER.saturating_sub(gas), 0, 0]);
    }
    let hours = span.start().as_unix_seconds().div_euclid(3600);
    let to_noon = (hours.rem_euclid(24) - 12).abs();
    let wind = (1000 + hours.rem_euclid(37) * 20) * MEGAWATT;
    let solar = (6 - to_noon).max(0) * 200 * MEGAWATT;
    let below = -above(GAS);
    let nuclear = match above(DIRTY) {
        ..=0 => i128::from(NUCLEAR_POWER),
        _ => i128::from(NUCLEAR_POWER) * below / (i128::from(GAS - DIRTY) * unit),
    };
    let gas = |wind: i64, solar: i64| {
        let others = above(NUCLEAR) * nuclear
            + above(WIND) * i128::from(wind)
            + above(SOLAR) * i128::from(solar);
        others / below
    };
    // Without the sun, and then without the wind, where power is cleaner than these.
    let mixes = [(wind, solar), (wind, 0), (0, 0)];
    let (wind, solar) = mixes.into_iter().find(|&(wind, solar)| gas(wind, solar) >= 0)?;
    let gas = i64::try_from(gas(wind, solar)).ok()?;
    Some([gas, i64::try_from(nuclear).ok()?, solar, wind])
}
