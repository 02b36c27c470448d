//! Settings of meters that are asked by the crate `meters`.

use std::time::Duration;

use anyhow::{Context, bail, ensure};
use meters::access::Access;
use meters::ipmi::{Ipmi, IpmiSettings, IpmiValue};
use meters::name::NameRule;
use meters::prometheus::{Preset, Prometheus, PrometheusSettings};
use meters::redfish::{Redfish, RedfishSettings, RedfishValue};
use planner::metering::{MeterScope, MeterUnit, ValueKind};
use planner::node::is_name;
use serde::Deserialize;
use toml::{Table, Value};

use super::connection::{Given, KIND, MeterConnection, ReadConnection, of_nodes, told_once, value};
use crate::config::controllers::{addresses, controller_urls, transport};
use crate::config::tables::{address, flag, nothing_else, path, text, whole};

/// What the file says of a Prometheus, beside how it is reached.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrometheusFields {
    url: String,
    preset: Option<String>,
    query: Option<String>,
    unit: Option<String>,
    label: Option<String>,
    pattern: Option<String>,
    name: Option<String>,
}

/// A Prometheus, with a preset or a query.
pub(super) fn prometheus(given: Given, mut rest: Table) -> anyhow::Result<ReadConnection> {
    let (access, http) = transport(&mut rest, 60)?;
    let fields: PrometheusFields = Value::Table(rest).try_into()?;
    let preset = fields.preset.as_deref().map(known_preset).transpose()?;
    let (query, values, unit) = match (preset, &fields.query) {
        (Some(preset), None) => {
            told_once(given, preset.values)?;
            ensure!(fields.unit.is_none(), "unit is known of a preset; leave it out");
            (preset.query.to_owned(), preset.values, preset.unit)
        }
        (None, Some(query)) => {
            ensure!(!query.trim().is_empty(), "query is empty");
            let values = given.values.context("values is missing: what the query's numbers are")?;
            let unit =
                fields.unit.as_deref().context("unit is missing: that of the query's numbers")?;
            (query.clone(), values, known_unit(unit)?)
        }
        (Some(_), Some(_)) => bail!("preset and query are both given; one of them is enough"),
        (None, None) => bail!("preset or query is missing"),
    };
    let covers = given.covers.or(preset.map(|it| it.covers)).unwrap_or(MeterScope::Node);
    let name = match (&fields.name, &fields.label, &fields.pattern) {
        (Some(name), None, None) => {
            ensure!(is_name(name), "name {}", planner::node::NAME_RULE);
            NameRule::fixed(name)
        }
        (Some(_), ..) => bail!("name stands for itself; label and pattern find one"),
        (None, label, pattern) => {
            let usual = preset.map_or("instance", |it| it.label);
            let rule = NameRule::new(label.as_deref().unwrap_or(usual), pattern.as_deref());
            rule.map_err(|error| anyhow::anyhow!("pattern: {error}"))?
        }
    };
    let url = address(&fields.url).context("url")?;
    let settings = PrometheusSettings { url, access, query, name, unit, period: given.period };
    let connection = MeterConnection::Prometheus(Prometheus::new(settings, http).into());
    Ok(ReadConnection { connection, values, unit, covers })
}

/// Management controllers that speak Redfish.
pub(super) fn redfish(given: Given, mut rest: Table) -> anyhow::Result<ReadConnection> {
    let (access, http) = transport(&mut rest, 10)?;
    let addresses = controller_urls(&mut rest)?;
    let value = value(
        &mut rest,
        &[
            ("power", RedfishValue::Power),
            ("average_power", RedfishValue::AveragePower),
            ("energy", RedfishValue::Energy),
        ],
    )?;
    let path = rest.remove("path").map(|it| text("path", &it)).transpose()?;
    ensure!(path.as_ref().is_none_or(|it| it.starts_with('/')), "path must begin with /");
    let at_once = whole(&mut rest, "at_once", 32, 1, 1024)?;
    let sessions = flag(&mut rest, "sessions")?;
    nothing_else(&rest, KIND)?;
    ensure!(
        !sessions || matches!(access, Access::Basic { .. }),
        "sessions are opened with a user and a password: say them in basic"
    );
    let (values, unit) = match value {
        RedfishValue::Power | RedfishValue::AveragePower => (ValueKind::Gauge, MeterUnit::Watt),
        RedfishValue::Energy => (ValueKind::Counter, MeterUnit::KilowattHour),
    };
    told_once(given, values)?;
    let covers = given.covers.unwrap_or(MeterScope::Node);
    of_nodes("redfish", covers)?;
    let at_once = usize::try_from(at_once)?;
    let settings = RedfishSettings { addresses, path, access, sessions, value, at_once };
    let connection = MeterConnection::Redfish(Redfish::new(settings, http).into());
    Ok(ReadConnection { connection, values, unit, covers })
}

