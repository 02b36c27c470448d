//! Who may ask, as the database has it, and which projects they are in.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use planner::project::{Projects, ProjectsOfUser};
use planner::reservation::{Receiver, Role};
use planner::rights::Action;
use planner::time::Timestamp;
use storage::{ApiToken, KnownCallers, Person, PersonId, TokenId};

use crate::clock::Clock;

/// Tokens, people who sign in at an issuer, and projects.
#[derive(Default)]
pub struct Callers {
    /// Whether a token was ever made, or somebody ever signed in.
    have_been: bool,
    /// Those not revoked and not of people who are blocked, by digest.
    tokens: HashMap<String, ApiToken>,
    /// By issuer and subject.
    people: HashMap<String, HashMap<String, Person>>,
    projects: Projects,
    projects_of: HashMap<String, Arc<ProjectsOfUser>>,
}

impl Callers {
    /// Those that were read.
    pub fn new(known: KnownCallers) -> Self {
        let have_been = !known.tokens.is_empty() || !known.people.is_empty();
        let blocked = known.people.iter().filter(|person| person.blocked.is_some());
        let blocked: HashSet<&str> = blocked.map(|person| person.name.as_str()).collect();
        let counts =
            |token: &ApiToken| token.revoked.is_none() && !blocked.contains(token.owner.as_str());
        let valid = known.tokens.into_iter().filter(counts);
        let tokens = valid.map(|token| (token.digest.clone(), token)).collect();
        let mut people: HashMap<String, HashMap<String, Person>> = HashMap::new();
        for person in known.people {
            let of_issuer = people.entry(person.issuer.clone()).or_default();
            of_issuer.insert(person.subject.clone(), person);
        }
        let projects_of = known.projects.of_users().into_iter();
        let projects_of = projects_of.map(|(user, of)| (user, Arc::new(of))).collect();
        Self { have_been, tokens, people, projects: known.projects, projects_of }
    }

    /// The token of this digest, if it is valid.
    pub fn token(&self, digest: &str) -> Option<&ApiToken> {
        self.tokens.get(digest).filter(|it| it.counts_at(Clock::default().guarded().now()))
    }

    /// The token of this id, if it is valid.
    pub fn token_of(&self, id: TokenId) -> Option<&ApiToken> {
        self.valid_tokens().find(|token| token.id == id)
    }

    /// Tokens that have not ended, by the machine's clock as it is believed.
    fn valid_tokens(&self) -> impl Iterator<Item = &ApiToken> {
        let now = Clock::default().guarded().now();
        self.tokens.values().filter(move |it| it.counts_at(now))
    }

    /// Whether somebody of this name may book: by a token, or as a person who signed in and is not blocked.
    pub fn may_book(&self, name: &str) -> bool {
        let by_token =
            |it: &ApiToken| it.owner == name && it.role != Role::Supplier && may_reserve(it);
        let books = |it: &Person| {
            let books = |role| role == Some(Role::User) || role == Some(Role::Operator);
            it.seen.as_ref().is_none_or(|seen| books(seen.role))
        };
        self.valid_tokens().any(by_token) || self.let_in(name).any(books)
    }

    /// Whether somebody of this name runs the cluster: by a token of ours, or as a person by the newest access token that
    /// was seen of them.
    pub fn run_by(&self, name: &str) -> bool {
        let runs =
            |it: &Person| it.seen.as_ref().is_some_and(|seen| seen.role == Some(Role::Operator));
        let by_token =
            |it: &ApiToken| it.owner == name && it.role == Role::Operator && may_reserve(it);
        self.valid_tokens().any(by_token) || self.let_in(name).any(runs)
    }

    /// The projects that an issuer vouches for by the newest access token that was seen of a person of this name.
    pub fn vouched_for<'a>(&'a self, name: &'a str) -> &'a [String] {
        let mut seen = self.let_in(name).filter_map(|it| it.seen.as_ref());
        seen.next().map_or(&[], |seen| &seen.projects)
    }

    /// Whether somebody of this name signed in, and what their issuer vouches for was never kept.
    pub fn may_have_more_projects(&self, name: &str) -> bool {
        self.let_in(name).any(|it| it.seen.is_none())
    }

    /// The people of a name who are not blocked; a name is one person's.
    fn let_in<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Person> {
        let people = self.people.values().flat_map(HashMap::values);
        people.filter(move |it| it.name == name && it.blocked.is_none())
    }

    /// Whether there ever were any, be they revoked since: a site that has had users keeps its door shut.
    pub fn have_been(&self) -> bool {
        self.have_been
    }

    /// Whether a token of a person still counts that was issued then.
    pub fn admit(&self, person: PersonId, issued: Option<Timestamp>) -> bool {
        let mut people = self.people.values().flat_map(HashMap::values);
        people.any(|it| it.id == person && it.admits(issued))
    }

    /// All projects.
    pub const fn projects(&self) -> &Projects {
        &self.projects
    }

    /// The projects of a user, as the site keeps them.
    pub fn projects_of(&self, user: &str) -> Arc<ProjectsOfUser> {
        self.projects_of.get(user).cloned().unwrap_or_default()
    }

    /// The users that something is shared with: one, or the members of a project that the site keeps.
    pub fn users_of<'a>(&'a self, receiver: &'a Receiver) -> Vec<&'a str> {
        match receiver {
            Receiver::User(name) => vec![name],
            Receiver::Project(name) => {
                let members = self.projects.get(name).into_iter().flat_map(|it| it.members.keys());
                members.map(String::as_str).collect()
            }
        }
    }

    /// Whether what belongs to a user of this name may be told: they have a token, may sign in, or are the only user of a
    /// site that has had no others.
    pub fn knows(&self, owner: &str) -> bool {
        !self.have_been
            || self.valid_tokens().any(|token| token.owner == owner)
            || self.let_in(owner).next().is_some()
    }

    /// A subject of an issuer, if they were met before.
    pub fn person(&self, issuer: &str, subject: &str) -> Option<&Person> {
        self.people.get(issuer)?.get(subject)
    }
}

/// Whether a token is for bookings, among other things: one for metrics alone makes nobody an operator who books.
fn may_reserve(token: &ApiToken) -> bool {
    token.actions.as_deref().is_none_or(|only| only.contains(&Action::ReservationCreate))
}
