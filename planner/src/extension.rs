//! How much longer a reservation can keep its nodes: until others have one of them, one is out of service,
//! the cap leaves no room, or an agenda is not known any more.

use crate::agenda::{Agenda, Agendas};
use crate::book::{Book, Booking};
use crate::criterion::Values;
use crate::headroom::Headroom;
use crate::node_set::NodeSet;
use crate::quantity::{Currency, Power};
use crate::request::MAX_DURATION;
use crate::time::{Span, Timestamp};

/// What stands in the way of a later end, from an instant on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The latest end that it leaves possible.
    pub from: Timestamp,
    /// What it is.
    pub kind: ObstacleKind,
}

/// What stands in the way of a later end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObstacleKind {
    /// Others hold these of its nodes, as ranks of the book's order.
    Reserved(NodeSet),
    /// These of its nodes are out of service, as ranks of the book's order.
    OutOfService(NodeSet),
    /// The cap leaves so much less than its nodes count.
    Power(Power),
    /// The agenda of this word has no value.
    NoValue(&'static str),
    /// No reservation may be longer.
    TooLong,
}

/// A reservation that is to last longer, and what else there is.
pub struct Extending<'a> {
    /// Who holds what, and what is out of service.
    pub book: &'a Book,
    /// What is known of the grid.
    pub agendas: &'a Agendas,
    /// What counts against the cap whatever is reserved.
    pub base_power: Power,
    /// What all others count against the cap.
    pub others: &'a [(Span, Power)],
    /// When the reservation begins.
    pub start: Timestamp,
    /// What it holds in the end.
    pub last: &'a Booking,
}

impl Extending<'_> {
    /// What stands in the way of a later end, the nearest first, at most one of each kind. The end of the
    /// first is the latest end that is possible. `O(bookings + outages + steps of the cap)`, and the ranges
    /// of those that meet.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        let longest = Obstacle { from: self.start + MAX_DURATION, kind: ObstacleKind::TooLong };
        let Some(beyond) = Span::new(self.last.span.end(), longest.from.min(Timestamp::MAX)) else {
            return vec![Obstacle { from: self.last.span.end(), ..longest }];
        };
        let price = no_value(self.agendas.price.agenda(), "price", beyond);
        let co2 = no_value(self.agendas.co2.agenda(), "co2", beyond);
        let all = [self.reserved(beyond), self.out_of_service(beyond), price, co2];
        let mut all: Vec<Obstacle> = all.into_iter().flatten().chain(self.power(beyond)).collect();
        all.push(longest);
        all.sort_by_key(|obstacle| obstacle.from);
        all
    }

    fn reserved(&self, beyond: Span) -> Option<Obstacle> {
        let others = self.book.overlapping(beyond).filter(|it| it.id != self.last.id);
        let (from, ranks) = self.first_of(beyond, others.map(|it| (it.span, &it.ranks)))?;
        Some(Obstacle { from, kind: ObstacleKind::Reserved(ranks) })
    }

    fn out_of_service(&self, beyond: Span) -> Option<Obstacle> {
        let outages = self.book.outages().overlapping(beyond).map(|it| (it.span, &it.ranks));
        let (from, ranks) = self.first_of(beyond, outages)?;
        Some(Obstacle { from, kind: ObstacleKind::OutOfService(ranks) })
    }

    /// The first instant at which some of the nodes are taken, and those that are taken then.
    fn first_of<'b>(
        &self,
        beyond: Span,
        taken: impl Iterator<Item = (Span, &'b NodeSet)>,
    ) -> Option<(Timestamp, NodeSet)> {
        let mut first: Option<(Timestamp, NodeSet)> = None;
        for (span, ranks) in taken.filter(|(_, ranks)| ranks.intersects(&self.last.ranks)) {
            let (from, ranks) =
                (span.start().max(beyond.start()), ranks.intersection(&self.last.ranks));
            first = match first {
                Some((earliest, all)) if earliest == from => Some((from, all.union(&ranks))),
                Some((earliest, all)) if earliest < from => Some((earliest, all)),
                _ => Some((from, ranks)),
            };
        }
        first
    }

    /// Where the cap leaves no room, or is not known any more.
    fn power(&self, beyond: Span) -> Option<Obstacle> {
        let cap = self.agendas.power_cap.as_ref()?;
        let known = cap.first_gap(beyond).map_or(beyond.end(), Span::start);
        let unknown =
            || no_value(cap, "power_cap", beyond).filter(|obstacle| obstacle.from == known);
        let Some(window) = Span::new(beyond.start(), known) else { return unknown() };
        let others = self
            .others
            .iter()
            .filter_map(|(span, power)| Some((span.intersection(window)?, *power)));
        let others: Vec<(Span, Power)> = others.collect();
        let spans = others.iter().map(|(span, _)| *span);
        let mut headroom = Headroom::before_claims(cap, self.base_power, window, spans);
        headroom.take_all(others.iter().copied());
        let counted = self.last.counted();
        let lacking = headroom.steps().iter().find(|(_, left)| *left < counted);
        let lacking = lacking.map(|(step, left)| Obstacle {
            from: step.start(),
            kind: ObstacleKind::Power(counted - *left),
        });
        lacking.or_else(unknown)
    }
}

