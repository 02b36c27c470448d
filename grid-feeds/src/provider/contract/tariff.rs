//! From a contract to prices over a span.

use std::collections::{BTreeSet, HashSet};

use jiff::civil::{Date, DateTime, Time, Weekday};
use planner::agenda::{Agenda, Piece};
use planner::node::{NAME_RULE, is_name};
use planner::quantity::Currency;
use planner::time::{Seconds, Span};
use rust_decimal::Decimal;

use super::settings::{self, Days, Holidays, Settings};
use crate::feed::{
    Estimate, FeedError, Kind, KnownValue, Quality, Series, decimal, millionths, ratio,
};
use crate::local_time::LocalTime;
use crate::provider::rte_tempo::{Announced, Colour, Colours, is_french_holiday, shares};

pub(super) const ALL_COLOURS: [Colour; 3] = [Colour::Blue, Colour::White, Colour::Red];

/// A contract, checked: every moment has a price on days of each colour.
#[derive(Clone, Debug)]
pub struct Tariff {
    pub(super) time_zone: Box<str>,
    local: LocalTime,
    currency: Currency,
    day_starts_at: Time,
    pub(super) holidays: Holidays,
    pub(super) extra_holidays: HashSet<Date>,
    pub(super) rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) band: Option<Box<str>>,
    pub(super) colour: Option<Colour>,
    days: Option<Days>,
    months: Vec<i8>,
    /// From one time of the clock to another, perhaps past midnight; `None` for all day.
    hours: Option<(Time, Time)>,
    /// Millionths of the currency per MWh, all included.
    price: i64,
}

/// What the rules say of a moment.
enum Fit {
    Price(i64, Quality),
    UnknownColour,
}

/// A part of a day of the contract over which the same rules fit.
struct Part {
    span: Span,
    day: Date,
    time: Time,
}

impl Tariff {
    /// A checked contract.
    ///
    /// # Errors
    /// Names what cannot be read, and the first moment that no rule fits.
    pub fn new(settings: &Settings) -> Result<Self, FeedError> {
        let local = LocalTime::named(&settings.time_zone).map_err(FeedError::configuration)?;
        let currency = Currency::parse(&settings.currency)
            .map_err(|error| FeedError::configuration(format!("currency {error}")))?;
        let extra_holidays = settings.extra_holidays.iter().map(|day| {
            let wrong = |_| FeedError::configuration(format!("extra_holidays: {day:?} is no date"));
            day.parse::<Date>().map_err(wrong)
        });
        let rules = settings.rules.iter().enumerate().map(|(index, rule)| {
            Rule::new(rule, settings)
                .map_err(|message| FeedError::configuration(format!("rules[{index}]: {message}")))
        });
        let tariff = Self {
            time_zone: settings.time_zone.as_str().into(),
            local,
            currency,
            day_starts_at: time(&settings.day_starts_at).map_err(FeedError::configuration)?,
            holidays: settings.holidays,
            extra_holidays: extra_holidays.collect::<Result<_, _>>()?,
            rules: rules.collect::<Result<_, _>>()?,
        };
        tariff.check()?;
        Ok(tariff)
    }

    /// The kind of its agendas.
    pub const fn kind(&self) -> Kind {
        Kind::Price { currency: self.currency }
    }

    /// Whether prices depend on colours.
    pub fn has_colours(&self) -> bool {
        self.rules.iter().any(|rule| rule.colour.is_some())
    }

    /// The prices over `window`; what depends on a colour that is not known is a gap.
    ///
    /// # Errors
    /// Only beyond the calendar.
    pub fn prices(&self, window: Span, colours: &Colours) -> Result<Series, FeedError> {
        let mut unknown = BTreeSet::new();
        let mut pieces = Vec::new();
        for part in self.parts(window)? {
            match self.fit(&part, colours.get(&part.day).copied()) {
                Some(Fit::Price(value, quality)) => {
                    pieces.push(Piece { span: part.span, value: KnownValue { value, quality } });
                }
                Some(Fit::UnknownColour) | None => {
                    unknown.insert(part.day);
                }
            }
        }
        let note =
            unknown.first().map(|day| format!("no colour of {} days from {day}", unknown.len()));
        let agenda =
            Agenda::new(pieces).map_err(|error| FeedError::payload("the contract", error))?;
        Ok(Series { kind: self.kind(), issued_at: None, agenda, notes: note.into_iter().collect() })
    }

