//! Issuers whose access tokens are accepted: `[[sign_in]]`. See `docs/SIGN-IN.md`.

use std::time::Duration;

use anyhow::{Context, ensure};
use grid_feeds::http::{Http, Timeouts};
use jsonwebtoken::{Algorithm, AlgorithmFamily};
use planner::reservation::Role;
use serde::Deserialize;
use url::{Host, Url};

/// Stands for every group, and for those who are in none.
const EVERYBODY: &str = "*";

/// Who signs by something else than these has it said in the settings.
const USUAL_ALGORITHMS: [&str; 4] = ["RS256", "PS256", "ES256", "EdDSA"];

/// No more clocks are believed to go wrong by more.
const MOST_SKEW_S: u32 = 300;

/// Who signs in waits no longer for an issuer.
const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(3), total: Duration::from_secs(5) };

/// An OpenID provider of the site, and what its people may do.
#[derive(Clone, Debug)]
pub struct IssuerSettings {
    /// As its tokens name it, to the letter.
    pub issuer: String,
    /// Whom tokens must be made for: this service.
    pub audience: String,
    /// The programs that may have asked for tokens; any where this is empty. The page and the command line are among them.
    pub clients: Vec<String>,
    /// How tokens may be signed.
    pub algorithms: Vec<Algorithm>,
    /// By how much clocks may differ.
    pub skew_s: u32,
    /// The claim with the name under which what is a person's is kept.
    pub name_claim: String,
    /// The claims with a person's groups; a dot leads into an object.
    pub group_claims: Vec<String>,
    /// The claims with the projects that a person is in; none unless said.
    pub project_claims: Vec<String>,
    /// What stands before a project's name in them; what does not begin so is no project.
    pub project_prefix: String,
    /// The groups whose members have a role.
    pub groups: RoleGroups,
    /// What the issuer calls the web page; `None` where people do not sign in on it.
    pub page_client_id: Option<String>,
    /// What the issuer calls the command line; `None` where people do not sign in by it.
    pub cli_client_id: Option<String>,
    /// What both ask for.
    pub scope: String,
    /// What they want access tokens for (RFC 8707); `None` where the issuer knows by itself.
    pub resource: Option<String>,
    /// By which it is asked.
    pub http: Http,
}

/// The groups whose members have a role, the role that may most first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleGroups(Vec<(Role, Vec<String>)>);

impl RoleGroups {
    /// What somebody in these groups may do; `None` where it is nothing. Of several roles it is operator before
    /// user before supplier.
    pub fn role(&self, groups: &[String]) -> Option<Role> {
        let has = |named: &String| named == EVERYBODY || groups.contains(named);
        let found = self.0.iter().find(|(_, named)| named.iter().any(has));
        found.map(|(role, _)| *role)
    }

    /// Every group that is named.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|(_, named)| named.iter().map(String::as_str))
    }
}

/// What the file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignInFields {
    issuer: String,
    audience: String,
    #[serde(default)]
    clients: Vec<String>,
    algorithms: Option<Vec<String>>,
    skew_s: Option<u32>,
    name_claim: Option<String>,
    group_claims: Option<Vec<String>>,
    #[serde(default)]
    project_claims: Vec<String>,
    #[serde(default)]
    project_prefix: String,
    page_client_id: Option<String>,
    cli_client_id: Option<String>,
    scope: Option<String>,
    resource: Option<String>,
    #[serde(default)]
    operators: Vec<String>,
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    suppliers: Vec<String>,
}

impl IssuerSettings {
    /// Reads all `[[sign_in]]`.
    ///
    /// # Errors
    /// What cannot work, with the issuer.
    pub fn read_all(fields: Vec<SignInFields>) -> anyhow::Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::with_capacity(fields.len());
        for fields in fields {
            let issuer = fields.issuer.clone();
            let read = Self::read(fields).with_context(|| format!("[[sign_in]] {issuer:?}"))?;
            ensure!(
                all.iter().all(|it| it.issuer != issuer),
                "[[sign_in]]: two have the issuer {issuer:?}"
            );
            all.push(read);
        }
        Ok(all)
    }

    fn read(fields: SignInFields) -> anyhow::Result<Self> {
        let url = check_scheme(&fields.issuer).context("issuer")?;
        ensure!(
            url.query().is_none() && url.fragment().is_none(),
            "issuer has a query or a fragment, which issuers have not"
        );
        ensure!(!fields.audience.is_empty(), "audience must say whom tokens are made for");
        let programs = [&fields.page_client_id, &fields.cli_client_id].map(|it| it.as_deref());
        ensure!(
            !programs.contains(&Some(&fields.audience)),
            "audience must be this service's own, and no client id: what an issuer tells a program about a person is \
             made for its client id"
        );
        let named =
            fields.algorithms.unwrap_or_else(|| USUAL_ALGORITHMS.map(str::to_owned).to_vec());
        ensure!(!named.is_empty(), "algorithms names none; leave it out for the usual ones");
        let algorithms = named.iter().map(|name| algorithm(name)).collect::<anyhow::Result<_>>()?;
        let skew_s = fields.skew_s.unwrap_or(60);
        ensure!(skew_s <= MOST_SKEW_S, "skew_s must be at most {MOST_SKEW_S}");
        let name_claim = fields.name_claim.unwrap_or_else(|| "sub".to_owned());
        ensure!(
            name_claim != "email",
            "name_claim: an address is no name; people change theirs, and others get it then"
        );
        let groups = RoleGroups(vec![
            (Role::Operator, fields.operators),
            (Role::User, fields.users),
            (Role::Supplier, fields.suppliers),
        ]);
        ensure!(
            groups.named().next().is_some(),
            "nobody may do anything: name groups in users, operators or suppliers, or \"*\" for everybody"
        );
        let of_operators = &groups.0[0].1;
        ensure!(
            !of_operators.iter().any(|it| it == EVERYBODY),
            "operators must be groups by name: not everybody whom the issuer knows runs the cluster"
        );
        let mut clients = fields.clients;
        if !clients.is_empty() {
            clients.extend(
                [&fields.page_client_id, &fields.cli_client_id].into_iter().flatten().cloned(),
            );
        }
        Ok(Self {
            issuer: fields.issuer,
            audience: fields.audience,
            clients,
            page_client_id: fields.page_client_id,
            cli_client_id: fields.cli_client_id,
            scope: fields.scope.unwrap_or_else(|| "openid".to_owned()),
            resource: fields.resource,
            algorithms,
            skew_s,
            name_claim,
            group_claims: fields
                .group_claims
                .unwrap_or_else(|| vec!["groups".to_owned(), "roles".to_owned()]),
            project_claims: fields.project_claims,
            project_prefix: fields.project_prefix,
            groups,
            http: Http::new(TIMEOUTS)?,
        })
    }
}

