//! The sources that a replay supplier can be, as they are written in the settings file.

use std::fmt::Write;
use std::path::Path;

use planner::time::Timestamp;

/// Every source that has an address: id, quantity and the provider's settings.
const SOURCES: [(&str, &str, &str); 14] = [
    ("awattar", "price", "provider = \"awattar\"\ncountry = \"germany\"\nbase_url = \"BASE\""),
    (
        "contract",
        "price",
        "provider = \"contract\"\ntime_zone = \"Europe/Paris\"\ncurrency = \"EUR\"
day_starts_at = \"06:00\"
rules = [
    { colour = \"blue\", energy_per_mwh = \"120\" },
    { colour = \"white\", energy_per_mwh = \"180\" },
    { colour = \"red\", energy_per_mwh = \"500\" },
]
colours = { access = \"public\", base_url = \"BASE/rte\" }",
    ),
    (
        "contract-with-account",
        "price",
        "provider = \"contract\"\ntime_zone = \"Europe/Paris\"\ncurrency = \"EUR\"
day_starts_at = \"06:00\"
rules = [
    { colour = \"blue\", energy_per_mwh = \"120\" },
    { colour = \"white\", energy_per_mwh = \"180\" },
    { colour = \"red\", energy_per_mwh = \"500\" },
]
colours = { access = { account = { client_id = \"any\", client_secret = TOKEN } }, \
base_url = \"BASE/rte\" }",
    ),
    (
        "electricity-maps",
        "co2",
        "provider = \"electricity-maps\"\nzone = \"FR\"\ntoken = TOKEN\nbase_url = \"BASE\"",
    ),
    ("energy-charts", "price", "provider = \"energy-charts\"\nzone = \"FR\"\nbase_url = \"BASE\""),
    (
        "energy-charts-co2",
        "co2",
        "provider = \"energy-charts\"\nzone = \"fr\"\nbase_url = \"BASE\"",
    ),
    ("entsoe", "price", ENTSOE),
    ("entsoe-co2", "co2", ENTSOE),
    (
        "nord-pool",
        "price",
        "provider = \"nord-pool\"\narea = \"SE3\"\ncurrency = \"EUR\"\nbase_url = \"BASE\"",
    ),
    (
        "octopus",
        "price",
        "provider = \"octopus\"\nproduct = \"AGILE\"\nregion = \"C\"\nbase_url = \"BASE\"",
    ),
    ("odre", "co2", "provider = \"odre\"\nbase_url = \"BASE/odre\""),
    ("uk-carbon-intensity", "co2", "provider = \"uk-carbon-intensity\"\nbase_url = \"BASE\""),
    (
        "watttime",
        "co2",
        "provider = \"watttime\"\nregion = \"ANY\"\nuser = \"any\"\npassword = TOKEN\nbase_url = \"BASE\"",
    ),
    (
        "watttime-average",
        "co2",
        "provider = \"watttime\"\nregion = \"ANY\"\nsignal = \"co2_aoer\"\nuser = \"any\"
password = TOKEN\nbase_url = \"BASE\"",
    ),
];

const ENTSOE: &str = "provider = \"entsoe\"\nzone = \"10YFR-RTE------C\"\ntoken = TOKEN
base_urls = [\"BASE/entsoe\"]";

/// The files of `--drop`.
const FILES: [&str; 3] = ["price", "co2", "power-cap"];

/// All sources of the supplier at `base`, as TOML.
pub fn settings(base: &str, at: Timestamp, drop: Option<&Path>) -> String {
    let mut text = format!(
        "# The replay supplier listens on {base}; the virtual time is {at}.
# Sources for the settings file; take those that fit together. Any token will do:
# export REPLAY_TOKEN=any\n"
    );
    for (id, quantity, provider) in SOURCES {
        let provider =
            provider.replace("BASE", base).replace("TOKEN", "{ environment = \"REPLAY_TOKEN\" }");
        // Writing to a string cannot fail.
        let _ = write!(text, "\n[[feeds]]\nid = \"{id}\"\nquantity = \"{quantity}\"\n{provider}\n");
    }
    for quantity in drop.into_iter().flat_map(|_| FILES) {
        let path = drop.map(|folder| folder.join(quantity).with_extension("csv"));
        let path = serde_json::Value::from(path.map(|path| path.display().to_string()));
        let _ = write!(
            text,
            "\n[[feeds]]\nid = \"file-{quantity}\"\nquantity = \"{quantity}\"
provider = \"file-drop\"\npath = {path}\n"
        );
    }
    text
}
