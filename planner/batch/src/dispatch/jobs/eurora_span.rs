//! The spans of which Eurora's jobs are drawn: the thesis's whole workload, and the five months of its section 6.3.

/// A span, with how many jobs it has and of which classes they are.
#[derive(Debug, PartialEq, Eq)]
pub struct EuroraSpan {
    /// What it is called as a model.
    pub name: &'static str,
    /// What it is, for help texts.
    pub meaning: &'static str,
    /// How many jobs were submitted.
    pub jobs: u32,
    pub(super) days: u32,
    /// How many of 100,000 jobs are standard ones.
    pub(super) standard: u32,
    /// How many of 100,000 ask for MICs; the others ask for GPUs.
    pub(super) mic: u32,
}

impl EuroraSpan {
    /// All jobs of the thesis (table 3.2), as if of a year.
    pub const YEAR: &'static Self = &Self::ALL[0];

    /// The year, and the months in their order.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "eurora",
            meaning: "Eurora's jobs in a year, for batch run --system: cores, memory, GPUs and MICs (CSV)",
            jobs: 372_320,
            days: 365,
            standard: 22_842,
            mic: 671,
        },
        Self {
            name: "eurora_2014_05",
            meaning: "as many of them, and of such classes, as in May 2014",
            jobs: 4_931,
            days: 31,
            standard: 30_800,
            mic: 400,
        },
        Self {
            name: "eurora_2014_06",
            meaning: "as many of them, and of such classes, as in June 2014",
            jobs: 6_204,
            days: 30,
            standard: 8_600,
            mic: 400,
        },
        Self {
            name: "eurora_2014_08",
            meaning: "as many of them, and of such classes, as in August 2014",
            jobs: 47_967,
            days: 31,
            standard: 14_800,
            mic: 400,
        },
        Self {
            name: "eurora_2014_09",
            meaning: "as many of them, and of such classes, as in September 2014",
            jobs: 77_786,
            days: 30,
            standard: 11_400,
            mic: 800,
        },
        Self {
            name: "eurora_2015_01",
            meaning: "as many of them, and of such classes, as in January 2015",
            jobs: 46_768,
            days: 31,
            standard: 6_400,
            mic: 200,
        },
    ];

    /// The span of a model's name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|span| span.name == name)
    }
}
