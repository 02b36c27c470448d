//! Points, and squares that are the darker the more is there.

use std::fmt::Write;

use crate::axis::{Range, Spacing};
use crate::{colour, escaped};

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;

/// A point, and what it is.
#[derive(Clone, Debug)]
pub struct Point {
    /// Where it is along x.
    pub x: f64,
    /// Where it is along y.
    pub y: f64,
    /// Which colour it has.
    pub look: usize,
    /// Which shape it has.
    pub shape: usize,
    /// What it is, in words.
    pub title: String,
}

/// What stands at a place.
#[derive(Clone, Debug)]
pub enum Marks {
    /// Points.
    Points(Vec<Point>),
    /// Squares of this width and height: left and lower edge, and how dark from 0 to 1.
    Squares {
        /// Width and height of each.
        size: (f64, f64),
        /// Left edge, lower edge, and how dark it is.
        squares: Vec<(f64, f64, f64)>,
    },
}

/// Two quantities of the same things.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// Caption above the chart.
    pub title: String,
    /// Quantity and unit of the x axis.
    pub x_label: String,
    /// Quantity and unit of the y axis.
    pub y_label: String,
    /// Values that the axes reach around, beside those of points: x, then y.
    pub around: [Vec<f64>; 2],
    /// What is drawn.
    pub marks: Marks,
}

impl Scatter {
    /// The chart with its title, as an HTML figure; nothing where there is no mark.
    pub fn figure(&self) -> String {
        let empty = match &self.marks {
            Marks::Points(points) => points.is_empty(),
            Marks::Squares { squares, .. } => squares.is_empty(),
        };
        if empty {
            return String::new();
        }
        let title = escaped(&self.title);
        format!("<figure><figcaption>{title}</figcaption>{}</figure>\n", self.svg())
    }

    fn svg(&self) -> String {
        let own = |of: fn(&Point) -> f64| match &self.marks {
            Marks::Points(points) => points.iter().map(of).collect::<Vec<f64>>(),
            Marks::Squares { .. } => Vec::new(),
        };
        let along = |values: &[f64], own: Vec<f64>| {
            Range::around(Spacing::Linear, values.iter().copied().chain(own))
        };
        let horizontal = along(&self.around[0], own(|it| it.x));
        let vertical = along(&self.around[1], own(|it| it.y));
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=img aria-label=\"{}: {} by {}\">",
            escaped(&self.title),
            escaped(&self.y_label),
            escaped(&self.x_label)
        );
        self.axes(&mut out, &horizontal, &vertical);
        match &self.marks {
            Marks::Points(points) => {
                for Point { x, y, look, shape, title } in points {
                    let shape = self::shape(
                        *shape,
                        across(&horizontal, *x),
                        up(&vertical, *y),
                        colour(*look),
                    );
                    let _ = write!(out, "<g><title>{}</title>{shape}</g>", escaped(title));
                }
            }
            Marks::Squares { size, squares } => {
                for (left, low, dark) in squares {
                    let (x, y) = (across(&horizontal, *left), up(&vertical, low + size.1));
                    let _ = write!(
                        out,
                        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#0b4a8b\" \
                         fill-opacity=\"{dark:.3}\"/>",
                        across(&horizontal, left + size.0) - x,
                        up(&vertical, *low) - y
                    );
                }
            }
        }
        out + "</svg>"
    }

    fn axes(&self, out: &mut String, horizontal: &Range, vertical: &Range) {
        let bottom = HEIGHT - BOTTOM;
        for (tick, label) in &vertical.ticks {
            let y = up(vertical, *tick);
            let _ = write!(
                out,
                "<path class=grid d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=y x=\"{}\" y=\"{:.1}\">{label}</text>",
                WIDTH - RIGHT,
                LEFT - 7.0,
                y + 4.0
            );
        }
        for (tick, label) in &horizontal.ticks {
            let x = across(horizontal, *tick);
            let _ = write!(
                out,
                "<path class=grid d=\"M{x:.1} {TOP}V{bottom:.1}\"/><text class=x x=\"{x:.1}\" y=\"{}\">{label}</text>",
                bottom + 17.0
            );
        }
        let _ = write!(
            out,
            "<text class=x x=\"{}\" y=\"{}\">{}</text><text class=x transform=\"translate(14 {}) rotate(-90)\">{}</text>",
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 10.0,
            escaped(&self.x_label),
            f64::midpoint(TOP, bottom),
            escaped(&self.y_label)
        );
    }
}

/// Where a value is along x.
fn across(range: &Range, value: f64) -> f64 {
    LEFT + range.place(value) * (WIDTH - LEFT - RIGHT)
}

/// Where a value is along y.
fn up(range: &Range, value: f64) -> f64 {
    HEIGHT - BOTTOM - range.place(value) * (HEIGHT - TOP - BOTTOM)
}

/// A legend of colours and shapes: names in the order of the looks.
pub fn legend_of_points(colours: &[String], shapes: &[String]) -> String {
    let mut out = String::from("<div class=legend>");
    for (look, name) in colours.iter().enumerate() {
        let _ = write!(
            out,
            "<span><svg width=14 height=12 aria-hidden=true><rect width=14 height=12 fill=\"{}\"/></svg>{}</span>",
            colour(look),
            escaped(name)
        );
    }
    for (place, name) in shapes.iter().enumerate() {
        let shape = shape(place, 7.0, 7.0, "#444");
        let _ = write!(
            out,
            "<span><svg width=14 height=14 aria-hidden=true>{shape}</svg>{}</span>",
            escaped(name)
        );
    }
    out + "</div>"
}

/// Eight shapes that are told apart without colour.
fn shape(place: usize, x: f64, y: f64, colour: &str) -> String {
    let path = match place % 8 {
        0 => format!("M{:.1} {y:.1}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x - 4.0),
        1 => format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5),
        2 => format!("M{x:.1} {:.1}l4.5 8h-9z", y - 5.0),
        3 => format!("M{x:.1} {:.1}l5 5-5 5-5-5z", y - 5.0),
        4 => format!("M{:.1} {:.1}l8 8m0-8l-8 8", x - 4.0, y - 4.0),
        5 => format!("M{:.1} {y:.1}h10m-5-5v10", x - 5.0),
        6 => format!("M{x:.1} {:.1}l4.5 -8h-9z", y + 5.0),
        _ => format!("M{:.1} {y:.1}h10", x - 5.0),
    };
    let filled = if matches!(place % 8, 4 | 5 | 7) { "none" } else { colour };
    format!(
        "<path d=\"{path}\" fill=\"{filled}\" fill-opacity=.7 stroke=\"{colour}\" stroke-width=1.6 />"
    )
}
