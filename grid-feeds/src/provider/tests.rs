//! What holds of all providers, and how their settings are read.

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
    let mut random = rand_chacha::ChaCha8Rng::from_seed([0; 32]);
    let now = planner::time::Timestamp::MIN;
    for provider in Provider::examples() {
        for quantity in [Quantity::Price, Quantity::Co2, Quantity::PowerCap] {
            let rhythm = provider.rhythm(quantity);
            assert!(Schedule::new(rhythm, now, None, &mut random).is_ok(), "{provider:?}");
        }
    }
}

#[test]
fn what_is_unknown_is_named_with_what_is_known() {
    let error = |text: &str| connect(text, Quantity::Price).unwrap_err();
    let unknown = error("provider = \"energy-charts\"\nzone = \"FR\"\nzonne = \"DE\"");
    assert!(unknown.contains("`zonne`") && unknown.contains("`zone`"), "{unknown}");
    let unknown = error("provider = \"energy-chart\"\nzone = \"FR\"");
    for name in ["`energy-chart`", "`awattar`", "`energy-charts`", "`watttime`"] {
        assert!(unknown.contains(name), "{unknown}");
    }
}

#[test]
fn secrets_that_are_not_there_are_named() {
    let token = "provider = \"entsoe\"\nzone = \"FR\"\ntoken = { environment = \"NOT_SET_HERE\" }";
    assert!(connect(token, Quantity::Price).unwrap_err().contains("NOT_SET_HERE"));
}
