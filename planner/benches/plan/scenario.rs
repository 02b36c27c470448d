//! A cluster whose book the planner filled itself, and requests for it.

use std::sync::Arc;

use planner::agenda::{Agenda, Agendas, Piece, RateAgenda};
use planner::book::{Book, Booking, RankedOutage, RankedOutages};
use planner::cap_scope::CapScope;
use planner::decimal::Fraction;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::order::{NodeOrder, Preference};
use planner::problem::SearchMode;
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};
use planner::ranking::Ranking;
use planner::request::{Request, Shape};
use planner::search::{PlanningView, plan};
use planner::selection::Selection;
use planner::time::{Seconds, Span, Timestamp};

use super::fill::{self, Arrival};

const SLOT: Seconds = Seconds::new(900);
const DAY: i64 = 86_400;

/// A cluster of nodes with random alpha, agendas of a quarter-hour, a book at half occupancy.
#[derive(Clone)]
pub struct Scenario {
    /// The nodes without an `alpha`, so that every application sets its own draw.
    without_alpha: Nodes,
    selection: Selection,
    agendas: Agendas,
    book: Book,
    days: u32,
    node_seconds: f64,
}

/// The most bookings that are planned one by one.
const PLANNED: u32 = 10_000;

/// `SplitMix64` (Steele et al., OOPSLA 2014): enough for a scenario.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// At least one, evenly up to twice the mean.
    fn around(&mut self, mean: f64) -> i64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
        let most = (2.0 * mean - 1.0).max(1.0).round() as u64;
        1 + i64::try_from(self.below(most)).unwrap()
    }
}

/// How large bookings are on average.
struct Sizes {
    nodes: f64,
    slots: f64,
}

impl Sizes {
    /// Half of the node-slots, in bookings of 12 h where they have four nodes then.
    fn new(nodes: u32, bookings: u32, days: u32) -> Option<Self> {
        let each = f64::from(nodes) * 0.5 * f64::from(days) * 96.0 / f64::from(bookings);
        let slots = (each / 4.0).clamp(1.0, 48.0);
        let nodes = (each / slots).clamp(1.0, f64::from(nodes) / 2.0);
        (each >= 0.5).then_some(Self { nodes, slots })
    }

    fn shape(&self, random: &mut Random) -> Shape {
        let nodes = u32::try_from(random.around(self.nodes)).unwrap();
        Shape { nodes, duration: Seconds::new(random.around(self.slots) * 900) }
    }
}

impl Scenario {
    /// Fills a book of `days` with `bookings`: up to 10,000 each planned for the cheapest start
    /// within a day, more in the order of their starts.
    pub fn new(nodes: u32, bookings: u32, days: u32) -> Self {
        Self::within_reason(nodes, bookings, days).unwrap()
    }

    /// A scenario, unless so many bookings have less than half a node for a slot each.
    pub fn within_reason(nodes: u32, bookings: u32, days: u32) -> Option<Self> {
        if bookings > PLANNED {
            return Self::filled_in_order(nodes, bookings, days);
        }
        let mut random = Random(u64::from(nodes));
        let sizes = Sizes::new(nodes, bookings, days)?;
        let mut scenario = Self::empty(nodes, days, &mut random);
        for number in 0..bookings {
            let Shape { nodes, duration } = sizes.shape(&mut random);
            let request = Request { nodes, duration, ..scenario.window(&mut random) };
            scenario.place(number, &request);
        }
        Some(scenario)
    }

    /// A book filled in the order of starts, unless there is no room.
    pub fn filled_in_order(nodes: u32, bookings: u32, days: u32) -> Option<Self> {
        let mut random = Random(u64::from(nodes));
        let sizes = Sizes::new(nodes, bookings, days)?;
        let mut scenario = Self::empty(nodes, days, &mut random);
        let slots = u64::from(days) * 96;
        let mut arrival = |_| {
            let Shape { nodes, duration } = sizes.shape(&mut random);
            let slot = i64::try_from(random.below(slots)).unwrap();
            (start() + Seconds::new(slot * 900), duration, nodes)
        };
        let mut arrivals: Vec<Arrival> = (0..bookings).map(&mut arrival).collect();
        arrivals.sort_unstable();
        scenario.enter(fill::in_order(nodes, &arrivals));
        Some(scenario)
    }

