//! The site's rules, and what they say of a call.

use std::collections::BTreeSet;
use std::fmt;

use super::{Action, Latitude};
use crate::reservation::Role;

/// Who wants to do something.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// Their name.
    pub name: &'a str,
    /// What they are at the site.
    pub role: Role,
    /// The projects that they are in.
    pub own: &'a BTreeSet<String>,
    /// The projects that they manage.
    pub managed: &'a BTreeSet<String>,
}

/// What somebody wants to do something with.
#[derive(Clone, Copy, Debug, Default)]
pub struct RightsObject<'a> {
    /// The project; empty for none.
    pub project: &'a str,
    /// The partition; empty where none is named.
    pub partition: &'a str,
}

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It takes a right away.
    Deny,
    /// It gives a right.
    Allow,
}

impl Effect {
    /// The word used in settings and documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
        }
    }
}

/// Whom and what a rule concerns: each list that is not empty must have one that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// By these people.
    pub users: Vec<String>,
    /// By these roles.
    pub roles: Vec<Role>,
    /// By people in one of these projects.
    pub members: Vec<String>,
    /// By managers of one of these projects.
    pub managers: Vec<String>,
    /// With what is of these projects.
    pub projects: Vec<String>,
    /// With what is in these partitions.
    pub partitions: Vec<String>,
}

impl Circumstances {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it is said with what.
    pub const fn is_about_objects(&self) -> bool {
        !self.projects.is_empty() || !self.partitions.is_empty()
    }

    fn are_of(&self, asker: Asker<'_>) -> bool {
        let any_in =
            |names: &[String], of: &BTreeSet<String>| names.iter().any(|name| of.contains(name));
        (self.users.is_empty() || self.users.iter().any(|user| user == asker.name))
            && (self.roles.is_empty() || self.roles.contains(&asker.role))
            && (self.members.is_empty() || any_in(&self.members, asker.own))
            && (self.managers.is_empty() || any_in(&self.managers, asker.managed))
    }

    fn are_about(&self, object: RightsObject<'_>) -> bool {
        let has = |names: &[String], name: &str| names.iter().any(|it| it == name);
        (self.projects.is_empty() || has(&self.projects, object.project))
            && (self.partitions.is_empty() || has(&self.partitions, object.partition))
    }

    /// Whether operators are meant by name or role.
    fn names_operator(&self, name: &str) -> bool {
        self.roles.contains(&Role::Operator) || self.users.iter().any(|user| user == name)
    }
}

/// A rule of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RightsRule {
    /// What it does.
    pub effect: Effect,
    /// With which actions.
    pub actions: Vec<Action>,
    /// Whom and what it concerns.
    pub when: Circumstances,
    /// Whom and what it does not concern all the same; nobody and nothing where that is empty.
    pub except: Circumstances,
    /// Why, for who is refused.
    pub because: String,
}

/// A rule in words: what it does, whom and what it concerns, and why.
impl fmt::Display for RightsRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions: Vec<&str> = self.actions.iter().map(|action| action.word()).collect();
        write!(f, "{} {}{}", self.effect.word(), actions.join(", "), self.when)?;
        if !self.except.is_empty() {
            write!(f, ", except{}", self.except)?;
        }
        if self.because.is_empty() { Ok(()) } else { write!(f, " ({})", self.because) }
    }
}

impl fmt::Display for Circumstances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles: Vec<String> = self.roles.iter().map(|role| role.word().to_owned()).collect();
        let lists = [
            ("users", &self.users),
            ("roles", &roles),
            ("members of", &self.members),
            ("managers of", &self.managers),
            ("projects", &self.projects),
            ("partitions", &self.partitions),
        ];
        let said: Vec<String> = (lists.into_iter().filter(|(_, names)| !names.is_empty()))
            .map(|(what, names)| format!(" {what} {}", names.join(", ")))
            .collect();
        if said.is_empty() { Ok(()) } else { write!(f, ":{}", said.join(";")) }
    }
}

impl RightsRule {
    /// Whether it may concern what somebody does, whatever they do it with.
    fn concerns_asker(&self, action: Action, asker: Asker<'_>) -> bool {
        let operator_is_meant = asker.role != Role::Operator
            || self.effect == Effect::Allow
            || (self.when.names_operator(asker.name) && action.latitude() != Latitude::Kept);
        self.actions.contains(&action) && operator_is_meant && self.when.are_of(asker)
    }

