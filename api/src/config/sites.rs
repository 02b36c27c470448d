//! Other sites that are asked for offers: `[[sites]]`. See `docs/SITES.md`.

use std::time::Duration;

use anyhow::{Context, ensure};
use grid_feeds::feed::{Secret, SecretSource};
use grid_feeds::http::{Http, Timeouts};
use planner::node::{NAME_RULE, is_name};
use serde::Deserialize;
use url::Url;

use super::sign_in::is_on_this_machine;

/// No more sites are asked for one request.
const MOST_SITES: usize = 32;

/// The most that may be said of data and money: a cost, an energy, a rate.
const MOST: f64 = 1e12;

/// Another site, and what it costs and takes to bring data there and back.
#[derive(Clone, Debug)]
pub struct OtherSite {
    /// What it is called here.
    pub name: String,
    /// Where its API is, without a slash at its end.
    pub url: String,
    /// Where it is, for people.
    pub location: Option<String>,
    /// What it is asked with; nothing where it has one local user.
    pub token: Option<Secret>,
    /// Whether it is asked for the user who asks here: by their rights and quotas there.
    pub for_users: bool,
    /// How fast data goes there and back; at once where that is not said.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// How long the first byte takes.
    pub latency_s: f64,
    /// What a gigabyte (1e9 bytes) costs, in the other site's currency.
    pub cost_per_gb: f64,
    /// What a gigabyte takes of energy.
    pub energy_kwh_per_gb: f64,
    /// What a gigabyte emits.
    pub co2_g_per_gb: f64,
    /// What one unit of the other site's currency is in this site's; `None` where both have the same.
    pub exchange_rate: Option<f64>,
    /// An answer that takes longer is not waited for.
    pub timeout: Duration,
    /// How long it is left alone once it has failed several times in turn.
    pub pause: Duration,
    /// By which it is asked.
    pub http: Http,
}

/// What the file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherSiteFields {
    name: String,
    url: String,
    location: Option<String>,
    token: Option<SecretSource>,
    #[serde(default)]
    for_users: bool,
    bandwidth_bytes_per_s: Option<f64>,
    #[serde(default)]
    latency_s: f64,
    #[serde(default)]
    cost_per_gb: f64,
    #[serde(default)]
    energy_kwh_per_gb: f64,
    #[serde(default)]
    co2_g_per_gb: f64,
    exchange_rate: Option<f64>,
    timeout_s: Option<f64>,
    pause_s: Option<f64>,
}

impl OtherSite {
    /// Reads all `[[sites]]` beside the site that is called `here`, where that is known.
    ///
    /// # Errors
    /// What cannot work, with the site's name.
    pub fn read_all(fields: Vec<OtherSiteFields>, here: Option<&str>) -> anyhow::Result<Vec<Self>> {
        ensure!(fields.len() <= MOST_SITES, "[[sites]]: there are more than {MOST_SITES}");
        let mut all: Vec<Self> = Vec::with_capacity(fields.len());
        for fields in fields {
            let name = fields.name.clone();
            ensure!(is_name(&name), "[[sites]]: name {name:?} {NAME_RULE}");
            ensure!(
                Some(name.as_str()) != here,
                "[[sites]]: {name:?} is what this site is called; say another name, or another location for this site"
            );
            ensure!(all.iter().all(|it| it.name != name), "[[sites]]: two have the name {name:?}");
            all.push(Self::read(fields).with_context(|| format!("[[sites]] {name:?}"))?);
        }
        Ok(all)
    }

