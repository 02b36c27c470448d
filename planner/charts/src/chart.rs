//! Charts as inline SVG: lines and grouped bars, with axes, units and a legend.
//!
//! Series differ by colour (Okabe and Ito's, which colour-blind readers tell apart), by dashes and
//! by markers, so that nothing hangs on colour alone.

use std::fmt::Write;

use crate::scale::{plain, ticks};
use crate::{colour, escaped};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;

const DASHES: [&str; 4] = ["", "7 3", "2 2", "9 3 2 3"];

/// A named line or kind of bar.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Which colour, dash and marker it has: one name has one look in all charts of a report.
    pub look: usize,
    /// Points: x, y and the ends of y's confidence interval. For bars x is the group.
    pub points: Vec<(f64, f64, Option<[f64; 2]>)>,
}

/// How series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Lines from point to point.
    Lines,
    /// Lines with a marker at each point.
    Marked,
    /// Lines that hold their value until the next point.
    Steps,
    /// Groups of bars, one bar for each series.
    Bars,
}

/// What the x axis shows.
#[derive(Clone, Debug)]
pub enum Horizontal {
    /// Numbers, with ticks at round ones.
    Numbers,
    /// Named places at 0, 1, 2, ...
    Places(Vec<String>),
    /// Numbers, with these names at these ticks, in order.
    Named(Vec<(f64, String)>),
}

