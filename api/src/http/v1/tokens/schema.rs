//! Bodies of tokens for the OpenAPI document; they are read in `members.rs`.

use utoipa::ToSchema;

/// A token to be; each member may be left out.
#[derive(ToSchema)]
#[schema(example = json!({ "expires_in_s": 7_776_000, "actions": ["metrics.read"] }))]
pub struct ApiTokenRequest {
    /// Whose it is; the caller's unless given. Others' are for operators.
    pub owner: Option<String>,
    /// `user`, `operator` or `supplier`; the caller's role unless given. Others are for operators.
    pub role: Option<String>,
    /// For how long it counts, a minute to 366 days; 90 days unless given, or until the token ends that it is made with.
    pub expires_in_s: Option<i64>,
    /// What it may do of what its role may; all that the token may with which the request is sent, unless given.
    pub actions: Option<Vec<String>>,
}

/// How a token is renewed; each member may be left out.
#[derive(ToSchema)]
#[schema(example = json!({ "overlap_s": 86_400 }))]
pub struct ApiTokenRenewal {
    /// For how long the new one counts, a minute to 366 days; as long as the old one did unless given, or until the token ends
    /// that it is made with.
    pub expires_in_s: Option<i64>,
    /// How long the old one counts beside it, up to 30 days; a day unless given.
    pub overlap_s: Option<i64>,
}
