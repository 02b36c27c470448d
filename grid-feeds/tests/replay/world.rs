//! A supplier at a virtual time, and the sources that can ask it.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use grid_feeds::feed::{FeedError, Fetched, Quantity, Query, Revision, Role};
use grid_feeds::http::{Http, Timeouts};
use grid_feeds::provider::Provider;
use planner::agenda::{Agenda, Piece};
use planner::time::{Seconds, Span, Timestamp};
use replay_supplier::{Colour, Supplier, Truth};
use tempfile::NamedTempFile;
use tokio::net::TcpListener;

pub const MILLION: i64 = 1_000_000;

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Hours of February to April 2026, whole units, all different from their neighbours; half of the
/// prices below zero at night. Days in turn blue, white and red.
pub fn truth() -> Truth {
    let start = at("2026-02-01T00:00:00Z");
    let hours = |value: fn(i64) -> i64| {
        let piece = |hour: i64| Piece {
            span: Span::starting(start + Seconds::new(hour * 3600), Seconds::new(3600)).unwrap(),
            value: value(hour) * MILLION,
        };
        Arc::new(Agenda::new((0..24 * 80).map(piece).collect()).unwrap())
    };
    let first = jiff::civil::date(2026, 2, 1);
    let colours = [Colour::Blue, Colour::White, Colour::Red];
    let days = first.series(jiff::ToSpan::days(1)).take(80);
    Truth {
        price: hours(|hour| (hour * 37) % 240 - 40),
        co2: hours(|hour| 20 + (hour * 23) % 170),
        colours: Arc::new(days.zip(colours.into_iter().cycle()).collect()),
    }
}

pub struct World {
    pub supplier: Supplier,
    base: String,
    secret: NamedTempFile,
}

/// A source under test.
pub struct Source {
    pub name: &'static str,
    pub role: Role,
    /// Counts its requests.
    pub http: Http,
    /// Values may be rounded by so much.
    pub tolerance: i64,
}

/// What no text may show: a token whose spellings differ.
pub const SECRET: &str = "s3cr/t t0ken+of=the%26site";

impl World {
    pub async fn at(now: &str) -> Self {
        let supplier = Supplier::new(truth(), at(now));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(supplier.clone().serve(listener));
        Self::with(supplier, base)
    }

    /// Sources that ask somebody else.
    pub fn asking(now: &str, base: &str) -> Self {
        Self::with(Supplier::new(truth(), at(now)), base.to_owned())
    }

    fn with(supplier: Supplier, base: String) -> Self {
        let mut secret = NamedTempFile::new().unwrap();
        writeln!(secret, "{SECRET}").unwrap();
        Self { supplier, base, secret }
    }

    pub fn source(&self, name: &'static str) -> Source {
        let (quantity, tolerance, settings) = self.settings(name);
        let provider: Provider = toml::from_str(&settings).unwrap();
        let total = Duration::from_secs(2);
        let http = Http::new(Timeouts { connect: total, total }).unwrap();
        let role = provider.connect(name, quantity, &http).unwrap();
        Source { name, role, http, tolerance }
    }

    /// Where the supplier is, and the settings of a secret.
    pub fn address(&self) -> (&str, String) {
        (&self.base, format!("{{ file = \"{}\" }}", self.secret.path().display()))
    }

