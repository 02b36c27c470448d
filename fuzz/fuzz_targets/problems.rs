//! Documents of the planner, and the small grammars of settings: times, amounts, lists of nodes, quotas.
#![no_main]

use jiff::tz::TimeZone;
use planner::decimal::{parse_millionths, parse_scaled};
use planner::json::estimate::estimate;
use planner::json::notice::read_notice;
use planner::json::oar_quotas::read_oar_quotas;
use planner::json::power_problem::power_problem;
use planner::json::problem::problem;
use planner::json::read;
use planner::metering::packed::{DayQuarters, unpack_samples};
use planner::metering::{MeterUnit, SampleTime};
use planner::node_list;
use planner::quantity::Currency;
use planner::quota::{
    QuotaKey, QuotaLimit, date_and_time, day_list, days_of_month, hours_of_day, months_of_year,
};
use planner::time::Timestamp;
use wattbook_fuzz::FuzzedParser;

wattbook_fuzz::target!(vec![
    FuzzedParser::of_text("problem", PROBLEM, |text| {
        problem(text, |_| Err(Vec::new()), &zone).is_ok()
    }),
    FuzzedParser::of_text("power problem", POWER_PROBLEM, |text| {
        power_problem(text, |_| Err(Vec::new()), &zone).is_ok()
    }),
    FuzzedParser::of_text("estimate", ESTIMATE, |text| {
        read(text, |reader, raw| estimate(reader, raw, Currency::EUR)).is_ok()
    }),
    FuzzedParser::of_text("OAR quotas", OAR_QUOTAS, |text| read_oar_quotas(text).is_ok()),
    FuzzedParser::of_text("notice", NOTICE, |text| read_notice(text).is_ok()),
    FuzzedParser::of_text("node list", "n[1-3,07-09],g1,r[1-2]n[0-3]", node_names),
    FuzzedParser::of_text("instant", "2026-03-29T03:00:00+02:00", instant),
    FuzzedParser::of_text("sample's instant", "2026-03-01T00:00:00.5Z", |text| {
        SampleTime::parse(text).is_ok()
    }),
    FuzzedParser::of_text("decimal", "-12.345678e1", decimal),
    FuzzedParser::of_text("quota", "*,projA,*,/\n0.5*ALL", quota),
    FuzzedParser::of_text(
        "calendar",
        "08:00-19:00\nmon-fri,sun\n1-15\njan-mar\n2020-07-23 19:30",
        calendar
    ),
    FuzzedParser::of_bytes("packed samples", &[0, 0, 0], |bytes| {
        unpack_samples(0, bytes).is_ok()
    }),
    FuzzedParser::of_bytes("packed quarter-hours", &DayQuarters::new(0).pack(), |bytes| {
        DayQuarters::unpack(0, bytes).is_ok()
    }),
]);

fn zone(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok()
}

/// What is written of names without spaces is read as the same.
fn node_names(text: &str) -> bool {
    let Ok(names) = node_list::parse(text) else { return false };
    if names.iter().any(|name| name.contains(char::is_whitespace)) {
        return true;
    }
    let written = node_list::format(names.iter().map(String::as_str));
    let again = node_list::parse(&written).map(|mut again| {
        again.sort_unstable();
        again
    });
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(again.as_ref(), Ok(&sorted), "{written}");
    true
}

fn instant(text: &str) -> bool {
    let Ok(instant) = Timestamp::parse(text) else { return false };
    assert_eq!(Timestamp::parse(&instant.to_string()), Ok(instant));
    true
}

fn decimal(text: &str) -> bool {
    let _ = (parse_scaled(text, 3_600_000, 0), parse_scaled(text, 1, -3));
    let units = [MeterUnit::Watt, MeterUnit::KilowattHour, MeterUnit::Microjoule];
    let read = units.map(|unit| unit.parse_milli(text).is_ok());
    parse_millionths(text).is_ok() || read.contains(&true)
}

/// A key and a limit, each on its line.
fn quota(text: &str) -> bool {
    let (key, limit) = text.split_once('\n').unwrap_or((text, ""));
    let limit = QuotaLimit::parse(limit);
    QuotaKey::parse(key).is_ok() && limit.is_ok()
}

