use planner::quantity::Currency;
use proptest::prelude::*;

use super::*;
use crate::feed::{Accounting, Doubt, Factors, KnownValue, Series};

const EUR: Kind = Kind::Price { currency: Currency::EUR };

fn at(hour: i64) -> Timestamp {
    Timestamp::from_unix_seconds(hour * 3600)
}

fn span(from: i64, until: i64) -> Span {
    Span::new(at(from), at(until)).unwrap()
}

/// Hours and values of a source; `quality` of all of them.
fn revision(source: &str, kind: Kind, quality: Quality, pieces: &[(i64, i64, i64)]) -> Revision {
    let piece = |&(from, until, value): &(i64, i64, i64)| Piece {
        span: span(from, until),
        value: KnownValue { value, quality },
    };
    let agenda = Agenda::new(pieces.iter().map(piece).collect()).unwrap();
    let series = Series { kind, issued_at: Some(at(0)), agenda, notes: Vec::new() };
    let doubt = Doubt::default();
    Revision { source: source.into(), zone: "FR".into(), series, doubt, validator: None }
}

fn link(revisions: &[&Revision], confirmed: i64) -> Link<'static> {
    let held = |revision: &&Revision| KeptRevision {
        // Tests keep their revisions until they end.
        revision: Box::leak(Box::new((*revision).clone())),
        received_at: at(confirmed),
        confirmed_at: at(confirmed),
    };
    Link {
        revisions: revisions.iter().map(held).collect(),
        fresh_for: Seconds::new(6 * 3600),
        usable_for: Seconds::new(48 * 3600),
    }
}

