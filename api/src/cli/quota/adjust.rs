//! `wattbook quota adjust`, `adjustments`, `change` and `end`: rules that operators make for a time.

use std::collections::BTreeSet;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::Format;
use crate::cli::booking::answers::{self, Page, local, text};
use crate::cli::booking::id_prefix::{IdPrefix, Listed};
use crate::cli::booking::request::told;
use crate::cli::booking::server::{Connection, Server};
use crate::cli::booking::time::instant;
use crate::cli::{Failure, block_on, print, tell};
use crate::http::v1::quota_adjustments::document::QuotaAdjustmentDocument;

/// Adjustments in a page of the API.
const PAGE: usize = 1000;

/// What a rule limits. Each is a number, -1 for any amount, or a part of all nodes such as 0.5*ALL.
#[derive(Args)]
struct LimitArguments {
    /// Nodes at an instant: a number, -1 for any, or such as 0.5*ALL
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    nodes: Option<String>,
    /// Reservations at an instant
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    reservations: Option<String>,
    /// Nodes times hours
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    node_hours: Option<String>,
    /// A budget of energy in kWh
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    energy_kwh: Option<String>,
    /// A budget of cost in the site's currency
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    cost: Option<String>,
    /// A budget of CO2 in kg
    #[arg(long, value_name = "LIMIT", allow_hyphen_values = true)]
    co2_kg: Option<String>,
    /// What node-hours and budgets are added up over: day, week, month, quarter or year
    #[arg(long, conflicts_with_all = ["per_from", "per_to"])]
    per: Option<String>,
    /// In place of --per: they count once, from this time of the site's clock, such as "2026-10-01 00:00"
    #[arg(long, value_name = "TIME", requires = "per_to")]
    per_from: Option<String>,
    /// To this time of the site's clock
    #[arg(long, value_name = "TIME", requires = "per_from")]
    per_to: Option<String>,
    /// Why, in words; those whom it concerns read it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Args)]
pub(super) struct AdjustQuota {
    /// The partition that requests ask for, * for all together, or / for each [default: *]
    #[arg(short = 'p', long)]
    partition: Option<String>,
    /// The project, * or / [default: *]
    #[arg(short = 'A', long, visible_alias = "account")]
    project: Option<String>,
    /// The job type, or * [default: *]
    #[arg(long)]
    job_type: Option<String>,
    /// The user, * or / [default: *]
    #[arg(short = 'u', long)]
    user: Option<String>,
    #[command(flatten)]
    limits: LimitArguments,
    /// Budgets are also those of all that is part of the project
    #[arg(long)]
    with_below: bool,
    /// Since when: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT", default_value = "now")]
    begin: String,
    /// Until when [default: until wattbook quota end]
    #[arg(long, value_name = "INSTANT")]
    end: Option<String>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(super) struct ListAdjustments {
    /// Those that have ended, too
    #[arg(long, conflicts_with = "at")]
    all: bool,
    /// Those alone that are, were or will be in force at this instant
    #[arg(long, value_name = "INSTANT")]
    at: Option<String>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(super) struct ChangeAdjustment {
    /// The adjustment, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[command(flatten)]
    limits: LimitArguments,
    /// Another end, later than now
    #[arg(long, value_name = "INSTANT")]
    end: Option<String>,
    #[arg(long, default_value = "table")]
    format: Format,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Args)]
pub(super) struct EndAdjustments {
    /// The adjustments, by their ids or the beginnings of them
    #[arg(required = true, value_parser = IdPrefix::parse)]
    ids: Vec<IdPrefix>,
    #[command(flatten)]
    connection: Connection,
}

/// The adjustments that have yet to end.
const ADJUSTMENTS: Listed = Listed {
    noun: "quota adjustment",
    path: "quotas/adjustments",
    command: "wattbook quota adjustments",
    looks_up_whole: false,
    line: |answer| {
        let it: QuotaAdjustmentDocument = serde_json::from_value(answer.clone())?;
        Ok(format!("{}: {}", key(&it), limits(&it)))
    },
};

impl LimitArguments {
    /// What is said, by the names that the API has.
    fn members(&self) -> impl Iterator<Item = (String, Value)> {
        let said = [
            ("nodes", &self.nodes),
            ("reservations", &self.reservations),
            ("node_hours", &self.node_hours),
            ("energy_kwh", &self.energy_kwh),
            ("cost", &self.cost),
            ("co2_kg", &self.co2_kg),
            ("per", &self.per),
            ("per_from", &self.per_from),
            ("per_to", &self.per_to),
            ("reason", &self.reason),
        ];
        said.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?))))
    }
}

