//! The bodies of reports.

use chrono::DateTime;
use openleadr_wire::event::EventId;
use openleadr_wire::interval::{Interval, IntervalPeriod};
use openleadr_wire::report::{
    ReadingType, ReportPayloadDescriptor, ReportRequest, ReportResource, ReportType, ResourceName,
};
use openleadr_wire::values_map::{Value, ValueType, ValuesMap};
use openleadr_wire::{Duration, Unit};
use planner::quantity::{Energy, Power};
use planner::time::{Span, Timestamp};

use super::{PlannedInterval, PowerRequest, QuietSpan, ReportKind, Used};

/// What a report says, whatever event it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Of which kind.
    pub kind: ReportKind,
    descriptors: Vec<ReportPayloadDescriptor>,
    intervals: Vec<Interval>,
}

impl Contents {
    /// The plan: expected energy in kWh, and in kW the most that may be drawn.
    pub fn plan(planned: &[PlannedInterval]) -> Self {
        let descriptors = vec![
            descriptor(ReportType::UsageForecast, ReadingType::Forecast, Unit::KWH),
            descriptor(ReportType::Demand, ReadingType::Forecast, Unit::KW),
        ];
        let payloads = |it: &PlannedInterval| {
            let energy = number("USAGE_FORECAST", kilowatt_hours(it.expected, it.span));
            vec![energy, number("DEMAND", kilowatts(it.reserved_max))]
        };
        let intervals = planned.iter().map(|it| (it.span, payloads(it)));
        Self { kind: ReportKind::Plan, descriptors, intervals: numbered(intervals) }
    }

    /// Warnings of low consumption. Spans that were announced before and are no longer quiet are
    /// withdrawn by name: nothing less than usual, and the usual state.
    pub fn quiet(quiet: &[QuietSpan], announced: &[Span], now: Timestamp) -> Self {
        let descriptors = vec![
            descriptor(ReportType::LoadShedDeltaAvailable, ReadingType::Forecast, Unit::KW),
            descriptor(ReportType::Demand, ReadingType::Forecast, Unit::KW),
            ReportPayloadDescriptor::new(ReportType::OperatingState),
        ];
        let still = quiet.iter().map(|it| {
            let less = number("LOAD_SHED_DELTA_AVAILABLE", kilowatts(it.less));
            let demand = number("DEMAND", kilowatts(it.power));
            (it.span, vec![less, demand, word("OPERATING_STATE", "IDLE_NORMAL")])
        });
        let gone = announced
            .iter()
            .filter(|span| span.end() > now && !quiet.iter().any(|it| it.span.overlaps(**span)));
        let gone = gone.map(|span| {
            let less = number("LOAD_SHED_DELTA_AVAILABLE", 0.0);
            (*span, vec![less, word("OPERATING_STATE", "RUNNING_NORMAL")])
        });
        let mut all: Vec<_> = still.chain(gone).collect();
        all.sort_by_key(|(span, _)| *span);
        Self { kind: ReportKind::Quiet, descriptors, intervals: numbered(all.into_iter()) }
    }

    /// Requests for more power, each an interval with the most that it may cost for each kW.
    pub fn request(asked: &[PowerRequest]) -> Self {
        let mut descriptors = vec![descriptor(
            ReportType::ImportReservationCapacity,
            ReadingType::DirectRead,
            Unit::KW,
        )];
        // The guide writes the currency as the unit of fees.
        let currency = asked.iter().find_map(|it| it.fee_limit).map(|fee| fee.currency);
        let unit = currency.map(|currency| Unit::Private(currency.code().to_owned()));
        let mut fee = ReportPayloadDescriptor::new(ReportType::ImportReservationFee);
        fee.units = unit;
        descriptors.push(fee);
        let payloads = |it: &PowerRequest| {
            let fee = it.fee_limit.map_or(0.0, |fee| fee.per_kw_millionths as f64 / 1e6);
            let power = number("IMPORT_RESERVATION_CAPACITY", kilowatts(it.power));
            vec![power, number("IMPORT_RESERVATION_FEE", fee)]
        };
        let intervals = asked.iter().map(|it| (it.span, payloads(it)));
        Self { kind: ReportKind::Request, descriptors, intervals: numbered(intervals) }
    }

    /// What was drawn, in kWh.
    pub fn usage(used: &[Used]) -> Self {
        let descriptors = vec![
            descriptor(ReportType::Usage, ReadingType::DirectRead, Unit::KWH),
            ReportPayloadDescriptor::new(ReportType::DataQuality),
        ];
        let payloads = |it: &Used| {
            let quality = if it.estimated { "ESTIMATED" } else { "OK" };
            let energy = number("USAGE", kilowatt_hours_of(it.energy));
            vec![energy, word("DATA_QUALITY", quality)]
        };
        let intervals = used.iter().map(|it| (it.span, payloads(it)));
        Self { kind: ReportKind::Usage, descriptors, intervals: numbered(intervals) }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// The report to an event.
    pub fn report(self, event: EventId, ven_name: &str, resource: Option<&str>) -> ReportRequest {
        let resource_name = resource
            .map_or(ResourceName::AggregatedReport, |name| ResourceName::Private(name.to_owned()));
        ReportRequest {
            event_id: event,
            client_name: ven_name.to_owned(),
            report_name: Some(self.kind.name().to_owned()),
            payload_descriptors: Some(self.descriptors),
            resources: vec![ReportResource {
                resource_name,
                interval_period: None,
                intervals: self.intervals,
            }],
        }
    }
}

fn numbered(intervals: impl Iterator<Item = (Span, Vec<ValuesMap>)>) -> Vec<Interval> {
    let interval = |(id, (span, payloads)): (i32, (Span, Vec<ValuesMap>))| {
        let interval_period = period(span);
        Interval { id, interval_period, payloads }
    };
    (0..).zip(intervals).map(interval).collect()
}

fn period(span: Span) -> Option<IntervalPeriod> {
    let seconds = span.length().get();
    // Hours and minutes apart: the library keeps each of them as a small float.
    let text = format!("PT{}H{}M{}S", seconds / 3600, seconds % 3600 / 60, seconds % 60);
    let duration: Option<Duration> = text.parse().ok();
    Some(IntervalPeriod {
        start: DateTime::from_timestamp(span.start().as_unix_seconds(), 0)?,
        duration,
        randomize_start: None,
    })
}

fn descriptor(kind: ReportType, reading: ReadingType, unit: Unit) -> ReportPayloadDescriptor {
    let mut descriptor = ReportPayloadDescriptor::new(kind);
    descriptor.reading_type = reading;
    descriptor.units = Some(unit);
    descriptor
}

fn number(kind: &str, value: f64) -> ValuesMap {
    values(kind, Value::Number(value))
}

fn word(kind: &str, value: &str) -> ValuesMap {
    values(kind, Value::String(value.to_owned()))
}

fn values(kind: &str, value: Value) -> ValuesMap {
    ValuesMap { value_type: ValueType(kind.to_owned()), values: vec![value] }
}

fn kilowatts(power: Power) -> f64 {
    power.as_watts() / 1000.0
}

fn kilowatt_hours(power: Power, span: Span) -> f64 {
    kilowatt_hours_of(power * span.length())
}

fn kilowatt_hours_of(energy: Energy) -> f64 {
    energy.as_kilowatt_hours()
}
