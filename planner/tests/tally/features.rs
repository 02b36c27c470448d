//! Classes of what requests and sites may add, and of what comes of it.

use planner::cap_scope::CapScope;
use planner::decision::ReasonCode;
use planner::filter::NodeFilter;
use planner::problem::{PlanningProblem, SearchMode};
use planner::ranking::Ranking;
use planner::request::Tolerances;

use super::Tally;
use crate::oracle::{self, OracleDecision, window};

impl Tally {
    pub(super) fn count_features(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        self.count_shapes(problem, decided);
        self.count_slower(problem, decided);
        self.count_deadline(problem, decided);
        self.count_tolerances(problem, decided);
        self.count_filter(problem, decided);
        self.count_outages(problem, decided);
        self.count_idle_draw(problem, decided);
    }

    fn count_shapes(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let several = !problem.request.alternatives.is_empty();
        self.add("one shape", !several);
        self.add("several shapes", several);
        let offers = || decided.offers.iter().map(|(it, _)| it);
        self.add("an alternative wins", offers().any(|it| it.shape > 0));
        let shapes = |shape: usize| offers().any(|it| it.shape == shape);
        self.add("offers of two shapes", shapes(0) && offers().any(|it| it.shape > 0));
        let share = |pair: &[oracle::Feasible]| pair[0].start.start == pair[1].start.start;
        let front = &decided.pareto;
        self.add("two shapes share a start on the front", front.windows(2).any(share));
        let equal = |pair: &[oracle::Feasible]| {
            let values = |it: &oracle::Feasible| (it.start.energy, it.start.cost, it.start.co2);
            share(pair) && values(&pair[0]) == values(&pair[1])
        };
        self.add("equal shapes share a start on the front", front.windows(2).any(equal));
        let offers: Vec<_> = offers().cloned().collect();
        self.add("two offers share a start", offers.windows(2).any(share));
        let soonest = decided.soonest.as_ref();
        self.add(
            "as soon as possible off the front",
            soonest.is_some_and(|it| !front.contains(it)),
        );
        let only_another =
            several && soonest.is_some() && decided.feasible.iter().all(|it| it.shape > 0);
        self.add("only an alternative is feasible", only_another);
    }

    fn count_slower(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let slow = |it: &oracle::Feasible| it.start.slowing.is_some();
        let offers = || decided.offers.iter().map(|(it, _)| it);
        let runs_slower = oracle::ways(problem).iter().any(|way| way.slower.is_some());
        self.add("may run slower", runs_slower);
        self.add("runs slower", offers().any(slow));
        let both = offers().any(slow) && !offers().all(slow);
        self.add("offers at full speed and slower", both);
        let at_full_speed = decided.feasible.iter().any(|it| !slow(it));
        self.add("feasible only slower", decided.soonest.is_some() && !at_full_speed);
        let has_states = !problem.nodes.slower_states().states().is_empty();
        self.add("has slower states that it may not take", has_states && !runs_slower);
    }

    fn count_deadline(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let request = &problem.request;
        let Some(end) = request.latest_end else { return self.add("deadline", false) };
        self.add("deadline", true);
        let met =
            |it: &oracle::Feasible| it.start.start + it.start.duration == end.as_unix_seconds();
        self.add("offer that ends at the deadline", decided.offers.iter().any(|(it, _)| met(it)));
        let windows = || request.shapes().map(|it| window(problem, it.duration.get()));
        let reversed = windows().any(|(first, last)| last < first);
        self.add("deadline before the end of a shape", reversed);
        self.compare("deadline changes the offers", problem, decided, |problem| {
            problem.request.latest_end = None;
        });
    }

    fn count_tolerances(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        if problem.request.tolerances.is_none() {
            return self.add("no tolerance", true);
        }
        self.add("tolerance", true);
        self.compare("tolerance changes a winner", problem, decided, |problem| {
            problem.request.tolerances = Tolerances::default();
        });
        let mut beyond = problem.request.tolerances;
        std::mem::swap(&mut beyond.energy, &mut beyond.co2);
        self.compare("tolerances of other criteria, other offers", problem, decided, |problem| {
            problem.request.tolerances = beyond;
        });
        self.add("tolerated shape outdone at its start", decided.outdone > 0);
        self.add("tolerance, the earlier before the lesser", decided.overtaking > 0);
        let negative = decided.offers.iter().any(|(it, rankings)| {
            let first = |ranking: &Ranking| ranking.to_string().starts_with("cost");
            it.start.cost < 0 && rankings.iter().any(first)
        });
        self.add("tolerance, negative cost", negative);
        if problem.search == SearchMode::Exact {
            let crosses = !decided.crossings.is_empty();
            self.add("crossing adds a candidate", crosses);
            let several = !problem.request.alternatives.is_empty();
            self.add("crossings of several shapes", crosses && several);
            let at_crossing =
                |it: &oracle::Feasible| decided.crossings.contains(&(it.start.start, it.shape));
            let wins = decided.offers.iter().any(|(it, _)| at_crossing(it));
            self.add("a crossing wins", wins);
            self.add("a crossing on the front", decided.pareto.iter().any(at_crossing));
        }
    }