/// An instant of an argument, as the API has it.
fn instant_of(name: &str, argument: Option<&str>) -> Result<Option<Value>, Failure> {
    let now = answers::now()?;
    let read = argument.map(|it| instant(it, &now)).transpose();
    let read = read.map_err(|error| Failure::BadInput(vec![format!("{name}: {error}")]))?;
    Ok(read.map(told))
}

pub(super) fn adjust(arguments: &AdjustQuota) -> Result<(), Failure> {
    let mut body: Map<String, Value> = arguments.limits.members().collect();
    let parts = [
        ("partition", &arguments.partition),
        ("project", &arguments.project),
        ("job_type", &arguments.job_type),
        ("user", &arguments.user),
    ];
    let named = parts.into_iter().filter_map(|(name, part)| Some((name, part.as_ref()?)));
    body.extend(named.map(|(name, part)| (name.to_owned(), json!(part))));
    if arguments.with_below {
        body.insert("with_below".to_owned(), json!(true));
    }
    // The service's clock says what now is.
    let begin = Some(arguments.begin.as_str()).filter(|begin| *begin != "now");
    body.extend(instant_of("--begin", begin)?.map(|it| ("from".to_owned(), it)));
    body.extend(instant_of("--end", arguments.end.as_deref())?.map(|it| ("to".to_owned(), it)));
    block_on(async {
        let made: Value = arguments.connection.open()?.post("quotas/adjustments", body).await?;
        show(std::slice::from_ref(&made), arguments.format)
    })
}

pub(super) fn list(arguments: &ListAdjustments) -> Result<(), Failure> {
    let at = instant_of("--at", arguments.at.as_deref())?;
    let mut query = vec![("limit", PAGE.to_string())];
    query.extend(at.and_then(|at| Some(("at", at.as_str()?.to_owned()))));
    query.extend(arguments.all.then(|| ("ended", "true".to_owned())));
    block_on(async {
        let items = all(&arguments.connection.open()?, query).await?;
        if items.is_empty() && arguments.format == Format::Table {
            tell("no quotas are adjusted");
            return Ok(());
        }
        show(&items, arguments.format)
    })
}

/// All pages of a query.
async fn all(server: &Server, mut query: Vec<(&str, String)>) -> Result<Vec<Value>, Failure> {
    let mut items: Vec<Value> = Vec::new();
    loop {
        let page: Page = server.get_with("quotas/adjustments", &query).await?;
        items.extend(page.items);
        let Some(cursor) = page.next_cursor else { return Ok(items) };
        query.retain(|(name, _)| *name != "cursor");
        query.push(("cursor", cursor));
    }
}

pub(super) fn change(arguments: &ChangeAdjustment) -> Result<(), Failure> {
    let mut body: Map<String, Value> = arguments.limits.members().collect();
    body.extend(instant_of("--end", arguments.end.as_deref())?.map(|it| ("to".to_owned(), it)));
    if body.is_empty() {
        return Err(Failure::BadInput(vec![
            "nothing is to change; give a limit, --end or --reason".to_owned(),
        ]));
    }
    block_on(async {
        let server = arguments.connection.open()?;
        let id = arguments.id.find(&server, &ADJUSTMENTS).await?;
        let path = format!("quotas/adjustments/{id}");
        let changed: Value = server.patch(&path, body).await?;
        show(std::slice::from_ref(&changed), arguments.format)
    })
}

