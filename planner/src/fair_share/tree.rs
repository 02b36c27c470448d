//! Accounts in a tree, and how they stand.

/// Somebody to whom a share is given: a user, a project, or a group of such.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The position of the account that it is a part of; `None` at the top.
    pub parent: Option<usize>,
    /// What it is given, in relation to those with the same parent: the paper's `s`.
    pub share: f64,
    /// What it used itself, decayed: the paper's `R`. What accounts below it used is counted there.
    pub used: f64,
}

/// How an account stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FairShare {
    /// Its share of everything, `S`, from 0 to 1.
    pub share: f64,
    /// What it and all below it used of what there was, `U`.
    pub usage: f64,
    /// What counts for its factor: its usage, and in part that of its group.
    pub effective_usage: f64,
    /// `F = 2^(-U / S / d)`, from 0 to 1: the higher, the sooner it is served.
    pub factor: f64,
}

/// Why accounts make no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccountError {
    /// It is a part of itself.
    #[error("account {0} is a part of itself")]
    Circle(usize),
    /// It is a part of what is not there.
    #[error("account {0} is a part of an account that is not there")]
    NoParent(usize),
}

/// How accounts stand, of which each used a part of `available`; with a `damping` above 1 usage above or below the share counts
/// less.
///
/// # Errors
/// The accounts make no tree.
pub fn fair_shares(
    accounts: &[Account],
    available: f64,
    damping: f64,
) -> Result<Vec<FairShare>, AccountError> {
    let order = from_the_top(accounts)?;
    let mut fair_shares = vec![FairShare::default(); accounts.len()];
    for &at in order.iter().rev() {
        let own = if available > 0.0 { accounts[at].used / available } else { 0.0 };
        fair_shares[at].usage += own;
        if let Some(parent) = accounts[at].parent {
            fair_shares[parent].usage += fair_shares[at].usage;
        }
    }
    let given = given_by_parent(accounts);
    for &at in &order {
        let Account { parent, share, .. } = accounts[at];
        let siblings = given[parent.map_or(accounts.len(), |parent| parent)];
        let of_siblings = if siblings > 0.0 { share / siblings } else { 0.0 };
        let usage = fair_shares[at].usage;
        let (above, effective_usage) = match parent.map(|parent| fair_shares[parent]) {
            None => (1.0, usage),
            Some(above) => (above.share, usage + (above.effective_usage - usage) * of_siblings),
        };
        let share = above * of_siblings;
        let factor = factor(effective_usage, share, damping);
        fair_shares[at] = FairShare { share, usage, effective_usage, factor };
    }
    Ok(fair_shares)
}

/// Equation 4. Who has no share and used something comes last.
pub(super) fn factor(usage: f64, share: f64, damping: f64) -> f64 {
    if usage <= 0.0 {
        1.0
    } else if share <= 0.0 {
        0.0
    } else {
        (-usage / share / damping).exp2()
    }
}

/// What those with the same parent are given together, by the parent's position; last those at the top.
pub(super) fn given_by_parent(accounts: &[Account]) -> Vec<f64> {
    let mut given = vec![0.0; accounts.len() + 1];
    for Account { parent, share, .. } in accounts {
        given[parent.map_or(accounts.len(), |parent| parent)] += share;
    }
    given
}

/// The positions of accounts, each after its parent.
fn from_the_top(accounts: &[Account]) -> Result<Vec<usize>, AccountError> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); accounts.len()];
    let mut order = Vec::with_capacity(accounts.len());
    for (at, Account { parent, .. }) in accounts.iter().enumerate() {
        match parent {
            None => order.push(at),
            Some(parent) => below.get_mut(*parent).ok_or(AccountError::NoParent(at))?.push(at),
        }
    }
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        order.append(&mut below[at]);
        next += 1;
    }
    if order.len() == accounts.len() {
        return Ok(order);
    }
    let placed: std::collections::BTreeSet<usize> = order.into_iter().collect();
    let circle = (0..accounts.len()).find(|at| !placed.contains(at));
    Err(AccountError::Circle(circle.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_1_SQRT_2;

    use super::*;

    fn account(parent: Option<usize>, share: f64, used: f64) -> Account {
        Account { parent, share, used }
    }

    /// Shares of 1, 1 and 2 are a quarter, a quarter and a half (equation 1). Of 100 the first used nothing, the second its
    /// share of 25, the third 75, which is 1.5 times its share: 1, 2^-1 and 2^-1.5 (equation 4). With a damping of 3 the
    /// third has 2^-0.5.
    #[test]
    fn who_used_its_share_has_a_half() {
        let accounts =
            [account(None, 1.0, 0.0), account(None, 1.0, 25.0), account(None, 2.0, 75.0)];
        let of = |damping| fair_shares(&accounts, 100.0, damping).unwrap();
        assert_eq!(of(1.0).iter().map(|it| it.share).collect::<Vec<_>>(), [0.25, 0.25, 0.5]);
        let factors: Vec<f64> = of(1.0).iter().map(|it| it.factor).collect();
        assert_eq!(factors[..2], [1.0, 0.5]);
        assert!((factors[2] - 0.353_553).abs() < 1e-6);
        assert!((of(3.0)[2].factor - FRAC_1_SQRT_2).abs() < 1e-12);
    }

    /// Two groups with half each. In the first are ada, who used 30 of 100, and bob, who used 10; in the second eve with 0.
    /// ada's share is a quarter, and her effective usage 0.3 + (0.4 - 0.3) / 2 = 0.35: 2^-1.4. bob's is
    /// 0.1 + (0.4 - 0.1) / 2 = 0.25: 2^-1. The group has 2^-0.8.
    #[test]
    fn what_the_group_used_counts_for_its_members() {
        let accounts = [
            account(Some(1), 1.0, 30.0),
            account(None, 1.0, 0.0),
            account(Some(1), 1.0, 10.0),
            account(None, 1.0, 0.0),
            account(Some(3), 5.0, 0.0),
        ];
        let told = fair_shares(&accounts, 100.0, 1.0).unwrap();
        let near = |at: usize, usage: f64, effective: f64, exponent: f64| {
            let it = told[at];
            assert!(
                (it.usage - usage).abs() < 1e-12 && (it.effective_usage - effective).abs() < 1e-12
            );
            assert!((it.factor - exponent.exp2()).abs() < 1e-12, "{it:?}");
        };
        near(0, 0.3, 0.35, -1.4);
        near(2, 0.1, 0.25, -1.0);
        near(1, 0.4, 0.4, -0.8);
        near(4, 0.0, 0.0, 0.0);
        assert!((told[4].share - 0.5).abs() < 1e-12);
    }

    #[test]
    fn accounts_in_a_circle_and_without_a_parent_are_refused() {
        let circle =
            [account(None, 1.0, 0.0), account(Some(2), 1.0, 0.0), account(Some(1), 1.0, 0.0)];
        assert_eq!(fair_shares(&circle, 1.0, 1.0), Err(AccountError::Circle(1)));
        assert_eq!(
            fair_shares(&[account(Some(7), 1.0, 0.0)], 1.0, 1.0),
            Err(AccountError::NoParent(0))
        );
    }

    /// Nothing was there to use, and nobody was given anything.
    #[test]
    fn nothing_at_all_is_no_error() {
        let told = fair_shares(&[account(None, 0.0, 5.0)], 0.0, 1.0).unwrap();
        assert_eq!((told[0].usage, told[0].factor), (0.0, 1.0));
        let told = fair_shares(&[account(None, 0.0, 5.0)], 10.0, 1.0).unwrap();
        assert_eq!((told[0].share, told[0].factor), (0.0, 0.0));
    }
}