    fn empty(nodes: u32, days: u32, random: &mut Random) -> Self {
        let cluster = cluster(nodes, random);
        let order = Arc::new(NodeOrder::new(&cluster, Preference::LeastDraw, Fraction::ONE));
        let agendas = agendas(days, cluster.max_power(), random);
        let plain = |node: &Node| Node::new(node.idle(), node.max(), None).unwrap();
        let without_alpha =
            Nodes::numbered(cluster.as_slice().iter().map(plain).collect()).unwrap();
        let book = Book::new(Arc::clone(&order));
        let selection = Selection::all(order);
        Self { without_alpha, selection, agendas, book, days, node_seconds: 0.0 }
    }

    fn enter(&mut self, booked: Vec<(Span, NodeSet)>) {
        let seconds =
            |(span, ranks): &(Span, NodeSet)| f64::from(ranks.count()) * span.length().get() as f64;
        self.node_seconds += booked.iter().map(seconds).sum::<f64>();
        let order = Arc::clone(self.order());
        let bookings = booked.into_iter().enumerate().map(|(number, (span, ranks))| {
            Booking::new(format!("r{number}").into(), span, ranks, &order)
        });
        self.book = Book::new(Arc::clone(&order)).with(bookings);
    }

    fn place(&mut self, number: u32, request: &Request) {
        let slots = SearchMode::Slots { slot: SLOT };
        let decision = plan(&self.view(slots), request, &|| false).unwrap();
        if let Some(offer) = decision.offer_for(Ranking::ALL[3]) {
            self.node_seconds += f64::from(offer.ranks.count()) * request.duration.get() as f64;
            let id = Arc::from(format!("r{number}"));
            self.book.insert(id, offer.span, offer.ranks.clone());
        }
    }

    /// A start within a day from a random slot of the book.
    fn window(&self, random: &mut Random) -> Request {
        let slot = random.below(u64::from(self.days) * 96);
        let earliest_start = start() + Seconds::new(i64::try_from(slot).unwrap() * 900);
        let shape = Shape { nodes: 1, duration: SLOT };
        Request::new(shape, earliest_start, earliest_start + Seconds::new(DAY))
    }

    /// The scenario with so many jobs that run already: each has a node, several share one where there are
    /// more of them, and they end one after the other within a day, in steps of so many seconds.
    pub fn among_jobs(&self, jobs: u32, step: Seconds) -> Self {
        let job = |job: u32| {
            let end = start() + Seconds::new(i64::from(job + 1) * DAY / i64::from(jobs));
            let node = (u64::from(job) * 7_919 % u64::from(self.nodes())).try_into().unwrap();
            let begun = start() - Seconds::new(i64::from(job));
            let span = Span::new(begun, end.ceil_to(step)).unwrap();
            RankedOutage { span, ranks: NodeSet::from_positions([node]) }
        };
        let outages = Arc::new(RankedOutages::new((0..jobs).map(job).collect()));
        Self { book: self.book.clone().with_outages(outages), ..self.clone() }
    }

    /// 12 h for a tenth of the nodes from within a day, within another.
    pub fn request_within_a_day(&self, number: u32) -> Request {
        let earliest_start = start() + Seconds::new(i64::from(number) * 37 % 96 * 900);
        let latest_start = earliest_start + Seconds::new(DAY);
        Request { earliest_start, latest_start, ..self.request(number) }
    }

    /// 12 h for a tenth of the nodes, within a day.
    pub fn request(&self, number: u32) -> Request {
        self.request_of(number, (self.nodes() / 10).max(1))
    }

    /// 12 h for so many nodes, within a day.
    pub fn request_of(&self, number: u32, nodes: u32) -> Request {
        let mut random = Random(u64::from(number));
        Request { nodes, duration: Seconds::new(43_200), ..self.window(&mut random) }
    }

