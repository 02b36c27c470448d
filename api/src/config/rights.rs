//! Rights: `[[rights]]`. See `docs/RIGHTS.md`.

use anyhow::{Context, bail, ensure};
use planner::node::{NAME_RULE, is_name};
use planner::reservation::Role;
use planner::rights::{
    Action, ActionScope, Circumstances, Effect, Latitude, RightsRule, RightsRules,
};
use serde::Deserialize;

/// A rule as the file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RightsFields {
    #[serde(default)]
    deny: Vec<String>,
    #[serde(default)]
    allow: Vec<String>,
    #[serde(default)]
    because: String,
    /// That more is given away than is safe, and that this is meant.
    #[serde(default)]
    sensitive: bool,
    #[serde(default)]
    except: CircumstanceFields,
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    managers: Vec<String>,
    #[serde(default)]
    projects: Vec<String>,
    #[serde(default)]
    partitions: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CircumstanceFields {
    #[serde(default)]
    users: Vec<String>,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    members: Vec<String>,
    #[serde(default)]
    managers: Vec<String>,
    #[serde(default)]
    projects: Vec<String>,
    #[serde(default)]
    partitions: Vec<String>,
}

/// Reads all rules, in their order.
///
/// # Errors
/// A rule that cannot be, with its place and the way out.
pub fn read_all(rules: Vec<RightsFields>) -> anyhow::Result<RightsRules> {
    let numbered = rules.into_iter().zip(1..);
    let read = numbered
        .map(|(rule, place)| rule.read().with_context(|| format!("[[rights]], number {place}")));
    read.collect::<anyhow::Result<_>>().map(RightsRules)
}

impl RightsFields {
    fn read(self) -> anyhow::Result<RightsRule> {
        let (effect, words) = match (self.deny.is_empty(), self.allow.is_empty()) {
            (false, true) => (Effect::Deny, self.deny),
            (true, false) => (Effect::Allow, self.allow),
            _ => bail!("must have either deny or allow, with the actions that it is about"),
        };
        let mut actions = Vec::new();
        for word in &words {
            let named = named(word).with_context(|| {
                format!(
                    "{}: there is no action {word:?}; `wattbook rights` lists them, and \"reservation.*\" are all of \
                     reservations",
                    effect.word()
                )
            })?;
            actions.extend(named);
        }
        let when = CircumstanceFields {
            users: self.users,
            roles: self.roles,
            members: self.members,
            managers: self.managers,
            projects: self.projects,
            partitions: self.partitions,
        };
        let when = when.read()?;
        let except = self.except.read().context("except")?;
        let (because, sensitive) = (self.because, self.sensitive);
        let rule = RightsRule { effect, actions, when, except, because };
        ensure!(
            rule.effect == Effect::Deny || !rule.when.is_empty(),
            "allow must say for whom: users, roles, members, managers, projects or partitions"
        );
        for &action in &rule.actions {
            check(&rule, action, sensitive)
                .with_context(|| format!("{} {:?}", effect.word(), action.word()))?;
        }
        Ok(rule)
    }
}

/// The actions that a word names: one, or all of a subject.
fn named(word: &str) -> Option<Vec<Action>> {
    if let Some(subject) = word.strip_suffix('*').filter(|it| it.ends_with('.')) {
        let of_subject = Action::ALL.iter().copied();
        let of_subject: Vec<_> =
            of_subject.filter(|action| action.word().starts_with(subject)).collect();
        return (!of_subject.is_empty()).then_some(of_subject);
    }
    Action::from_word(word).map(|action| vec![action])
}

