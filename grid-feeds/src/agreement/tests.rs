use planner::agenda::Piece;
use planner::quantity::Currency;
use proptest::prelude::*;

use super::*;
use crate::compose::{KeptRevision, Link, Precedence, compose};
use crate::feed::{Accounting, Doubt, Factors, Kind, Quality, Revision, Series};

const EUR: Kind = Kind::Price { currency: Currency::EUR };
const CO2: Kind = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };

/// Instants are half-hours, so that agreement for one of them is less than an hour.
fn at(half_hour: i64) -> Timestamp {
    Timestamp::from_unix_seconds(half_hour * 1800)
}

fn span(from: i64, until: i64) -> Span {
    Span::new(at(from), at(until)).unwrap()
}

fn agenda(pieces: &[(i64, i64, i64)], quality: Quality) -> Agenda<KnownValue> {
    let piece = |&(from, until, value): &(i64, i64, i64)| Piece {
        span: span(from, until),
        value: KnownValue { value: value * ONE, quality },
    };
    Agenda::new(pieces.iter().map(piece).collect()).unwrap()
}

fn measured(source: &str, pieces: &[(i64, i64, i64)]) -> SourceAgenda {
    SourceAgenda { source: source.into(), agenda: agenda(pieces, Quality::Measured) }
}

/// A chain of these sources, all of them fresh.
fn chain(kind: Kind, sources: &[SourceAgenda]) -> Chain<'static> {
    let link = |said: &SourceAgenda| {
        let agenda = said.agenda.clone();
        let series = Series { kind, issued_at: None, agenda, notes: Vec::new() };
        let (source, doubt) = (said.source.clone(), Doubt::default());
        let revision = Revision { source, zone: "FR".into(), series, doubt, validator: None };
        // Tests keep their revisions until they end.
        let revision = Box::leak(Box::new(revision));
        let kept = KeptRevision { revision, received_at: at(0), confirmed_at: at(0) };
        let day = Seconds::new(86_400);
        Link { revisions: vec![kept], fresh_for: day, usable_for: day }
    };
    Chain::of_sources(kind, sources.iter().map(link).collect())
}

/// Where sources disagree, by the order of the chain: from, until and for how long, in half-hours.
fn found(kind: Kind, sources: &[SourceAgenda], tolerance: AgreementTolerance) -> Vec<Disagreement> {
    let chain = chain(kind, sources);
    let composition = compose(span(0, 2000), at(0), &chain).unwrap();
    let fresh = said_by_fresh(span(0, 2000), at(0), &chain).unwrap();
    disagreements(&fresh, &usual_ratios(&fresh), &tolerance, &composition, is_put).unwrap()
}

fn is_put(source: &str) -> bool {
    source.starts_with("api/")
}

fn spans(found: &[Disagreement]) -> Vec<(Span, i64)> {
    found.iter().map(|it| (it.span, it.apart_for.get() / 1800)).collect()
}

fn of(source: &str, value: i64) -> SourceValue {
    SourceValue { source: source.into(), value: value * ONE }
}

/// The hour costs 50; its halves 40 and 60, whose mean is 50, and later 40 and 64, whose mean is 52.
#[test]
fn an_hour_agrees_with_its_halves_where_it_is_their_mean() {
    let hours = measured("a", &[(0, 2, 50), (2, 4, 50), (4, 6, 50)]);
    let halves =
        measured("b", &[(0, 1, 40), (1, 2, 60), (2, 3, 40), (3, 4, 64), (4, 5, 50), (5, 6, 50)]);
    let tolerance = AgreementTolerance::usual(Quantity::Price);
    let of_hours = found(EUR, &[hours.clone(), halves.clone()], tolerance);
    assert_eq!(spans(&of_hours), [(span(2, 4), 2)]);
    assert_eq!(of_hours[0].values, [of("a", 50), of("b", 52)]);
    // What is taken is the mean too, which is what was compared.
    let of_halves = found(EUR, &[halves, hours], tolerance);
    assert_eq!(of_halves[0].taken, Some(of("b", 52)));
}