/// A chart of one or several series.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Caption above the chart.
    pub title: String,
    /// Quantity and unit of the x axis.
    pub x_label: String,
    /// Quantity and unit of the y axis.
    pub y_label: String,
    /// What the x axis shows.
    pub horizontal: Horizontal,
    /// How the series are drawn.
    pub kind: Kind,
    /// Whether the y axis must include zero.
    pub from_zero: bool,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// Values to pixels.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (value - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Chart {
    /// The chart with its title and legend, as an HTML figure; nothing where there is no value.
    pub fn figure(&self) -> String {
        self.figure_within(None)
    }

    /// Charts that are compared with each other, on one scale of y.
    pub fn figures_on_one_scale(charts: &[Self]) -> String {
        let ends = charts.iter().flat_map(Self::ends);
        let both = ends.fold(None, |both: Option<(f64, f64)>, end| {
            let (least, most) = both.unwrap_or((end, end));
            Some((least.min(end), most.max(end)))
        });
        charts.iter().map(|chart| chart.figure_within(both)).collect()
    }

    /// Every y and every end of an interval.
    fn ends(&self) -> impl Iterator<Item = f64> + '_ {
        let points = self.series.iter().flat_map(|series| &series.points);
        points
            .flat_map(|(_, y, interval)| [*y].into_iter().chain(interval.iter().flatten().copied()))
    }

    /// `within` are y values that the axis reaches around beside the chart's own.
    fn figure_within(&self, within: Option<(f64, f64)>) -> String {
        if self.series.iter().all(|series| series.points.is_empty()) {
            return String::new();
        }
        let mut out = format!("<figure><figcaption>{}</figcaption>", escaped(&self.title));
        out += &self.svg(within);
        if self.series.len() == 1 {
            return out + "</figure>\n";
        }
        out += "<div class=legend>";
        for series in self.series.iter().filter(|series| !series.points.is_empty()) {
            let _ = write!(out, "<span>{}{}</span>", self.key(series), escaped(&series.name));
        }
        out + "</div></figure>\n"
    }

    fn key(&self, series: &Series) -> String {
        let mut out = String::from("<svg width=30 height=12 aria-hidden=true>");
        if self.kind == Kind::Bars {
            let _ = write!(out, "<rect x=8 width=14 height=12 fill=\"{}\"/>", colour(series.look));
        } else {
            let _ = write!(out, "<path d=\"M1 6H29\" {}/>", stroke(series));
            if self.kind == Kind::Marked {
                out += &marker(series, 15.0, 6.0);
            }
        }
        out + "</svg>"
    }

    fn svg(&self, within: Option<(f64, f64)>) -> String {
        let (frame, x_ticks, y_ticks) = self.frame(within);
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{}: {} by {}\">",
            escaped(&self.title),
            escaped(&self.y_label),
            escaped(&self.x_label)
        );
        self.axes(&mut out, &frame, &x_ticks, &y_ticks);
        match self.kind {
            Kind::Bars => self.bars(&mut out, &frame),
            _ => self.series.iter().for_each(|series| self.line(&mut out, &frame, series)),
        }
        out + "</svg>"
    }

    fn frame(&self, within: Option<(f64, f64)>) -> (Frame, Vec<f64>, Vec<f64>) {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let range = |values: Vec<f64>| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            (least, values.into_iter().fold(f64::NEG_INFINITY, f64::max))
        };
        let mut ys: Vec<f64> = self.ends().collect();
        ys.extend(within.iter().flat_map(|(least, most)| [*least, *most]));
        if self.from_zero || self.kind == Kind::Bars {
            ys.push(0.0);
        }
        let (least, most) = range(ys);
        let y_ticks = ticks(least, most, 5.0);
        let y = (y_ticks[0], y_ticks[y_ticks.len() - 1]);
        match &self.horizontal {
            Horizontal::Numbers | Horizontal::Named(_) => {
                let (least, most) = range(points().map(|(x, _, _)| *x).collect());
                let x = (least, if most > least { most } else { least + 1.0 });
                let all = match &self.horizontal {
                    Horizontal::Named(named) => named.iter().map(|(tick, _)| *tick).collect(),
                    _ => ticks(x.0, x.1, 7.0),
                };
                let inside = |tick: &f64| (x.0..=x.1).contains(tick);
                (Frame { x, y }, all.into_iter().filter(inside).collect(), y_ticks)
            }
            Horizontal::Places(places) => {
                let places = (0..places.len()).map(|place| place as f64).collect::<Vec<_>>();
                (Frame { x: (-0.5, places.len() as f64 - 0.5), y }, places, y_ticks)
            }
        }
    }

    fn axes(&self, out: &mut String, frame: &Frame, x_ticks: &[f64], y_ticks: &[f64]) {
        let step = |ticks: &[f64]| ticks.get(1).map_or(1.0, |second| second - ticks[0]);
        for tick in y_ticks {
            let y = frame.y(*tick);
            let class = if *tick == 0.0 { "zero" } else { "grid" };
            let _ = write!(
                out,
                "<path class={class} d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=y x=\"{}\" \
                 y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 7.0,
                y + 4.0,
                plain(*tick, step(y_ticks))
            );
        }
        let bottom = HEIGHT - BOTTOM;
        for (index, tick) in x_ticks.iter().enumerate() {
            let x = frame.x(*tick);
            let label = match &self.horizontal {
                Horizontal::Numbers => plain(*tick, step(x_ticks)),
                Horizontal::Places(places) => escaped(&places[index]),
                Horizontal::Named(named) => {
                    let name = named.iter().find(|(at, _)| (at - tick).abs() < 1e-9);
                    name.map(|(_, name)| escaped(name)).unwrap_or_default()
                }
            };
            let _ = write!(
                out,
                "<path class=tick d=\"M{x:.1} {bottom}v4\"/><text class=x x=\"{x:.1}\" y=\"{}\">\
                 {label}</text>",
                bottom + 17.0
            );
        }
        let _ = write!(
            out,
            "<text class=x x=\"{}\" y=\"{}\">{}</text><text class=x transform=\"translate(14 {}) \
             rotate(-90)\">{}</text>",
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 10.0,
            escaped(&self.x_label),
            f64::midpoint(TOP, bottom),
            escaped(&self.y_label)
        );
    }

    fn line(&self, out: &mut String, frame: &Frame, series: &Series) {
        let mut path = String::new();
        for (x, y, _) in &series.points {
            let (x, y) = (frame.x(*x), frame.y(*y));
            let _ = match (path.is_empty(), self.kind) {
                (true, _) => write!(path, "M{x:.1} {y:.1}"),
                (_, Kind::Steps) => write!(path, "H{x:.1}V{y:.1}"),
                _ => write!(path, "L{x:.1} {y:.1}"),
            };
        }
        let _ = write!(out, "<path d=\"{path}\" {}/>", stroke(series));
        if self.kind == Kind::Marked {
            for (x, y, interval) in &series.points {
                whisker(out, frame, frame.x(*x), *interval);
                *out += &marker(series, frame.x(*x), frame.y(*y));
            }
        }
    }

    fn bars(&self, out: &mut String, frame: &Frame) {
        let shown = self.series.len() as f64;
        let width = (frame.x(1.0) - frame.x(0.0)) * 0.8 / shown;
        for (index, series) in self.series.iter().enumerate() {
            for (group, value, interval) in &series.points {
                let x = frame.x(*group) + (index as f64 - shown / 2.0) * width;
                let (top, base) = (frame.y(value.max(0.0)), frame.y(value.min(0.0)));
                let _ = write!(
                    out,
                    "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                     fill=\"{}\"/>",
                    x + 1.0,
                    width - 2.0,
                    base - top,
                    colour(series.look)
                );
                whisker(out, frame, x + width / 2.0, *interval);
            }
        }
    }
}

