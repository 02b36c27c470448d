//! Worked examples: the thesis's machine at flat and at changing prices.

use super::*;
use crate::agenda::{Agenda, Piece, RateAgenda};
use crate::criterion::Criterion;
use crate::node::Node;
use crate::power_states::Transition;
use crate::quantity::{CarbonIntensity, CarbonMass, Currency, Energy, EnergyPrice, MILLION, Money};

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(second)
}

fn span(start: i64, end: i64) -> Span {
    Span::new(at(start), at(end)).unwrap()
}

/// Table 6.1 of the Batsim thesis.
fn thesis() -> Switching {
    let transition =
        |power_w, ms| Transition { power: watts(power_w), time: Duration::from_millis(ms) };
    let sleep = Sleep {
        number: 1,
        off: watts(9.75),
        switching_off: transition(101.0, 6_100),
        switching_on: transition(125.17, 151_520),
    };
    Switching { sleep, boot: sleep.switching_on.time }
}

/// A node of 95 W idle over so many seconds, with prices per MWh and intensities in g/kWh from instants on.
fn problem(until: i64, prices: &[(i64, i64)], intensities: &[(i64, i64)]) -> PowerProblem {
    let node = Node::new(watts(95.0), watts(190.0), None).unwrap();
    let pieces = |values: &[(i64, i64)]| -> Vec<(Span, i64)> {
        let ends = values[1..].iter().map(|it| it.0).chain([until]);
        values.iter().zip(ends).map(|(it, end)| (span(it.0, end), it.1 * MILLION)).collect()
    };
    let price = pieces(prices).into_iter().map(|(span, value)| {
        let value = EnergyPrice::from_millionths_per_mwh(value).unwrap();
        Piece { span, value }
    });
    let co2 = pieces(intensities).into_iter().map(|(span, value)| {
        let value = CarbonIntensity::from_millionths_g_per_kwh(value).unwrap();
        Piece { span, value }
    });
    PowerProblem {
        horizon: span(0, until),
        nodes: Arc::new(Nodes::numbered(vec![node]).unwrap()),
        asleep: NodeSet::new(),
        switching: vec![Some(thesis())],
        reservations: Vec::new(),
        outages: Vec::new(),
        agendas: Agendas {
            price: RateAgenda::new(Agenda::new(price.collect()).unwrap()),
            co2: RateAgenda::new(Agenda::new(co2.collect()).unwrap()),
            power_cap: None,
        },
        cap_scope: CapScope::ReservedNodes,
        rights: vec![Right {
            nodes: NodeSet::from_positions([0]),
            level: RightLevel::Automatic,
            actions: vec![RightAction::Off],
            windows: Vec::new(),
        }],
        keep_warm: Vec::new(),
        unannounced: NodeSet::new(),
        loads: Vec::new(),
        idle_since: BTreeMap::new(),
        most_switches_per_day: None,
        rank_by: RankBy::default(),
        wear: CriteriaAmounts::ZERO,
        failure: (0, CriteriaAmounts::ZERO),
    }
}

fn ranked(criterion: Criterion, problem: PowerProblem) -> PowerPlan {
    let rank_by = RankBy::new(&[criterion]).unwrap();
    plan_power(&PowerProblem { rank_by, ..problem }, &|| false).unwrap()
}

/// 6.1 s x 101 W + 151.52 s x 125.17 W = 616.1 + 18,965.7584 = 19,581.8584 J of switching, where idling draws
/// 95 W x 157.62 s = 14,973.9 J. Each second more saves 85.25 J: 157.62 + 4,607.9584 / 85.25 = 211.67 s. So a gap of 211 s
/// loses 85.25 x 0.672 = 57.27 J, and one of 212 s saves 27.98 J: 85.25 x (212 - 157.62) - 4,607.9584 = 27.9366 J.
#[test]
fn a_gap_breaks_even_after_211_7_seconds() {
    let node = problem(1, &[(0, 50)], &[(0, 50)]).switchable(0).unwrap();
    assert!((node.break_even_s().unwrap() - 211.672).abs() < 0.001);
    let plan = |length| ranked(Criterion::Energy, problem(length, &[(0, 50)], &[(0, 50)]));
    let refused = plan(211);
    assert!(matches!(
        refused.refused[..],
        [RefusedGap { because: Refusal::DoesNotPay { .. }, .. }]
    ));
    let [sleep] = plan(212).sleeps[..] else { panic!("it pays") };
    assert_eq!(sleep.times, SleepTimes { off_ms: 0, wake_ms: 60_480 });
    assert_eq!(sleep.saves.energy_j(), Some(27.9366));
}

