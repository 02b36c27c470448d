//! Fault switches: `429`, `429=0.1`, `dst-day`.

use std::str::FromStr;

use replay_supplier::Fault;

/// What one `--fault` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Switch {
    /// A fault of this share of all answers.
    Answers(Fault, f64),
    /// A day of 23 or 25 hours ahead.
    DstDay,
}

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "dst-day" {
            return Ok(Self::DstDay);
        }
        let (name, share) = text.split_once('=').unwrap_or((text, "1"));
        let fault = Fault::parse(name).ok_or_else(|| format!("{name:?} is no fault"))?;
        let share = share.parse().ok().filter(|share| (0.0..=1.0).contains(share));
        let share = share.ok_or("the share must lie between 0 and 1")?;
        Ok(Self::Answers(fault, share))
    }
}

/// The shares of all switches together.
///
/// # Errors
/// Where they are more than all answers.
pub fn shares(switches: &[Switch]) -> Result<Vec<(Fault, f64)>, String> {
    let shares: Vec<(Fault, f64)> = switches
        .iter()
        .filter_map(|switch| match switch {
            Switch::Answers(fault, share) => Some((*fault, *share)),
            Switch::DstDay => None,
        })
        .collect();
    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
    // Ten tenths are a little more or less than one.
    if sum > 1.0 + 1e-9 {
        return Err(format!("--fault: the shares add up to {sum}, more than all answers"));
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_without_a_share_is_of_all_answers() {
        assert_eq!("429".parse(), Ok(Switch::Answers(Fault::TooManyRequests, 1.0)));
        assert_eq!("late=0.25".parse(), Ok(Switch::Answers(Fault::Late, 0.25)));
        assert_eq!("dst-day".parse(), Ok(Switch::DstDay));
        assert_eq!("teapot".parse::<Switch>().unwrap_err(), "\"teapot\" is no fault");
        for text in ["429=", "429=1.1", "429=-0.1", "429=NaN", "dst-day=0.5"] {
            assert!(text.parse::<Switch>().is_err(), "{text}");
        }
    }

    #[test]
    fn shares_add_up_to_all_answers_at_most() {
        let tenths = [Switch::Answers(Fault::Late, 0.1); 10];
        assert_eq!(shares(&tenths).unwrap().len(), 10);
        let more = [Switch::Answers(Fault::Late, 0.6), Switch::Answers(Fault::Empty, 0.5)];
        assert!(shares(&more).unwrap_err().contains("1.1"));
    }
}