    pub fn view(&self, search: SearchMode) -> PlanningView<'_> {
        self.view_of(search, &self.selection)
    }

    /// The nodes in the order of an application of another kind: one for which what counts is
    /// neither alpha nor maximum power alone.
    pub fn selection_for(&self, utilisation: f64) -> Selection {
        let utilisation = Fraction::new(utilisation).unwrap();
        let scope = CapScope::ReservedNodes;
        let without_alpha = &self.without_alpha;
        Selection::new(without_alpha, self.order(), scope, utilisation, |_| true)
    }

    pub fn view_of<'a>(&'a self, search: SearchMode, selection: &'a Selection) -> PlanningView<'a> {
        PlanningView {
            now: start(),
            search,
            currency: Currency::EUR,
            selection,
            slower: &[],
            base_power: Power::ZERO,
            agendas: &self.agendas,
            book: &self.book,
            idle: None,
            quota: None,
        }
    }

    /// The booked ranges that a request's window meets.
    pub fn booked_ranges(&self, request: &Request) -> usize {
        let reach = request.reach().unwrap();
        self.book.overlapping(reach).map(|booking| booking.ranks.ranges().len()).sum()
    }

    pub fn ranges_per_booking(&self) -> f64 {
        let ranges: usize = self.book.bookings().iter().map(|b| b.ranks.ranges().len()).sum();
        ranges as f64 / self.bookings() as f64
    }

    pub fn occupancy(&self) -> f64 {
        self.node_seconds / (f64::from(self.nodes()) * f64::from(self.days) * DAY as f64)
    }

    pub fn order(&self) -> &Arc<NodeOrder> {
        self.selection.order()
    }

    pub fn book(&self) -> &Book {
        &self.book
    }

    pub const fn agendas(&self) -> &Agendas {
        &self.agendas
    }

    pub const fn days(&self) -> u32 {
        self.days
    }

    pub fn nodes(&self) -> u32 {
        self.selection.order().count()
    }

    pub fn bookings(&self) -> usize {
        self.book.bookings().len()
    }
}

fn start() -> Timestamp {
    Timestamp::from_unix_seconds(1_767_225_600)
}

/// A tenth of plausible node powers: idle 9 to 11.5 W, maximum 21 to 27 W, alpha between the two.
fn cluster(count: u32, random: &mut Random) -> Nodes {
    let node = |random: &mut Random| {
        let mut power = |from: u64, to: u64| {
            Power::from_microwatts(i64::try_from(from + random.below(to - from)).unwrap())
        };
        let (idle, max) = (power(9_000_000, 11_500_000), power(21_000_000, 27_000_000));
        let least = idle.as_watts() / max.as_watts();
        let alpha = least + (1.0 - least) * (random.below(1 << 50) as f64 / (1_u64 << 50) as f64);
        let alpha = Fraction::new((alpha * 1e9).ceil().min(1e9) / 1e9);
        Node::new(idle, max, alpha).unwrap()
    };
    Nodes::numbered((0..count).map(|_| node(random)).collect()).unwrap()
}

fn agendas(days: u32, peak: Power, random: &mut Random) -> Agendas {
    let slots = i64::from(days + 4) * 96;
    let mut spans = Vec::new();
    for slot in 0..slots {
        spans.push(Span::starting(start() + Seconds::new(slot * 900), SLOT).unwrap());
    }
    let mut draw = |from: i64, to: i64| {
        from + i64::try_from(random.below(u64::try_from(to - from).unwrap())).unwrap()
    };
    let mut price = Vec::new();
    let mut co2 = Vec::new();
    let mut cap = Vec::new();
    for &span in &spans {
        let value = EnergyPrice::from_millionths_per_mwh(draw(20, 300) * 1_000_000).unwrap();
        price.push(Piece { span, value });
        let intensity = draw(27_000_000, 112_000_000);
        let value = CarbonIntensity::from_millionths_g_per_kwh(intensity).unwrap();
        co2.push(Piece { span, value });
        let percent = draw(90, 110);
        let value = Power::from_microwatts(peak.as_microwatts() / 100 * percent);
        cap.push(Piece { span, value });
    }
    Agendas {
        price: RateAgenda::new(Agenda::new(price).unwrap()),
        co2: RateAgenda::new(Agenda::new(co2).unwrap()),
        power_cap: Some(Agenda::new(cap).unwrap()),
    }
}
