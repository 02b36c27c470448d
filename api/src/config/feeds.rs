//! Settings of feeds: `[[feeds]]` names the sources, `[agendas.<quantity>]` says how they become one
//! agenda. See `docs/FEEDS.md`.

mod inputs;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use grid_feeds::agreement::AgreementTolerance;
use grid_feeds::compose::Precedence;
use grid_feeds::feed::{Accounting, Factors, Kind, Quantity};
use grid_feeds::forecast::Model;
use grid_feeds::http::Timeouts;
use grid_feeds::provider::contract::Tariff;
use grid_feeds::schedule::{Rhythm, Schedule};
use planner::quantity::{Currency, Power};
use planner::time::{Seconds, Timestamp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Deserialize;
use toml::{Table, Value};

use self::disagreement::DisagreementFields;
pub use self::inputs::InputSource;
use super::source_provider::{OpenAdr, SourceProvider};

/// The source of what is put through the API: it counts before all feeds.
pub const API_SOURCE: &str = "api";

/// Without another setting agendas reach this far ahead.
const DAYS_AHEAD: u32 = 10;

/// A replica that did not renew its lease for so long has lost it, unless the site says otherwise.
const LEASE_S: u32 = 20;

/// Sources, and what becomes of them.
#[derive(Clone, Debug, Default)]
pub struct Feeds {
    /// In the order of the file.
    pub sources: Vec<Source>,
    /// Of the quantities that are composed: those with sources.
    pub agendas: Vec<AgendaRules>,
    /// How long a replica that fell silent keeps its sources.
    pub lease: Duration,
}

/// A source of one quantity.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name: in chains, routes and provenance.
    pub id: String,
    /// The quantity that it tells.
    pub quantity: Quantity,
    /// The provider's name in the settings, such as `entsoe`.
    pub provider_word: String,
    /// The provider and its settings.
    pub provider: SourceProvider,
    /// How it publishes and may be asked.
    pub rhythm: Rhythm,
    /// How long to wait for answers.
    pub timeouts: Timeouts,
    /// Heard of no longer ago than this, it is fresh.
    pub fresh_for: Seconds,
    /// Heard of no longer ago than this, it is the last good value.
    pub usable_for: Seconds,
}

/// How the agenda of a quantity is composed.
#[derive(Clone, Debug)]
pub struct AgendaRules {
    /// The quantity of the agenda.
    pub quantity: Quantity,
    /// Positions in [`Feeds::sources`], the first counts most.
    pub chain: Vec<usize>,
    /// For CO2: what its sources must be; as the first source where not said.
    pub kind: Option<Kind>,
    /// For CO2: what is shown beside it by the other accounting.
    pub other: Option<OtherCo2Rules>,
    /// Prices where no source has one.
    pub contract: Option<Tariff>,
    /// What continues the sources.
    pub forecast: Option<Model>,
    /// What the forecast knows ahead of time.
    pub inputs: Vec<InputSource>,
    /// For caps: what holds where none is known.
    pub safe_mode_cap: Option<Power>,
    /// Estimates become gaps.
    pub refuse_estimates: bool,
    /// Whose value counts where several fresh sources have one.
    pub precedence: Precedence,
    /// How far apart sources may lie before that is told.
    pub tolerance: AgreementTolerance,
    /// How far ahead the agenda reaches.
    pub ahead: Seconds,
}

/// How CO2 by the other accounting is composed, which nothing is planned by.
#[derive(Clone, Debug)]
pub struct OtherCo2Rules {
    /// Positions in [`Feeds::sources`], the first counts most.
    pub chain: Vec<usize>,
    /// What these sources must be.
    pub kind: Kind,
}

/// What the file says of one source beside its provider's settings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceFields {
    id: String,
    quantity: String,
    #[serde(default)]
    poll: Table,
    #[serde(default)]
    timeouts: TimeoutFields,
    fresh_for_s: Option<u32>,
    usable_for_s: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeoutFields {
    connect_s: Option<u32>,
    total_s: Option<u32>,
}

/// What the file says of an agenda.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgendaFields {
    chain: Option<Vec<String>>,
    accounting: Option<Accounting>,
    factors: Option<Factors>,
    other: Option<OtherFields>,
    contract: Option<String>,
    forecast: Option<ForecastFields>,
    safe_mode_cap_w: Option<f64>,
    #[serde(default)]
    refuse_estimates: bool,
    fresh_for_s: Option<u32>,
    usable_for_s: Option<u32>,
    days_ahead: Option<u32>,
    disagreement: Option<DisagreementFields>,
}