    /// What prices can be expected over `window` without knowing any colour: the mean over the
    /// colours that may fall on a day, as often as a season has them, between the least and the
    /// most of these.
    ///
    /// # Errors
    /// Only beyond the calendar.
    pub fn expected(&self, window: Span) -> Result<Agenda<Estimate>, FeedError> {
        let mut pieces = Vec::new();
        for part in self.parts(window)? {
            let priced: Vec<(i64, i64)> = shares(part.day)
                .into_iter()
                .filter_map(|share| {
                    let known = Announced { colour: share.colour, quality: Quality::Measured };
                    match self.fit(&part, Some(known)) {
                        Some(Fit::Price(price, _)) => Some((share.weight, price)),
                        _ => None,
                    }
                })
                .collect();
            let weights: i128 = priced.iter().map(|&(weight, _)| i128::from(weight)).sum();
            let sum = priced.iter().map(|&(weight, price)| i128::from(weight) * i128::from(price));
            let all = || priced.iter().map(|&(_, price)| price);
            if let (Some(value), Some(low), Some(high)) =
                (ratio(sum.sum(), weights), all().min(), all().max())
            {
                pieces.push(Piece { span: part.span, value: Estimate { value, low, high } });
            }
        }
        Agenda::new(pieces).map_err(|error| FeedError::payload("the contract", error))
    }

    /// The parts of the days that touch `window`, in time order.
    fn parts(&self, window: Span) -> Result<Vec<Part>, FeedError> {
        let date = |instant| self.local.date(instant).map_err(FeedError::calendar);
        let last = date(window.end() - Seconds::ONE)?;
        let mut day = date(window.start())?.yesterday().map_err(FeedError::calendar)?;
        let mut parts = Vec::new();
        while day <= last {
            let edges = self.edges(day).map_err(FeedError::calendar)?;
            for (&from, &to) in edges.iter().zip(edges.iter().skip(1)) {
                let instant = |local| self.local.civil_instant(local).map_err(FeedError::calendar);
                // A part that the clock leaps over has no span.
                let span = Span::new(instant(from)?, instant(to)?);
                if let Some(span) = span.and_then(|span| span.intersection(window)) {
                    parts.push(Part { span, day, time: from.time() });
                }
            }
            day = day.tomorrow().map_err(FeedError::calendar)?;
        }
        Ok(parts)
    }

    /// When the rules change during a day of the contract, its ends included.
    pub(super) fn edges(&self, day: Date) -> Result<BTreeSet<DateTime>, jiff::Error> {
        let (start, next) = (day.to_datetime(self.day_starts_at), day.tomorrow()?);
        let times =
            self.rules.iter().filter_map(|rule| rule.hours).flat_map(|(from, to)| [from, to]);
        let edge = |time| Some(day.to_datetime(time)).filter(|edge| *edge >= start);
        let mut edges: BTreeSet<DateTime> =
            times.map(|time| edge(time).unwrap_or_else(|| next.to_datetime(time))).collect();
        edges.extend([start, next.to_datetime(self.day_starts_at)]);
        Ok(edges)
    }

    fn fit(&self, part: &Part, colour: Option<Announced>) -> Option<Fit> {
        let days = self.days(part.day);
        self.first_fit(part.day.month(), days, part.time, colour)
    }