    fn read(fields: OtherSiteFields) -> anyhow::Result<Self> {
        let timeout = seconds("timeout_s", fields.timeout_s, 3.0, 0.1..=60.0)?;
        let pause = seconds("pause_s", fields.pause_s, 30.0, 1.0..=3600.0)?;
        for (name, value) in [
            ("latency_s", fields.latency_s),
            ("cost_per_gb", fields.cost_per_gb),
            ("energy_kwh_per_gb", fields.energy_kwh_per_gb),
            ("co2_g_per_gb", fields.co2_g_per_gb),
        ] {
            ensure!((0.0..=MOST).contains(&value), "{name} must lie between 0 and {MOST}");
        }
        for (name, value) in [
            ("bandwidth_bytes_per_s", fields.bandwidth_bytes_per_s),
            ("exchange_rate", fields.exchange_rate),
        ] {
            let is_one = |it: f64| it > 0.0 && it <= MOST;
            ensure!(value.is_none_or(is_one), "{name} must lie above 0 and be at most {MOST}");
        }
        let token = fields.token.map(|token| token.read()).transpose().context("token")?;
        // Its own end comes a moment after ours, which knows what to say.
        let total = timeout + Duration::from_secs(1);
        let http = Http::new(Timeouts { connect: timeout, total })?;
        Ok(Self {
            url: address(&fields.url)?,
            name: fields.name,
            location: fields.location,
            token,
            for_users: fields.for_users,
            bandwidth_bytes_per_s: fields.bandwidth_bytes_per_s,
            latency_s: fields.latency_s,
            cost_per_gb: fields.cost_per_gb,
            energy_kwh_per_gb: fields.energy_kwh_per_gb,
            co2_g_per_gb: fields.co2_g_per_gb,
            exchange_rate: fields.exchange_rate,
            timeout,
            pause,
            http,
        })
    }
}

/// Where a site's API is. It is asked over TLS, but on this machine: its token is sent with each request.
fn address(text: &str) -> anyhow::Result<String> {
    let says =
        || format!("url = {text:?} must be an address such as \"https://wattbook.lyon.example\"");
    let url = Url::parse(text).with_context(says)?;
    ensure!(url.query().is_none() && url.fragment().is_none(), says());
    ensure!(
        url.username().is_empty() && url.password().is_none(),
        "url has a user or a password; say a token instead"
    );
    ensure!(
        url.scheme() == "https" || (url.scheme() == "http" && is_on_this_machine(&url)),
        "url must begin with https://: whoever reads the token on its way books as this site"
    );
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn seconds(
    name: &str,
    value: Option<f64>,
    unless: f64,
    range: std::ops::RangeInclusive<f64>,
) -> anyhow::Result<Duration> {
    let value = value.unwrap_or(unless);
    let (least, most) = (range.start(), range.end());
    ensure!(range.contains(&value), "{name} must lie between {least} and {most}");
    Ok(Duration::from_secs_f64(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<OtherSite>, String> {
        let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
        let fields: Vec<OtherSiteFields> =
            table["sites"].clone().try_into().map_err(|error| format!("{error}"))?;
        OtherSite::read_all(fields, Some("site")).map_err(|error| format!("{error:#}"))
    }

    const LYON: &str = "[[sites]]\nname = \"lyon\"\nurl = \"https://lyon.example/wattbook/\"\n";

    #[test]
    fn what_is_not_said_costs_and_takes_nothing() {
        let lyon = read(LYON).unwrap().remove(0);
        assert_eq!(lyon.url, "https://lyon.example/wattbook");
        assert_eq!((lyon.timeout, lyon.pause), (Duration::from_secs(3), Duration::from_secs(30)));
        assert!(lyon.token.is_none() && lyon.bandwidth_bytes_per_s.is_none() && !lyon.for_users);
    }

    #[test]
    fn what_cannot_work_is_named() {
        for (text, named) in [
            (format!("{LYON}{LYON}"), "two have the name"),
            (LYON.replace("lyon\"", "site\""), "what this site is called"),
            (LYON.replace("https", "http"), "https://"),
            (LYON.replace("https://", "https://ada:pw@"), "password"),
            (LYON.replace("/\"", "/?a=b\""), "url"),
            (format!("{LYON}timeout_s = 0"), "timeout_s"),
            (format!("{LYON}latency_s = -1.0"), "latency_s"),
            (format!("{LYON}bandwidth_bytes_per_s = 0.0"), "bandwidth_bytes_per_s"),
            (format!("{LYON}token = {{ environment = \"NO_SUCH_TOKEN\" }}"), "NO_SUCH_TOKEN"),
            (format!("{LYON}cost = 1"), "cost"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
        read(&LYON.replace("https://lyon.example", "http://127.0.0.1:8080")).unwrap();
    }
}
