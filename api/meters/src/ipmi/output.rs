//! What `ipmi-dcmi --get-system-power-statistics --always-prefix` prints, and what it complains of.

use std::collections::BTreeMap;

use planner::metering::MeterUnit;

/// Which number is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IpmiValue {
    /// The power now.
    Power,
    /// The mean power over the controller's own interval.
    AveragePower,
}

impl IpmiValue {
    /// The field in which the program prints it.
    const fn field(self) -> &'static str {
        match self {
            Self::Power => "Current Power",
            Self::AveragePower => "Average Power over sampling duration",
        }
    }
}

/// What was printed of a host.
#[derive(Debug, Default)]
struct Printed<'o> {
    power: Option<&'o str>,
    state: Option<&'o str>,
    complaint: Option<&'o str>,
}

/// Milliwatts by host, or why there are none.
pub(crate) fn read<'h>(
    hosts: impl Iterator<Item = &'h str>,
    printed: &str,
    complaints: &str,
    value: IpmiValue,
) -> BTreeMap<&'h str, Result<i64, String>> {
    let mut of_host: BTreeMap<&str, Printed<'_>> = BTreeMap::new();
    for line in printed.lines() {
        let Some((host, field)) = line.split_once(": ") else { continue };
        let Some((field, text)) = field.split_once(" : ") else { continue };
        let printed = of_host.entry(host).or_default();
        match field.trim() {
            it if it == value.field() => printed.power = Some(text.trim()),
            "Power Measurement" => printed.state = Some(text.trim()),
            _ => {}
        }
    }
    for line in complaints.lines() {
        if let Some((host, words)) = line.split_once(": ") {
            of_host.entry(host).or_default().complaint.get_or_insert(words);
        }
    }
    hosts
        .map(|host| {
            let nothing = Printed::default();
            (host, milliwatts(of_host.get(host).unwrap_or(&nothing)))
        })
        .collect()
}

fn milliwatts(printed: &Printed<'_>) -> Result<i64, String> {
    if let Some(complaint) = printed.complaint {
        return Err(complaint.to_owned());
    }
    let (Some(power), Some(state)) = (printed.power, printed.state) else {
        return Err("no answer: nothing was printed of it, or only a part".to_owned());
    };
    if state != "Active" {
        return Err(format!("its power measurement is {state:?}, not Active"));
    }
    let watts = power.strip_suffix(" Watts").or_else(|| power.strip_suffix(" watts"));
    let is_number = |it: &&str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let watts = watts.filter(is_number).ok_or_else(|| format!("{power:?} is no power in watts"))?;
    MeterUnit::Watt.parse_milli(watts).map_err(|error| format!("{power:?} {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As FreeIPMI 1.6.10 prints it.
    fn statistics(host: &str, current: &str, state: &str) -> String {
        let lines = [
            format!("Current Power                        : {current} Watts"),
            "Minimum Power over sampling duration : 110 watts".to_owned(),
            "Maximum Power over sampling duration : 440 watts".to_owned(),
            "Average Power over sampling duration : 211 watts".to_owned(),
            "Time Stamp                           : 01/01/2026 - 00:00:00".to_owned(),
            "Statistics reporting time period     : 1000 milliseconds".to_owned(),
            format!("Power Measurement                    : {state}"),
        ];
        lines.map(|line| format!("{host}: {line}\n")).concat()
    }

    #[test]
    fn every_host_has_its_power_or_a_reason() {
        let printed = [
            statistics("n1-bmc", "220", "Active"),
            statistics("10.0.0.2:623", "65535", "Active"),
            statistics("n3", "0", "Not Available"),
            statistics("n4", "-1", "Active"),
            "n5: Current Power                        : 220 Watts\n".to_owned(),
            statistics("stranger", "1", "Active"),
        ]
        .concat();
        let complaints = "n6: ipmi-dcmi: connection timeout\n\
                          n6: and more\n\
                          n7: ipmi_cmd_dcmi_get_power_reading: command invalid or unsupported\n";
        let hosts = ["n1-bmc", "10.0.0.2:623", "n3", "n4", "n5", "n6", "n7", "n8"];
        let told = read(hosts.into_iter(), &printed, complaints, IpmiValue::Power);
        assert_eq!(told.len(), hosts.len());
        assert_eq!(told["n1-bmc"], Ok(220_000));
        assert_eq!(told["10.0.0.2:623"], Ok(65_535_000));
        for (host, words) in [
            ("n3", "Not Available"),
            ("n4", "is no power in watts"),
            ("n5", "only a part"),
            ("n6", "connection timeout"),
            ("n7", "command invalid or unsupported"),
            ("n8", "nothing was printed"),
        ] {
            let error = told[host].as_ref().unwrap_err();
            assert!(error.contains(words), "{host}: {error}");
        }
        let mean = read(hosts.into_iter(), &printed, "", IpmiValue::AveragePower);
        assert_eq!(mean["n1-bmc"], Ok(211_000));
    }
}
