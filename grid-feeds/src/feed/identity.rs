//! Whose data is it? What an answer says about itself, against what was asked for.

use super::FeedError;

/// What must be of one area, signal, unit or currency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    /// What it is, such as `zone`.
    pub what: &'static str,
    /// What was asked for.
    pub asked: &'a str,
    /// Where the settings say so.
    pub setting: &'static str,
}

impl Identity<'_> {
    /// What an answer always says.
    ///
    /// # Errors
    /// Where it says something else, or nothing.
    pub fn named(self, place: &str, came: Option<&str>) -> Result<(), FeedError> {
        self.told(place, Some(came.unwrap_or_default()))
    }

    /// What an answer may leave out.
    ///
    /// # Errors
    /// Where it says something else.
    pub fn told(self, place: &str, came: Option<&str>) -> Result<(), FeedError> {
        let Some(came) = came.map(str::trim) else { return Ok(()) };
        if came.eq_ignore_ascii_case(self.asked) {
            return Ok(());
        }
        let asked = format!("{} {:?}", self.what, self.asked);
        Err(FeedError::mismatch(place, asked, came, self.setting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_area_is_refused_in_words() {
        let zone = Identity { what: "zone", asked: "FR", setting: "`zone`" };
        assert!(zone.named("/zone", Some(" fr ")).is_ok());
        assert!(zone.told("/zone", None).is_ok());
        assert!(zone.named("/zone", None).is_err());
        assert_eq!(
            zone.named("/zone", Some("DE")).unwrap_err().to_string(),
            "bad payload at /zone: asked for zone \"FR\", the answer says \"DE\": nothing of it is \
             taken; check `zone` and where the source asks"
        );
    }
}