pub(super) fn end(arguments: &EndAdjustments) -> Result<(), Failure> {
    block_on(async {
        let server = arguments.connection.open()?;
        // All are found before one is ended: a wrong one changes nothing.
        let mut ids: BTreeSet<Uuid> = BTreeSet::new();
        for named in &arguments.ids {
            ids.insert(named.find(&server, &ADJUSTMENTS).await?);
        }
        for id in ids {
            let ended: QuotaAdjustmentDocument =
                server.delete(&format!("quotas/adjustments/{id}")).await?;
            print(format_args!("{} is over: {}", ended.id, key(&ended)))?;
        }
        Ok(())
    })
}

fn show(items: &[Value], format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        return Ok(print(serde_json::to_string_pretty(items)?)?);
    }
    let read = |it: &Value| serde_json::from_value(it.clone());
    let all: Vec<QuotaAdjustmentDocument> = items.iter().map(read).collect::<Result<_, _>>()?;
    if format == Format::Csv {
        return Ok(print(csv(&all)?.trim_end())?);
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["ID", "RULE", "LIMITS", "BEGIN", "END", "BY", "REASON"]);
    for it in &all {
        table.add_row([
            it.id.to_string(),
            key(it),
            limits(it),
            local(&it.from),
            it.to.as_deref().map_or_else(|| "not known".to_owned(), local),
            it.made_by.clone(),
            it.reason.clone(),
        ]);
    }
    Ok(print(table)?)
}

/// Whom it concerns, as rules are written.
fn key(it: &QuotaAdjustmentDocument) -> String {
    format!("{},{},{},{}", it.partition, it.project, it.job_type, it.user)
}

/// What is limited, by the names of measures.
fn said(it: &QuotaAdjustmentDocument) -> [(&'static str, Option<&str>); 6] {
    [
        ("nodes", it.nodes.as_deref()),
        ("reservations", it.reservations.as_deref()),
        ("node_hours", it.node_hours.as_deref()),
        ("energy_kwh", it.energy_kwh.as_deref()),
        ("cost", it.cost.as_deref()),
        ("co2_kg", it.co2_kg.as_deref()),
    ]
}

/// Such as `nodes 36, cost 500 a month`.
fn limits(it: &QuotaAdjustmentDocument) -> String {
    let said = said(it).into_iter().filter_map(|(name, limit)| Some(format!("{name} {}", limit?)));
    let said = said.collect::<Vec<_>>().join(", ");
    match (&it.per, &it.per_from, &it.per_to) {
        (_, Some(from), Some(to)) => format!("{said} from {from} to {to}"),
        (Some(per), ..) => format!("{said} a {per}"),
        _ => said,
    }
}

fn csv(all: &[QuotaAdjustmentDocument]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let parts = ["id", "made_by", "from", "to", "partition", "project", "job_type", "user"];
    let measures = ["nodes", "reservations", "node_hours", "energy_kwh", "cost", "co2_kg"];
    let rest = ["with_below", "per", "per_from", "per_to", "reason"];
    writer.write_record(parts.iter().chain(&measures).chain(&rest))?;
    for it in all {
        let some = |text: &Option<String>| text.clone().unwrap_or_default();
        let mut record = vec![it.id.to_string(), it.made_by.clone(), it.from.clone(), some(&it.to)];
        record.extend([&it.partition, &it.project, &it.job_type, &it.user].map(String::clone));
        record.extend(said(it).map(|(_, limit)| limit.unwrap_or_default().to_owned()));
        record.push(it.with_below.to_string());
        record.extend([&it.per, &it.per_from, &it.per_to].map(some));
        record.push(it.reason.clone());
        writer.write_record(record)?;
    }
    text(writer)
}
