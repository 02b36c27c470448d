//! The prices of a contract, with colours where it has them.

use planner::time::Seconds;

use super::settings::Settings;
use super::tariff::Tariff;
use crate::feed::{FeedError, Fetched, Fetching, PriceFeed, Quantity, Query, Role};
use crate::http::Http;
use crate::provider::Declaration;
use crate::provider::rte_tempo::{self, Colours};
use crate::schedule::Rhythm;

impl Declaration for Settings {
    // RTE takes 366 days, of which some are asked for besides.
    const LONGEST_WINDOW: Seconds = Seconds::new(360 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "time_zone = \"UTC\"\ncurrency = \"EUR\"\nrules = []";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Ok(Role::Price(Box::new(Client::new(source, self, http)?)));
        (quantity == Quantity::Price).then(client).transpose()
    }

    fn rhythm(_quantity: Quantity) -> Rhythm {
        // A signal at 08:00, the binding colour at 10:30, which is asked for until it is there.
        Rhythm::daily("Europe/Paris", &["08:05", "10:31"])
    }
}

/// Reckons the prices of a contract.
#[derive(Debug)]
pub struct Client {
    source: Box<str>,
    tariff: Tariff,
    colours: Option<rte_tempo::Client>,
}

impl Client {
    /// A client of `settings`.
    ///
    /// # Errors
    /// Where the contract is not whole, or has rules by colour and no colours.
    pub fn new(source: &str, settings: &Settings, http: &Http) -> Result<Self, FeedError> {
        let tariff = Tariff::new(settings)?;
        if tariff.has_colours() && settings.colours.is_none() {
            return Err(FeedError::configuration(
                "rules have colours; say where colours come from",
            ));
        }
        let colours = settings.colours.as_ref().filter(|_| tariff.has_colours());
        let colours = colours.map(|settings| rte_tempo::Client::new(settings, http)).transpose()?;
        Ok(Self { source: source.into(), tariff, colours })
    }

    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let colours = match &self.colours {
            Some(client) => client.colours(query).await?,
            None => Colours::new(),
        };
        let series = self.tariff.prices(query.window, &colours)?;
        if series.agenda.pieces().is_empty() {
            return Err(FeedError::not_published("no colour is known"));
        }
        Ok(series.into_fetched(&self.source, "contract", None))
    }
}

impl PriceFeed for Client {
    fn prices<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
