//! `disagreement` in `[agendas.<quantity>]`: when it is told that sources disagree, and whose value counts then.

use anyhow::{Context, ensure};
use grid_feeds::agreement::AgreementTolerance;
use grid_feeds::compose::Precedence;
use grid_feeds::feed::Quantity;
use planner::decimal::parse_millionths;
use planner::time::Seconds;
use serde::Deserialize;

/// What the file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DisagreementFields {
    take: Option<PrecedenceWord>,
    absolute: Option<f64>,
    percent: Option<f64>,
    least_s: Option<u32>,
    usual_ratio: Option<bool>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PrecedenceWord {
    Order,
    Median,
}

/// Whose value counts, and how far apart sources may lie.
pub(super) fn read(
    quantity: Quantity,
    fields: Option<&DisagreementFields>,
) -> anyhow::Result<(Precedence, AgreementTolerance)> {
    let mut tolerance = AgreementTolerance::usual(quantity);
    let Some(fields) = fields else { return Ok((Precedence::Order, tolerance)) };
    let precedence = match fields.take {
        None | Some(PrecedenceWord::Order) => Precedence::Order,
        Some(PrecedenceWord::Median) => Precedence::Median,
    };
    ensure!(
        precedence == Precedence::Order || quantity != Quantity::PowerCap,
        "take = \"median\" is not for power-cap: the median of caps may be higher than a cap that a source announced, and a \
         cap must be kept; leave take out, and name the source that binds the site first in chain"
    );
    if let Some(absolute) = fields.absolute {
        tolerance.absolute = millionths(absolute, 1_000_000_000).context("absolute")?;
    }
    if let Some(percent) = fields.percent {
        tolerance.relative = millionths(percent, 1000).context("percent")? / 100;
    }
    if let Some(least_s) = fields.least_s {
        ensure!(least_s <= 86_400, "least_s must be at most 86400");
        tolerance.least = Seconds::new(least_s.into());
    }
    if let Some(usual_ratio) = fields.usual_ratio {
        ensure!(
            quantity == Quantity::Co2 || !usual_ratio,
            "usual_ratio is of co2 only: sources of a price or a cap say the same amount"
        );
        tolerance.usual_ratio = usual_ratio;
    }
    Ok((precedence, tolerance))
}

/// A number from 0 to `most`, exact.
fn millionths(number: f64, most: i64) -> anyhow::Result<i64> {
    let exact = parse_millionths(&number.to_string()).ok();
    let exact = exact.filter(|it| (0..=most * 1_000_000).contains(it));
    exact.with_context(|| format!("must lie between 0 and {most}, with at most six decimals"))
}