/// They say 50 and 60 from 0 to 8. Whoever put 55 from 3 to 5 settled an hour of it.
#[test]
fn what_people_put_settles_a_disagreement() {
    let tolerance = AgreementTolerance::usual(Quantity::Price);
    let apart = |put: &[(i64, i64, i64)]| {
        let put = measured("api/trader", put);
        let all = [put, measured("a", &[(0, 8, 50)]), measured("b", &[(0, 8, 60)])];
        let mut chain = chain(EUR, &all);
        chain.puts = 1;
        let composition = compose(span(0, 8), at(0), &chain).unwrap();
        let fresh = said_by_fresh(span(0, 8), at(0), &chain).unwrap();
        spans(&disagreements(&fresh, &[], &tolerance, &composition, is_put).unwrap())
    };
    assert_eq!(apart(&[(3, 5, 55)]), [(span(0, 3), 3), (span(5, 8), 3)]);
    assert_eq!(apart(&[(0, 7, 55)]), [(span(7, 8), 1)]);
    assert!(apart(&[(0, 8, 55)]).is_empty());
}

/// At 50 EUR/MWh 2 % are 1: 51 is allowed, 52 is not. At 200 they are 4: 204 is allowed. From 10 to
/// 11 both agree, for half an hour, which is less than an hour.
#[test]
fn prices_of_one_auction_are_equal_but_for_rounding() {
    let a = measured("a", &[(0, 4, 50), (4, 8, 200), (8, 14, 50), (20, 22, 50)]);
    let b = measured(
        "b",
        &[(0, 4, 51), (4, 8, 204), (8, 10, 60), (10, 11, 50), (11, 13, 30), (20, 21, 47)],
    );
    let found = found(EUR, &[a, b], AgreementTolerance::usual(Quantity::Price));
    assert_eq!(spans(&found), [(span(8, 13), 4), (span(20, 21), 1)]);
    assert_eq!(found[0].sources, ["a".into(), "b".into()]);
    assert_eq!(found[0].widest, span(11, 13));
    assert_eq!(found[0].values, [of("a", 50), of("b", 30)]);
    assert_eq!(found[0].taken, Some(of("a", 50)));
}

/// The second source says 1.3 times what the first says, two days long: that is usual. Then 240 in
/// place of 130: as the first source would say it 184.6, which is more than 10 % from 100.
#[test]
fn co2_by_another_method_agrees_until_it_departs_from_its_usual_ratio() {
    let tolerance = AgreementTolerance::usual(Quantity::Co2);
    let a = measured("a", &[(0, 60, 100), (60, 90, 200), (90, 100, 100)]);
    let b = measured("b", &[(0, 60, 130), (60, 90, 260), (90, 94, 240), (94, 100, 130)]);
    let both = [a.clone(), b];
    let ratios: Vec<i64> = usual_ratios(&both).iter().map(|it| it.millionths).collect();
    assert_eq!(ratios, [1_000_000, 1_300_000]);
    assert_eq!(spans(&found(CO2, &both, tolerance)), [(span(90, 94), 4)]);
    let strict = AgreementTolerance { usual_ratio: false, ..tolerance };
    assert_eq!(spans(&found(CO2, &both, strict)), [(span(0, 100), 100)]);
    // Half an hour is too short to be told.
    let short = measured("b", &[(0, 90, 130), (90, 91, 900)]);
    let level = measured("a", &[(0, 100, 100)]);
    assert_eq!(found(CO2, &[level, short], tolerance), []);
    // Ten times as much is no method.
    let grams = measured("b", &[(0, 100, 1000)]);
    assert_eq!(usual_ratios(&[a, grams])[1].millionths, ONE);
}

