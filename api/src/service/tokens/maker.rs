//! Who makes tokens, and that none can do more than they may themselves.

use planner::reservation::Role;
use planner::rights::{Action, Asker, Effect, Latitude, RightsRules};
use planner::time::{Seconds, Timestamp};
use storage::{ApiToken, TokenId};

use super::TokenError;

/// The shortest time for which a token counts that callers make.
pub const SHORTEST_LENGTH: Seconds = Seconds::new(60);

/// With a first token that ends sooner nobody could make others in time.
const LEAST_OF_FIRST: Seconds = Seconds::new(86_400);

/// Who asks for tokens.
#[derive(Clone, Copy, Debug)]
pub struct TokenMaker<'a> {
    /// The name under which what is theirs is kept.
    pub name: &'a str,
    /// Who they are for the rules of rights; `None` for the one local user, who may do everything.
    pub asker: Option<Asker<'a>>,
    /// What the API token that let them in is for; `None` for everything.
    pub only: Option<&'a [Action]>,
    /// The API token that let them in, where one did.
    pub token: Option<TokenId>,
    /// When it ends by itself; `None` where it does not.
    pub ends: Option<Timestamp>,
}

impl TokenMaker<'_> {
    /// The role that a token has unless they say otherwise.
    pub fn role(&self) -> Role {
        self.asker.map_or(Role::Operator, |asker| asker.role)
    }

    /// Whether they see the tokens of an owner.
    pub fn sees(&self, owner: &str) -> bool {
        self.name == owner || self.runs_the_site()
    }

    /// Refuses a token that could do what they may not. It is for these actions of what its owner may with its role; for all of
    /// them unless given.
    ///
    /// # Errors
    /// `LocksOut`; `NotYours`; `Wider`.
    pub fn check(
        &self,
        token: Asker<'_>,
        actions: Option<&[Action]>,
        rules: &RightsRules,
    ) -> Result<(), TokenError> {
        let is_for_all =
            actions.is_none_or(|only| Action::ALL.iter().all(|action| only.contains(action)));
        if self.asker.is_none() && !(is_for_all && token.role == Role::Operator) {
            return Err(TokenError::LocksOut);
        }
        let is_own = token.name == self.name && token.role == self.role();
        if !is_own && !self.runs_the_site() {
            return Err(TokenError::NotYours);
        }
        let mut of_token = Action::ALL.iter().copied().filter(|action| {
            actions.is_none_or(|only| only.contains(action))
                && action.latitude() != Latitude::Fixed
                && rules.admission(*action, token).admits()
        });
        let wider = of_token.find(|action| !self.may_give(*action, token, rules));
        wider.map_or(Ok(()), |action| Err(TokenError::Wider(action)))
    }

    /// The longest time that a new token may count: one of their own, or of an operator, ends no later than the API token that
    /// let them in. `None` where nothing bounds it.
    pub fn most_of_new(&self, owner: &str, role: Role, now: Timestamp) -> Option<Seconds> {
        let is_bounded = owner == self.name || role == Role::Operator;
        self.ends.filter(|_| is_bounded).map(|end| end - now)
    }

    /// The longest time that the successor of a token may count: of the one that let them in as long as that one did, of
    /// others as [`Self::most_of_new`].
    pub fn most_of_successor(&self, old: &ApiToken, now: Timestamp) -> Option<Seconds> {
        if self.token == Some(old.id) {
            return old.expires.map(|end| end - old.created);
        }
        self.most_of_new(&old.owner, old.role, now)
    }

    /// Whether they may do something themselves, and no rule that takes some of it from them leaves it to the token.
    fn may_give(&self, action: Action, token: Asker<'_>, rules: &RightsRules) -> bool {
        if self.only.is_some_and(|only| !only.contains(&action)) {
            return false;
        }
        let Some(asker) = self.asker else { return true };
        let denying = |of| {
            let rules = rules.concerning(action, of);
            rules.filter(|(rule, _)| rule.effect == Effect::Deny)
        };
        let of_token = denying(token).filter(|(rule, _)| !rule.spares(token) || rule.spares(asker));
        let of_token: Vec<usize> = of_token.map(|(_, number)| number).collect();
        rules.admission(action, asker).admits()
            && denying(asker).all(|(_, number)| of_token.contains(&number))
    }

    /// Whether they are the one local user, whom a first token of this length would shut out soon.
    pub(super) fn is_locked_out_after(&self, length: Seconds) -> bool {
        self.asker.is_none() && length < LEAST_OF_FIRST
    }

    fn runs_the_site(&self) -> bool {
        self.asker.is_none_or(|asker| asker.role == Role::Operator)
    }
}