/// Management controllers that FreeIPMI's `ipmi-dcmi` asks.
pub(super) fn ipmi(given: Given, mut rest: Table) -> anyhow::Result<ReadConnection> {
    let addresses = addresses(&mut rest)?;
    let words = [("power", IpmiValue::Power), ("average_power", IpmiValue::AveragePower)];
    let value = value(&mut rest, &words)?;
    let timeout = whole(&mut rest, "timeout_s", 60, 1, 3600)?;
    let program = path(&mut rest, "program")?.unwrap_or_else(|| "ipmi-dcmi".into());
    let config_file = path(&mut rest, "config_file")?;
    nothing_else(&rest, KIND)?;
    told_once(given, ValueKind::Gauge)?;
    let covers = given.covers.unwrap_or(MeterScope::Node);
    of_nodes("ipmi", covers)?;
    let timeout = Duration::from_secs(timeout.into());
    let settings = IpmiSettings { program, config_file, addresses, value, timeout };
    let connection = MeterConnection::Ipmi(Ipmi::new(settings).into());
    Ok(ReadConnection { connection, values: ValueKind::Gauge, unit: MeterUnit::Watt, covers })
}

fn known_preset(word: &str) -> anyhow::Result<&'static Preset> {
    let words = || meters::prometheus::PRESETS.map(|it| it.word).join(", ");
    Preset::of(word).with_context(|| format!("preset {word:?} is unknown; there are {}", words()))
}

fn known_unit(word: &str) -> anyhow::Result<MeterUnit> {
    let words = || MeterUnit::ALL.iter().map(|it| it.word()).collect::<Vec<_>>().join(", ");
    MeterUnit::from_word(word)
        .with_context(|| format!("unit {word:?} is unknown; there are {}", words()))
}

#[cfg(test)]
mod tests {
    use planner::time::Seconds;

    use super::*;
    use crate::config::meters::{MeterSettings, Metering, MeteringFields};

    fn read(text: &str) -> Result<MeterSettings, String> {
        let table: Table = toml::from_str(&format!("id = \"m\"\n{text}")).unwrap();
        let metering = Metering::read(vec![table], &MeteringFields::default(), None);
        metering.map(|mut it| it.meters.remove(0)).map_err(|error| format!("{error:#}"))
    }

    const PROMETHEUS: &str = "kind = \"prometheus\"\nurl = \"http://127.0.0.1:9090\"\n";
    const REDFISH: &str = "kind = \"redfish\"\naddress = \"https://{node}-bmc\"\n";
    const IPMI: &str = "kind = \"ipmi\"\naddress = \"{node}-bmc\"\n";

    #[test]
    fn a_preset_says_what_its_numbers_are() {
        let read = read(&format!("{PROMETHEUS}preset = \"dcgm-energy\"")).unwrap();
        let meter = &read.meter;
        assert_eq!((meter.covers, meter.values), (MeterScope::Component, ValueKind::Counter));
        assert_eq!((meter.unit, meter.period), (MeterUnit::Millijoule, Seconds::new(60)));
        assert!(!meter.zero_is_missing);
        assert_eq!((read.source.kind(), read.source.is_polled()), ("prometheus", true));
        for preset in &meters::prometheus::PRESETS {
            let text = format!("{PROMETHEUS}preset = \"{}\"", preset.word);
            assert_eq!(super::tests::read(&text).unwrap().meter.unit, preset.unit);
        }
    }

    #[test]
    fn a_query_and_everything_about_it_can_be_said() {
        let site = read(&format!(
            "{PROMETHEUS}query = \"sum(pdu_kwh)\"\nvalues = \"counter\"\nunit = \"kWh\"\n\
             covers = \"site\"\nname = \"Lyon\"\nperiod_s = 300\ncatch_up_s = 3600\ntimeout_s = 5\n\
             bearer = {{ file = \"/run/token\" }}\nverify = false\n"
        ));
        let site = site.unwrap();
        assert_eq!(
            (site.meter.covers, site.meter.unit),
            (MeterScope::Site, MeterUnit::KilowattHour)
        );
        let label = format!(
            "{PROMETHEUS}query = \"p\"\nvalues = \"gauge\"\nunit = \"W\"\nlabel = \"host\"\n\
             pattern = \"^([^.]+)-bmc\"\nbasic = {{ user = \"a\", password = {{ environment = \"P\" }} }}\n"
        );
        assert_eq!(read(&label).unwrap().meter.values, ValueKind::Gauge);
    }