    /// What the source of a name is, how far its values may be off, and its settings.
    fn settings(&self, name: &str) -> (Quantity, i64, String) {
        let secret = format!("{{ file = \"{}\" }}", self.secret.path().display());
        let of = |name: &str| {
            let source = replay_supplier::sources().find(|source| source.id == name);
            let source = source.unwrap_or_else(|| panic!("no source {name}"));
            let quantity = if source.quantity == "price" { Quantity::Price } else { Quantity::Co2 };
            (quantity, source.settings_at(&self.base, &secret))
        };
        match name {
            "tempo" | "tempo-public" => (Quantity::Price, 0, self.tempo(name)),
            // Nobody listens on the first host's port.
            "entsoe-second-host" => {
                let (quantity, settings) = of("entsoe");
                let hosts = "base_urls = [\"http://127.0.0.1:1\", ";
                (quantity, 0, settings.replace("base_urls = [", hosts))
            }
            "entsoe-ahead" | "entsoe-traced" => {
                let (quantity, settings) = of("entsoe-co2");
                let zones = ", imports = true, \
                     neighbours = [\"10YBE----------2\", \"10YES-REE------0\"], \
                     borders = [[\"10YBE----------2\", \"10Y1001A1001A82H\"]]";
                let traced = if name == "entsoe-traced" { zones } else { "" };
                // Estimates are off by as much as their rule is from the truth.
                (quantity, 3 * MILLION, format!("{settings}\nahead = {{ weeks = 4{traced} }}"))
            }
            "octopus-ended" => {
                let (quantity, settings) = of("octopus");
                (quantity, 0, settings.replace("AGILE-24-10-01", "AGILE-FLEX-22-11-25"))
            }
            "octopus-misspelt" => {
                let (quantity, settings) = of("octopus-family");
                (quantity, 0, settings.replace("AGILE", "AGIL"))
            }
            name => {
                let (quantity, settings) = of(name);
                let tolerance = match name {
                    // Generation is told in millionths of a megawatt or a megawatt-hour.
                    "eia" | "entsoe-co2" | "openelectricity-co2" | "smard-co2" | "terna" => 10,
                    // Generation is told in whole megawatts of 30,000: half of one is 0.008 g/kWh.
                    "elexon-co2" | "japan-area" => 8000,
                    // Pounds of grams that were divided as doubles.
                    "watttime" | "watttime-average" => 1,
                    _ => 0,
                };
                (quantity, tolerance, settings)
            }
        }
    }

    fn tempo(&self, name: &str) -> String {
        let access = match name {
            "tempo" => format!(
                "{{ account = {{ client_id = \"id\", client_secret = {{ file = \"{}\" }} }} }}",
                self.secret.path().display()
            ),
            _ => "\"public\"".to_owned(),
        };
        format!(
            "provider = \"contract\"\ntime_zone = \"Europe/Paris\"\ncurrency = \"EUR\"\nday_starts_at = \"06:00\"
             rules = [
                 {{ colour = \"blue\", energy_per_mwh = \"10\" }},
                 {{ colour = \"white\", energy_per_mwh = \"20\" }},
                 {{ colour = \"red\", energy_per_mwh = \"30\" }},
             ]
             colours = {{ access = {access}, base_url = \"{}/rte\" }}",
            self.base
        )
    }

    /// Asks for a span of days around the virtual time.
    pub async fn fetch(
        &self,
        source: &Source,
        days_before: i64,
        days_after: i64,
    ) -> Result<Revision, FeedError> {
        let now = self.supplier.now();
        let day = |days: i64| Seconds::new(days * 86_400);
        let window = Span::new(now - day(days_before), now + day(days_after)).unwrap();
        match source.role.fetch(Query { now, window, validator: None }).await? {
            Fetched::Revision(revision) => Ok(*revision),
            Fetched::Unchanged => panic!("{}: nothing was known before", source.name),
        }
    }
}

/// The value that is true over `span`.
pub fn true_value(quantity: Quantity, span: Span) -> i64 {
    let truth = truth();
    let agenda = if quantity == Quantity::Price { &truth.price } else { &truth.co2 };
    let pieces = agenda.overlapping(span);
    let sum: i64 = pieces
        .iter()
        .map(|piece| piece.value * piece.span.intersection(span).unwrap().length().get())
        .sum();
    sum / span.length().get()
}

/// Every piece must be as true as `tolerance` allows, plus `offset`.
pub fn assert_true(source: &Source, revision: &Revision, offset: i64) {
    for piece in revision.series.agenda.pieces() {
        let wanted = true_value(source.role.quantity(), piece.span) + offset;
        let off = (piece.value.value - wanted).abs();
        assert!(off <= source.tolerance, "{}: {} is off by {off}", source.name, piece.span);
    }
}