    /// Whether it concerns what somebody does with something.
    fn concerns(&self, action: Action, asker: Asker<'_>, object: RightsObject<'_>) -> bool {
        let is_excepted =
            !self.except.is_empty() && self.except.are_of(asker) && self.except.are_about(object);
        self.concerns_asker(action, asker) && self.when.are_about(object) && !is_excepted
    }

    /// Whether somebody is left out of it, be it with some things only.
    pub fn spares(&self, asker: Asker<'_>) -> bool {
        !self.except.is_empty() && self.except.are_of(asker)
    }

    /// Whether it says with what.
    pub const fn is_about_objects(&self) -> bool {
        self.when.is_about_objects() || self.except.is_about_objects()
    }

    /// The partitions that it is about, or leaves out.
    fn partitions(&self) -> impl Iterator<Item = &String> {
        self.when.partitions.iter().chain(&self.except.partitions)
    }
}

/// What the rules and the defaults say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// No rule concerns it, and by default their role may.
    Default,
    /// A rule gives it to them: the rule and its place, from 1.
    Allowed(&'a RightsRule, usize),
    /// A rule takes it from them.
    Denied(&'a RightsRule, usize),
    /// No rule concerns it, and by default their role may not.
    NotTheirRole,
}

impl Verdict<'_> {
    /// Whether they may.
    pub const fn admits(self) -> bool {
        matches!(self, Self::Default | Self::Allowed(..))
    }
}

/// The rules of a site, in the order of its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RightsRules(pub Vec<RightsRule>);

