//! Prices, CO2 intensities and caps as feeds of the service.

use grid_feeds::feed::{
    Accounting, CarbonFeed, Doubt, Factors, FeedError, Fetched, Fetching, Kind, KnownValue,
    PowerCapFeed, PriceFeed, Quality, Quantity, Query, Revision, Role, Series,
};
use grid_feeds::http::Http;
use grid_feeds::schedule::Rhythm;
use planner::agenda::{Agenda, Piece};
use planner::quantity::{Power, Rate};
use planner::time::{Seconds, Span};

use crate::map::{SupplierWord, Unread};
use crate::ven::Ven;

/// Agendas reach at most so far ahead.
const AHEAD: Seconds = Seconds::new(60 * 86_400);

const DAY: Seconds = Seconds::new(86_400);

/// What a source says beside `provider = "openadr"`.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedSettings {
    /// For CO2: `marginal`, as in the standard, or `average`.
    #[serde(default = "marginal")]
    pub accounting: Accounting,
    /// For CO2: `direct` or `lifecycle`.
    #[serde(default)]
    pub factors: Factors,
    /// For caps: what holds where no event limits; unknown unless given.
    pub without_limit_w: Option<f64>,
}

const fn marginal() -> Accounting {
    Accounting::Marginal
}

/// A feed of one quantity.
#[derive(Debug)]
struct Client {
    source: Box<str>,
    ven: Ven,
    http: Http,
    kind: Kind,
    without_limit: Option<Power>,
}

impl Ven {
    /// The feed of `quantity`, named `source`, whose requests `http` counts.
    ///
    /// # Errors
    /// Settings that cannot work.
    pub fn feed(
        &self,
        settings: &FeedSettings,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Role, FeedError> {
        let bad = |message: &str| FeedError::Configuration { message: message.to_owned() };
        let without_limit = settings.without_limit_w.map(|watts| {
            let power = Power::from_watts(watts).filter(|power| *power >= Power::ZERO);
            power.ok_or_else(|| bad("without_limit_w must be a power of 0 W or more"))
        });
        let without_limit = without_limit.transpose()?;
        if without_limit.is_some() && quantity != Quantity::PowerCap {
            return Err(bad("without_limit_w is of power-cap only"));
        }
        let client = |kind| {
            let (source, ven, http) = (source.into(), self.clone(), http.clone());
            Box::new(Client { source, ven, http, kind, without_limit })
        };
        Ok(match quantity {
            Quantity::Price => Role::Price(client(Kind::Price { currency: self.currency() })),
            Quantity::Co2 => {
                let FeedSettings { accounting, factors, .. } = *settings;
                Role::Carbon(client(Kind::Co2 { accounting, factors }))
            }
            Quantity::PowerCap => Role::PowerCap(client(Kind::PowerCap)),
        })
    }

    /// How the server may be asked, unless the site says otherwise.
    pub fn rhythm(&self) -> Rhythm {
        Rhythm {
            poll_every_s: self.settings().poll_every_s,
            poll_awaited_every_s: self.settings().poll_every_s,
            backoff_first_s: 10,
            backoff_longest_s: 600,
            // A secret that was changed at one end only is soon changed at the other.
            refused_s: 60,
            catch_up_s: 5,
            ..Rhythm::default()
        }
    }
}

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let before = self.ven.requests();
        let word = self.ven.events(query.now).await;
        // Other errands of the moment count too, which errs on the side of asking less.
        self.http.note_requests(self.ven.requests().saturating_sub(before));
        let word = word?;
        let notes = word.notes.clone();
        let (pieces, doubt) = self.pieces(word, query);
        let agenda = Agenda::new(pieces).map_err(|error| FeedError::Payload {
            place: "the agenda".to_owned(),
            message: error.to_string(),
        })?;
        if agenda.pieces().is_empty() && doubt.words.is_empty() {
            let message = format!("the program has no {}", self.kind.quantity().word());
            return Err(FeedError::NotPublished { message });
        }
        let series = Series { kind: self.kind, issued_at: None, agenda, notes };
        let (source, zone) = (self.source.clone(), self.ven.settings().program.as_str().into());
        Ok(Fetched::Revision(Box::new(Revision { source, zone, series, doubt, validator: None })))
    }

    fn pieces(&self, word: SupplierWord, query: Query<'_>) -> (Vec<Piece<KnownValue>>, Doubt) {
        // Until a midnight, so that what has no end is no news every minute.
        let end = query.window.end().max(query.now + AHEAD).ceil_to(DAY);
        let Some(window) = Span::new(query.window.start(), end) else {
            return (Vec::new(), Doubt::default());
        };
        match self.kind {
            Kind::Price { .. } => {
                let prices =
                    clipped(&word.price.said, window, Quality::Measured, Rate::as_millionths);
                (prices, doubt(&word.price.unread, &word.price.doubtful, window))
            }
            Kind::Co2 { .. } => {
                let intensities =
                    clipped(&word.co2.said, window, Quality::Forecast, Rate::as_millionths);
                (intensities, doubt(&word.co2.unread, &word.co2.doubtful, window))
            }
            Kind::PowerCap => {
                let cap = word.power_cap;
                let caps = clipped(&cap.said, window, Quality::Measured, Power::as_microwatts);
                (self.filled(caps, window), doubt(&cap.unread, &cap.doubtful, window))
            }
        }
    }

    /// With the cap that holds where no event limits.
    fn filled(&self, caps: Vec<Piece<KnownValue>>, window: Span) -> Vec<Piece<KnownValue>> {
        let Some(power) = self.without_limit else { return caps };
        let value = KnownValue { value: power.as_microwatts(), quality: Quality::Measured };
        let mut all = Vec::with_capacity(2 * caps.len() + 1);
        let mut from = window.start();
        for cap in caps {
            let gap = Span::new(from, cap.span.start());
            all.extend(gap.map(|span| Piece { span, value }));
            from = cap.span.end();
            all.push(cap);
        }
        all.extend(Span::new(from, window.end()).map(|span| Piece { span, value }));
        all
    }
}

/// What of the events cannot be read, in words. What may be at any time is so from a midnight on, so
/// that it is told in the same words all day.
fn doubt(unread: &[Unread], doubtful: &[Span], window: Span) -> Doubt {
    let window = Span::new(window.start().ceil_to(DAY) - DAY, window.end()).unwrap_or(window);
    let spans = doubtful.iter().filter_map(|span| span.intersection(window)).collect();
    Doubt { words: unread.iter().map(ToString::to_string).collect(), spans }
}

fn clipped<V: Copy>(
    agenda: &Agenda<V>,
    window: Span,
    quality: Quality,
    exact: impl Fn(V) -> i64,
) -> Vec<Piece<KnownValue>> {
    let pieces = agenda.pieces().iter().filter_map(|piece| {
        let span = piece.span.intersection(window)?;
        Some(Piece { span, value: KnownValue { value: exact(piece.value), quality } })
    });
    pieces.collect()
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}

impl PowerCapFeed for Client {
    fn power_caps<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
