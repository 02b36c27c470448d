//! Faults, drawn one after another, and mended: by an operator where that is a start, by themselves otherwise.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::World;
use super::database::Stop;
use super::fleet::REPLICAS;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// SIGKILL of a replica, which is started again.
    Kill,
    /// A replica stands still for longer than leases last and PostgreSQL waits for it.
    Freeze,
    /// PostgreSQL is restarted by an operator.
    RestartFast,
    /// PostgreSQL fails, and recovers.
    RestartImmediate,
    /// A replica's connections to the database are reset, and new ones too.
    Refused,
    /// What a replica and the database say to each other is kept from them for a while.
    Silent,
    /// The same; then only new connections work.
    Forgotten,
    /// There is no room for tables.
    FullDisk,
    /// A replica's clock is set wrong, and right again.
    ClockJump,
}

/// All of them.
const ALL: [Fault; 9] = [
    Fault::Kill,
    Fault::Silent,
    Fault::RestartImmediate,
    Fault::Freeze,
    Fault::FullDisk,
    Fault::ClockJump,
    Fault::Refused,
    Fault::RestartFast,
    Fault::Forgotten,
];

/// What may happen to a second replica at the same time.
const BESIDE: [Fault; 4] = [Fault::Kill, Fault::Freeze, Fault::Refused, Fault::Silent];

/// A cut from the database is noticed by readiness within so long: what it asks waits for an answer for 5 s, twice at
/// most, and an answer from before may be told for 2 s.
const NOTICED_WITHIN: Duration = Duration::from_secs(20);

/// A clock is wrong by so many seconds at most.
const FURTHEST_S: u64 = 90;

/// From this length of a run on replicas stand still for a whole minute at times.
const LONG_RUN: Duration = Duration::from_mins(20);

/// What is known of one kind of fault.
#[derive(Default)]
pub struct Figures {
    count: u32,
    /// How long readiness of a replica that was cut off still said ready.
    noticed: Vec<Duration>,
    /// From when it was mended until all replicas were ready.
    ready: Vec<Duration>,
    /// From when it was mended until all replicas had acknowledged a choice.
    books: Vec<Duration>,
}

/// All that happened.
#[derive(Default)]
pub struct Story {
    kinds: BTreeMap<Fault, Figures>,
    /// How long faults lasted, together.
    pub lasted: Duration,
    /// How many there were.
    pub count: u32,
}

impl Fault {
    /// Whether it happens to one replica.
    fn is_of_a_replica(self) -> bool {
        !matches!(self, Self::RestartFast | Self::RestartImmediate | Self::FullDisk)
    }

    /// For how many milliseconds it lasts at least and at most.
    fn lasts(self, run: Duration, minute: bool) -> (u64, u64) {
        match self {
            Self::Kill => (0, 3000),
            Self::Freeze if run >= LONG_RUN && minute => (60_000, 60_000),
            Self::Freeze => (7000, 15_000),
            Self::RestartFast | Self::RestartImmediate => (0, 0),
            Self::Refused => (1000, 6000),
            Self::Silent | Self::Forgotten => (2000, 12_000),
            Self::FullDisk => (5000, 8000),
            Self::ClockJump => (4000, 10_000),
        }
    }
}

