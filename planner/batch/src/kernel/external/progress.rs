//! How far a killed job came, as the protocol tells it.

use serde_json::{Map, Value, json};

/// The share of profile `name` that `elapsed_s` are on machines of this speed. Of a sequence also which
/// of its parts it came to, and how far.
pub(super) fn progress(
    name: &str,
    profiles: &Map<String, Value>,
    nodes: u32,
    speed: f64,
    elapsed_s: f64,
) -> Value {
    let of = Of { profiles, nodes, speed };
    let whole_s = of.time_s(name);
    let share = if whole_s > 0.0 { (elapsed_s / whole_s).min(1.0) } else { 1.0 };
    let Some(parts) = of.parts(name) else {
        return json!({"profile_name": name, "progress": share});
    };
    let once_s: f64 = parts.iter().map(|part| of.time_s(part)).sum();
    let mut left_s = if once_s > 0.0 { elapsed_s % once_s } else { 0.0 };
    let mut current = 0;
    while current + 1 < parts.len() && left_s >= of.time_s(parts[current]) {
        left_s -= of.time_s(parts[current]);
        current += 1;
    }
    let inner = parts.get(current).map(|part| progress(part, profiles, nodes, speed, left_s));
    json!({"profile_name": name, "current_task_index": current, "current_task": inner})
}

struct Of<'a> {
    profiles: &'a Map<String, Value>,
    nodes: u32,
    speed: f64,
}

impl<'a> Of<'a> {
    fn number(&self, name: &str, field: &str) -> f64 {
        self.profiles.get(name).and_then(|profile| profile[field].as_f64()).unwrap_or(0.0)
    }

    fn parts(&self, name: &str) -> Option<Vec<&'a str>> {
        let parts = self.profiles.get(name)?.get("seq")?.as_array()?;
        Some(parts.iter().filter_map(Value::as_str).collect())
    }

    /// Workloads whose sequences go round in circles are refused before.
    fn time_s(&self, name: &str) -> f64 {
        if let Some(parts) = self.parts(name) {
            let profile = self.profiles.get(name);
            let repeat = profile.and_then(|of| of.get("repeat").or(of.get("nb"))?.as_f64());
            let once: f64 = parts.iter().map(|part| self.time_s(part)).sum();
            return once * repeat.unwrap_or(1.0);
        }
        let profile = self.profiles.get(name);
        match profile.and_then(|profile| profile["type"].as_str()) {
            Some("delay") => self.number(name, "delay"),
            Some("parallel_homogeneous_total") => {
                self.number(name, "cpu") / f64::from(self.nodes.max(1)) / self.speed
            }
            Some("parallel") => {
                let each = profile.and_then(|profile| profile["cpu"].as_array());
                let each = each.into_iter().flatten().filter_map(Value::as_f64);
                each.fold(0.0, f64::max) / self.speed
            }
            _ => self.number(name, "cpu") / self.speed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 s of 20 s are a quarter. The sequence is twice (20 s, 200 operations at 10 a second = 20 s): after 67 s
    /// it is 27 s into its second round, 7 s into the second part: 0.35 of it.
    #[test]
    fn shares_of_profiles_and_parts_of_sequences() {
        let Value::Object(profiles) = json!({
            "wait": {"type": "delay", "delay": 20},
            "work": {"type": "parallel_homogeneous", "cpu": 200, "com": 0},
            "both": {"type": "composed", "repeat": 2, "seq": ["wait", "work"]},
        }) else {
            panic!("an object");
        };
        let of = |name, elapsed_s| progress(name, &profiles, 2, 10.0, elapsed_s);
        assert_eq!(of("wait", 5.0), json!({"profile_name": "wait", "progress": 0.25}));
        let inner = json!({"profile_name": "work", "progress": 0.35});
        let expected =
            json!({"profile_name": "both", "current_task_index": 1, "current_task": inner});
        assert_eq!(of("both", 67.0), expected);
    }
}