fn no_value<V: Copy>(agenda: &Agenda<V>, word: &'static str, beyond: Span) -> Option<Obstacle> {
    let gap = agenda.first_gap(beyond)?;
    Some(Obstacle { from: gap.start(), kind: ObstacleKind::NoValue(word) })
}

/// What drawing a power over a span takes, exactly; `None` where an agenda has a gap in it.
pub fn values_of(
    power: Power,
    span: Span,
    agendas: &Agendas,
    currency: Currency,
) -> Option<Values> {
    Some(Values {
        energy: power * span.length(),
        cost: power.times_price(agendas.price.integral(span)?, currency),
        co2: power.times_intensity(agendas.co2.integral(span)?),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::agenda::{Piece, RateAgenda};
    use crate::book::{RankedOutage, RankedOutages};
    use crate::decimal::Fraction;
    use crate::node::{Node, Nodes};
    use crate::order::{NodeOrder, Preference};
    use crate::quantity::{CarbonIntensity, EnergyPrice};

    fn span(start: i64, end: i64) -> Span {
        Span::new(Timestamp::from_unix_seconds(start), Timestamp::from_unix_seconds(end)).unwrap()
    }

    fn watts(watts: f64) -> Power {
        Power::from_watts(watts).unwrap()
    }

    fn ranks(ranks: std::ops::Range<u32>) -> NodeSet {
        NodeSet::from_positions(ranks)
    }

    /// Four nodes that draw 100 W.
    fn order() -> Arc<NodeOrder> {
        let node = Node::new(watts(50.0), watts(100.0), None).unwrap();
        let nodes = Nodes::numbered(vec![node; 4]).unwrap();
        Arc::new(NodeOrder::new(&nodes, Preference::LeastDraw, Fraction::ONE))
    }

    /// 100 per MWh until 200 and 50 until 450; 60 g/kWh until 1000; a cap of 350 W until 200 and of 250 W
    /// until 500.
    fn agendas() -> Agendas {
        let price = |span, value: i64| Piece {
            span,
            value: EnergyPrice::from_millionths_per_mwh(value * 1_000_000).unwrap(),
        };
        let intensity = CarbonIntensity::from_millionths_g_per_kwh(60_000_000).unwrap();
        let prices = vec![price(span(0, 200), 100), price(span(200, 450), 50)];
        let caps = vec![
            Piece { span: span(0, 200), value: watts(350.0) },
            Piece { span: span(200, 500), value: watts(250.0) },
        ];
        Agendas {
            price: RateAgenda::new(Agenda::new(prices).unwrap()),
            co2: RateAgenda::new(Agenda::constant(span(0, 1000), intensity)),
            power_cap: Some(Agenda::new(caps).unwrap()),
        }
    }

    fn obstacles(
        book: &Book,
        agendas: &Agendas,
        others: &[(Span, Power)],
    ) -> Vec<(i64, ObstacleKind)> {
        let last = Booking::new("a".into(), span(0, 100), ranks(0..2), &order());
        let (base_power, start) = (Power::ZERO, last.span.start());
        let extending = Extending { book, agendas, base_power, others, start, last: &last };
        let found = extending.obstacles();
        found.into_iter().map(|it| (it.from.as_unix_seconds(), it.kind)).collect()
    }

    /// Nodes 0 and 1 are held until 100. From 150 on others count 100 W: 250 W of 350 W are left, and 150 W of 250 W
    /// from 200 on, which is 50 W less than the two nodes count. Node 0 is out of service from 250 on, node 1 is
    /// somebody else's from 300 on.
    #[test]
    fn the_nearest_obstacle_comes_first() {
        let booking = |id: &str, span, held| Booking::new(id.into(), span, held, &order());
        let out = RankedOutage { span: span(250, 300), ranks: ranks(0..1) };
        let book = Book::new(order())
            .with([
                booking("a", span(0, 100), ranks(0..2)),
                booking("b", span(300, 400), ranks(1..3)),
                booking("c", span(100, 900), ranks(3..4)),
            ])
            .with_outages(Arc::new(RankedOutages::new(vec![out])));
        let others = [(span(150, 600), watts(100.0))];
        let expected = [
            (200, ObstacleKind::Power(watts(50.0))),
            (250, ObstacleKind::OutOfService(ranks(0..1))),
            (300, ObstacleKind::Reserved(ranks(1..2))),
            (450, ObstacleKind::NoValue("price")),
            (1000, ObstacleKind::NoValue("co2")),
            (100_000_000, ObstacleKind::TooLong),
        ];
        assert_eq!(obstacles(&book, &agendas(), &others), expected);
    }

    /// Alone it may stay until the cap is not known; without one, until the price is not known.
    #[test]
    fn what_is_not_known_is_in_the_way() {
        let book = Book::new(order());
        let capped = agendas();
        let found = obstacles(&book, &capped, &[]);
        assert_eq!(found[0], (450, ObstacleKind::NoValue("price")));
        assert_eq!(found[1], (500, ObstacleKind::NoValue("power_cap")));
        let free = Agendas { power_cap: None, ..capped };
        assert!(obstacles(&book, &free, &[]).iter().all(|(_, it)| *it != found[1].1));
    }

    /// What begins as the reservation ends leaves it no second more.
    #[test]
    fn a_neighbour_that_follows_at_once_leaves_nothing() {
        let next = Booking::new("b".into(), span(100, 200), ranks(0..1), &order());
        let book = Book::new(order()).with([next]);
        let found = obstacles(&book, &agendas(), &[]);
        assert_eq!(found[0], (100, ObstacleKind::Reserved(ranks(0..1))));
    }

    /// 200 W from 100 to 300 are 40 kJ. They cost 20 kJ at 100 per MWh and 20 kJ at 50: in exact units
    /// 200e6 uW x (100 s x 100e6 + 100 s x 50e6) = 3e18.
    #[test]
    fn amounts_over_two_spans_are_those_over_both() {
        let (agendas, power) = (agendas(), watts(200.0));
        let values = |it: Span| values_of(power, it, &agendas, Currency::EUR);
        let whole = values(span(100, 300)).unwrap();
        assert_eq!(whole.energy.as_microjoules(), 40_000_000_000);
        assert_eq!(whole.cost.as_exact(), 3_000_000_000_000_000_000);
        let (first, rest) = (values(span(100, 170)).unwrap(), values(span(170, 300)).unwrap());
        assert_eq!(first.cost + rest.cost, whole.cost);
        assert_eq!(first.co2 + rest.co2, whole.co2);
        assert_eq!(values(span(400, 460)), None, "the price is not known from 450 on");
    }
}
