//! Charts as inline SVG, and what HTML reports need besides: a style sheet, escaped text, numbers and
//! units that people read.
//!
//! Pure: values in, text out. It knows nothing of what it draws, so that every simulator's report uses it.

mod chart;
pub mod scale;

pub use chart::{Chart, Horizontal, Kind, Series};

/// The style sheet of a report. Reports hold it inside, so that they can be opened offline.
pub const STYLE: &str = include_str!("style.css");

/// `text` for an HTML document: characters with a meaning of their own are escaped.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
