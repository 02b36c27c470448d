//! Which supplier a source asks, as it is written in the configuration.

use planner::quantity::Currency;
use planner::time::Seconds;

use super::{
    awattar, contract, electricity_maps, energy_charts, entsoe, file_drop, nord_pool, octopus,
    odre, uk_carbon_intensity, watttime,
};
use crate::feed::{FeedError, Kind, Quantity, Role};
use crate::http::Http;
use crate::schedule::Rhythm;

/// A supplier and what it needs to know: `provider = "entsoe"` and the settings of that module.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(tag = "provider", rename_all = "kebab-case")]
pub enum Provider {
    /// aWATTar: prices.
    Awattar(awattar::Settings),
    /// A contract: prices.
    Contract(contract::Settings),
    /// Electricity Maps: CO2.
    ElectricityMaps(electricity_maps::Settings),
    /// Energy-Charts: prices, CO2.
    EnergyCharts(energy_charts::Settings),
    /// ENTSO-E: prices, CO2.
    Entsoe(entsoe::Settings),
    /// Files: prices, CO2, power caps.
    FileDrop(file_drop::Settings),
    /// Nord Pool: prices.
    NordPool(nord_pool::Settings),
    /// Octopus: prices.
    Octopus(octopus::Settings),
    /// ODRE eco2mix: CO2.
    Odre(odre::Settings),
    /// UK Carbon Intensity: CO2.
    UkCarbonIntensity(uk_carbon_intensity::Settings),
    /// `WattTime`: CO2, marginal.
    Watttime(watttime::Settings),
}

impl Provider {
    /// The feed of `quantity`, named `source`; secrets are read now.
    ///
    /// # Errors
    /// Where the supplier does not have the quantity, and where the settings cannot work.
    pub fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Role, FeedError> {
        Ok(match (self, quantity) {
            (Self::Awattar(settings), Quantity::Price) => {
                Role::Price(Box::new(awattar::Client::new(source, settings, http)))
            }
            (Self::Contract(settings), Quantity::Price) => {
                Role::Price(Box::new(contract::Client::new(source, settings, http)?))
            }
            (Self::ElectricityMaps(settings), Quantity::Co2) => {
                Role::Carbon(Box::new(electricity_maps::Client::new(source, settings, http)?))
            }
            (Self::EnergyCharts(settings), Quantity::Price) => {
                Role::Price(Box::new(energy_charts::Client::new(source, settings, http)))
            }
            (Self::EnergyCharts(settings), Quantity::Co2) => {
                Role::Carbon(Box::new(energy_charts::Client::new(source, settings, http)))
            }
            (Self::Entsoe(settings), Quantity::Price) => {
                Role::Price(Box::new(entsoe::Client::new(source, settings, http)?))
            }
            (Self::Entsoe(settings), Quantity::Co2) => {
                Role::Carbon(Box::new(entsoe::Client::new(source, settings, http)?))
            }
            (Self::FileDrop(settings), quantity) => files(source, settings, quantity)?,
            (Self::NordPool(settings), Quantity::Price) => {
                Role::Price(Box::new(nord_pool::Client::new(source, settings, http)))
            }
            (Self::Octopus(settings), Quantity::Price) => {
                Role::Price(Box::new(octopus::Client::new(source, settings, http)))
            }
            (Self::Odre(settings), Quantity::Co2) => {
                Role::Carbon(Box::new(odre::Client::new(source, settings, http)?))
            }
            (Self::UkCarbonIntensity(settings), Quantity::Co2) => {
                Role::Carbon(Box::new(uk_carbon_intensity::Client::new(source, settings, http)))
            }
            (Self::Watttime(settings), Quantity::Co2) => {
                Role::Carbon(Box::new(watttime::Client::new(source, settings, http)?))
            }
            (_, quantity) => {
                let message = format!("this provider has no {}", quantity.word());
                return Err(FeedError::configuration(message));
            }
        })
    }

    /// The contract, whose prices can be reckoned without asking anybody; `None` for suppliers.
    ///
    /// # Errors
    /// Where the contract is not whole.
    pub fn tariff(&self) -> Result<Option<contract::Tariff>, FeedError> {
        match self {
            Self::Contract(settings) => contract::Tariff::new(settings).map(Some),
            _ => Ok(None),
        }
    }

    /// The longest span that one fetch may ask for; a longer back-fill goes in parts.
    pub const fn longest_window(&self) -> Seconds {
        const DAY: i64 = 86_400;
        Seconds::new(match self {
            Self::UkCarbonIntensity(_) => 14 * DAY,
            Self::ElectricityMaps(_) => 10 * DAY,
            Self::Watttime(_) => 30 * DAY,
            Self::Odre(_) | Self::EnergyCharts(_) | Self::NordPool(_) | Self::Awattar(_) => {
                31 * DAY
            }
            // RTE takes 366 days, of which some are asked for besides.
            Self::Contract(_) => 360 * DAY,
            Self::Entsoe(_) | Self::Octopus(_) | Self::FileDrop(_) => 365 * DAY,
        })
    }

    /// Whether what it publishes is binding in the end: what is provisional does not count as its
    /// publication. Forecasts stay forecasts.
    pub const fn is_binding(&self, quantity: Quantity) -> bool {
        match self {
            Self::FileDrop(settings) => settings.binding,
            _ => matches!(quantity, Quantity::Price),
        }
    }