fn chain(kind: Kind, links: Vec<Link<'static>>) -> Chain<'static> {
    Chain::of_sources(kind, links)
}

fn estimates(pieces: &[(i64, i64, i64)]) -> Agenda<Estimate> {
    let piece = |&(from, until, value): &(i64, i64, i64)| Piece {
        span: span(from, until),
        value: Estimate { value, low: value - 5, high: value + 9 },
    };
    Agenda::new(pieces.iter().map(piece).collect()).unwrap()
}

/// Value and origin of each piece.
fn shown(composition: &Composition) -> Vec<(i64, i64, i64, ValueOrigin)> {
    let hour = |instant: Timestamp| instant.as_unix_seconds() / 3600;
    let pieces = composition.agenda.pieces().iter();
    pieces
        .map(|piece| {
            let origin = composition.vintages[piece.value.vintage].origin;
            (hour(piece.span.start()), hour(piece.span.end()), piece.value.value, origin)
        })
        .collect()
}

/// `a` says nothing of hours 22 to 25 any more: what it said before does not count, `b` does where it
/// speaks.
#[test]
fn what_a_source_takes_back_others_may_fill() {
    let before = revision("a", EUR, Quality::Measured, &[(20, 26, 10)]);
    let gone = KnownValue::TAKEN_BACK.value;
    let after = revision("a", EUR, Quality::Measured, &[(21, 22, 11), (22, 25, gone)]);
    let b = revision("b", EUR, Quality::Measured, &[(19, 23, 20)]);
    let chain = chain(EUR, vec![link(&[&after, &before], 19), link(&[&b], 19)]);
    let composition = compose(span(20, 26), at(20), &chain).unwrap();
    let fresh = ValueOrigin::Fresh;
    assert_eq!(
        shown(&composition),
        [(20, 21, 10, fresh), (21, 22, 11, fresh), (22, 23, 20, fresh), (25, 26, 10, fresh)]
    );
    assert_eq!(composition.gaps, [span(23, 25)]);
}

/// At hour 20: `a` is fresh, `b` too but second, `c` was last heard of at hour 0.
#[test]
fn the_first_source_that_has_a_value_counts_then_the_last_good_then_the_contract() {
    let a = revision("a", EUR, Quality::Measured, &[(20, 22, 10), (23, 24, 11)]);
    let b = revision("b", EUR, Quality::Measured, &[(21, 25, 20)]);
    let c = revision("c", EUR, Quality::Measured, &[(20, 27, 30)]);
    let (contract, forecast) = (estimates(&[(20, 28, 40)]), estimates(&[(20, 30, 50)]));
    let mut chain = chain(EUR, vec![link(&[&c], 0), link(&[&a], 19), link(&[&b], 15)]);
    (chain.contract, chain.forecast) = (Some(&contract), Some(&forecast));
    let composition = compose(span(20, 31), at(20), &chain).unwrap();
    let age = Seconds::new(20 * 3600);
    assert_eq!(
        shown(&composition),
        [
            (20, 22, 10, ValueOrigin::Fresh),
            (22, 23, 20, ValueOrigin::Fresh),
            (23, 24, 11, ValueOrigin::Fresh),
            (24, 25, 20, ValueOrigin::Fresh),
            (25, 27, 30, ValueOrigin::LastGood { age }),
            (27, 28, 40, ValueOrigin::Contract),
            (28, 30, 50, ValueOrigin::Forecast),
        ]
    );
    assert_eq!(composition.gaps, [span(30, 31)]);
    assert_eq!(composition.known_until, at(27));
    assert_eq!(composition.prices().unwrap().pieces().len(), 7);
    assert_eq!(composition.intensities(), None);
}

#[test]
fn a_source_not_heard_of_for_too_long_leaves_a_gap() {
    let a = revision("a", EUR, Quality::Measured, &[(90, 99, 10)]);
    let chain = chain(EUR, vec![link(&[&a], 0)]);
    let composition = compose(span(90, 95), at(49), &chain).unwrap();
    assert_eq!(composition.gaps, [span(90, 95)]);
    assert_eq!(composition.known_until, at(90));
    assert!(compose(span(90, 95), at(48), &chain).unwrap().gaps.is_empty());
    assert!(compose(span(90, 95), at(-9), &chain).unwrap().gaps.is_empty(), "a clock set back");
}

#[test]
fn average_and_marginal_and_two_currencies_do_not_mix() {
    let co2 = |accounting| Kind::Co2 { accounting, factors: Factors::Direct };
    let marginal = revision("m", co2(Accounting::Marginal), Quality::Forecast, &[(0, 1, 5)]);
    let error =
        compose(span(0, 1), at(0), &chain(co2(Accounting::Average), vec![link(&[&marginal], 0)]));
    assert_eq!(
        error.unwrap_err().to_string(),
        "source m has marginal direct CO2 in g/kWh, the chain average direct CO2 in g/kWh; they do \
         not mix"
    );
    let pounds = Kind::Price { currency: Currency::parse("GBP").unwrap() };
    let octopus = revision("o", pounds, Quality::Measured, &[(0, 1, 5)]);
    assert!(compose(span(0, 1), at(0), &chain(EUR, vec![link(&[&octopus], 0)])).is_err());
}

#[test]
fn a_newer_revision_counts_and_where_it_is_silent_the_older_one_still_does() {
    let old = revision("a", EUR, Quality::Forecast, &[(0, 10, 1)]);
    let new = revision("a", EUR, Quality::Measured, &[(2, 3, 2), (5, 6, 3)]);
    let composition = compose(span(0, 11), at(0), &chain(EUR, vec![link(&[&new, &old], 0)]));
    let composition = composition.unwrap();
    let values: Vec<i64> =
        composition.agenda.pieces().iter().map(|piece| piece.value.value).collect();
    assert_eq!(values, [1, 2, 1, 3, 1]);
    assert_eq!(composition.gaps, [span(10, 11)]);
    assert_eq!(composition.vintages.len(), 2);
}

#[test]
fn an_unknown_cap_is_the_safe_mode_cap() {
    let known = revision("c", Kind::PowerCap, Quality::Forecast, &[(2, 4, 900)]);
    let mut chain = chain(Kind::PowerCap, vec![link(&[&known], 0)]);
    assert_eq!(compose(span(0, 6), at(0), &chain).unwrap().gaps.len(), 2);
    chain.safe_mode_cap = Some(Power::from_microwatts(100));
    chain.refuse_estimates = true;
    let composition = compose(span(0, 6), at(0), &chain).unwrap();
    assert_eq!(
        shown(&composition),
        [
            (0, 2, 100, ValueOrigin::SafeMode),
            (2, 4, 900, ValueOrigin::Fresh),
            (4, 6, 100, ValueOrigin::SafeMode),
        ]
    );
    assert_eq!(composition.power_caps().unwrap().at(at(1)), Some(Power::from_microwatts(100)));
}

#[test]
fn a_site_may_refuse_estimates() {
    let said = revision("a", EUR, Quality::Estimated, &[(0, 1, 1)]);
    let forecast = estimates(&[(1, 3, 2)]);
    let mut chain = chain(EUR, vec![link(&[&said], 0)]);
    chain.forecast = Some(&forecast);
    assert!(compose(span(0, 3), at(0), &chain).unwrap().gaps.is_empty());
    chain.refuse_estimates = true;
    assert_eq!(compose(span(0, 3), at(0), &chain).unwrap().gaps, [span(0, 3)]);
}

#[test]
fn a_span_names_the_vintages_it_rests_on_and_their_least_quality() {
    let mut a = revision("a", EUR, Quality::Measured, &[(0, 1, 1), (1, 2, 1)]);
    let b = revision("b", EUR, Quality::Forecast, &[(2, 3, 1)]);
    let lesser = |piece: KnownValue| KnownValue { quality: Quality::Estimated, ..piece };
    a.series.agenda = a.series.agenda.map(lesser);
    let composition =
        compose(span(0, 3), at(0), &chain(EUR, vec![link(&[&a], 0), link(&[&b], 0)])).unwrap();
    let basis: Vec<(&str, Quality)> = composition
        .basis(span(1, 3))
        .iter()
        .map(|basis| (&*basis.vintage.source, basis.quality))
        .collect();
    assert_eq!(basis, [("a", Quality::Estimated), ("b", Quality::Forecast)]);
    assert_eq!(composition.basis(span(0, 1)).len(), 1);
}

/// Hours of a day, each perhaps with a value and whether it is an estimate.
fn hours() -> impl Strategy<Value = Vec<Option<(i64, bool)>>> {
    prop::collection::vec(prop::option::of((-9_i64..9, any::<bool>())), 24)
}

fn hourly(source: &str, hours: &[Option<(i64, bool)>]) -> Revision {
    let pieces: Vec<(i64, i64, i64)> = (0..)
        .zip(hours)
        .filter_map(|(hour, value)| value.map(|(value, _)| (hour, hour + 1, value)))
        .collect();
    let mut revision = revision(source, EUR, Quality::Measured, &pieces);
    let estimated: Vec<bool> = hours.iter().flatten().map(|(_, estimated)| *estimated).collect();
    let pieces = revision.series.agenda.pieces().iter().zip(estimated).map(|(piece, estimated)| {
        let quality = if estimated { Quality::Estimated } else { Quality::Measured };
        Piece { span: piece.span, value: KnownValue { quality, ..piece.value } }
    });
    revision.series.agenda = Agenda::new(pieces.collect()).unwrap();
    revision
}

proptest! {
    /// Hour by hour: the first that has a value among the fresh source's new and old revision, the
    /// late source, and the forecast.
    #[test]
    fn each_hour_has_the_value_of_the_first_that_knows_it(
        layers in prop::collection::vec(hours(), 4),
        refuse_estimates in any::<bool>(),
    ) {
        let [new, old, late, forecast] = &layers[..] else { unreachable!() };
        let (a, b, c) = (hourly("a", new), hourly("a", old), hourly("c", late));
        let known = forecast.iter().zip(0..).filter_map(|(hour, at)| Some((at, at + 1, hour.as_ref()?.0)));
        let estimates = estimates(&known.collect::<Vec<_>>());
        let mut chain = chain(EUR, vec![link(&[&c], 0), link(&[&a, &b], 20)]);
        chain.forecast = Some(&estimates);
        chain.refuse_estimates = refuse_estimates;
        let composition = compose(span(0, 24), at(20), &chain).unwrap();
        for hour in 0..24 {
            let said = [new, old, late].into_iter().filter_map(|layer| layer[hour]);
            let mut said = said.filter(|(_, estimated)| !(refuse_estimates && *estimated));
            let ours = forecast[hour].filter(|_| !refuse_estimates);
            let wanted = said.next().or(ours).map(|(value, _)| value);
            let instant = at(i64::try_from(hour).unwrap());
            prop_assert_eq!(composition.agenda.at(instant).map(|sourced| sourced.value), wanted);
            let in_gap = composition.gaps.iter().any(|gap| gap.contains(instant));
            prop_assert_eq!(in_gap, wanted.is_none());
        }
    }
}