impl World {
    /// Lets faults happen until the end, each with a pause before it, and tells of them.
    pub async fn suffer(&mut self, end: Instant) -> Story {
        let mut story = Story::default();
        let mut deck: Vec<Fault> = Vec::new();
        while Instant::now() < end {
            if deck.is_empty() {
                deck = ALL.into_iter().filter(|it| self.is_in_reach(*it)).collect();
                self.dice.shuffle(&mut deck);
            }
            let fault = deck.pop().unwrap();
            let mut faults = vec![(fault, self.dice.index(REPLICAS))];
            if self.dice.below(4) == 0 {
                let beside = BESIDE[self.dice.index(BESIDE.len())];
                let another = (faults[0].1 + 1 + self.dice.index(REPLICAS - 1)) % REPLICAS;
                faults.push((beside, another));
            }
            self.let_happen(&faults, &mut story).await;
            let pause = self.dice.between(1000, 4000);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        story
    }

    fn is_in_reach(&self, fault: Fault) -> bool {
        match fault {
            Fault::FullDisk => self.database.has_disk,
            Fault::ClockJump => self.fleet.clock_library.is_some(),
            _ => true,
        }
    }

    async fn let_happen(&mut self, faults: &[(Fault, usize)], story: &mut Story) {
        let begun = Instant::now();
        let told: Vec<String> =
            faults.iter().map(|(fault, replica)| told(*fault, *replica)).collect();
        let mut least_ms = 0;
        for (fault, replica) in faults {
            let minute = self.dice.below(4) == 0;
            let (least, most) = fault.lasts(self.run, minute);
            least_ms = least_ms.max(self.dice.between(least, most));
            self.inflict(*fault, *replica);
        }
        for (fault, replica) in faults {
            if matches!(fault, Fault::Refused | Fault::Silent | Fault::Forgotten) {
                let noticed = self.fleet.until_not_ready(*replica, NOTICED_WITHIN).await;
                story.kinds.entry(*fault).or_default().noticed.push(noticed);
            }
        }
        let left = Duration::from_millis(least_ms).saturating_sub(begun.elapsed());
        tokio::time::sleep(left).await;
        for (fault, replica) in faults {
            self.mend(*fault, *replica);
        }
        let lasted = begun.elapsed();
        let (ready, books) = self.fleet.until_all_book().await;
        eprintln!(
            "{:>7.1} s: {} for {:.1} s; all ready after {ready:.1?}, all book after {books:.1?}",
            (begun - self.begun).as_secs_f64(),
            told.join(" and "),
            lasted.as_secs_f64(),
        );
        story.lasted += lasted + books;
        for (fault, _) in faults {
            story.count += 1;
            let figures = story.kinds.entry(*fault).or_default();
            figures.count += 1;
            figures.ready.push(ready);
            figures.books.push(books);
        }
    }

    fn inflict(&mut self, fault: Fault, replica: usize) {
        let link = &self.fleet.replicas[replica].link;
        match fault {
            Fault::Kill => self.fleet.kill(replica),
            Fault::Freeze => self.fleet.signal(replica, "STOP"),
            Fault::RestartFast => tokio::task::block_in_place(|| self.database.restart(Stop::Fast)),
            Fault::RestartImmediate => {
                tokio::task::block_in_place(|| self.database.restart(Stop::Immediate));
            }
            Fault::Refused => link.refuse(),
            Fault::Silent | Fault::Forgotten => link.fall_silent(),
            Fault::FullDisk => self.database.fill_the_disk(),
            Fault::ClockJump => {
                let seconds = i64::try_from(self.dice.between(2, FURTHEST_S)).unwrap();
                let is_ahead = self.dice.below(2) == 0;
                self.fleet.set_clock(replica, if is_ahead { seconds } else { -seconds });
            }
        }
    }

    /// What an operator does, or the world: no replica is restarted for a fault of the database.
    fn mend(&mut self, fault: Fault, replica: usize) {
        let link = &self.fleet.replicas[replica].link;
        match fault {
            Fault::Kill => self.fleet.start_one(replica),
            Fault::Freeze => self.fleet.signal(replica, "CONT"),
            Fault::RestartFast | Fault::RestartImmediate => {}
            Fault::Refused | Fault::Silent => link.open(),
            Fault::Forgotten => link.open_to_new_ones(),
            Fault::FullDisk => self.database.free_the_disk(),
            Fault::ClockJump => self.fleet.set_clock(replica, 0),
        }
    }
}

fn told(fault: Fault, replica: usize) -> String {
    if fault.is_of_a_replica() { format!("{fault:?} of {replica}") } else { format!("{fault:?}") }
}

impl Story {
    /// How often something of a kind happened.
    pub fn count_of(&self, fault: Fault) -> u32 {
        self.kinds.get(&fault).map_or(0, |it| it.count)
    }

    /// A line for each kind: the median and the worst of what was measured.
    pub fn figures(&self) -> String {
        let lines = self.kinds.iter().map(|(fault, it)| {
            let noticed = if it.noticed.is_empty() {
                String::new()
            } else {
                format!(", noticed within {}", median_and_worst(&it.noticed))
            };
            let (ready, books) = (median_and_worst(&it.ready), median_and_worst(&it.books));
            format!(
                "{fault:?}: {} times{noticed}, ready after {ready}, all book after {books}",
                it.count
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn median_and_worst(all: &[Duration]) -> String {
    let mut all = all.to_vec();
    all.sort();
    let (median, worst) = (all[all.len() / 2], all[all.len() - 1]);
    format!("{:.1} s (worst {:.1} s)", median.as_secs_f64(), worst.as_secs_f64())
}