/// What the file says of CO2 by the other accounting.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OtherFields {
    chain: Vec<String>,
    factors: Factors,
}

/// Forecasts learn from so many weeks, unless the settings say otherwise.
const FORECAST_WEEKS: usize = 26;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForecastFields {
    time_zone: String,
    weeks: Option<usize>,
    step_s: Option<u32>,
    holidays: Option<String>,
    #[serde(default)]
    inputs: Vec<String>,
}

impl Feeds {
    /// The contracts among the sources.
    ///
    /// # Errors
    /// A contract whose rules cannot be.
    pub fn contracts(&self) -> anyhow::Result<Vec<Tariff>> {
        let tariff = |source: &Source| {
            let tariff = source.provider.tariff();
            tariff.with_context(|| format!("[[feeds]] {:?}", source.id)).transpose()
        };
        self.sources.iter().filter_map(tariff).collect()
    }

    /// Checks what the file says; secrets are not read yet.
    ///
    /// # Errors
    /// Names the place: the feed by its position and id, the agenda by its quantity.
    pub fn read(
        feeds: Vec<Table>,
        inputs: Vec<Table>,
        agendas: &BTreeMap<String, AgendaFields>,
        lease_s: Option<u32>,
        currency: Currency,
        openadr: Option<&OpenAdr>,
    ) -> anyhow::Result<Self> {
        let lease_s = lease_s.unwrap_or(LEASE_S);
        ensure!((1..=3600).contains(&lease_s), "feed_lease_s must lie between 1 and 3600");
        for word in agendas.keys() {
            quantity(word).with_context(|| format!("agendas.{word}"))?;
        }
        let mut ids = HashSet::new();
        let mut sources = Vec::with_capacity(feeds.len());
        for (index, table) in feeds.into_iter().enumerate() {
            let id = table.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let place = || format!("feeds[{index}] {id:?}");
            let source = source(table, agendas, openadr).with_context(place)?;
            ensure!(ids.insert(source.id.clone()), "{}: the id is taken", place());
            sources.push(source);
        }
        let inputs = inputs::read_all(inputs)?;
        let quantities = [Quantity::Price, Quantity::Co2, Quantity::PowerCap];
        let mut rules = Vec::new();
        for quantity in quantities {
            let fields = agendas.get(quantity.word());
            let place = || format!("agendas.{}", quantity.word());
            rules.extend(
                agenda(quantity, fields, (&sources, &inputs), currency).with_context(place)?,
            );
        }
        let lease = Duration::from_secs(lease_s.into());
        Ok(Self { sources, agendas: rules, lease })
    }

    /// The source of an id.
    pub fn source(&self, id: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.id == id)
    }

    /// How CO2 by the other accounting is composed; `None` where the settings name no sources of it.
    pub fn other_co2(&self) -> Option<&OtherCo2Rules> {
        self.agenda(Quantity::Co2)?.other.as_ref()
    }

    /// How a quantity is composed; `None` where it has no sources.
    pub fn agenda(&self, quantity: Quantity) -> Option<&AgendaRules> {
        self.agendas.iter().find(|rules| rules.quantity == quantity)
    }
}

fn quantity(word: &str) -> anyhow::Result<Quantity> {
    Ok(match word {
        "price" => Quantity::Price,
        "co2" => Quantity::Co2,
        "power-cap" => Quantity::PowerCap,
        _ => bail!("{word:?} is no quantity; there are price, co2 and power-cap"),
    })
}

