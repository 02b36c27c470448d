//! Where forecasts have series from that are known ahead of time: load, wind, sun and temperature.
//!
//! A source tells the past too, as it was expected then, so that forecasts learn from what they would have known.

pub mod entsoe;
pub mod file_drop;
pub mod open_meteo;

use planner::time::{Span, Timestamp};

use crate::feed::FeedError;
use crate::forecast::ForecastInput;
use crate::http::Http;

/// What a series is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputQuantity {
    /// What a zone consumes, in MW.
    Load,
    /// What the wind generates, in MW.
    Wind,
    /// What the sun generates, in MW.
    Solar,
    /// Two metres above the ground, in degrees Celsius.
    Temperature,
    /// Ten metres above the ground, in m/s.
    WindSpeed,
    /// On a level square metre, in W.
    Irradiance,
}

/// A source and what it needs to know: `provider = "open-meteo"` in the settings file, and its settings.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(tag = "provider", rename_all = "kebab-case")]
pub enum InputProvider {
    /// ENTSO-E: load, wind, solar.
    Entsoe(entsoe::Settings),
    /// A file: any.
    FileDrop(file_drop::Settings),
    /// Open-Meteo: temperature, wind speed, irradiance.
    OpenMeteo(open_meteo::Settings),
}

/// What is asked of a source of inputs.
#[derive(Clone, Copy, Debug)]
pub struct InputQuery<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// What it is about.
    pub quantity: InputQuantity,
    /// The time of asking.
    pub now: Timestamp,
    /// The past that forecasts learn from, and the days ahead.
    pub window: Span,
}

impl InputProvider {
    /// Checks that it has such a series, and its settings.
    ///
    /// # Errors
    /// Says what it has; settings that cannot work.
    pub fn check(&self, quantity: InputQuantity) -> Result<(), FeedError> {
        use InputQuantity::{Irradiance, Load, Solar, Temperature, Wind, WindSpeed};
        match (self, quantity) {
            (Self::Entsoe(settings), _) if settings.ahead.is_some() => {
                Err(FeedError::configuration("inputs have no `ahead`: leave it out"))
            }
            (Self::FileDrop(_), _) | (Self::Entsoe(_), Load | Wind | Solar) => Ok(()),
            (Self::OpenMeteo(settings), Temperature | WindSpeed | Irradiance) => {
                settings.place().map(|_| ())
            }
            (Self::Entsoe(_), _) => {
                Err(FeedError::configuration("entsoe has the series load, wind and solar"))
            }
            (Self::OpenMeteo(_), _) => {
                let has = "open-meteo has the series temperature, wind-speed and irradiance";
                Err(FeedError::configuration(has))
            }
        }
    }

    /// The series as it is known now, with the past as it was expected then.
    ///
    /// # Errors
    /// As of any feed.
    pub async fn fetch(
        &self,
        query: InputQuery<'_>,
        http: &Http,
    ) -> Result<ForecastInput, FeedError> {
        self.check(query.quantity)?;
        let fetched = match self {
            Self::Entsoe(settings) => entsoe::fetch(settings, query, http).await,
            Self::FileDrop(settings) => file_drop::fetch(settings, query).await,
            Self::OpenMeteo(settings) => open_meteo::fetch(settings, query, http).await,
        };
        fetched.map_err(FeedError::scrubbed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(text: &str) -> InputProvider {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn sources_say_what_they_have() {
        let weather = provider("provider = \"open-meteo\"\nlatitude = 48.85\nlongitude = 2.35");
        assert_eq!(weather.check(InputQuantity::Temperature), Ok(()));
        assert_eq!(
            weather.check(InputQuantity::Load).unwrap_err().to_string(),
            "configuration: open-meteo has the series temperature, wind-speed and irradiance"
        );
        let nowhere = provider("provider = \"open-meteo\"\nlatitude = 91.0\nlongitude = nan");
        assert!(nowhere.check(InputQuantity::Temperature).is_err());
        let grid = provider("provider = \"entsoe\"\nzone = \"X\"\ntoken = { environment = \"X\" }");
        assert_eq!(grid.check(InputQuantity::Wind), Ok(()));
        assert!(grid.check(InputQuantity::Irradiance).is_err());
        let refused =
            |text: &str, quantity| provider(text).check(quantity).unwrap_err().to_string();
        let beyond = "provider = \"open-meteo\"\nlatitude = 200.0\nlongitude = 2.35";
        let error = refused(beyond, InputQuantity::Temperature);
        assert!(error.contains("latitude must lie between -90 and 90"), "{error}");
        let ahead =
            "provider = \"entsoe\"\nzone = \"X\"\ntoken = { environment = \"X\" }\nahead = {}";
        assert!(refused(ahead, InputQuantity::Load).contains("inputs have no `ahead`"));
        assert!(toml::from_str::<InputProvider>("provider = \"file-drop\"\npaths = 1").is_err());
    }
}
