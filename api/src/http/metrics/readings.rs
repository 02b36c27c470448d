//! Readings of gauges as Prometheus text.

use std::fmt::Write;

/// A gauge that is read when somebody asks for the metrics.
#[derive(Debug)]
pub struct Gauge<const LABELS: usize> {
    name: &'static str,
    labels: [&'static str; LABELS],
    help: &'static str,
}

impl<const LABELS: usize> Gauge<LABELS> {
    /// A gauge of this name, with labels of these names; what it is.
    pub const fn new(
        name: &'static str,
        labels: [&'static str; LABELS],
        help: &'static str,
    ) -> Self {
        Self { name, labels, help }
    }
}

/// What was read this time.
#[derive(Debug, Default)]
pub struct Readings(Vec<GaugeText>);

/// The readings of one gauge.
#[derive(Debug)]
struct GaugeText {
    name: &'static str,
    text: String,
}

impl Readings {
    /// Notes what a gauge says under labels of these values, in their order.
    pub fn set<const LABELS: usize>(
        &mut self,
        gauge: &Gauge<LABELS>,
        values: [&str; LABELS],
        reading: f64,
    ) {
        let Gauge { name, labels, help } = *gauge;
        let begin =
            || GaugeText { name, text: format!("# HELP {name} {help}\n# TYPE {name} gauge\n") };
        let at = self.0.iter().position(|it| it.name == name).unwrap_or_else(|| {
            self.0.push(begin());
            self.0.len() - 1
        });
        let text = &mut self.0[at].text;
        text.push_str(name);
        for (index, (label, value)) in labels.into_iter().zip(values).enumerate() {
            let _ = write!(text, "{}{label}=\"", if index == 0 { '{' } else { ',' });
            escape(value, text);
            text.push('"');
        }
        let _ = writeln!(text, "{} {reading}", if LABELS == 0 { "" } else { "}" });
    }

    /// All of it, gauge by gauge.
    pub fn into_text(self) -> String {
        self.0.into_iter().map(|it| it.text).collect()
    }
}

/// Writes a label's value as the text format has it.
fn escape(value: &str, text: &mut String) {
    for letter in value.chars() {
        match letter {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\n' => text.push_str("\\n"),
            _ => text.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_of_a_gauge_stand_together_and_labels_are_escaped() {
        const NODES: Gauge<1> = Gauge::new("nodes", ["partition"], "Nodes.");
        const HELD: Gauge<0> = Gauge::new("held", [], "Holds.");
        const UP: Gauge<2> = Gauge::new("up", ["feed", "quantity"], "Whether it is.");
        let mut readings = Readings::default();
        readings.set(&NODES, ["a \"b\"\\\n"], 2.0);
        readings.set(&HELD, [], 0.5);
        readings.set(&NODES, [""], 3.0);
        readings.set(&UP, ["x", "price"], 1.0);
        assert_eq!(
            readings.into_text(),
            "# HELP nodes Nodes.\n# TYPE nodes gauge\n\
             nodes{partition=\"a \\\"b\\\"\\\\\\n\"} 2\nnodes{partition=\"\"} 3\n\
             # HELP held Holds.\n# TYPE held gauge\nheld 0.5\n\
             # HELP up Whether it is.\n# TYPE up gauge\nup{feed=\"x\",quantity=\"price\"} 1\n"
        );
    }
}
