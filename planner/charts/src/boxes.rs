//! Boxes by quantiles in groups: distributions beside each other.

use std::fmt::Write;

use crate::axis::{Range, Spacing};
use crate::{colour, escaped};

const WIDTH: f64 = 1120.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 34.0;
/// A box is at most so wide.
const WIDEST: f64 = 34.0;

/// A distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// The least value.
    pub least: f64,
    /// The first quartile.
    pub p25: f64,
    /// The median.
    pub p50: f64,
    /// The third quartile.
    pub p75: f64,
    /// The greatest value.
    pub most: f64,
    /// The mean.
    pub mean: f64,
}

/// Distributions of one name, one for each group where there is one.
#[derive(Clone, Debug)]
pub struct BoxSeries {
    /// The name in the legend.
    pub name: String,
    /// Which colour it has.
    pub look: usize,
    /// By group.
    pub boxes: Vec<Option<Quartiles>>,
}

/// Boxes from the first to the third quartile with the median, a triangle at the mean, and lines to the ends.
#[derive(Clone, Debug)]
pub struct BoxChart {
    /// Caption above the chart.
    pub title: String,
    /// Quantity and unit of the y axis.
    pub y_label: String,
    /// How far values are apart on the y axis.
    pub spacing: Spacing,
    /// Names of groups along the x axis.
    pub groups: Vec<String>,
    /// What is drawn.
    pub series: Vec<BoxSeries>,
}

impl BoxChart {
    /// The chart with its title and legend, as an HTML figure as wide as the page; nothing where there is no box.
    pub fn figure(&self) -> String {
        Self::figures_on_one_scale(std::slice::from_ref(self))
    }

    /// Charts that are compared with each other, on one scale of y, with one legend under the last.
    pub fn figures_on_one_scale(charts: &[Self]) -> String {
        let values: Vec<f64> = charts.iter().flat_map(Self::values).collect();
        let (Some(first), false) = (charts.first(), values.is_empty()) else {
            return String::new();
        };
        let range = Range::around(first.spacing, values.into_iter());
        let mut out = String::new();
        for (place, chart) in charts.iter().enumerate() {
            let title = escaped(&chart.title);
            let _ = write!(out, "<figure class=wide-figure><figcaption>{title}</figcaption>");
            out += &chart.svg(&range);
            if place + 1 == charts.len() {
                out += &chart.legend();
            }
            out += "</figure>\n";
        }
        out
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let boxes = self.series.iter().flat_map(|series| series.boxes.iter().flatten());
        boxes.flat_map(|it| [it.least, it.p25, it.p75, it.most, it.mean])
    }

    fn legend(&self) -> String {
        let mut out = String::from("<div class=legend>");
        for series in &self.series {
            let _ = write!(
                out,
                "<span><svg width=14 height=12 aria-hidden=true><rect width=14 height=12 fill=\"{}\"/></svg>{}</span>",
                colour(series.look),
                escaped(&series.name)
            );
        }
        out + "</div>"
    }

    fn svg(&self, range: &Range) -> String {
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{}: {}\">",
            escaped(&self.title),
            escaped(&self.y_label)
        );
        let y = |value: f64| HEIGHT - BOTTOM - range.place(value) * (HEIGHT - TOP - BOTTOM);
        for (tick, label) in &range.ticks {
            let y = y(*tick);
            let _ = write!(
                out,
                "<path class=grid d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=y x=\"{}\" y=\"{:.1}\">{label}</text>",
                WIDTH - RIGHT,
                LEFT - 7.0,
                y + 4.0
            );
        }
        let bottom = HEIGHT - BOTTOM;
        let width = (WIDTH - LEFT - RIGHT) / self.groups.len().max(1) as f64;
        let each = (width * 0.86 / self.series.len().max(1) as f64).min(WIDEST);
        for group in 0..self.groups.len() {
            let middle = LEFT + (group as f64 + 0.5) * width;
            self.group(&mut out, group, middle, each, &y);
            if group > 0 {
                let left = middle - width / 2.0;
                let _ = write!(out, "<path class=tick d=\"M{left:.1} {TOP}V{bottom}\"/>");
            }
        }
        let _ = write!(
            out,
            "<path class=zero d=\"M{LEFT} {bottom}H{:.1}\"/><text class=x transform=\"translate(14 {}) rotate(-90)\">{}</text></svg>",
            WIDTH - RIGHT,
            f64::midpoint(TOP, bottom),
            escaped(&self.y_label)
        );
        out
    }

    /// The name and the boxes of a group around `middle`, each so wide with what is beside it.
    fn group(
        &self,
        out: &mut String,
        group: usize,
        middle: f64,
        each: f64,
        y: &impl Fn(f64) -> f64,
    ) {
        let name = &self.groups[group];
        let below = HEIGHT - BOTTOM + 20.0;
        let _ =
            write!(out, "<text class=x x=\"{middle:.1}\" y=\"{below}\">{}</text>", escaped(name));
        for (place, series) in self.series.iter().enumerate() {
            let x = middle + (place as f64 + 0.5 - self.series.len() as f64 / 2.0) * each;
            if let Some(of) = series.boxes.get(group).copied().flatten() {
                let title = format!("{name}, {}", series.name);
                drawn(out, &of, x, each * 0.74, y, colour(series.look), &title);
            }
        }
    }
}

