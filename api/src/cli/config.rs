//! `wattbook config`: whether the settings are in order, before the service goes by them.

use comfy_table::Table;
use comfy_table::presets::NOTHING;
use storage::may_be_overheard;
use url::Url;

use super::{Failure, print, tell};
use crate::config::{Overrides, Settings};

/// Arguments of `wattbook config`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Read the settings as `serve` would, tell everything that is wrong with them, and else what is in force
    Check {
        #[command(flatten)]
        overrides: Overrides,
    },
}

/// Checks the settings. Nothing is connected to and nothing is changed.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Action::Check { overrides } = &arguments.action;
    let settings = Settings::load(overrides).map_err(Failure::of_settings)?;
    for warning in warnings(&settings) {
        tell(format_args!("warning: {warning}"));
    }
    print("The settings are in order.")?;
    print(in_force(&settings))?;
    Ok(())
}

/// What may be meant, and is worth a second look.
fn warnings(settings: &Settings) -> Vec<String> {
    let mut warnings = Vec::new();
    if !settings.listen.ip().is_loopback() {
        warnings.push(format!(
            "listen = \"{}\" is reached from other machines without TLS; let a proxy in front of it speak TLS, and \
             listen on 127.0.0.1",
            settings.listen
        ));
    }
    if may_be_overheard(&settings.database) {
        warnings.push(format!(
            "database = \"{}\" is at another machine, and what is said to it may go over the network in plain text; add \
             sslmode=verify-full and sslrootcert to the URL",
            without_password(&settings.database)
        ));
    }
    if settings.public_url.is_none() {
        warnings.push(
            "public_url is not set: mails, calendars and jobs cannot say where a reservation is seen"
                .to_owned(),
        );
    }
    if settings.time_zone.is_none() {
        warnings.push(
            "time_zone is not set: days of quotas and series begin at midnight UTC".to_owned(),
        );
    }
    if settings.feeds.sources.is_empty() {
        warnings.push(
            "there are no [[feeds]]: prices, CO2 intensities and power caps must be put by hand"
                .to_owned(),
        );
    }
    warnings
}

fn in_force(settings: &Settings) -> Table {
    let given = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let optional = |text: Option<&String>| text.map_or_else(|| "-".to_owned(), Clone::clone);
    let rows: [(&str, String); 15] = [
        ("listen", settings.listen.to_string()),
        ("database", without_password(&settings.database)),
        ("currency", settings.currency.code().to_owned()),
        ("time_zone", optional(settings.time_zone.as_ref())),
        ("public_url", optional(settings.public_url.as_ref())),
        ("hold_s", settings.hold.get().to_string()),
        ("planning_threads", settings.planning_threads.to_string()),
        ("[[feeds]]", settings.feeds.sources.len().to_string()),
        ("[[meters]]", settings.metering.meters.len().to_string()),
        ("[slurm]", given(settings.manager.is_some())),
        ("[power]", given(settings.power.is_some())),
        ("[[sign_in]]", settings.sign_in.len().to_string()),
        ("[[rights]]", settings.rights.0.len().to_string()),
        ("[[webhooks]]", settings.webhooks.len().to_string()),
        ("[mail]", given(settings.mail.is_some())),
    ];
    let mut table = Table::new();
    table.load_style(NOTHING);
    for (name, value) in rows {
        table.add_row([name, &value]);
    }
    table
}

/// The URL of a database as it may be shown.
fn without_password(database: &str) -> String {
    let Ok(mut url) = Url::parse(database) else { return database.to_owned() };
    if url.password().is_none() || url.set_password(Some("...")).is_err() {
        return database.to_owned();
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        let shown = without_password("postgres://wattbook:secret@db.example:5432/wattbook");
        assert_eq!(shown, "postgres://wattbook:...@db.example:5432/wattbook");
        for kept in ["sqlite://wattbook.db", "postgres://db.example/wattbook"] {
            assert_eq!(without_password(kept), kept);
        }
    }
}
