//! What the table of rights or a rule of the site does not let somebody do.

use planner::rights::{Action, Verdict};
use serde::Serialize;

/// A refusal, for who is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forbidden {
    /// What they wanted to do.
    pub action: &'static str,
    /// The rule that forbids it; `None` where their role does not have the right by default, and no rule gives it.
    pub rule: Option<String>,
    #[serde(skip)]
    roles: String,
    /// Whether their token alone does not let them.
    #[serde(skip)]
    by_token: bool,
}

impl Forbidden {
    /// The refusal of a verdict that admits not.
    pub fn of(action: Action, verdict: Verdict<'_>) -> Self {
        let rule = match verdict {
            Verdict::Denied(rule, place) | Verdict::Allowed(rule, place) => {
                Some(format!("{place}: {rule}"))
            }
            Verdict::Default | Verdict::NotTheirRole => None,
        };
        let roles: Vec<&str> = action.roles().iter().map(|role| role.word()).collect();
        Self { action: action.word(), rule, roles: roles.join(", "), by_token: false }
    }

    /// The refusal of what a token was not made for.
    pub fn by_token(action: Action) -> Self {
        Self { by_token: true, ..Self::of(action, Verdict::NotTheirRole) }
    }
}

impl std::fmt::Display for Forbidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.rule {
            _ if self.by_token => write!(
                f,
                "This token was made for some actions alone, and {} is none of them. `wattbook rights` says what you may do.",
                self.action
            ),
            Some(rule) => write!(
                f,
                "A rule of this site does not let you do {} here: {rule}. `wattbook rights` says what you may do.",
                self.action
            ),
            None => write!(
                f,
                "This is for the roles {}. `wattbook rights` says what you may do.",
                self.roles
            ),
        }
    }
}

impl std::error::Error for Forbidden {}