/// An hour of 100 g/kWh at 60 per MWh, between two hours at nothing. All three hours: 10,642.38 s asleep save 85.25 W each and
/// switching costs 4,607.9584 J more than idling: 85.25 x 10,642.38 - 4,607.9584 = 902,654.9366 J. In money and CO2 only the
/// hour counts, in which the node is off: 85.25 W x 1 h are 85.25 Wh, 8.525 g and 0.005115 of the currency. Of the sleeps that
/// cost the same the longest is taken.
#[test]
fn criteria_judge_a_gap_each_by_itself() {
    let (prices, intensities) = ([(0, 0), (3600, 60), (7200, 0)], [(0, 0), (3600, 100), (7200, 0)]);
    for criterion in Criterion::ALL {
        let plan = ranked(criterion, problem(10_800, &prices, &intensities));
        let [sleep] = plan.sleeps[..] else { panic!("{criterion:?}: {plan:?}") };
        assert_eq!(sleep.times, SleepTimes { off_ms: 0, wake_ms: 10_800_000 - 151_520 });
        let saves = sleep.saves;
        let expected = (Some(902_654.936_6), Some(0.005_115), Some(8.525));
        assert_eq!((saves.energy_j(), saves.cost(), saves.co2_g()), expected);
    }
}

/// 300 s, of which the first 140 s are at -50 per MWh and the others at 50. Sleeping saves 85.25 x 142.38 - 4,607.9584 =
/// 7,529.9366 J. It costs money: what is not drawn at -50 does not earn, and switching on draws at 50. Switching off and on at
/// once would draw 4,607.9584 J more, of which those at -50 earn 0.00005; a cycle wears the node by 0.0001. So by cost it stays on.
#[test]
fn a_gap_may_pay_in_energy_and_not_in_cost() {
    let cost = Money::from_millionths(100, Currency::EUR);
    let wear = CriteriaAmounts::new(Energy::default(), cost, CarbonMass::from_exact(0));
    let negative = || PowerProblem { wear, ..problem(300, &[(0, -50), (140, 50)], &[(0, 50)]) };
    let by_energy = ranked(Criterion::Energy, negative());
    assert_eq!(by_energy.total().energy_j(), Some(7_529.936_6));
    assert!(by_energy.total().cost().unwrap() < 0.0);
    let by_cost = ranked(Criterion::Cost, negative());
    let [RefusedGap { because, .. }] = &by_cost.refused[..] else { panic!("{by_cost:?}") };
    let told = because.to_string();
    assert!(told.starts_with("sleeping does not pay: at best it costs 0.0000"), "{told}");
}

/// A price that is known for the first hour of two: by cost the node is up again when the hour ends, though it is free for
/// longer; by energy it sleeps on, and what that saves in money is not known.
#[test]
fn nobody_sleeps_into_what_is_not_known() {
    let price = |end| {
        EnergyPrice::from_millionths_per_mwh(50 * MILLION)
            .map(|value| Piece { span: span(0, end), value })
    };
    let agenda = |pieces: Vec<_>| RateAgenda::new(Agenda::new(pieces).unwrap());
    let mut unknown = problem(7200, &[(0, 50)], &[(0, 50)]);
    unknown.agendas.price = agenda(vec![price(3600).unwrap()]);
    let by_cost = ranked(Criterion::Cost, unknown.clone());
    assert_eq!(by_cost.sleeps[0].times.wake_ms, 3_600_000 - 151_520);
    let by_energy = ranked(Criterion::Energy, unknown.clone());
    assert_eq!(by_energy.sleeps[0].times.wake_ms, 7_200_000 - 151_520);
    assert_eq!(by_energy.total().cost(), None);
    unknown.agendas.price = agenda(Vec::new());
    assert_eq!(ranked(Criterion::Cost, unknown).refused[0].because, Refusal::Unknown);
}