    fn count_filter(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let filter = &problem.request.filter;
        self.add("partition", filter.partition.is_some());
        self.add("one feature", filter.features.len() == 1);
        self.add("two features", filter.features.len() == 2);
        self.add("exclusion", !filter.exclude.is_empty());
        self.add("some nodes only", !filter.only.is_empty());
        let labels_and_names = !filter.has_no_labels() && !filter.has_no_names();
        self.add("labels and names", labels_and_names && decided.soonest.is_some());
        let admits = filter.admits(&problem.nodes);
        let none = !(0..problem.nodes.count()).any(admits);
        self.add("no node admitted", none);
        if !filter.has_no_labels() {
            let names = NodeFilter { partition: None, features: Vec::new(), ..filter.clone() };
            self.compare("labels change the offers", problem, decided, |problem| {
                problem.request.filter = names;
            });
        }
        if !filter.exclude.is_empty() {
            self.compare("exclusion of a better node", problem, decided, |problem| {
                problem.request.filter.exclude.clear();
            });
        }
        if !filter.only.is_empty() {
            self.compare("other nodes than some are better", problem, decided, |problem| {
                problem.request.filter.only.clear();
            });
        }
    }

    fn count_outages(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let outages = &problem.outages;
        if outages.is_empty() {
            return self.add("no outage", true);
        }
        self.add("outage", true);
        let book = &problem.reservations;
        let both = outages.iter().any(|out| {
            book.iter().any(|it| it.span.overlaps(out.span) && it.nodes.intersects(&out.nodes))
        });
        self.add("node booked and out of service", both);
        let open = |out: &planner::book::Outage| out.span.end() == planner::time::Timestamp::MAX;
        self.add("outage without an end", outages.iter().any(open));
        self.compare("outage changes the offers", problem, decided, |problem| {
            problem.outages.clear();
        });
        self.differs("outage excludes a start", problem, decided, ReasonCode::Nodes, |problem| {
            problem.outages.clear();
        });
    }

    fn count_idle_draw(&mut self, problem: &PlanningProblem, decided: &OracleDecision) {
        let idle_counts = problem.cap_scope == CapScope::AllNodes;
        if !idle_counts || problem.agendas.power_cap.is_none() {
            return;
        }
        self.add("cap of all nodes", true);
        let feasible = decided.soonest.is_some();
        self.add("cap of all nodes respected", feasible);
        let filtered = !problem.request.filter.is_empty() || !problem.outages.is_empty();
        self.add("idle draw of nodes not to be had", filtered && feasible);
        self.differs(
            "idle draw excludes a start",
            problem,
            decided,
            ReasonCode::PowerCap,
            |problem| {
                problem.cap_scope = CapScope::ReservedNodes;
            },
        );
    }

    /// Problems whose offers differ from those without a feature.
    fn compare(
        &mut self,
        class: &'static str,
        problem: &PlanningProblem,
        decided: &OracleDecision,
        without: impl FnOnce(&mut PlanningProblem),
    ) {
        let others = |decided: OracleDecision| decided.offers;
        self.when_rare(class, problem, without, |other| others(other) != decided.offers);
    }

    /// Problems of which a feature has a reason exclude more starts.
    fn differs(
        &mut self,
        class: &'static str,
        problem: &PlanningProblem,
        decided: &OracleDecision,
        code: ReasonCode,
        without: impl FnOnce(&mut PlanningProblem),
    ) {
        let excluded = decided.excluded(code).count();
        self.when_rare(class, problem, without, |other| excluded > other.excluded(code).count());
    }

    /// Decides again without a feature, as long as few problems were of the class.
    fn when_rare(
        &mut self,
        class: &'static str,
        problem: &PlanningProblem,
        without: impl FnOnce(&mut PlanningProblem),
        is_of_it: impl FnOnce(OracleDecision) -> bool,
    ) {
        const RARE: u64 = 20;
        if self.0.get(class).is_some_and(|&count| count >= RARE) {
            return;
        }
        let mut other = problem.clone();
        without(&mut other);
        self.add(class, is_of_it(oracle::decide(&other)));
    }
}
