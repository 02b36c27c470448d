//! Charts as inline SVG (lines, bars, boxes by quantiles, points and densities), and what HTML reports need besides: a style sheet, escaped text, numbers and
//! units that people read.
//!
//! Pure: values in, text out. It knows nothing of what it draws, so that every simulator's report uses it.

mod axis;
mod boxes;
mod chart;
pub mod scale;
mod scatter;

pub use axis::Spacing;
pub use boxes::{BoxChart, BoxSeries, Quartiles};
pub use chart::{Chart, Horizontal, Kind, Series};
pub use scatter::{Marks, Point, Scatter, legend_of_points};

/// The style sheet of a report. Reports hold it inside, so that they can be opened offline.
pub const STYLE: &str = include_str!("style.css");

/// `text` for an HTML document: characters with a meaning of their own are escaped.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Okabe and Ito's, which colour-blind readers tell apart.
const COLOURS: [&str; 8] =
    ["#222222", "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"];

/// The colour of a look.
fn colour(look: usize) -> &'static str {
    COLOURS[look % COLOURS.len()]
}