    /// How the supplier publishes and may be asked, unless the site says otherwise.
    pub fn rhythm(&self, quantity: Quantity) -> Rhythm {
        let usual = Rhythm::default();
        let daily = |time_zone: &str, times: &[&str]| Rhythm {
            time_zone: time_zone.to_owned(),
            publications: times.iter().map(|&time| time.to_owned()).collect(),
            poll_every_s: 4 * 3600,
            ..usual.clone()
        };
        match self {
            // Day-ahead results come from 12:55 on, often later.
            Self::Entsoe(_) if quantity == Quantity::Price => {
                Rhythm { budget_requests: 300, ..daily("Europe/Brussels", &["12:55"]) }
            }
            Self::Entsoe(_) => Rhythm { budget_requests: 300, ..usual },
            Self::EnergyCharts(_) if quantity == Quantity::Price => {
                daily("Europe/Berlin", &["13:00"])
            }
            Self::NordPool(_) => daily("Europe/Berlin", &["12:55"]),
            Self::Awattar(_) => daily("Europe/Berlin", &["14:00"]),
            Self::Octopus(_) => daily("Europe/London", &["16:00"]),
            // A signal at 08:00, the binding colour at 10:30, which is asked for until it is there.
            Self::Contract(_) => daily("Europe/Paris", &["08:05", "10:31"]),
            Self::FileDrop(_) => Rhythm { poll_every_s: 30, catch_up_s: 5, ..usual },
            Self::ElectricityMaps(_)
            | Self::EnergyCharts(_)
            | Self::Odre(_)
            | Self::UkCarbonIntensity(_)
            | Self::Watttime(_) => usual,
        }
    }
}

fn files(
    source: &str,
    settings: &file_drop::Settings,
    quantity: Quantity,
) -> Result<Role, FeedError> {
    let client = |kind| Box::new(file_drop::Client::new(source, settings, kind));
    Ok(match quantity {
        Quantity::Price => {
            let currency = Currency::parse(&settings.currency)
                .map_err(|error| FeedError::configuration(format!("currency {error}")))?;
            Role::Price(client(Kind::Price { currency }))
        }
        Quantity::Co2 => {
            let (accounting, factors) = (settings.accounting, settings.factors);
            Role::Carbon(client(Kind::Co2 { accounting, factors }))
        }
        Quantity::PowerCap => Role::PowerCap(client(Kind::PowerCap)),
    })
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;
    use crate::http::Timeouts;
    use crate::schedule::Schedule;

    fn connect(text: &str, quantity: Quantity) -> Result<Quantity, String> {
        let provider: Provider = toml::from_str(text).map_err(|error| error.to_string())?;
        let http = Http::new(Timeouts::default()).map_err(|error| error.to_string())?;
        let role = provider.connect("a", quantity, &http).map_err(|error| error.to_string())?;
        Ok(role.quantity())
    }

    #[test]
    fn a_supplier_serves_only_the_roles_it_can() {
        let charts = "provider = \"energy-charts\"\nzone = \"FR\"";
        assert_eq!(connect(charts, Quantity::Price), Ok(Quantity::Price));
        assert_eq!(connect(charts, Quantity::Co2), Ok(Quantity::Co2));
        let none = connect(charts, Quantity::PowerCap).unwrap_err();
        assert_eq!(none, "configuration: this provider has no power-cap");
        let drop = "provider = \"file-drop\"\npath = \"caps\"";
        assert_eq!(connect(drop, Quantity::PowerCap), Ok(Quantity::PowerCap));
    }

    #[test]
    fn the_rhythm_of_every_supplier_can_be_kept() {
        let token = "token = { environment = \"X\" }";
        let settings = [
            "provider = \"awattar\"\ncountry = \"austria\"".to_owned(),
            "provider = \"contract\"\ntime_zone = \"UTC\"\ncurrency = \"EUR\"\nrules = []"
                .to_owned(),
            format!("provider = \"electricity-maps\"\nzone = \"FR\"\n{token}"),
            "provider = \"energy-charts\"\nzone = \"FR\"".to_owned(),
            format!("provider = \"entsoe\"\nzone = \"X\"\n{token}"),
            "provider = \"file-drop\"\npath = \"caps\"".to_owned(),
            "provider = \"nord-pool\"\narea = \"SE3\"\ncurrency = \"EUR\"".to_owned(),
            "provider = \"octopus\"\nproduct = \"AGILE\"\nregion = \"C\"".to_owned(),
            "provider = \"odre\"".to_owned(),
            "provider = \"uk-carbon-intensity\"".to_owned(),
            "provider = \"watttime\"\nregion = \"X\"\nuser = \"u\"\npassword = { file = \"p\" }"
                .to_owned(),
        ];
        let mut random = rand_chacha::ChaCha8Rng::from_seed([0; 32]);
        let now = planner::time::Timestamp::MIN;
        for text in settings {
            let provider: Provider = toml::from_str(&text).unwrap();
            for quantity in [Quantity::Price, Quantity::Co2, Quantity::PowerCap] {
                let rhythm = provider.rhythm(quantity);
                assert!(Schedule::new(rhythm, now, None, &mut random).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn unknown_settings_and_secrets_that_are_not_there_are_named() {
        let unknown = "provider = \"energy-charts\"\nzone = \"FR\"\nzonne = \"DE\"";
        assert!(connect(unknown, Quantity::Price).unwrap_err().contains("zonne"));
        let token =
            "provider = \"entsoe\"\nzone = \"FR\"\ntoken = { environment = \"NOT_SET_HERE\" }";
        assert!(connect(token, Quantity::Price).unwrap_err().contains("NOT_SET_HERE"));
    }
}