    #[test]
    fn controllers_are_asked_for_power_unless_it_is_said() {
        let power = read(REDFISH).unwrap();
        assert_eq!((power.meter.values, power.meter.unit), (ValueKind::Gauge, MeterUnit::Watt));
        let energy = format!(
            "{REDFISH}value = \"energy\"\nnodes = \"n[1-3]\"\npath = \"/redfish/v1/Chassis/{{node}}/Power\"\n\
             addresses = {{ n2 = \"https://10.0.0.2\" }}\nsessions = true\nat_once = 8\n\
             basic = {{ user = \"a\", password = {{ file = \"/run/p\" }} }}\n"
        );
        let energy = read(&energy).unwrap();
        assert_eq!(energy.meter.unit, MeterUnit::KilowattHour);
        let crate::config::meters::MeterSource::Polled(source) = &energy.source else { panic!() };
        assert_eq!(source.nodes.as_ref().map(Vec::len), Some(3));
        let ipmi = format!(
            "{IPMI}value = \"average_power\"\nprogram = \"/usr/sbin/ipmi-dcmi\"\n\
             config_file = \"/etc/freeipmi/wattbook.conf\"\ntimeout_s = 30\n"
        );
        assert_eq!(read(&ipmi).unwrap().source.kind(), "ipmi");
    }

    #[test]
    fn what_cannot_work_is_named() {
        let query = "query = \"p\"\n";
        for (text, named) in [
            ("kind = \"prometheus\"".to_owned(), "url"),
            (PROMETHEUS.to_owned(), "preset or query is missing"),
            (
                format!("{PROMETHEUS}preset = \"nvidia\""),
                "preset \"nvidia\" is unknown; there are ipmi",
            ),
            (format!("{PROMETHEUS}preset = \"dcgm-energy\"\n{query}"), "both given"),
            (format!("{PROMETHEUS}preset = \"dcgm-energy\"\nunit = \"J\""), "unit is known"),
            (format!("{PROMETHEUS}preset = \"dcgm-energy\"\nvalues = \"gauge\""), "contradicts"),
            (format!("{PROMETHEUS}{query}unit = \"W\""), "values is missing"),
            (format!("{PROMETHEUS}{query}values = \"gauge\""), "unit is missing"),
            (format!("{PROMETHEUS}{query}values = \"gauge\"\nunit = \"watt\""), "there are kW"),
            (format!("{PROMETHEUS}{query}values = \"gauge\"\nunit = \"J\""), "not one of a gauge"),
            (format!("{PROMETHEUS}preset = \"ipmi-exporter\"\npattern = \"(\""), "pattern"),
            (
                format!("{PROMETHEUS}preset = \"ipmi-exporter\"\nname = \"a\"\nlabel = \"b\""),
                "itself",
            ),
            (format!("{PROMETHEUS}preset = \"ipmi-exporter\"\ncatch_up_s = 5"), "catch_up_s must"),
            (format!("{PROMETHEUS}preset = \"ipmi-exporter\"\nquerry = \"p\""), "querry"),
            (format!("{PROMETHEUS}preset = \"ipmi-exporter\"\nperiod_s = 0"), "period_s must lie"),
            (
                format!(
                    "{PROMETHEUS}preset = \"ipmi-exporter\"\nbearer = {{ file = \"a\" }}\nbasic = {{ user = \"u\", password = {{ file = \"a\" }} }}"
                ),
                "bearer and basic",
            ),
            (
                "kind = \"prometheus\"\nurl = \"http://u:p@host\"\npreset = \"ipmi-exporter\""
                    .to_owned(),
                "without a user",
            ),
            ("kind = \"redfish\"".to_owned(), "address or addresses is missing"),
            ("kind = \"redfish\"\naddress = \"https://bmc\"".to_owned(), "must have {node}"),
            ("kind = \"redfish\"\naddress = \"{node}-bmc\"".to_owned(), "address \"{node}-bmc\""),
            (format!("{REDFISH}value = \"heat\""), "must be one of \"power\", \"average_power\""),
            (format!("{REDFISH}values = \"counter\""), "contradicts"),
            (format!("{REDFISH}covers = \"site\""), "node by node"),
            (format!("{REDFISH}sessions = true"), "basic"),
            (format!("{REDFISH}path = \"Chassis\""), "path must begin with /"),
            (format!("{REDFISH}at_once = 0"), "at_once must lie"),
            (format!("{REDFISH}nodes = \"n[\""), "nodes"),
            (format!("{REDFISH}ca_file = \"/nonexistent/ca.pem\""), "/nonexistent/ca.pem"),
            (format!("{REDFISH}ca_file = \"a\"\nverify = false"), "trusts anybody"),
            (format!("{REDFISH}timeout_s = 0"), "timeout_s must lie"),
            (format!("{IPMI}value = \"energy\""), "must be one of \"power\""),
            (format!("{IPMI}program = 5"), "program"),
            (format!("{IPMI}password = \"x\""), "password is no setting"),
            ("kind = \"slurm\"".to_owned(), "[slurm]"),
            ("kind = \"pull\"".to_owned(), "\"prometheus\", \"redfish\", \"ipmi\", \"slurm\""),
            ("kind = \"push\"\nurl = \"http://host\"".to_owned(), "url is no setting"),
        ] {
            let error = read(&text).map(|it| it.meter).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