/// Of less than a day together nothing is usual: `b` is compared with nobody, `c` with `a`. By the same
/// method they would be 20 apart, where 10 are allowed.
#[test]
fn a_ratio_is_usual_after_a_day_and_before_it_nothing_is_compared() {
    let both = |until: i64| [measured("a", &[(0, 60, 100)]), measured("b", &[(0, until, 120)])];
    let ratio = |until: i64| usual_ratios(&both(until)).get(1).map(|it| it.millionths);
    assert_eq!((ratio(47), ratio(48)), (None, Some(1_200_000)));
    let tolerance = AgreementTolerance::usual(Quantity::Co2);
    let strict = AgreementTolerance { usual_ratio: false, ..tolerance };
    assert_eq!(found(CO2, &both(47), tolerance), []);
    assert_eq!(spans(&found(CO2, &both(47), strict)), [(span(0, 47), 47)]);
    let [a, b] = both(47);
    let c = measured("c", &[(0, 56, 100), (56, 60, 150)]);
    let found = found(CO2, &[a, b, c], tolerance);
    assert_eq!(spans(&found), [(span(56, 60), 4)]);
    assert_eq!(found[0].sources, ["a".into(), "c".into()]);
}

#[test]
fn a_forecast_that_did_not_come_true_is_no_disagreement() {
    let forecast = |source: &str, value: i64| SourceAgenda {
        source: source.into(),
        agenda: agenda(&[(0, 4, value)], Quality::Forecast),
    };
    let tolerance = AgreementTolerance::usual(Quantity::Price);
    let a = measured("a", &[(0, 2, 50)]);
    let sources = [a, forecast("b", 90), forecast("c", 50)];
    // From 2 on there are two forecasts.
    let found = found(EUR, &sources, tolerance);
    assert_eq!(spans(&found), [(span(2, 4), 2)]);
    assert_eq!(found[0].values, [of("b", 90), of("c", 50)]);
}

/// Of three the middle, of four the dearer of the two in the middle, of two the first; what people
/// put counts before all, and caps go by the order.
#[test]
fn the_median_of_three_outvotes_the_first_source() {
    let a = measured("a", &[(0, 4, 90), (6, 8, 90)]);
    let b = measured("b", &[(0, 6, 50)]);
    let c = measured("c", &[(0, 8, 40)]);
    let d = measured("d", &[(2, 4, 60)]);
    let shown = |chain: &Chain<'_>| -> Vec<(i64, i64, i64, String)> {
        let composition = compose(span(0, 8), at(0), chain).unwrap();
        let half_hour = |instant: Timestamp| instant.as_unix_seconds() / 1800;
        let pieces = composition.agenda.pieces().iter();
        pieces
            .map(|piece| {
                let source = composition.vintages[piece.value.vintage].source.to_string();
                let (start, end) = (half_hour(piece.span.start()), half_hour(piece.span.end()));
                (start, end, piece.value.value / ONE, source)
            })
            .collect()
    };
    let piece =
        |start: i64, end: i64, value: i64, source: &str| (start, end, value, source.to_owned());
    let all = [a, b, c, d];
    let mut by_median = chain(EUR, &all);
    by_median.precedence = Precedence::Median;
    // From 2 to 4 they say 40, 50, 60 and 90.
    let expected =
        [piece(0, 2, 50, "b"), piece(2, 4, 60, "d"), piece(4, 6, 50, "b"), piece(6, 8, 90, "a")];
    assert_eq!(shown(&by_median), expected);
    let put = measured("api/trader", &[(1, 3, 7)]);
    let with_put: Vec<SourceAgenda> = [put].into_iter().chain(all.clone()).collect();
    let mut by_median = chain(EUR, &with_put);
    (by_median.precedence, by_median.puts) = (Precedence::Median, 1);
    let expected = [
        piece(0, 1, 50, "b"),
        piece(1, 3, 7, "api/trader"),
        piece(3, 4, 60, "d"),
        piece(4, 6, 50, "b"),
        piece(6, 8, 90, "a"),
    ];
    assert_eq!(shown(&by_median), expected);
    let fresh = said_by_fresh(span(0, 8), at(0), &by_median).unwrap();
    assert_eq!(fresh, all, "what is put is compared with nothing");
    let mut caps = chain(Kind::PowerCap, &all);
    caps.precedence = Precedence::Median;
    assert_eq!(shown(&caps)[0], piece(0, 4, 90, "a"));
}

/// When a revision came, how well it knows its values, and these.
type Said<'a> = (i64, Quality, &'a [(i64, i64, i64)]);

