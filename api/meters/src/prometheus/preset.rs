//! The metrics of usual exporters, so that a site need not look up their names, units and labels.

use planner::metering::MeterScope::{self, Component, Node};
use planner::metering::MeterUnit;
use planner::metering::ValueKind::{self, Counter, Difference, Gauge};

/// A metric of an exporter.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What it is called in the settings.
    pub word: &'static str,
    /// The query, in PromQL with `$window`.
    pub query: &'static str,
    /// What its numbers are.
    pub values: ValueKind,
    /// Their unit.
    pub unit: MeterUnit,
    /// The label that names the node.
    pub label: &'static str,
    /// What is measured.
    pub covers: MeterScope,
}

const fn preset(
    (word, query): (&'static str, &'static str),
    (values, unit): (ValueKind, MeterUnit),
    label: &'static str,
    covers: MeterScope,
) -> Preset {
    Preset { word, query, values, unit, label, covers }
}

/// All of them. Where an exporter has several series of a node that add up, the query sums them; overlapping zones
/// of Kepler and RAPL are not summed.
pub const PRESETS: [Preset; 18] = [
    // ipmi_exporter (prometheus-community): DCMI by the BMC
    preset(
        ("ipmi-exporter", "ipmi_dcmi_power_consumption_watts"),
        (Gauge, MeterUnit::Watt),
        "instance",
        Node,
    ),
    // CEEMS, by the names of 0.10 and by those with `power_`
    preset(
        ("ceems-ipmi-dcmi", r#"{__name__=~"ceems_ipmi_dcmi_(power_)?current_watts"}"#),
        (Gauge, MeterUnit::Watt),
        "hostname",
        Node,
    ),
    preset(
        (
            "ceems-redfish",
            r#"sum by (hostname) (last_over_time({__name__=~"ceems_redfish_(power_)?current_watts"}[$window]))"#,
        ),
        (Gauge, MeterUnit::Watt),
        "hostname",
        Node,
    ),
    preset(
        ("ceems-cray-energy", r#"ceems_cray_pm_counters_energy_joules{domain="node"}"#),
        (Counter, MeterUnit::Joule),
        "hostname",
        Node,
    ),
    preset(
        ("ceems-cray-power", r#"ceems_cray_pm_counters_power_watts{domain="node"}"#),
        (Gauge, MeterUnit::Watt),
        "hostname",
        Node,
    ),
    preset(
        (
            "ceems-rapl-package",
            "sum by (hostname) (last_over_time(ceems_rapl_package_joules_total[$window]))",
        ),
        (Counter, MeterUnit::Joule),
        "hostname",
        Component,
    ),
    // Kepler: zones overlap, the package's is taken
    preset(
        (
            "kepler-cpu",
            r#"sum by (node_name) (last_over_time(kepler_node_cpu_joules_total{zone="package"}[$window]))"#,
        ),
        (Counter, MeterUnit::Joule),
        "node_name",
        Component,
    ),
    preset(
        ("kepler-platform", "sum by (node_name) (last_over_time(kepler_platform_watts[$window]))"),
        (Gauge, MeterUnit::Watt),
        "node_name",
        Node,
    ),
    // Scaphandre
    preset(
        ("scaphandre-power", "scaph_host_power_microwatts"),
        (Gauge, MeterUnit::Microwatt),
        "instance",
        Component,
    ),
    preset(
        ("scaphandre-energy", "scaph_host_energy_microjoules"),
        (Counter, MeterUnit::Microjoule),
        "instance",
        Component,
    ),
    // Alumet: what was consumed since its sample before
    preset(
        ("alumet-rapl", r#"rapl_consumed_energy_alumet{domain="package_total"}"#),
        (Difference, MeterUnit::Joule),
        "instance",
        Component,
    ),
    // node_exporter
    preset(
        (
            "node-exporter-rapl",
            "sum by (instance) (last_over_time(node_rapl_package_joules_total[$window]))",
        ),
        (Counter, MeterUnit::Joule),
        "instance",
        Component,
    ),
    preset(
        (
            "node-exporter-hwmon",
            "sum by (instance) (last_over_time(node_hwmon_power_average_watt[$window]))",
        ),
        (Gauge, MeterUnit::Watt),
        "instance",
        Component,
    ),
    // NVIDIA's DCGM exporter
    preset(
        (
            "dcgm-energy",
            "sum by (Hostname) (last_over_time(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[$window]))",
        ),
        (Counter, MeterUnit::Millijoule),
        "Hostname",
        Component,
    ),
    // Jobstats' exporter
    preset(
        (
            "jobstats-gpu",
            "sum by (instance) (last_over_time(nvidia_gpu_power_usage_milliwatts[$window]))",
        ),
        (Gauge, MeterUnit::Milliwatt),
        "instance",
        Component,
    ),
    // idrac_exporter: Redfish's old `Power`
    preset(
        (
            "idrac-exporter",
            "sum by (instance) (last_over_time(idrac_power_control_consumed_watts[$window]))",
        ),
        (Gauge, MeterUnit::Watt),
        "instance",
        Node,
    ),
    // kwollect (Grid'5000)
    preset(
        ("kwollect-wattmetre", "wattmetre_power_watt"),
        (Gauge, MeterUnit::Watt),
        "device_id",
        Node,
    ),
    preset(("kwollect-bmc", "bmc_node_power_watt"), (Gauge, MeterUnit::Watt), "device_id", Node),
];

impl Preset {
    /// The preset of this name.
    pub fn of(word: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|it| it.word == word)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn presets_have_names_of_their_own_and_units_of_their_kind() {
        let words: BTreeSet<_> = PRESETS.iter().map(|it| it.word).collect();
        assert_eq!(words.len(), PRESETS.len());
        for preset in &PRESETS {
            assert!(preset.unit.is_of(preset.values), "{}", preset.word);
            // What several series add up to is summed by the node's label, of what was scraped lately.
            let names_label = !preset.query.contains("sum by")
                || preset.query.starts_with(&format!("sum by ({}) (last_over_time(", preset.label));
            assert!(names_label, "{}", preset.word);
        }
        assert_eq!(Preset::of("dcgm-energy").map(|it| it.unit), Some(MeterUnit::Millijoule));
        assert!(Preset::of("dcgm").is_none());
    }
}