/// A box around `x`.
fn drawn(
    out: &mut String,
    of: &Quartiles,
    x: f64,
    width: f64,
    y: &impl Fn(f64) -> f64,
    colour: &str,
    title: &str,
) {
    let (left, right) = (x - width / 2.0, x + width / 2.0);
    let (top, bottom) = (y(of.p75), y(of.p25));
    let _ = write!(
        out,
        "<g><title>{}: least {}, quartiles {}, {}, {}, most {}, mean {}</title>",
        escaped(title),
        short(of.least),
        short(of.p25),
        short(of.p50),
        short(of.p75),
        short(of.most),
        short(of.mean)
    );
    let (quarter, ends) = (width / 4.0, (y(of.least), y(of.most)));
    let _ = write!(
        out,
        "<path d=\"M{x:.1} {:.1}V{bottom:.1}M{x:.1} {top:.1}V{:.1}M{:.1} {:.1}h{:.1}M{:.1} {:.1}h{:.1}\" stroke=\"{colour}\" fill=none stroke-width=1.2 />",
        ends.0,
        ends.1,
        x - quarter,
        ends.0,
        2.0 * quarter,
        x - quarter,
        ends.1,
        2.0 * quarter
    );
    let _ = write!(
        out,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{colour}\" fill-opacity=.35 stroke=\"{colour}\"/>",
        (bottom - top).max(0.8)
    );
    let (median, mean) = (y(of.p50), y(of.mean));
    let _ = write!(
        out,
        "<path d=\"M{left:.1} {median:.1}H{right:.1}\" stroke=\"{colour}\" stroke-width=2.4 /><path d=\"M{x:.1} {:.1}l4 7h-8z\" fill=#fff stroke=#111 stroke-width=1 /></g>",
        mean - 4.5
    );
}

/// A number with three digits that count.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 2.0 - value.abs().log10().floor();
    let decimals = (0_usize..9).find(|it| *it as f64 >= digits).unwrap_or(9);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 1 to 100 by powers of ten over 274 units of height: 10 is in the middle.
    #[test]
    fn boxes_are_where_quantiles_are() {
        let of = Quartiles { least: 1.0, p25: 1.0, p50: 10.0, p75: 10.0, most: 100.0, mean: 10.0 };
        let series = BoxSeries { name: "<fit>".to_owned(), look: 0, boxes: vec![Some(of), None] };
        let chart = BoxChart {
            title: "Slowdown".to_owned(),
            y_label: "times".to_owned(),
            spacing: Spacing::Log,
            groups: vec!["fcfs".to_owned(), "sjf".to_owned()],
            series: vec![series],
        };
        let figure = chart.figure();
        assert!(figure.contains("y=\"149.0\" width=\"25.2\" height=\"137.0\""), "{figure}");
        assert!(figure.contains("quartiles 1.00, 10.0, 10.0, most 100, mean 10.0"), "{figure}");
        assert!(figure.contains("&lt;fit&gt;") && !figure.contains("<fit>"));
        assert_eq!(figure.matches("<g>").count(), 1);
        // A slash behind a value without quotes would be part of it, and the element would not end.
        let ends = figure.match_indices("/>").map(|(at, _)| &figure[at - 1..at]);
        assert!(ends.into_iter().all(|before| before == "\"" || before == " "));
    }
}