/// Hours, days of the week and of the month, months and an instant, each on its line.
fn calendar(text: &str) -> bool {
    let mut lines = text.split('\n');
    let mut next = || lines.next().unwrap_or_default();
    let hours = hours_of_day(next()).is_ok();
    let days = day_list(next()).is_ok();
    let of_month = days_of_month(next()).is_ok();
    let months = months_of_year(next()).is_ok();
    let instant = date_and_time(next()).is_ok();
    hours && days && of_month && months && instant
}

const PROBLEM: &str = r#"{"now": "2026-01-01T00:00:00Z", "search": {"mode": "slots", "slot_s": 3600},
    "currency": "EUR", "nodes": [
      {"name": "n1", "idle_power_w": 50, "max_power_w": 100, "alpha": 1, "partitions": ["a"], "features": ["f"]},
      {"name": "n2", "idle_power_w": 50.5, "max_power_w": 100}],
    "agendas": {
      "price": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-02T01:00:00Z", "price_per_mwh": 50}],
      "co2": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T04:00:00Z", "intensity_g_per_kwh": 50}],
      "power_cap": [{"start": "2026-01-01T00:00:00Z", "end": "2026-01-01T04:00:00Z", "cap_w": 500}]},
    "reservations": [{"id": "r1", "nodes": ["n2"], "start": "2026-01-01T00:00:00Z", "end": "2026-01-01T01:00:00Z"}],
    "outages": [{"nodes": ["n1"], "start": "2026-01-01T03:00:00Z", "end": "2026-01-01T04:00:00Z"}],
    "request": {"nodes": 1, "duration_s": 3600, "earliest_start": "2026-01-01T00:00:00Z",
      "latest_start": "2026-01-01T02:00:00Z", "utilisation": 0.75, "tolerance": {"cost": 0.1},
      "alternatives": [{"nodes": 2, "duration_s": "PT30M"}], "exclude": ["n2"]}}"#;

const POWER_PROBLEM: &str = r#"{"now": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z", "currency": "EUR",
    "nodes": [{"name": "n1", "idle_power_w": 95, "max_power_w": 190, "partitions": ["batch"], "state": "off",
      "switching": {"off_power_w": 9.75, "switching_off_s": 6.1, "switching_off_power_w": 101,
        "switching_on_s": 151.52, "switching_on_power_w": 125.17}}],
    "agendas": {"price": [], "co2": []},
    "rights": [{"partition": "batch", "level": "automatic", "actions": ["off", "limit"],
      "windows": [{"days": ["mon"], "from": "07:00", "to": "22:00", "zone": "Europe/Paris"}]}],
    "most_switches_per_day": 4, "rank_by": ["cost", "energy", "co2"], "wear": {"cost": 1},
    "failure_probability": 0.5}"#;

const ESTIMATE: &str = r#"{"calibration": {"idle_power_w": 95,
      "added_power_w": {"computing": 95, "polling": 80, "memory": 30, "disk": 8, "network": 12},
      "cores_per_node": 24, "memory": {"latency_us": 0.5, "bandwidth_mb_per_s": 8000},
      "network": {"latency_us": 20, "bandwidth_mb_per_s": 117},
      "disk": {"write_mb_per_s": 90, "read_mb_per_s": 110, "shared": false}, "synchronisation_us": 50},
    "operation": "checkpoint", "nodes": 4, "bytes_per_process": 1e9, "work_s": "PT24H",
    "node_mtbf_s": "P365D", "interval_s": 3600, "downtime_s": 60, "skew_s": 0.25, "message_bytes_per_s": 1e6}"#;

const OAR_QUOTAS: &str = r#"{"periodical": [["08:00-19:00 mon-fri * *", "workday", "workdays"],
      ["* * * *", "night", "nights"]],
    "oneshot": [["2020-07-23 19:30", "2020-08-29 8:30", "holiday", "summer"]],
    "workday": {"*,*,*,john": [100, -1, -1], "*,projA,*,*": ["0.5*ALL", -1, "2*ALL"]},
    "night": {"*,*,*,/": [100, -1, -1]}, "holiday": {"*,*,besteffort,*": [32, 5, 10.5]}}"#;

const NOTICE: &str = r#"{"code": "outage", "at": "2026-01-01T00:00:00Z", "detail": "n1 is out", "way_out": "replan",
    "causes": ["outage"], "missing_nodes": 1,
    "outages": [], "replaced": []}"#;
