//! What a provider declares of itself.

use planner::time::Seconds;
use serde::de::DeserializeOwned;

use crate::feed::{FeedError, Quantity, Role};
use crate::http::Http;
use crate::schedule::Rhythm;

/// The settings of a source that asks a provider, and by them all that is asked of a provider. Each
/// provider's folder implements it for its `Settings`, whose fields are the keys that the settings
/// file may have.
pub trait Declaration: Clone + std::fmt::Debug + DeserializeOwned {
    /// The longest span that one fetch may ask for; a longer back-fill goes in parts.
    const LONGEST_WINDOW: Seconds;

    /// Settings that can be read, as they are written in the settings file.
    #[cfg(test)]
    const EXAMPLE: &'static str;

    /// The feed of `quantity`, named `source`; secrets are read now. `None` where the provider has no
    /// such quantity.
    ///
    /// # Errors
    /// Settings that cannot work, and secrets that cannot be read.
    fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Option<Role>, FeedError>;

    /// How the provider publishes and may be asked, unless the site says otherwise.
    fn rhythm(_quantity: Quantity) -> Rhythm {
        Rhythm::default()
    }

    /// How what these settings ask for is published, where that is not one rhythm for all of the provider.
    fn own_rhythm(&self, quantity: Quantity) -> Rhythm {
        Self::rhythm(quantity)
    }

    /// Whether what it publishes is binding in the end: what is provisional does not count as its
    /// publication. Forecasts stay forecasts.
    fn is_binding(&self, quantity: Quantity) -> bool {
        quantity == Quantity::Price
    }
}
