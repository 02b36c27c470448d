use super::*;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    feeds: Vec<Table>,
    #[serde(default)]
    inputs: Vec<Table>,
    #[serde(default)]
    agendas: BTreeMap<String, AgendaFields>,
    openadr: Option<Table>,
}

fn read(text: &str) -> Result<Feeds, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let openadr = super::super::source_provider::openadr(file.openadr, Currency::EUR);
    let openadr = openadr.map_err(|error| format!("{error:#}"))?;
    let feeds =
        Feeds::read(file.feeds, file.inputs, &file.agendas, None, Currency::EUR, openadr.as_ref());
    feeds.map_err(|error| format!("{error:#}"))
}

const CHARTS: &str = "[[feeds]]
id = \"charts\"
quantity = \"price\"
provider = \"energy-charts\"
zone = \"FR\"
poll = { poll_every_s = 600 }
timeouts = { total_s = 20 }
";

const CONTRACT: &str = "[[feeds]]
id = \"tariff\"
quantity = \"price\"
provider = \"contract\"
time_zone = \"Europe/Paris\"
currency = \"EUR\"
rules = [{ energy_per_mwh = \"80\" }]
";

#[test]
fn a_source_has_its_provider_s_rhythm_but_for_what_is_said() {
    let feeds = read(CHARTS).unwrap();
    let source = feeds.source("charts").unwrap();
    assert_eq!(source.rhythm.poll_every_s, 600);
    assert_eq!(source.rhythm.publications, ["13:00"]);
    assert_eq!(source.timeouts.total, Duration::from_secs(20));
    assert_eq!(source.fresh_for, Seconds::new(3 * 600 + 3600));
    assert_eq!(feeds.agenda(Quantity::Price).unwrap().chain, [0]);
    assert!(feeds.agenda(Quantity::Co2).is_none());
}

#[test]
fn a_chain_has_its_own_order_and_a_contract_behind_it() {
    let agenda = "[agendas.price]
        chain = [\"tariff\", \"charts\"]
        contract = \"tariff\"
        refuse_estimates = true
        forecast = { time_zone = \"Europe/Paris\" }
        [agendas.power-cap]
        safe_mode_cap_w = 500_000";
    let feeds = read(&format!("{CHARTS}{CONTRACT}{agenda}")).unwrap();
    let price = feeds.agenda(Quantity::Price).unwrap();
    assert_eq!(price.chain, [1, 0]);
    assert!(price.contract.is_some() && price.refuse_estimates && price.forecast.is_some());
    let cap = feeds.agenda(Quantity::PowerCap).unwrap();
    assert_eq!(cap.safe_mode_cap, Power::from_watts(500_000.0));
}

const CO2: &str = "[[feeds]]
id = \"charts\"
quantity = \"co2\"
provider = \"energy-charts\"
zone = \"FR\"
[[feeds]]
id = \"moer\"
quantity = \"co2\"
provider = \"watttime\"
region = \"FR\"
user = \"site\"
password = { environment = \"NOT_SET_HERE\" }
";

#[test]
fn sources_of_the_other_accounting_stand_beside_the_chain() {
    let agenda = "[agendas.co2]
        accounting = \"average\"
        factors = \"life-cycle\"
        other = { chain = [\"moer\"], factors = \"direct\" }";
    let feeds = read(&format!("{CO2}{agenda}")).unwrap();
    let co2 = feeds.agenda(Quantity::Co2).unwrap();
    let (average, direct) = (Accounting::Average, Factors::Direct);
    assert_eq!(co2.chain, [0]);
    assert_eq!(co2.kind, Some(Kind::Co2 { accounting: average, factors: Factors::Lifecycle }));
    let other = feeds.other_co2().unwrap();
    assert_eq!(other.chain, [1]);
    assert_eq!(other.kind, Kind::Co2 { accounting: Accounting::Marginal, factors: direct });
    for (found, wrong, told) in [
        ("accounting = \"average\"", "", "accounting and factors need each other"),
        ("[\"moer\"]", "[]", "other: its chain must name at least one feed"),
        ("[\"moer\"]", "[\"moar\"]", "other: chain: there is no feed \"moar\" of co2"),
        ("[\"moer\"]", "[\"moer\", \"moer\"]", "other: chain: \"moer\" is there twice"),
        (", factors = \"direct\"", "", "missing field `factors`"),
        (
            "[agendas.co2]",
            "[agendas.co2]\nchain = [\"moer\", \"charts\"]",
            "no feed \"moer\" of co2",
        ),
    ] {
        let error = read(&format!("{CO2}{}", agenda.replace(found, wrong))).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
    let silent = "[agendas.co2]\nother = { chain = [\"moer\"], factors = \"direct\" }";
    let error = read(&format!("{CO2}{silent}")).unwrap_err();
    assert!(error.contains("agendas.co2: other: it is of co2 only"), "{error}");
}

const WEATHER: &str = "[[inputs]]
id = \"temperature\"
quantity = \"temperature\"
provider = \"open-meteo\"
latitude = 48.85
longitude = 2.35
";

#[test]
fn a_forecast_has_holidays_and_inputs_by_name() {
    let forecast = "[agendas.price]
        forecast = { time_zone = \"Europe/Paris\", holidays = \"france\", inputs = [\"temperature\"] }";
    let feeds = read(&format!("{CHARTS}{WEATHER}{forecast}")).unwrap();
    let price = feeds.agenda(Quantity::Price).unwrap();
    assert_eq!(price.inputs.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["temperature"]);
    let wrong = |weather: &str, forecast: &str, named: &str| {
        let error = read(&format!("{CHARTS}{weather}{forecast}")).unwrap_err();
        assert!(error.contains(named), "{error}");
    };
    wrong(WEATHER, &forecast.replace("france", "atlantis"), "no calendar of holidays \"atlantis\"");
    wrong("", forecast, "agendas.price: forecast: inputs: there is no [[inputs]] \"temperature\"");
    let load = WEATHER.replace("quantity = \"temperature\"", "quantity = \"load\"");
    wrong(&load, forecast, "inputs[0] \"temperature\": configuration: open-meteo has the series");
    wrong(&format!("{WEATHER}{WEATHER}"), forecast, "inputs[1] \"temperature\": the id is taken");
}

#[test]
fn a_tolerance_is_the_usual_one_but_for_what_is_said() {
    let co2 = "[agendas.co2]
        disagreement = { take = \"median\", absolute = 2.5, percent = 12.5, least_s = 0 }";
    let feeds = read(&format!("{CHARTS}{co2}")).unwrap();
    let (price, co2) = (feeds.agenda(Quantity::Price), feeds.agenda(Quantity::Co2).unwrap());
    let usual = price.map(|it| (it.precedence, it.tolerance));
    assert_eq!(usual, Some((Precedence::Order, AgreementTolerance::usual(Quantity::Price))));
    let expected = AgreementTolerance {
        absolute: 2_500_000,
        relative: 125_000,
        least: Seconds::new(0),
        usual_ratio: true,
    };
    assert_eq!((co2.precedence, co2.tolerance), (Precedence::Median, expected));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let charts = |more: &str| format!("{CHARTS}{more}");
    for (text, named) in [
        (charts("zonne = 1"), "feeds[0] \"charts\": unknown field `zonne`"),
        (charts("[[feeds]]\nid = \"charts\"\nquantity = \"co2\"\nprovider = \"odre\""), "feeds[1]"),
        (charts("").replace("poll_every_s", "pol_s"), "poll: unknown field `pol_s`"),
        (charts("").replace("\"price\"", "\"prize\""), "feeds[0] \"charts\": \"prize\""),
        (charts("").replace("\"charts\"", "\"api\""), "put by hand"),
        (charts("[agendas.prices]"), "agendas.prices"),
        (charts("[agendas.price]\nchain = [\"chart\"]"), "no feed \"chart\""),
        (charts("[agendas.price]\nchain = []"), "\"charts\" is missing"),
        (charts("[agendas.price]\ncontract = \"charts\""), "not of a contract"),
        (charts("[agendas.co2]\nsafe_mode_cap_w = 5"), "power-cap only"),
        (charts("[agendas.price.forecast]\ntime_zone = \"Paris\""), "Paris is not a time zone"),
        (charts("[agendas.price]\nrefuse = true"), "unknown field `refuse`"),
        (charts("[agendas.price]\ndisagreement = { percent = -1 }"), "disagreement: percent: must"),
        (charts("[agendas.price]\ndisagreement = { absolute = 1e10 }"), "must lie between 0 and"),
        (charts("[agendas.price]\ndisagreement = { least_s = 90000 }"), "at most 86400"),
        (charts("[agendas.price]\ndisagreement = { usual_ratio = true }"), "of co2 only"),
        (charts("[agendas.price]\ndisagreement = { take = \"mean\" }"), "unknown variant `mean`"),
        (
            charts("[agendas.power-cap]\ndisagreement = { take = \"median\" }"),
            "agendas.power-cap: disagreement: take = \"median\" is not for power-cap",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.contains(named), "{error}\n{text}");
    }
}

/// The whole settings in the documentation: for France, for Great Britain, of a contract, and over
/// OpenADR.
#[cfg(feature = "openadr")]
#[test]
fn the_settings_that_the_documentation_shows_can_be_read() {
    let text = include_str!("../../../../docs/FEEDS.md");
    let blocks = text.split("```toml").skip(1).filter_map(|rest| rest.split("```").next());
    let whole: Vec<&str> = blocks.filter(|block| block.contains("[[feeds]]")).collect();
    assert_eq!(whole.len(), 4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wattbook.toml");
    for (text, sources) in whole.into_iter().zip([4, 2, 1, 2]) {
        std::fs::write(&path, text).unwrap();
        let config = Some(path.clone());
        let overrides = crate::config::Overrides { config, ..Default::default() };
        let settings = crate::config::Settings::load(&overrides);
        assert_eq!(settings.unwrap().feeds.sources.len(), sources);
    }
}

const SERVER: &str = "[openadr]
base_url = \"https://vtn.example/openadr3/3.1.0\"
client_id = \"site\"
client_secret = { environment = \"NOT_SET_HERE\" }
ven_name = \"site-1\"
program = \"power\"
poll_every_s = 30
";

fn of_openadr(quantity: &str, more: &str) -> String {
    format!("[[feeds]]\nid = \"vtn\"\nquantity = {quantity:?}\nprovider = \"openadr\"\n{more}\n")
}

#[cfg(feature = "openadr")]
#[test]
fn the_supplier_s_server_is_a_source_of_all_quantities() {
    for quantity in ["price", "co2", "power-cap"] {
        let feeds = read(&format!("{SERVER}{}", of_openadr(quantity, ""))).unwrap();
        let source = feeds.source("vtn").unwrap();
        assert_eq!((source.rhythm.poll_every_s, source.fresh_for), (30, Seconds::new(3_690)));
        // A limit that is not heard of gives way to the safe-mode cap; a price may be old.
        let usable = if quantity == "power-cap" { 3_690 } else { 3 * 86_400 };
        assert_eq!(source.usable_for, Seconds::new(usable));
    }
}

#[cfg(feature = "openadr")]
#[test]
fn what_is_wrong_with_the_server_s_settings_is_named() {
    let missing = read(&of_openadr("price", "")).unwrap_err();
    assert!(missing.contains("needs the section [openadr]"), "{missing}");
    let unknown = read(&format!("{SERVER}{}", of_openadr("price", "zone = 1"))).unwrap_err();
    assert!(unknown.contains("zone"), "{unknown}");
    let ftp = SERVER.replace("https", "ftp");
    assert!(read(&ftp).unwrap_err().contains("base_url"));
    assert!(read(&format!("{SERVER}secret = \"x\"")).unwrap_err().contains("secret"));
}

#[cfg(not(feature = "openadr"))]
#[test]
fn a_build_without_openadr_says_so() {
    assert!(read(SERVER).unwrap_err().contains("feature `openadr`"));
    assert!(read(&of_openadr("price", "")).unwrap_err().contains("[openadr]"));
}
