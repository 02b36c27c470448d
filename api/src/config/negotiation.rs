//! Settings of the dialogue with the supplier: `[negotiation]`. See `docs/NEGOTIATION.md`.

use anyhow::{Context, ensure};
use grid_feeds::feed::SecretSource;
use grid_feeds::webhook::Webhook;
use planner::dialogue::{QuietRule, YieldOrder};
use planner::quantity::Power;
use planner::time::Seconds;
use planner::tolerance::Tolerance;
use serde::Deserialize;

/// How the site speaks with its supplier.
#[derive(Clone, Debug)]
pub struct Negotiation {
    /// Whether the supplier may be asked for extra power: whether the file has the section.
    pub asks: bool,
    /// Silence is a no after so long.
    pub answer_within: Seconds,
    /// The length of the supplier's intervals, in which power is asked for and told.
    pub interval: Seconds,
    /// Who gives way first where a cap is lowered.
    pub yield_order: YieldOrder,
    /// How far ahead planned consumption is told.
    pub ahead: Seconds,
    /// How often it is told where nothing changes.
    pub tell_every: Seconds,
    /// How long changes are gathered before it is told anew.
    pub debounce: Seconds,
    /// When consumption is low; `None` where that is not told.
    pub quiet: Option<QuietRule>,
    /// What a start that is still possible must save of cost or CO2 before it may be moved.
    pub min_gain: Tolerance,
    /// Whether the supplier is spoken with by OpenADR.
    pub openadr: bool,
    /// Where messages are sent; `None` where the supplier reads them from the API.
    pub webhook: Option<Webhook>,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NegotiationFields {
    answer_within_s: Option<u32>,
    interval_s: Option<u32>,
    yield_order: Option<String>,
    plan_ahead_s: Option<u32>,
    plan_every_s: Option<u32>,
    debounce_s: Option<u32>,
    min_gain: Option<f64>,
    low_consumption: Option<QuietFields>,
    webhook: Option<WebhookFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuietFields {
    below_w: f64,
    notice_s: Option<u32>,
    at_least_s: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookFields {
    url: String,
    secret: SecretSource,
}

impl NegotiationFields {
    /// This section without its webhook, for commands that send nothing.
    #[must_use]
    pub fn without_webhook(self) -> Self {
        Self { webhook: None, ..self }
    }
}

impl Negotiation {
    /// Reads the section; without one nothing is asked, and reservations are judged all the same.
    ///
    /// # Errors
    /// A value out of range, by name.
    pub fn read(fields: Option<NegotiationFields>, openadr: bool) -> anyhow::Result<Self> {
        let asks = fields.is_some();
        let fields = fields.unwrap_or_default();
        ensure!(
            !openadr || fields.webhook.is_none(),
            "messages go one way: either [openadr] or [negotiation.webhook]"
        );
        let seconds = |name: &str, value: Option<u32>, unless: u32, least: u32, most: u32| {
            let value = value.unwrap_or(unless);
            ensure!(
                (least..=most).contains(&value),
                "negotiation.{name} must lie between {least} and {most}"
            );
            Ok(Seconds::new(value.into()))
        };
        let order = fields.yield_order.as_deref();
        let order = order.map_or(Some(YieldOrder::default()), YieldOrder::parse);
        let min_gain = Some(fields.min_gain.unwrap_or(0.05));
        let min_gain = min_gain.filter(|gain| *gain <= 1.0).and_then(Tolerance::new);
        let min_gain = min_gain.context("negotiation.min_gain must lie between 0 and 1")?;
        Ok(Self {
            asks,
            answer_within: seconds("answer_within_s", fields.answer_within_s, 900, 1, 604_800)?,
            interval: seconds("interval_s", fields.interval_s, 900, 1, 86_400)?,
            yield_order: order.context(
                "negotiation.yield_order must be \"latest_confirmed_first\", \
                 \"lowest_priority_first\", \"lowest_standing_first\" or \"largest_draw_first\"",
            )?,
            ahead: seconds("plan_ahead_s", fields.plan_ahead_s, 172_800, 900, 2_678_400)?,
            tell_every: seconds("plan_every_s", fields.plan_every_s, 3600, 10, 86_400)?,
            debounce: seconds("debounce_s", fields.debounce_s, 10, 0, 3600)?,
            quiet: fields.low_consumption.as_ref().map(quiet).transpose()?,
            min_gain,
            openadr,
            webhook: fields.webhook.as_ref().map(webhook).transpose()?,
        })
    }

    /// The way messages take.
    pub const fn carrier(&self) -> &'static str {
        match (self.openadr, self.webhook.is_some()) {
            (true, _) => "openadr",
            (false, true) => "webhook",
            (false, false) => "api",
        }
    }
}

fn quiet(fields: &QuietFields) -> anyhow::Result<QuietRule> {
    let below = Power::from_watts(fields.below_w).filter(|below| *below > Power::ZERO);
    Ok(QuietRule {
        below: below.context("negotiation.low_consumption.below_w must be a power above zero")?,
        notice: Seconds::new(fields.notice_s.unwrap_or(3600).into()),
        at_least: Seconds::new(fields.at_least_s.unwrap_or(3600).into()),
    })
}

fn webhook(fields: &WebhookFields) -> anyhow::Result<Webhook> {
    let secret = fields.secret.read().context("negotiation.webhook")?;
    Webhook::new(&fields.url, secret).context("negotiation.webhook")
}
