//! The XML documents: `Publication_MarketDocument` (prices and flows), `GL_MarketDocument` (generation and
//! load) and `Acknowledgement_MarketDocument` (no).

use serde::Deserialize;

/// Any of the three.
#[derive(Debug, Deserialize)]
pub struct Document {
    /// Such as `A44`, prices, or `A75`, generation by kind.
    #[serde(rename = "type")]
    pub document_type: Option<String>,
    /// `A16`, realised, or `A01`, day-ahead; of generation and load only.
    #[serde(rename = "process.processType")]
    pub process_type: Option<String>,
    /// When the answer was made.
    #[serde(rename = "createdDateTime")]
    pub created: Option<String>,
    /// Prices or powers.
    #[serde(rename = "TimeSeries", default)]
    pub series: Vec<TimeSeries>,
    /// Why there is nothing.
    #[serde(rename = "Reason", default)]
    pub reasons: Vec<Reason>,
}

/// Prices of one auction, or powers of one kind.
#[derive(Debug, Deserialize)]
pub struct TimeSeries {
    /// `A62`, spot prices; `A01` and its relatives, generation; `A04`, load; `A66`, flows.
    #[serde(rename = "businessType")]
    pub business_type: Option<String>,
    /// `A01`, day-ahead; of prices and exchanges only.
    #[serde(rename = "contract_MarketAgreement.type")]
    pub contract_type: Option<String>,
    /// The zone that prices are of, or that flows go into.
    #[serde(rename = "in_Domain.mRID")]
    pub in_domain: Option<String>,
    /// The zone that prices are of, named a second time, or that flows come from.
    #[serde(rename = "out_Domain.mRID")]
    pub out_domain: Option<String>,
    /// The auction: 1 is the single day-ahead coupling; absent where there is only one.
    #[serde(rename = "classificationSequence_AttributeInstanceComponent.position")]
    pub sequence: Option<u32>,
    /// Of prices.
    #[serde(rename = "currency_Unit.name")]
    pub currency: Option<String>,
    /// `MWH`.
    #[serde(rename = "price_Measure_Unit.name")]
    pub price_unit: Option<String>,
    /// `MAW`, megawatts.
    #[serde(rename = "quantity_Measure_Unit.name")]
    pub quantity_unit: Option<String>,
    /// Whose generation.
    #[serde(rename = "inBiddingZone_Domain.mRID")]
    pub generation_zone: Option<String>,
    /// Whose consumption: the load, or that of pumps.
    #[serde(rename = "outBiddingZone_Domain.mRID")]
    pub consumption_zone: Option<String>,
    /// `A01`: every position is there. `A03`: what repeats is left out.
    #[serde(rename = "curveType")]
    pub curve: Option<String>,
    /// The kind of generation.
    #[serde(rename = "MktPSRType")]
    pub generation: Option<Generation>,
    /// The points.
    #[serde(rename = "Period", default)]
    pub periods: Vec<Period>,
}

/// A kind of generation.
#[derive(Debug, Deserialize)]
pub struct Generation {
    /// `B01` to `B25`.
    #[serde(rename = "psrType")]
    pub code: String,
}

/// Points of one resolution.
#[derive(Debug, Deserialize)]
pub struct Period {
    /// From start to end.
    #[serde(rename = "timeInterval")]
    pub interval: Interval,
    /// An ISO 8601 duration.
    pub resolution: String,
    /// In any order.
    #[serde(rename = "Point", default)]
    pub points: Vec<Point>,
}

/// Half-open, in UTC, to the minute.
#[derive(Debug, Deserialize)]
pub struct Interval {
    /// The first instant.
    pub start: String,
    /// The first instant after.
    pub end: String,
}

/// A value at a position.
#[derive(Debug, Deserialize)]
pub struct Point {
    /// From 1.
    pub position: u32,
    /// Of a price document.
    #[serde(rename = "price.amount")]
    pub price: Option<String>,
    /// Of a document of powers.
    pub quantity: Option<String>,
}

/// Why there is nothing.
#[derive(Debug, Deserialize)]
pub struct Reason {
    /// `999` for most.
    pub code: Option<String>,
    /// In words.
    pub text: Option<String>,
}