/// Issuers are asked over TLS, but on this machine.
///
/// # Errors
/// An address that is not such, in words.
pub fn check_scheme(address: &str) -> anyhow::Result<Url> {
    let url = Url::parse(address).context("must be an address, as the issuer's tokens name it")?;
    ensure!(
        url.scheme() == "https" || (url.scheme() == "http" && is_on_this_machine(&url)),
        "must begin with https://: whoever changes the issuer's keys on their way signs in as anybody"
    );
    Ok(url)
}

/// Whether an address is one of this machine alone.
pub(super) fn is_on_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn algorithm(name: &str) -> anyhow::Result<Algorithm> {
    let algorithm = name.parse::<Algorithm>().ok();
    let algorithm = algorithm.filter(|it| it.family() != AlgorithmFamily::Hmac);
    algorithm.with_context(|| {
        format!(
            "algorithms: {name:?} is not accepted; there are RS256, RS384, RS512, PS256, PS384, PS512, ES256, \
             ES384 and EdDSA: those with a public key"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<IssuerSettings, String> {
        let fields = toml::from_str(text).map_err(|error| error.to_string())?;
        IssuerSettings::read_all(vec![fields])
            .map(|mut all| all.remove(0))
            .map_err(|error| format!("{error:#}"))
    }

    const LEAST: &str = "issuer = \"https://id.example.org\"\naudience = \"wattbook\"\n";

    #[test]
    fn the_usual_holds_unless_said() {
        let issuer = read(&format!("{LEAST}users = [\"hpc\"]")).unwrap();
        assert_eq!((issuer.skew_s, issuer.name_claim.as_str()), (60, "sub"));
        assert_eq!(issuer.group_claims, ["groups", "roles"]);
        assert!(issuer.algorithms.iter().all(|it| it.family() != AlgorithmFamily::Hmac));
    }

    #[test]
    fn a_role_is_given_by_group_and_the_one_that_may_most_counts() {
        let text = "operators = [\"admins\"]\nusers = [\"*\"]\nsuppliers = [\"grid\"]";
        let everybody = read(&format!("{LEAST}{text}")).unwrap().groups;
        let text = "operators = [\"admins\"]\nusers = [\"hpc\"]\nsuppliers = [\"grid\"]";
        let some = read(&format!("{LEAST}{text}")).unwrap().groups;
        for (groups, of_everybody, of_some) in [
            (vec![], Some(Role::User), None),
            (vec!["grid"], Some(Role::User), Some(Role::Supplier)),
            (vec!["hpc", "admins"], Some(Role::Operator), Some(Role::Operator)),
            (vec!["*"], Some(Role::User), None),
            (vec!["Admins"], Some(Role::User), None),
        ] {
            let groups: Vec<String> = groups.into_iter().map(str::to_owned).collect();
            assert_eq!(everybody.role(&groups), of_everybody, "{groups:?}");
            assert_eq!(some.role(&groups), of_some, "{groups:?}");
        }
    }

    #[test]
    fn what_would_let_in_the_wrong_is_named() {
        let users = "users = [\"hpc\"]";
        for (text, named) in [
            (LEAST.replace("https", "http") + users, "https://"),
            (LEAST.replace("https", "ftp") + users, "https://"),
            (LEAST.replace(".org", ".org?a=b") + users, "query"),
            (LEAST.replace("wattbook", "") + users, "audience"),
            (LEAST.to_owned(), "nobody may do anything"),
            (format!("{LEAST}operators = [\"*\"]"), "operators"),
            (format!("{LEAST}{users}\nalgorithms = [\"HS256\"]"), "HS256"),
            (format!("{LEAST}{users}\nalgorithms = [\"none\"]"), "none"),
            (format!("{LEAST}{users}\nalgorithms = []"), "names none"),
            (format!("{LEAST}{users}\nskew_s = 3600"), "skew_s"),
            (format!("{LEAST}{users}\npage_client_id = \"wattbook\""), "no client id"),
            (format!("{LEAST}{users}\nname_claim = \"email\""), "name_claim"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
        let here = LEAST.replace("https://id.example.org", "http://127.0.0.1:3000") + users;
        read(&here).unwrap();
    }
}
