//! What a source asks: a provider, or the server of the section `[openadr]`.

use anyhow::ensure;
use grid_feeds::feed::{FeedError, Quantity, Role};
use grid_feeds::http::Http;
use grid_feeds::provider::Provider;
use grid_feeds::provider::contract::Tariff;
use grid_feeds::schedule::Rhythm;
use planner::quantity::Currency;
use planner::time::Seconds;
use toml::{Table, Value};

/// The supplier's OpenADR server.
#[cfg(feature = "openadr")]
pub type OpenAdr = openadr::Ven;

/// A build without the feature knows none.
#[cfg(not(feature = "openadr"))]
#[derive(Clone, Debug)]
pub enum OpenAdr {}

/// The word of [`SourceProvider::OpenAdr`] as a provider.
const OPENADR: &str = "openadr";

/// What a source asks.
#[derive(Clone, Debug)]
pub enum SourceProvider {
    /// A provider of feeds.
    Provider(Box<Provider>),
    /// The server of the section `[openadr]`.
    #[cfg(feature = "openadr")]
    OpenAdr(OpenAdr, openadr::FeedSettings),
}

/// Reads the section `[openadr]`.
///
/// # Errors
/// A setting that cannot work, by name; the section in a build without the feature.
pub fn openadr(section: Option<Table>, currency: Currency) -> anyhow::Result<Option<OpenAdr>> {
    let Some(section) = section else { return Ok(None) };
    #[cfg(feature = "openadr")]
    {
        let settings: openadr::Settings = Value::Table(section).try_into()?;
        Ok(Some(openadr::Ven::connect(settings, currency)?))
    }
    #[cfg(not(feature = "openadr"))]
    {
        let _ = (section, currency);
        anyhow::bail!("this build does not speak OpenADR: it lacks the feature `openadr`")
    }
}

impl SourceProvider {
    /// Reads what the file says of a source beside what is common to all.
    ///
    /// # Errors
    /// Unknown suppliers and settings, by name.
    pub fn read(table: Table, openadr: Option<&OpenAdr>) -> anyhow::Result<Self> {
        if table.get("provider").and_then(Value::as_str) != Some(OPENADR) {
            return Ok(Self::Provider(Box::new(Value::Table(table).try_into()?)));
        }
        ensure!(openadr.is_some(), "provider \"openadr\" needs the section [openadr]");
        Self::of_openadr(table, openadr)
    }

    #[cfg(feature = "openadr")]
    fn of_openadr(mut table: Table, openadr: Option<&OpenAdr>) -> anyhow::Result<Self> {
        use anyhow::Context;
        table.remove("provider");
        let settings = Value::Table(table).try_into()?;
        Ok(Self::OpenAdr(openadr.context("no server")?.clone(), settings))
    }

    #[cfg(not(feature = "openadr"))]
    fn of_openadr(_: Table, _: Option<&OpenAdr>) -> anyhow::Result<Self> {
        anyhow::bail!("this build does not speak OpenADR: it lacks the feature `openadr`")
    }

    /// The feed of `quantity`, named `source`.
    ///
    /// # Errors
    /// Where the supplier does not have the quantity, and where the settings cannot work.
    pub fn connect(
        &self,
        source: &str,
        quantity: Quantity,
        http: &Http,
    ) -> Result<Role, FeedError> {
        match self {
            Self::Provider(provider) => provider.connect(source, quantity, http),
            #[cfg(feature = "openadr")]
            Self::OpenAdr(ven, settings) => ven.feed(settings, source, quantity, http),
        }
    }

    /// The contract, whose prices can be reckoned without asking anybody; `None` for suppliers.
    ///
    /// # Errors
    /// A contract whose rules cannot be.
    pub fn tariff(&self) -> Result<Option<Tariff>, FeedError> {
        match self {
            Self::Provider(provider) => provider.tariff(),
            #[cfg(feature = "openadr")]
            Self::OpenAdr(..) => Ok(None),
        }
    }

    /// The longest span that may be asked for at once.
    pub fn longest_window(&self) -> Seconds {
        match self {
            Self::Provider(provider) => provider.longest_window(),
            // All events are read whatever is asked for; none is of long ago.
            #[cfg(feature = "openadr")]
            Self::OpenAdr(..) => Seconds::new(365 * 86_400),
        }
    }

    /// Whether what it publishes is binding in the end: provisional values are no publication.
    pub fn is_binding(&self, quantity: Quantity) -> bool {
        match self {
            Self::Provider(provider) => provider.is_binding(quantity),
            #[cfg(feature = "openadr")]
            Self::OpenAdr(..) => false,
        }
    }

    /// How the supplier publishes and may be asked, unless the site says otherwise.
    pub fn rhythm(&self, quantity: Quantity) -> Rhythm {
        match self {
            Self::Provider(provider) => provider.rhythm(quantity),
            #[cfg(feature = "openadr")]
            Self::OpenAdr(ven, _) => ven.rhythm(),
        }
    }

    /// Whether what it said last is of no use once it is late: limits from whom contact is lost.
    #[cfg_attr(
        not(feature = "openadr"),
        expect(clippy::unused_self, reason = "without OpenADR there is no such supplier")
    )]
    pub fn is_void_when_late(&self, quantity: Quantity) -> bool {
        #[cfg(feature = "openadr")]
        if let Self::OpenAdr(..) = self {
            return quantity == Quantity::PowerCap;
        }
        let _ = quantity;
        false
    }

    /// Whether it always says all there is: what it does not say any more it takes back.
    #[cfg_attr(
        not(feature = "openadr"),
        expect(clippy::unused_self, reason = "without OpenADR there is no such supplier")
    )]
    pub const fn says_all(&self) -> bool {
        #[cfg(feature = "openadr")]
        if let Self::OpenAdr(..) = self {
            return true;
        }
        false
    }

    /// Whether notifications of the server concern it.
    #[cfg(feature = "openadr")]
    pub const fn is_openadr(&self) -> bool {
        matches!(self, Self::OpenAdr(..))
    }
}