impl RightsRules {
    /// What somebody may do with something: a rule that denies goes before one that allows, and a rule before the default.
    pub fn verdict(
        &self,
        action: Action,
        asker: Asker<'_>,
        object: RightsObject<'_>,
    ) -> Verdict<'_> {
        self.first(action, asker, |rule| rule.concerns(action, asker, object))
    }

    /// Whether somebody may do something at all: what is allowed or denied with some things only is judged once it is known
    /// with what.
    pub fn admission(&self, action: Action, asker: Asker<'_>) -> Verdict<'_> {
        self.first(action, asker, |rule| match rule.effect {
            Effect::Allow => rule.concerns_asker(action, asker),
            Effect::Deny => {
                !rule.is_about_objects() && rule.concerns(action, asker, RightsObject::default())
            }
        })
    }

    /// The partitions in which somebody may not do something with what is of a project.
    pub fn closed_partitions(&self, action: Action, asker: Asker<'_>, project: &str) -> Vec<&str> {
        let named: BTreeSet<&str> =
            self.0.iter().flat_map(RightsRule::partitions).map(String::as_str).collect();
        let is_closed = |partition: &&str| {
            let object = RightsObject { project, partition };
            matches!(self.verdict(action, asker, object), Verdict::Denied(..))
        };
        named.into_iter().filter(is_closed).collect()
    }

    /// The rules that may concern what somebody does, each with its place, from 1.
    pub fn concerning(
        &self,
        action: Action,
        asker: Asker<'_>,
    ) -> impl Iterator<Item = (&RightsRule, usize)> {
        self.0.iter().zip(1..).filter(move |(rule, _)| rule.concerns_asker(action, asker))
    }

    /// The projects of whose things rules let somebody do something.
    pub fn allowed_projects(&self, action: Action, asker: Asker<'_>) -> BTreeSet<&str> {
        let allowing = self.0.iter().filter(|rule| rule.effect == Effect::Allow);
        let projects = allowing.flat_map(|rule| &rule.when.projects).map(String::as_str);
        let is_allowed = |project: &&str| {
            let object = RightsObject { project, partition: "" };
            matches!(self.verdict(action, asker, object), Verdict::Allowed(..))
        };
        projects.filter(is_allowed).collect()
    }

    fn first(
        &self,
        action: Action,
        asker: Asker<'_>,
        concerns: impl Fn(&RightsRule) -> bool,
    ) -> Verdict<'_> {
        let first = |effect| {
            let mut rules = self.0.iter().zip(1..);
            rules.find(|(rule, _)| rule.effect == effect && concerns(rule))
        };
        if let Some((rule, place)) = first(Effect::Deny) {
            return Verdict::Denied(rule, place);
        }
        if let Some((rule, place)) = first(Effect::Allow) {
            return Verdict::Allowed(rule, place);
        }
        if action.roles().contains(&asker.role) { Verdict::Default } else { Verdict::NotTheirRole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn rule(effect: Effect, action: Action, when: Circumstances) -> RightsRule {
        let (except, because) = (Circumstances::default(), String::new());
        RightsRule { effect, actions: vec![action], when, except, because }
    }

    /// The only project `gpu-users` books in the partition `gpu`.
    #[test]
    fn a_partition_is_one_projects_alone() {
        let when = Circumstances { partitions: names(&["gpu"]), ..Circumstances::default() };
        let except = Circumstances { projects: names(&["gpu-users"]), ..Circumstances::default() };
        let rules = RightsRules(vec![RightsRule {
            except,
            ..rule(Effect::Deny, Action::ReservationCreate, when)
        }]);
        let none = BTreeSet::new();
        let by = |role| Asker { name: "ada", role, own: &none, managed: &none };
        let create = Action::ReservationCreate;
        let may = |role, project, partition| {
            rules.verdict(create, by(role), RightsObject { project, partition }).admits()
        };
        assert!(!may(Role::User, "ocean", "gpu"));
        assert!(!may(Role::User, "", "gpu"), "for no project either");
        assert!(may(Role::User, "gpu-users", "gpu"));
        assert!(may(Role::User, "ocean", "cpu") && may(Role::User, "ocean", ""));
        assert!(may(Role::Operator, "ocean", "gpu"), "operators are not meant");
        assert!(rules.admission(create, by(Role::User)).admits(), "it depends on with what");
        assert_eq!(rules.closed_partitions(create, by(Role::User), "ocean"), ["gpu"]);
        assert!(rules.closed_partitions(create, by(Role::User), "gpu-users").is_empty());
    }

    #[test]
    fn a_denial_goes_before_a_permission_and_a_rule_before_the_default() {
        let members = Circumstances { members: names(&["ops"]), ..Circumstances::default() };
        let bob = Circumstances { users: names(&["bob"]), ..Circumstances::default() };
        let declare = Action::OutageDeclare;
        let rules = RightsRules(vec![
            rule(Effect::Allow, declare, members),
            rule(Effect::Deny, declare, bob),
        ]);
        let (ops, none) = (BTreeSet::from(["ops".to_owned()]), BTreeSet::new());
        let by = |name, own| Asker { name, role: Role::User, own, managed: &none };
        let verdict = |asker| rules.admission(declare, asker);
        assert!(matches!(verdict(by("ada", &ops)), Verdict::Allowed(_, 1)));
        assert!(matches!(verdict(by("bob", &ops)), Verdict::Denied(_, 2)));
        assert_eq!(verdict(by("eve", &none)), Verdict::NotTheirRole);
        let operator = Asker { role: Role::Operator, ..by("root", &none) };
        assert_eq!(verdict(operator), Verdict::Default);
    }

    #[test]
    fn operators_lose_what_they_are_named_for_and_never_the_audit_trail() {
        let operators = Circumstances { roles: vec![Role::Operator], ..Circumstances::default() };
        let none = BTreeSet::new();
        let root = Asker { name: "root", role: Role::Operator, own: &none, managed: &none };
        for (action, may) in [(Action::NodeChange, false), (Action::AuditRead, true)] {
            let rules = RightsRules(vec![rule(Effect::Deny, action, operators.clone())]);
            assert_eq!(rules.admission(action, root).admits(), may, "{}", action.word());
        }
    }

    #[test]
    fn words_are_read_as_they_are_written_and_each_is_another() {
        let words: BTreeSet<&str> = Action::ALL.iter().map(|action| action.word()).collect();
        assert_eq!(words.len(), Action::ALL.len());
        for action in Action::ALL {
            assert_eq!(Action::from_word(action.word()), Some(*action));
        }
        assert_eq!(Action::from_word("reservation.delete"), None);
    }
}