/// For how long a token counts that is made now: as long as is said, or for the usual time, shortened to the most.
///
/// # Errors
/// `EndsAtOnce` where that is less than a token counts at the least; `Outlasts`.
pub(super) fn bounded_length(
    most: Option<Seconds>,
    said: Option<Seconds>,
    usual: Seconds,
) -> Result<Seconds, TokenError> {
    let Some(most) = most else { return Ok(said.unwrap_or(usual)) };
    if most < SHORTEST_LENGTH {
        return Err(TokenError::EndsAtOnce);
    }
    match said {
        Some(said) if said > most => Err(TokenError::Outlasts { most }),
        Some(said) => Ok(said),
        None => Ok(usual.min(most)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use planner::rights::{Circumstances, RightsRule};

    use super::*;
    use crate::service::tokens::SecretToken;

    static NONE: BTreeSet<String> = BTreeSet::new();

    fn asker(name: &str, role: Role) -> Asker<'_> {
        Asker { name, role, own: &NONE, managed: &NONE }
    }

    fn maker<'a>(name: &'a str, role: Role, only: Option<&'a [Action]>) -> TokenMaker<'a> {
        TokenMaker { name, asker: Some(asker(name, role)), only, token: None, ends: None }
    }

    /// Rules that deny olga one action, with what is in a partition where that is named.
    fn denying_olga(action: Action, partitions: &[&str]) -> RightsRules {
        let partitions = partitions.iter().map(|it| (*it).to_owned()).collect();
        let users = vec!["olga".to_owned()];
        RightsRules(vec![RightsRule {
            effect: Effect::Deny,
            actions: vec![action],
            when: Circumstances { users, partitions, ..Circumstances::default() },
            except: Circumstances::default(),
            because: String::new(),
        }])
    }

    /// A rule takes something in a partition from all operators but the chief: olga makes no token of the chief's with which she
    /// could do it, and the chief makes one of her own.
    #[test]
    fn whom_a_rule_spares_no_other_operator_makes_a_token_of() {
        let mut rules = denying_olga(Action::OutageDeclare, &["gpu"]);
        rules.0[0].when.users.push("chief".to_owned());
        rules.0[0].except.users = vec!["chief".to_owned()];
        let (olga, chief) = (asker("olga", Role::Operator), asker("chief", Role::Operator));
        let refused = maker("olga", Role::Operator, None).check(chief, None, &rules);
        assert!(matches!(refused, Err(TokenError::Wider(Action::OutageDeclare))), "{refused:?}");
        assert!(maker("chief", Role::Operator, None).check(chief, None, &rules).is_ok());
        assert!(maker("olga", Role::Operator, None).check(olga, None, &rules).is_ok());
    }

    #[test]
    fn users_make_tokens_of_their_own_name_and_role_alone() {
        let (ada, rules) = (maker("ada", Role::User, None), RightsRules::default());
        assert!(ada.check(asker("ada", Role::User), None, &rules).is_ok());
        for other in
            [asker("bob", Role::User), asker("ada", Role::Operator), asker("ada", Role::Supplier)]
        {
            let refused = ada.check(other, Some(&[Action::NodeRead]), &rules);
            assert!(matches!(refused, Err(TokenError::NotYours)), "{other:?}");
        }
        let olga = maker("olga", Role::Operator, None);
        for other in
            [asker("bob", Role::User), asker("otto", Role::Operator), asker("grid", Role::Supplier)]
        {
            assert!(olga.check(other, None, &rules).is_ok(), "{other:?}");
        }
        let local = TokenMaker { asker: None, ..maker("local", Role::Operator, None) };
        assert!(local.check(asker("otto", Role::Operator), None, &rules).is_ok());
    }

    /// With the first token the local user is nobody any more: only what makes other tokens lets somebody undo that.
    #[test]
    fn the_first_token_is_an_operators_for_everything() {
        let rules = RightsRules::default();
        let local = TokenMaker { asker: None, ..maker("local", Role::Operator, None) };
        let refused = |role, actions: Option<&[Action]>| {
            let checked = local.check(asker("local", role), actions, &rules);
            matches!(checked, Err(TokenError::LocksOut))
        };
        assert!(refused(Role::User, None) && refused(Role::Supplier, None));
        assert!(refused(Role::Operator, Some(&[Action::NodeRead])));
        assert!(refused(Role::Operator, Some(&[Action::TokenChange, Action::TokenRead])));
        assert!(!refused(Role::Operator, None) && !refused(Role::Operator, Some(Action::ALL)));
        // Nor does one help that ends before others are made; whoever asks with one has it already.
        let (day, less) = (Seconds::new(86_400), Seconds::new(86_399));
        assert!(local.is_locked_out_after(less) && !local.is_locked_out_after(day));
        assert!(!maker("olga", Role::Operator, None).is_locked_out_after(less));
    }

    /// An hour's token has a minute left at 3,540 s; later nothing comes of it, also once it has ended, but its own successor.
    #[test]
    fn no_token_is_made_that_ends_at_once() {
        let hers = token("ada", Role::User, 3600);
        let (id, ends) = (Some(hers.id), hers.expires);
        let ada = TokenMaker { token: id, ends, ..maker("ada", Role::User, None) };
        let minute = Seconds::new(60);
        let asked = |second: i64, said: Option<Seconds>| {
            bounded_length(
                ada.most_of_new("ada", Role::User, at(second)),
                said,
                Seconds::new(86_400),
            )
        };
        assert_eq!(asked(3540, None).unwrap(), minute);
        assert_eq!(asked(3540, Some(minute)).unwrap(), minute);
        for second in [3541, 3599, 3600, 3700] {
            for said in [None, Some(minute)] {
                let refused = asked(second, said);
                assert!(matches!(refused, Err(TokenError::EndsAtOnce)), "{second}: {refused:?}");
            }
        }
        assert_eq!(ada.most_of_successor(&hers, at(3599)), Some(Seconds::new(3600)));
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_unix_seconds(second)
    }

    fn token(owner: &str, role: Role, length: i64) -> ApiToken {
        let length = Some(Seconds::new(length));
        SecretToken::new(owner.to_owned(), role, length, None, at(0)).unwrap().token
    }

    /// An hour's token is asked with at 600 s: 3,000 s are left of it.
    #[test]
    fn an_own_token_ends_no_later_than_the_one_that_makes_it() {
        let hers = token("ada", Role::User, 3600);
        let ada = TokenMaker {
            token: Some(hers.id),
            ends: hers.expires,
            ..maker("ada", Role::User, None)
        };
        let usual = Seconds::new(90 * 86_400);
        let most = ada.most_of_new("ada", Role::User, at(600));
        assert_eq!(most, Some(Seconds::new(3000)));
        assert_eq!(bounded_length(most, None, usual).unwrap().get(), 3000);
        assert_eq!(bounded_length(most, Some(Seconds::new(3000)), usual).unwrap().get(), 3000);
        let longer = bounded_length(most, Some(Seconds::new(3001)), usual);
        assert!(matches!(longer, Err(TokenError::Outlasts { most }) if most.get() == 3000));
        // Itself it renews for an hour again, and another of hers for as long as it lasts itself.
        assert_eq!(ada.most_of_successor(&hers, at(600)), Some(Seconds::new(3600)));
        let other = token("ada", Role::User, 86_400);
        assert_eq!(ada.most_of_successor(&other, at(600)), Some(Seconds::new(3000)));
        // Who asks with one that has no end, or was let in by an issuer, is free of that.
        let endless = TokenMaker { ends: None, ..ada };
        assert_eq!(endless.most_of_new("ada", Role::User, at(600)), None);
        assert_eq!(bounded_length(None, None, usual).unwrap(), usual);
    }

    /// Others' tokens outlast the one of the operator who makes them, but for those with which one could make more.
    #[test]
    fn an_operators_token_makes_others_that_last_longer_but_no_operators() {
        let ends = Some(at(3600));
        let olga = TokenMaker { ends, ..maker("olga", Role::Operator, None) };
        for (owner, role, most) in [
            ("bob", Role::User, None),
            ("grid", Role::Supplier, None),
            ("otto", Role::Operator, Some(Seconds::new(3600))),
            ("olga", Role::User, Some(Seconds::new(3600))),
        ] {
            assert_eq!(olga.most_of_new(owner, role, at(0)), most, "{owner}");
            let old = token(owner, role, 86_400);
            assert_eq!(olga.most_of_successor(&old, at(0)), most, "{owner}");
        }
    }

    /// Of a token for two actions no token for a third comes, and none for everything.
    #[test]
    fn a_token_for_some_actions_makes_none_for_others() {
        let only = [Action::TokenChange, Action::NodeRead];
        let (ada, rules) = (maker("ada", Role::User, Some(&only)), RightsRules::default());
        let own = asker("ada", Role::User);
        assert!(ada.check(own, Some(&[Action::NodeRead, Action::MeRead]), &rules).is_ok());
        let wider = ada.check(own, Some(&[Action::NodeRead, Action::OutageRead]), &rules);
        assert!(matches!(wider, Err(TokenError::Wider(Action::OutageRead))));
        assert!(matches!(ada.check(own, None, &rules), Err(TokenError::Wider(_))));
    }

    /// A rule takes something from olga: she makes no token with which another operator, whom it does not concern, could do it.
    #[test]
    fn what_a_rule_takes_from_an_operator_no_token_of_another_has() {
        let olga = maker("olga", Role::Operator, None);
        let (hers, ottos) = (asker("olga", Role::Operator), asker("otto", Role::Operator));
        for partitions in [&[][..], &["gpu"][..]] {
            let rules = denying_olga(Action::OutageDeclare, partitions);
            let refused = olga.check(ottos, None, &rules);
            assert!(matches!(refused, Err(TokenError::Wider(Action::OutageDeclare))));
            assert!(olga.check(hers, None, &rules).is_ok(), "it concerns that one, too");
            assert!(olga.check(ottos, Some(&[Action::NodeRead]), &rules).is_ok());
            assert!(
                olga.check(asker("bob", Role::User), None, &rules).is_ok(),
                "users may not anyway"
            );
        }
    }
}