fn source(
    mut table: Table,
    agendas: &BTreeMap<String, AgendaFields>,
    openadr: Option<&OpenAdr>,
) -> anyhow::Result<Source> {
    const OURS: [&str; 6] = ["id", "quantity", "poll", "timeouts", "fresh_for_s", "usable_for_s"];
    let ours = OURS.iter().filter_map(|&name| Some((name.to_owned(), table.remove(name)?)));
    let fields: SourceFields = Value::Table(ours.collect()).try_into()?;
    ensure!(is_id(&fields.id), "an id has 1 to 64 letters, digits, - _ and .");
    ensure!(fields.id != API_SOURCE, "the id {API_SOURCE:?} is that of what is put by hand");
    let provider_word = table.get("provider").and_then(Value::as_str).unwrap_or_default();
    let provider_word = provider_word.to_owned();
    let provider = SourceProvider::read(table, openadr)?;
    let quantity = quantity(&fields.quantity)?;
    let usual = provider.rhythm(quantity);
    let rhythm = rhythm(&usual, fields.poll).context("poll")?;
    let of_agenda = agendas.get(quantity.word());
    let fresh_for_s = fields.fresh_for_s.or(of_agenda.and_then(|it| it.fresh_for_s));
    let usable_for_s = fields.usable_for_s.or(of_agenda.and_then(|it| it.usable_for_s));
    let fresh_for = i64::from(fresh_for_s.unwrap_or(3 * rhythm.poll_every_s + 3600));
    let usable = if provider.is_void_when_late(quantity) { fresh_for } else { 3 * 86_400 };
    let usable_for = usable_for_s.map_or(usable.max(fresh_for), i64::from);
    ensure!(fresh_for <= usable_for, "fresh_for_s must not be more than usable_for_s");
    let usual = Timeouts::default();
    let seconds = |given: Option<u32>, usual| {
        given.map_or(usual, |seconds| Duration::from_secs(seconds.max(1).into()))
    };
    Ok(Source {
        id: fields.id,
        quantity,
        provider_word,
        timeouts: Timeouts {
            connect: seconds(fields.timeouts.connect_s, usual.connect),
            total: seconds(fields.timeouts.total_s, usual.total),
        },
        provider,
        rhythm,
        fresh_for: Seconds::new(fresh_for),
        usable_for: Seconds::new(usable_for),
    })
}

/// Whether a source may be called so.
fn is_id(id: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=64).contains(&id.len()) && id.chars().all(is_name)
}

/// The usual rhythm of a provider with what the site says otherwise.
fn rhythm(usual: &Rhythm, given: Table) -> anyhow::Result<Rhythm> {
    let mut fields = Table::try_from(usual)?;
    fields.extend(given);
    let rhythm: Rhythm = Value::Table(fields).try_into()?;
    let mut random = ChaCha8Rng::from_seed([0; 32]);
    Schedule::new(rhythm.clone(), Timestamp::MIN, None, &mut random)?;
    Ok(rhythm)
}

/// The rules of a quantity; `None` where nothing is said of it.
fn agenda(
    quantity: Quantity,
    fields: Option<&AgendaFields>,
    (sources, inputs): (&[Source], &[InputSource]),
    currency: Currency,
) -> anyhow::Result<Option<AgendaRules>> {
    let other = fields.and_then(|it| it.other.as_ref());
    let beside = other.map_or(&[][..], |it| &it.chain);
    let chain = chain(quantity, fields.and_then(|it| it.chain.as_deref()), beside, sources)?;
    let nothing = AgendaFields::default();
    let given = fields.is_some();
    let fields = fields.unwrap_or(&nothing);
    if chain.is_empty() && !given {
        return Ok(None);
    }
    let is_co2 = quantity == Quantity::Co2;
    ensure!(
        is_co2 || (fields.accounting.is_none() && fields.factors.is_none()),
        "accounting and factors are of co2 only"
    );
    let kind = match (quantity, fields.accounting, fields.factors) {
        (Quantity::Price, ..) => Some(Kind::Price { currency }),
        (Quantity::PowerCap, ..) => Some(Kind::PowerCap),
        (Quantity::Co2, Some(accounting), Some(factors)) => Some(Kind::Co2 { accounting, factors }),
        (Quantity::Co2, None, None) => None,
        (Quantity::Co2, ..) => bail!("accounting and factors need each other"),
    };
    let other = other.map(|it| other_co2(it, kind, sources)).transpose().context("other")?;
    let contract = contract(quantity, fields.contract.as_deref(), sources)?;
    if let Some(tariff) = &contract {
        ensure!(Some(tariff.kind()) == kind, "the contract has another currency than the site");
    }
    let safe_mode_cap = fields.safe_mode_cap_w.map(|watts| {
        ensure!(quantity == Quantity::PowerCap, "safe_mode_cap_w is of power-cap only");
        Power::from_watts(watts).context("safe_mode_cap_w must be a power of 0 W or more")
    });
    let inputs = fields.forecast.as_ref().map(|it| inputs::named(&it.inputs, inputs));
    let inputs = inputs.transpose().context("forecast")?.unwrap_or_default();
    let forecast = forecast(fields.forecast.as_ref()).context("forecast")?;
    let (precedence, tolerance) =
        disagreement::read(quantity, fields.disagreement.as_ref()).context("disagreement")?;
    let days = fields.days_ahead.unwrap_or(DAYS_AHEAD);
    ensure!((1..=60).contains(&days), "days_ahead must lie between 1 and 60");
    Ok(Some(AgendaRules {
        quantity,
        chain,
        kind,
        other,
        contract,
        forecast,
        inputs,
        safe_mode_cap: safe_mode_cap.transpose()?,
        refuse_estimates: fields.refuse_estimates,
        precedence,
        tolerance,
        ahead: Seconds::new(i64::from(days) * 86_400),
    }))
}