/// Whether a rule may be about an action.
fn check(rule: &RightsRule, action: Action, sensitive: bool) -> anyhow::Result<()> {
    let circumstances = [&rule.when, &rule.except];
    let says =
        |of: fn(&Circumstances) -> &Vec<String>| circumstances.iter().any(|it| !of(it).is_empty());
    let projects = says(|it| &it.projects);
    let partitions = says(|it| &it.partitions);
    match action.scope() {
        ActionScope::Reservations => {}
        ActionScope::Partitions => {
            ensure!(!projects, "is about no project; leave out projects, or say members");
        }
        ActionScope::Whole => ensure!(
            !projects && !partitions,
            "is about no project and no partition; leave out projects and partitions, or say members"
        ),
    }
    ensure!(
        action != Action::ReservationRead
            || rule.effect == Effect::Allow
            || !rule.is_about_objects(),
        "cannot be denied by project or partition; [projects] says what people see of each other's"
    );
    ensure!(
        action != Action::ReservationRead || !partitions,
        "cannot be given by partition; say projects"
    );
    match (action.latitude(), rule.effect) {
        (Latitude::Fixed, _) => bail!("is for everybody who is known; leave it out"),
        (Latitude::Kept, Effect::Deny) => bail!(
            "cannot be denied: only operators have it, and the site must see who did what; leave it out"
        ),
        (Latitude::Kept | Latitude::Sensitive, Effect::Allow) => ensure!(
            sensitive,
            "gives away more than is safe by default; say `sensitive = true` if that is meant"
        ),
        _ => {}
    }
    Ok(())
}

impl CircumstanceFields {
    fn read(self) -> anyhow::Result<Circumstances> {
        let lists = [
            ("users", &self.users),
            ("members", &self.members),
            ("managers", &self.managers),
            ("projects", &self.projects),
            ("partitions", &self.partitions),
        ];
        for (field, names) in lists {
            if let Some(wrong) = names.iter().find(|name| !is_name(name)) {
                bail!("{field}: {wrong:?} is no name; a name {NAME_RULE}");
            }
        }
        let role = |word: &String| {
            Role::from_word(word).with_context(|| {
                format!("roles: there is no role {word:?}; they are user, operator and supplier")
            })
        };
        let roles = self.roles.iter().map(role).collect::<anyhow::Result<_>>()?;
        let Self { users, members, managers, projects, partitions, .. } = self;
        Ok(Circumstances { users, roles, members, managers, projects, partitions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Whole {
        rights: Vec<RightsFields>,
    }

    fn read(text: &str) -> anyhow::Result<RightsRules> {
        let whole: Whole = toml::from_str(&format!("[[rights]]\n{text}"))?;
        read_all(whole.rights)
    }

    #[test]
    fn rules_say_what_they_are_about_and_whom() {
        let text = "deny = [\"reservation.create\", \"quote.create\"]\npartitions = [\"gpu\"]\n\
                    except = { projects = [\"gpu-users\"] }\nbecause = \"the GPUs are paid by them\"";
        let rules = read(text).unwrap();
        assert_eq!(
            rules.0[0].to_string(),
            "deny reservation.create, quote.create: partitions gpu, except: projects gpu-users (the GPUs are paid by \
             them)"
        );
        let rules = read("deny = [\"reservation.*\"]\nmembers = [\"course\"]").unwrap();
        assert_eq!(rules.0[0].actions.len(), 10, "{}", rules.0[0]);
        let text = "allow = [\"user.act_for\"]\nusers = [\"portal\"]\nsensitive = true";
        assert_eq!(read(text).unwrap().0[0].actions, [Action::UserActFor]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place_and_the_way_out() {
        for (text, told) in [
            ("users = [\"ada\"]", "either deny or allow"),
            ("deny = [\"node.read\"]\nallow = [\"node.read\"]", "either deny or allow"),
            ("deny = [\"reservation.delete\"]", "no action \"reservation.delete\""),
            ("deny = [\"*\"]", "no action \"*\""),
            ("deny = [\"node.read\"]\nroles = [\"root\"]", "user, operator and supplier"),
            ("deny = [\"node.read\"]\nusers = [\"\"]", "is no name"),
            ("deny = [\"node.read\"]\nprojects = [\"ocean\"]", "about no project"),
            ("deny = [\"outage.declare\"]\nprojects = [\"ocean\"]", "about no project"),
            ("deny = [\"audit.read\"]\nroles = [\"operator\"]", "cannot be denied"),
            ("deny = [\"me.read\"]", "leave it out"),
            ("allow = [\"audit.read\"]\nusers = [\"eve\"]", "sensitive = true"),
            ("allow = [\"outage.declare\"]", "for whom"),
            ("deny = [\"reservation.read\"]\nprojects = [\"ocean\"]", "[projects]"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.starts_with("[[rights]], number 1: "), "{error}");
            assert!(error.contains(told), "{text}: {error}");
        }
        let error = read("deny = [\"node.read\"]\nwhom = [\"ada\"]").unwrap_err();
        assert!(format!("{error:#}").contains("whom"), "{error:#}");
    }
}