    fn first_fit(
        &self,
        month: i8,
        days: Days,
        time: Time,
        colour: Option<Announced>,
    ) -> Option<Fit> {
        let mut fitting = self.rules.iter().filter(|rule| rule.fits(month, days, time));
        let mut quality = Quality::Measured;
        let rule = fitting.find(|rule| match (rule.colour, colour) {
            (None, _) | (Some(_), None) => true,
            (Some(wanted), Some(announced)) => {
                quality = quality.min(announced.quality);
                wanted == announced.colour
            }
        })?;
        match (rule.colour, colour) {
            (Some(_), None) => Some(Fit::UnknownColour),
            _ => Some(Fit::Price(rule.price, quality)),
        }
    }

    fn days(&self, day: Date) -> Days {
        let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
        let legal = self.holidays == Holidays::France && is_french_holiday(day);
        let free = weekend || legal || self.extra_holidays.contains(&day);
        if free { Days::Free } else { Days::Working }
    }

    /// Every moment of every kind of day must have a price.
    fn check(&self) -> Result<(), FeedError> {
        let times =
            self.rules.iter().filter_map(|rule| rule.hours).flat_map(|(from, to)| [from, to]);
        let times: BTreeSet<Time> = times.chain([self.day_starts_at]).collect();
        for month in 1..=12 {
            for days in [Days::Working, Days::Free] {
                for (&time, colour) in
                    times.iter().flat_map(|time| ALL_COLOURS.map(|colour| (time, colour)))
                {
                    let known = Announced { colour, quality: Quality::Measured };
                    if self.first_fit(month, days, time, Some(known)).is_none() {
                        return Err(FeedError::configuration(format!(
                            "no rule fits {colour:?} {days:?} days of month {month} at {time}"
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Rule {
    fn new(rule: &settings::Rule, contract: &Settings) -> Result<Self, String> {
        let hours = match (&rule.from, &rule.to) {
            (Some(from), Some(to)) => Some((time(from)?, time(to)?)),
            (None, None) => None,
            _ => return Err("from and to go together".to_owned()),
        };
        if let Some(month) = rule.months.iter().find(|month| !(1..=12).contains(*month)) {
            return Err(format!("month {month} is not between 1 and 12"));
        }
        let number = |text: &str| decimal(text).ok_or_else(|| format!("{text:?} is not a number"));
        let network = rule.network_per_mwh.as_ref().unwrap_or(&contract.network_per_mwh);
        let parts = [&rule.energy_per_mwh, network, &contract.taxes_per_mwh];
        let mut sum = Decimal::ZERO;
        for part in parts {
            sum = sum.checked_add(number(part)?).ok_or("the price is too large")?;
        }
        let vat = number(&contract.vat_percent)?;
        let factor = vat.checked_add(Decimal::ONE_HUNDRED).ok_or("the tax is too large")?;
        let price = millionths(sum, factor / Decimal::ONE_HUNDRED)
            .filter(|&price| Kind::Price { currency: Currency::EUR }.admits(price))
            .ok_or("the price is beyond 1e6 per MWh")?;
        let (colour, days, months) = (rule.colour, rule.days, rule.months.clone());
        let band = rule.band.as_deref().map(Box::from);
        if band.as_deref().is_some_and(|band: &str| !is_name(band)) {
            return Err(format!("band {NAME_RULE}"));
        }
        Ok(Self { band, colour, days, months, hours, price })
    }

    /// Whether all but the colour fits.
    pub(super) fn fits(&self, month: i8, days: Days, time: Time) -> bool {
        let in_hours = self.hours.is_none_or(|(from, to)| {
            if from < to { from <= time && time < to } else { from <= time || time < to }
        });
        in_hours
            && self.days.is_none_or(|wanted| wanted == days)
            && (self.months.is_empty() || self.months.contains(&month))
    }
}

fn time(text: &str) -> Result<Time, String> {
    let shape = text.len() == 5 && text.as_bytes()[2] == b':';
    let time = text.parse::<Time>().ok().filter(|_| shape);
    time.ok_or_else(|| format!("{text:?} is no time such as 06:00"))
}
