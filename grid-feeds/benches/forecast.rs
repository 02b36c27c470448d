//! How long a forecast of a week takes that learns from 26 weeks, of quarter-hours and of hours: the best and the median of 20.
//!
//! The series is drawn: a day and a week that come again, with noise. What a forecast costs goes by the number of its values alone.
#![expect(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::error::Error;
use std::time::{Duration, Instant};

use grid_feeds::feed::Kind;
use grid_feeds::forecast::Model;
use planner::agenda::{Agenda, Piece};
use planner::quantity::{Currency, MILLION};
use planner::time::{Seconds, Span, Timestamp};

const HOUR_S: i64 = 3600;
const WEEK_S: i64 = 7 * 24 * HOUR_S;
const WEEKS: usize = 26;
const FORECASTS: usize = 20;

/// A price of the `index`th value: higher by day, lower on two days of seven, and so much that looks drawn.
fn price(index: i64, step_s: i64) -> i64 {
    let hour = index * step_s / HOUR_S;
    let by_day = if (7..22).contains(&(hour % 24)) { 40 } else { 0 };
    let by_week = if hour / 24 % 7 < 2 { -20 } else { 0 };
    let mixed = (index + 1).wrapping_mul(6_364_136_223_846_793_005).rotate_left(23);
    (60 + by_day + by_week + mixed.rem_euclid(30)) * MILLION
}

/// The weeks before an instant that a model learns from, and one more day.
fn history(end: Timestamp, days: usize, step_s: i64) -> Result<Agenda<i64>, Box<dyn Error>> {
    let count = i64::try_from(days)? * 24 * HOUR_S / step_s;
    let piece = |index: i64| {
        let start = end - Seconds::new((count - index) * step_s);
        let span = Span::starting(start, Seconds::new(step_s)).ok_or("no span")?;
        Ok(Piece { span, value: price(index, step_s) })
    };
    let pieces = (0..count).map(piece).collect::<Result<_, Box<dyn Error>>>()?;
    Ok(Agenda::new(pieces)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Timestamp::parse("2026-06-07T22:00:00Z")?;
    let week = Span::starting(start, Seconds::new(WEEK_S)).ok_or("no span")?;
    let kind = Kind::Price { currency: Currency::EUR };
    for (name, step_s) in [("quarter-hours", HOUR_S / 4), ("hours", HOUR_S)] {
        let model = Model::new("Europe/Paris", Seconds::new(step_s), WEEKS)?;
        let history = history(start, model.history_days(), step_s)?;
        let mut took: Vec<Duration> = Vec::new();
        for _ in 0..FORECASTS {
            let began = Instant::now();
            let values = model.continuation(kind, &history, week)?.pieces().len();
            took.push(began.elapsed());
            assert_eq!(values, usize::try_from(WEEK_S / step_s)?, "a value for each step");
        }
        took.sort_unstable();
        println!("a week of {name:<13} best {:?}  median {:?}", took[0], took[FORECASTS / 2]);
    }
    Ok(())
}
