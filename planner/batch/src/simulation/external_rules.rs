//! The options of schedulers outside, as rules of their exchange with the simulator.

use crate::kernel::external::Rules;
use crate::policy::no_option;

/// The options of schedulers outside.
const OPTIONS: [&str; 5] = [
    "dynamic_jobs",
    "acknowledge_dynamic_jobs",
    "forward_profiles",
    "ask_waiting_times",
    "forward_unknown_events",
];

/// The rules for a workload of this name, where the options are said by names and values. Profiles of a
/// trace are always forwarded.
///
/// # Errors
/// Options that there are not; values that they cannot have.
pub fn external_rules(
    workload: String,
    trace: bool,
    said: &[(String, String)],
) -> Result<Rules, Vec<String>> {
    let mut rules = Rules { workload, forward_profiles: trace, ..Rules::default() };
    let mut errors = Vec::new();
    for (name, value) in said {
        let flag = match name.as_str() {
            "dynamic_jobs" => &mut rules.dynamic_jobs,
            "acknowledge_dynamic_jobs" => &mut rules.acknowledge_dynamic_jobs,
            "forward_profiles" if !trace => &mut rules.forward_profiles,
            "ask_waiting_times" => &mut rules.ask_waiting_times,
            "forward_unknown_events" => &mut rules.forward_unknown_events,
            "forward_profiles" => {
                errors.push("forward_profiles: a trace's profiles always are".to_owned());
                continue;
            }
            _ => {
                errors.push(no_option(name, "external", &OPTIONS));
                continue;
            }
        };
        match value.parse() {
            Ok(value) => *flag = value,
            Err(_) => errors.push(format!("{name}: {value:?} is not true or false")),
        }
    }
    if errors.is_empty() { Ok(rules) } else { Err(errors) }
}