/// A confidence interval at a place in pixels.
fn whisker(out: &mut String, frame: &Frame, x: f64, interval: Option<[f64; 2]>) {
    if let Some([from, to]) = interval {
        let (top, bottom) = (frame.y(to), frame.y(from));
        let _ = write!(out, "<path class=ci d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>");
        for y in [top, bottom] {
            let _ = write!(out, "<path class=ci d=\"M{:.1} {y:.1}h6\"/>", x - 3.0);
        }
    }
}

fn stroke(series: &Series) -> String {
    let dash = DASHES[series.look % DASHES.len()];
    format!(
        "fill=none stroke=\"{}\" stroke-width=2 stroke-dasharray=\"{dash}\"",
        colour(series.look)
    )
}

fn marker(series: &Series, x: f64, y: f64) -> String {
    let colour = colour(series.look);
    match series.look % 4 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=4 fill=\"{colour}\"/>"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=7 height=7 fill=\"{colour}\"/>",
            x - 3.5,
            y - 3.5
        ),
        2 => format!("<path d=\"M{x:.1} {:.1}l4.5 8h-9z\" fill=\"{colour}\"/>", y - 5.0),
        _ => format!("<path d=\"M{x:.1} {:.1}l5 5-5 5-5-5z\" fill=\"{colour}\"/>", y - 5.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(value: f64, interval: [f64; 2]) -> Chart {
        Chart {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            horizontal: Horizontal::Places(vec!["a".to_owned()]),
            kind: Kind::Bars,
            from_zero: true,
            series: vec![Series {
                name: String::new(),
                look: 0,
                points: vec![(0.0, value, Some(interval))],
            }],
        }
    }

    /// Alone, 2 would reach to the top of its chart; beside 18 to 22 it is a tenth of the axis to 25.
    #[test]
    fn charts_that_are_compared_have_one_scale() {
        let charts = [bars(2.0, [1.0, 2.0]), bars(20.0, [18.0, 22.0])];
        let height = |figure: &str| -> f64 {
            let (_, rest) = figure.split_once("<rect").unwrap();
            let (_, rest) = rest.split_once("height=\"").unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let both = Chart::figures_on_one_scale(&charts);
        let figures: Vec<&str> = both.split("</figure>").collect();
        let (small, large) = (height(figures[0]), height(figures[1]));
        assert!((large / small - 10.0).abs() < 0.1, "{small} {large}");
        assert!(height(&charts[0].figure()) > 5.0 * small);
    }
}
