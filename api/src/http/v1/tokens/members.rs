//! What bodies of tokens say.

use planner::json::Reader;
use planner::reservation::Role;
use planner::rights::Action;
use planner::time::Seconds;
use serde_json::value::RawValue;

use crate::service::tokens::{
    LONGEST_LENGTH, LONGEST_OVERLAP, NewToken, SHORTEST_LENGTH, USUAL_OVERLAP,
};

/// How a token is renewed.
pub(super) struct TokenRenewal {
    /// For how long the new one counts, where that is said.
    pub expires_in: Option<Seconds>,
    /// How long the old one counts beside it.
    pub overlap: Seconds,
}

/// A token to be.
pub(super) fn new_token(reader: &mut Reader, raw: &RawValue) -> Option<NewToken> {
    let object = reader.object(raw, &["owner", "role", "expires_in_s", "actions"])?;
    let owner = reader.optional(&object, "owner", Reader::name);
    let role = reader.optional(&object, "role", role);
    let expires_in = reader.optional(&object, "expires_in_s", length);
    let actions = reader.optional(&object, "actions", actions);
    let owner = owner?.map(String::from);
    Some(NewToken { owner, role: role?, expires_in: expires_in?, actions: actions? })
}

/// How a token is renewed.
pub(super) fn renewal(reader: &mut Reader, raw: &RawValue) -> Option<TokenRenewal> {
    let object = reader.object(raw, &["expires_in_s", "overlap_s"])?;
    let expires_in = reader.optional(&object, "expires_in_s", length);
    let most = LONGEST_OVERLAP.get();
    let overlap =
        reader.optional(&object, "overlap_s", |reader, raw| seconds(reader, raw, 0, most));
    Some(TokenRenewal { expires_in: expires_in?, overlap: overlap?.unwrap_or(USUAL_OVERLAP) })
}

fn length(reader: &mut Reader, raw: &RawValue) -> Option<Seconds> {
    seconds(reader, raw, SHORTEST_LENGTH.get(), LONGEST_LENGTH.get())
}

fn seconds(reader: &mut Reader, raw: &RawValue, least: i64, most: i64) -> Option<Seconds> {
    let seconds = reader.whole_number(raw)?;
    if !(least..=most).contains(&seconds) {
        reader.error(format!("must lie between {least} and {most}"));
        return None;
    }
    Some(Seconds::new(seconds))
}

fn role(reader: &mut Reader, raw: &RawValue) -> Option<Role> {
    let word = reader.string(raw)?;
    reader.accept(Role::from_word(&word).ok_or("must be user, operator or supplier"))
}

fn actions(reader: &mut Reader, raw: &RawValue) -> Option<Vec<Action>> {
    let mut actions = reader.array(raw, |reader, raw| {
        let word = reader.string(raw)?;
        let known = Action::from_word(&word);
        reader.accept(
            known.ok_or_else(|| format!("{word:?} is no action; GET /api/v1/rights lists them")),
        )
    })?;
    if actions.is_empty() {
        reader.error("must name an action");
        return None;
    }
    actions.sort_unstable();
    actions.dedup();
    Some(actions)
}
