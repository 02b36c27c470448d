//! How management controllers and other servers are reached: their addresses, and who asks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use bmc::access::Access;
use bmc::address::Addresses;
use grid_feeds::feed::SecretSource;
use grid_feeds::http::{Http, Timeouts, Trust};
use serde::Deserialize;
use toml::Table;

use super::tables::{address, fields};

/// Where management controllers are.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddressFields {
    address: Option<String>,
    #[serde(default)]
    addresses: BTreeMap<String, String>,
}

/// How something is reached by HTTP.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransportFields {
    bearer: Option<SecretSource>,
    basic: Option<BasicFields>,
    ca_file: Option<PathBuf>,
    verify: Option<bool>,
    timeout_s: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BasicFields {
    user: String,
    password: SecretSource,
}

/// Where management controllers are, as the program or client that asks them takes it.
pub(super) fn addresses(rest: &mut Table) -> anyhow::Result<Addresses> {
    let AddressFields { address, addresses } = fields(rest, &["address", "addresses"])?;
    ensure!(
        address.is_some() || !addresses.is_empty(),
        "address or addresses is missing: where the management controllers are"
    );
    if let Some(template) = &address {
        ensure!(
            template.contains("{node}"),
            "address = {template:?} must have {{node}}, which stands for the node's name"
        );
    }
    Ok(Addresses { template: address, listed: addresses })
}

/// Where management controllers are that speak HTTP.
pub(super) fn controller_urls(rest: &mut Table) -> anyhow::Result<Addresses> {
    let addresses = addresses(rest)?;
    for url in addresses.template.iter().chain(addresses.listed.values()) {
        // With a node's name in place it must still be one.
        address(&url.replace("{node}", "n1")).with_context(|| format!("address {url:?}"))?;
    }
    Ok(addresses)
}

/// Who asks, and by which client.
pub(super) fn transport(rest: &mut Table, unless_s: u32) -> anyhow::Result<(Access, Http)> {
    let names = ["bearer", "basic", "ca_file", "verify", "timeout_s"];
    let fields: TransportFields = fields(rest, &names)?;
    let access = match (fields.bearer, fields.basic) {
        (None, None) => Access::Open,
        (Some(token), None) => Access::Bearer(token),
        (None, Some(BasicFields { user, password })) => Access::Basic { user, password },
        (Some(_), Some(_)) => bail!("bearer and basic are both given; one of them is enough"),
    };
    let trust = match (fields.ca_file, fields.verify.unwrap_or(true)) {
        (None, true) => Trust::System,
        (Some(file), true) => {
            let pem =
                std::fs::read(&file).with_context(|| format!("ca_file {}", file.display()))?;
            Trust::Also(pem.into())
        }
        (None, false) => Trust::Anything,
        (Some(_), false) => bail!("ca_file says whom to trust, and verify = false trusts anybody"),
    };
    let total = fields.timeout_s.unwrap_or(unless_s);
    ensure!((1..=600).contains(&total), "timeout_s must lie between 1 and 600");
    let total = Duration::from_secs(total.into());
    let timeouts = Timeouts { connect: total.min(Timeouts::default().connect), total };
    Ok((access, Http::trusting(timeouts, &trust)?))
}