/// What is known of a source whose revisions came at these half-hours, the newest first.
fn recollection(source: &str, revisions: &[Said<'_>]) -> SourceRecollection {
    let mut recollection = SourceRecollection::new(source, span(0, 48));
    for (received, quality, pieces) in revisions {
        recollection.add_older(&agenda(pieces, *quality), at(*received));
    }
    recollection
}

/// What came true is 100 from 0 to 20, as `a` measured it afterwards. `b` expected 90 until 10 and
/// corrected what was left to 98 at 10; `c` said 130 all along. `a` had said nothing ahead, so that its
/// first word counts: 110 at 22, corrected to 100 at 24.
///
/// Errors over 20 half-hours: of `a` 10; of `b` -10 and -2, so -6 in the mean; of `c` 30. `b` and `c`
/// only expected what `a` measured, so that the three never disagreed. Without `a`, what `b` measures
/// at 40 is true: 100 as well. Both disagreed all the time, and `b` was nearer.
#[test]
fn each_source_is_judged_by_what_it_had_said_when_the_time_came() {
    use Quality::{Forecast, Measured};
    let tolerance =
        AgreementTolerance { least: Seconds::ONE, ..AgreementTolerance::usual(Quantity::Co2) };
    let a =
        || recollection("a", &[(24, Measured, &[(0, 20, 100)]), (22, Measured, &[(0, 20, 110)])]);
    let b = || {
        let expected: [Said<'_>; 3] = [
            (40, Measured, &[(0, 20, 100)]),
            (10, Forecast, &[(10, 20, 98)]),
            (-5, Forecast, &[(0, 20, 90)]),
        ];
        recollection("b", &expected)
    };
    let c = || recollection("c", &[(-5, Forecast, &[(0, 30, 130)])]);
    let report = judged(span(0, 48), vec![a(), b(), c()], &tolerance).unwrap();
    assert_eq!((report.judged, report.disagreements), (Seconds::new(20 * 1800), 0));
    let errors: Vec<_> =
        report.sources.iter().map(|it| (it.bias.unwrap(), it.mean_error.unwrap())).collect();
    assert_eq!(errors, [(10 * ONE, 10 * ONE), (-6 * ONE, 6 * ONE), (30 * ONE, 30 * ONE)]);
    let referee: Vec<i64> = report.sources.iter().map(|it| it.referee.get() / 1800).collect();
    assert_eq!(referee, [20, 0, 0]);

    let report = judged(span(0, 48), vec![b(), c()], &tolerance).unwrap();
    assert_eq!((report.disagreements, report.apart), (1, Seconds::new(20 * 1800)));
    let counts: Vec<_> =
        report.sources.iter().map(|it| (it.disagreements, it.nearest, it.apart_error)).collect();
    assert_eq!(counts, [(1, 1, Some(6 * ONE)), (1, 0, Some(30 * ONE))]);

    let report = judged(span(0, 48), vec![c()], &tolerance).unwrap();
    assert_eq!((report.judged, report.sources[0].mean_error), (Seconds::new(0), None));
}

/// `b` took 50 back before the time came: its first word afterwards counts.
#[test]
fn what_was_taken_back_was_not_said() {
    let mut b = SourceRecollection::new("b", span(0, 48));
    b.add_older(&agenda(&[(4, 6, 70)], Quality::Measured), at(9));
    b.add_older(&Agenda::constant(span(2, 6), KnownValue::TAKEN_BACK), at(1));
    b.add_older(&agenda(&[(0, 6, 50)], Quality::Measured), at(0));
    let (said, now) = b.into_said().unwrap();
    let values = |agenda: &Agenda<KnownValue>| {
        (0..6).map(|it| Some(agenda.at(at(it))?.value / ONE)).collect::<Vec<Option<i64>>>()
    };
    assert_eq!(values(&said.agenda), [Some(50), Some(50), None, None, Some(70), Some(70)]);
    assert_eq!(values(&now), [Some(50), Some(50), None, None, Some(70), Some(70)]);
}

const CELLS: usize = 24;
const END: i64 = 24;

/// A half-hour, perhaps with a value.
type Cell = Option<(i64, Quality)>;

fn quality() -> impl Strategy<Value = Quality> {
    prop::sample::select(vec![Quality::Estimated, Quality::Forecast, Quality::Measured])
}

fn cells() -> impl Strategy<Value = Vec<Cell>> {
    prop::collection::vec(prop::option::weighted(0.8, (-9_i64..9, quality())), CELLS)
}

fn of_cells(cells: &[Cell]) -> Agenda<KnownValue> {
    let pieces = (0..).zip(cells).filter_map(|(cell, value)| {
        let (value, quality) = (*value)?;
        Some(Piece { span: span(cell, cell + 1), value: KnownValue { value, quality } })
    });
    Agenda::new(pieces.collect()).unwrap()
}

/// The values of the best quality in a cell, three for one where the ratio of a source is 3.
fn compared(cell: usize, sources: &[Vec<Cell>], triples: bool) -> Vec<i64> {
    let best = sources.iter().filter_map(|it| it[cell]).map(|(_, quality)| quality).max();
    let of_best = |(index, cells): (usize, &Vec<Cell>)| {
        let (value, quality) = cells[cell]?;
        let value = if triples && index == 0 { value } else { 3 * value };
        (Some(quality) == best).then_some(value)
    };
    sources.iter().enumerate().filter_map(of_best).collect()
}

/// From and until, in cells, and how many of them lie apart: cells that lie apart belong together
/// where at most one lies between them.
fn plain_runs(apart: &[bool], least: i64) -> Vec<(i64, i64, i64)> {
    let mut runs: Vec<(i64, i64, i64)> = Vec::new();
    for (cell, _) in (0..).zip(apart).filter(|(_, apart)| **apart) {
        match runs.last_mut() {
            Some((_, until, count)) if cell - *until <= 1 => {
                (*until, *count) = (cell + 1, *count + 1);
            }
            _ => runs.push((cell, cell + 1, 1)),
        }
    }
    runs.retain(|(_, _, count)| *count >= least);
    runs
}

/// What was said last at or before each cell came, else first after it, and what is said now; cell by
/// cell. Revisions are received at the beginning of a cell.
fn plain_recollection(cell: i64, revisions: &[(i64, Vec<Cell>)]) -> (Cell, Cell) {
    let index = usize::try_from(cell).unwrap();
    let speaks = |it: &&(i64, Vec<Cell>)| it.1[index].is_some();
    let in_time = revisions.iter().filter(|it| it.0 <= cell).rfind(speaks);
    let afterwards = revisions.iter().filter(|it| it.0 > cell).find(speaks);
    let said = in_time.or(afterwards).and_then(|it| it.1[index]);
    let now = revisions.iter().rev().find(speaks).and_then(|it| it.1[index]);
    (said, now)
}

proptest! {
    /// In thirds, so that a source with the ratio 3 has whole values: the first source's ratio to the
    /// others is 1, theirs is 1 or 3.
    #[test]
    fn disagreements_are_those_of_half_hours_that_are_looked_at_one_by_one(
        sources in prop::collection::vec(cells(), 1..5),
        absolute in 1_i64..12,
        percent in 0_i64..150,
        least in 1_i64..4,
        triples in any::<bool>(),
    ) {
        let tolerance = AgreementTolerance {
            absolute: 3 * absolute,
            relative: percent * 10_000,
            least: Seconds::new(least * 1800),
            usual_ratio: true,
        };
        let thirds = |(index, cells): (usize, &Vec<Cell>)| {
            let source: Box<str> = index.to_string().into();
            // What is compared is the value less the ratio: 9 v / 3 = 3 v, and 3 v / 1.
            let factor = match (triples, index) {
                (true, 0) => 1,
                (true, _) => 9,
                (false, _) => 3,
            };
            let agenda = of_cells(cells).map(|it| KnownValue { value: it.value * factor, ..it });
            let millionths = if triples && index > 0 { 3 * ONE } else { ONE };
            (SourceAgenda { source: source.clone(), agenda }, UsualRatio { source, millionths })
        };
        let (said, ratios): (Vec<_>, Vec<_>) = sources.iter().enumerate().map(thirds).unzip();
        let composition = compose(span(0, END), at(0), &chain(EUR, &said)).unwrap();
        let found = disagreements(&said, &ratios, &tolerance, &composition, is_put).unwrap();
        let apart: Vec<bool> = (0..CELLS)
            .map(|cell| {
                let mut values = compared(cell, &sources, triples);
                values.sort_unstable();
                let Some((lowest, highest)) = values.first().zip(values.last()) else { return false };
                let middle = values[(values.len() - 1) / 2].abs();
                let apart = highest - lowest;
                apart > 3 * absolute && 100 * apart > percent * middle
            })
            .collect();
        let spans: Vec<(Span, i64)> = spans(&found);
        let expected: Vec<(Span, i64)> = plain_runs(&apart, least)
            .into_iter()
            .map(|(from, until, count)| (span(from, until), count))
            .collect();
        prop_assert_eq!(spans, expected);
        for it in &found {
            let said = composition.agenda.at(it.widest.start()).map(|sourced| sourced.value);
            prop_assert_eq!(it.taken.as_ref().map(|taken| taken.value), said);
            prop_assert!(it.values.len() >= 2 && it.span.intersection(it.widest) == Some(it.widest));
        }
    }

    #[test]
    fn errors_are_those_of_half_hours_that_are_looked_at_one_by_one(
        sources in prop::collection::vec(
            prop::collection::vec((-2_i64..END + 4, cells()), 0..5),
            1..4,
        ),
    ) {
        let tolerance =
            AgreementTolerance { absolute: 4, relative: 0, least: Seconds::ONE, usual_ratio: false };
        let mut sources = sources;
        let mut recollections = Vec::new();
        for (index, revisions) in sources.iter_mut().enumerate() {
            revisions.sort_by_key(|(received, _)| *received);
            let mut recollection = SourceRecollection::new(&index.to_string(), span(0, END));
            for (received, cells) in revisions.iter().rev() {
                recollection.add_older(&of_cells(cells), at(*received));
            }
            recollections.push(recollection);
        }
        let report = judged(span(0, END), recollections, &tolerance).unwrap();
        let mut errors: Vec<Vec<i64>> = vec![Vec::new(); sources.len()];
        let (mut count, mut apart) = (0, 0);
        for cell in 0..END {
            let known: Vec<_> = sources.iter().map(|it| plain_recollection(cell, it)).collect();
            let measured = |now: Cell| now.filter(|it| it.1 == Quality::Measured);
            let truth = known.iter().find_map(|(_, now)| measured(*now));
            let said: Vec<_> = known.iter().map(|(said, _)| *said).collect();
            let Some((truth, _)) = truth.filter(|_| said.iter().flatten().count() > 1) else {
                continue;
            };
            count += 1;
            for (errors, said) in errors.iter_mut().zip(&said) {
                errors.extend(said.map(|(value, _)| value - truth));
            }
            let best = said.iter().flatten().map(|it| it.1).max();
            let best = said.iter().flatten().filter(|it| Some(it.1) == best).map(|it| it.0);
            let (lowest, highest) = (best.clone().min().unwrap(), best.max().unwrap());
            apart += i64::from(highest - lowest > 4);
        }
        prop_assert_eq!(report.judged.get(), count * 1800);
        prop_assert_eq!(report.apart.get(), apart * 1800);
        for (record, errors) in report.sources.iter().zip(&errors) {
            let cells = i64::try_from(errors.len()).unwrap();
            prop_assert_eq!(record.judged.get(), cells * 1800);
            let absolute: i64 = errors.iter().map(|it| it.abs()).sum();
            prop_assert_eq!(record.mean_error.is_some(), cells > 0);
            // To the nearest integer.
            let off = record.mean_error.map_or(0, |it| (it * cells - absolute).abs() * 2);
            prop_assert!(off <= cells);
            prop_assert!(record.nearest <= record.disagreements);
        }
        let nearest: usize = report.sources.iter().map(|it| it.nearest).sum();
        prop_assert!(nearest >= report.disagreements);
    }
}