/// The node is off, and booked at 600 s. At a flat price it is woken 151.52 s before: 85.25 W x 448.48 s are saved, and switching
/// on draws 30.17 W x 151.52 s = 4,571.3584 J more than idling: 38,232.92 - 4,571.3584 = 33,661.5616 J. At -50 per MWh in the first
/// 300 s it is woken at once: what it then draws more earns, 30,146.3584 J up to 300 s, against the 8,086.5616 J that waking late
/// saves afterwards.
#[test]
fn a_node_that_is_off_is_woken_when_it_is_needed_or_earlier_where_drawing_earns() {
    let asleep = |prices: &[(i64, i64)]| PowerProblem {
        asleep: NodeSet::from_positions([0]),
        rights: Vec::new(),
        reservations: vec![BookedSpan {
            id: "r1".into(),
            span: span(600, 700),
            nodes: NodeSet::from_positions([0]),
        }],
        ..problem(700, prices, &[(0, 50)])
    };
    let waking = |problem| {
        let plan = ranked(Criterion::Cost, problem);
        let [waking] = plan.wakings[..] else { panic!("{plan:?}") };
        (waking.wake_ms, waking.saves.energy_j())
    };
    assert_eq!(waking(asleep(&[(0, 50)])), (Some(448_480), Some(33_661.561_6)));
    assert_eq!(waking(asleep(&[(0, -50), (300, 50)])), (Some(0), Some(-4_571.358_4)));
}

/// With nothing booked for 600 s it stays off: 85.25 W x 600 s = 51,150 J. Where one node is kept warm, it is woken at once.
/// Booked after 100 s, it is woken at once as well, and up 51.52 s too late.
#[test]
fn a_node_that_is_off_is_not_woken_because_the_horizon_ends() {
    let asleep = || PowerProblem {
        asleep: NodeSet::from_positions([0]),
        ..problem(600, &[(0, 50)], &[(0, 50)])
    };
    let waking = |problem| ranked(Criterion::Energy, problem).wakings[0];
    let stays = waking(asleep());
    assert_eq!((stays.wake_ms, stays.saves.energy_j()), (None, Some(51_150.0)));
    let among = NodeSet::from_positions([0]);
    let warm = vec![KeepWarm { name: "all".into(), among: among.clone(), nodes: 1, until: None }];
    assert_eq!(waking(PowerProblem { keep_warm: warm, ..asleep() }).wake_ms, Some(0));
    let booked = vec![BookedSpan { id: "r1".into(), span: span(100, 200), nodes: among }];
    let late = waking(PowerProblem { reservations: booked, ..asleep() });
    assert_eq!((late.wake_ms, late.late_ms), (Some(0), 51_520));
}

/// Jobs arrive on the node unannounced: it idles for 211.672 s, in whole seconds 212 s, and then sleeps for the rest of 1000 s. Where
/// it has idled for 100 s already, it is switched off after 112 s; for longer than its break-even time, at once. In a gap of 400 s it
/// would sleep from 212 s on for 188 s, which does not pay; in one of 360 s there is no time to switch.
#[test]
fn a_node_on_which_jobs_arrive_unannounced_idles_before_it_sleeps() {
    let idle = |until, since: i64| PowerProblem {
        unannounced: NodeSet::from_positions([0]),
        idle_since: BTreeMap::from([(0, at(since))]),
        ..problem(until, &[(0, 50)], &[(0, 50)])
    };
    let off_ms = |since| ranked(Criterion::Energy, idle(1000, since)).sleeps[0].times.off_ms;
    assert_eq!([off_ms(0), off_ms(-100), off_ms(-10_000)], [212_000, 112_000, 0]);
    let because = |until| ranked(Criterion::Energy, idle(until, 0)).refused[0].because.clone();
    assert!(matches!(because(400), Refusal::DoesNotPay { .. }));
    assert_eq!(because(360), Refusal::NotIdleForLong);
}
