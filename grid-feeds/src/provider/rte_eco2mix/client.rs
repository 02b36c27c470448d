//! One request for the days in Paris that touch a span, up to today.

use jiff::civil::Date;
use planner::time::Seconds;

use super::map;
use crate::feed::{CarbonFeed, FeedError, Fetched, Fetching, Quantity, Query, Role};
use crate::http::{Http, send};
use crate::local_time::LocalTime;
use crate::provider::{Declaration, PlainClient};

/// France.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where the curves are; RTE's older address is `https://www.rte-france.com/getEco2MixXml.php`.
    #[serde(default = "curves")]
    pub address: String,
}

fn curves() -> String {
    "https://eco2mix.rte-france.com/curves/eco2mixWeb".to_owned()
}

impl Declaration for Settings {
    const LONGEST_WINDOW: Seconds = Seconds::new(14 * 86_400);
    #[cfg(test)]
    const EXAMPLE: &'static str = "";

    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError> {
        let client = || Role::Carbon(Box::new(Client::new(source, self, http)));
        Ok((quantity == Quantity::Co2).then(client))
    }
}

/// Asks for curves.
pub type Client = PlainClient<Settings>;

impl Client {
    async fn fetch(&self, query: Query<'_>) -> Result<Fetched, FeedError> {
        let local = LocalTime::paris().map_err(FeedError::calendar)?;
        let date = |instant| local.date(instant).map_err(FeedError::calendar);
        let first = date(query.window.start())?;
        let last = date(query.window.end() - Seconds::ONE)?.min(date(query.now)?);
        if last < first {
            return Err(FeedError::not_published(format!("nothing is measured yet of {first}")));
        }
        let day = |date: Date| date.strftime("%d/%m/%Y").to_string();
        let request = self.http.get(&self.settings.address, "").query(&[
            ("type", "co2"),
            ("dateDeb", &day(first)),
            ("dateFin", &day(last)),
            ("mode", "NORM"),
        ]);
        let answer = send(request, None, query.now).await?;
        let series = map::intensities(&map::read(answer.success()?)?)?.asked_for(query.window)?;
        Ok(series.into_fetched(&self.source, "FR", None))
    }
}

impl CarbonFeed for Client {
    fn intensities<'a>(&'a self, query: Query<'a>) -> Fetching<'a> {
        Box::pin(self.fetch(query))
    }
}