/// The chain as positions; without one, all sources of the quantity in the order of the file but for those beside it.
fn chain(
    quantity: Quantity,
    given: Option<&[String]>,
    beside: &[String],
    sources: &[Source],
) -> anyhow::Result<Vec<usize>> {
    let of_quantity = |source: &Source| source.quantity == quantity && !beside.contains(&source.id);
    let Some(given) = given else {
        let all = sources.iter().enumerate().filter(|(_, source)| of_quantity(source));
        return Ok(all.map(|(index, _)| index).collect());
    };
    let mut chain = Vec::with_capacity(given.len());
    for id in given {
        let known = |source: &Source| source.id == *id && of_quantity(source);
        let Some(index) = sources.iter().position(known) else {
            bail!("chain: there is no feed {id:?} of {}", quantity.word());
        };
        ensure!(!chain.contains(&index), "chain: {id:?} is there twice");
        chain.push(index);
    }
    for source in sources.iter().filter(|source| of_quantity(source)) {
        let listed = chain.iter().any(|&index| sources[index].id == source.id);
        ensure!(listed, "chain: the feed {:?} is missing", source.id);
    }
    Ok(chain)
}

/// The rules of CO2 by the accounting that `kind` has not.
fn other_co2(
    fields: &OtherFields,
    kind: Option<Kind>,
    sources: &[Source],
) -> anyhow::Result<OtherCo2Rules> {
    let Some(Kind::Co2 { accounting, .. }) = kind else {
        bail!("it is of co2 only, where accounting and factors say what is planned by");
    };
    ensure!(!fields.chain.is_empty(), "its chain must name at least one feed");
    let mut chain = Vec::with_capacity(fields.chain.len());
    for id in &fields.chain {
        let named = |source: &Source| source.id == *id && source.quantity == Quantity::Co2;
        let Some(index) = sources.iter().position(named) else {
            bail!("chain: there is no feed {id:?} of co2");
        };
        ensure!(!chain.contains(&index), "chain: {id:?} is there twice");
        chain.push(index);
    }
    let kind = Kind::Co2 { accounting: accounting.other(), factors: fields.factors };
    Ok(OtherCo2Rules { chain, kind })
}

fn contract(
    quantity: Quantity,
    id: Option<&str>,
    sources: &[Source],
) -> anyhow::Result<Option<Tariff>> {
    let Some(id) = id else { return Ok(None) };
    ensure!(quantity == Quantity::Price, "contract is of price only");
    let source = sources.iter().find(|source| source.id == id);
    let source = source.with_context(|| format!("contract: there is no feed {id:?}"))?;
    let tariff = source.provider.tariff().with_context(|| format!("contract {id:?}"))?;
    tariff.map(Some).with_context(|| format!("contract: the feed {id:?} is not of a contract"))
}

fn forecast(fields: Option<&ForecastFields>) -> anyhow::Result<Option<Model>> {
    let Some(fields) = fields else { return Ok(None) };
    let weeks = fields.weeks.unwrap_or(FORECAST_WEEKS);
    ensure!(weeks <= 104, "weeks must be at most 104");
    let step = Seconds::new(fields.step_s.unwrap_or(3600).into());
    let model = Model::new(&fields.time_zone, step, weeks)?;
    Ok(Some(match &fields.holidays {
        Some(name) => model.with_holidays(name).context("holidays")?,
        None => model,
    }))
}

mod disagreement;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod mutated;
