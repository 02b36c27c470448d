//! How CO2 intensities are counted, as revisions of agendas say it.

use grid_feeds::feed::{Accounting, Factors, Kind};
use planner::json::co2_accounting::Co2AccountingDocument;
use serde_json::Value;
use storage::{FeedRevision, Quantity};

/// How intensities are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Co2Accounting {
    /// Average or marginal.
    pub accounting: Accounting,
    /// Direct or of the life cycle; `None` where whoever put them did not say.
    pub factors: Option<Factors>,
}

impl Co2Accounting {
    /// That of a kind; `None` of prices and caps.
    pub const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Co2 { accounting, factors } => Some(Self { accounting, factors: Some(factors) }),
            Kind::Price { .. } | Kind::PowerCap => None,
        }
    }

    /// That of a revision's kind in words, such as `marginal` of what was put and `average direct CO2 in g/kWh` of what was
    /// composed; `None` where they do not say it.
    pub fn of_words(quantity: Quantity, kind: &str) -> Option<Self> {
        let mut words = kind.split(' ').filter(|_| quantity == Quantity::Co2);
        let accounting = Accounting::from_word(words.next()?)?;
        Some(Self { accounting, factors: words.next().and_then(Factors::from_word) })
    }

    /// The words that [`Self::of_words`] reads, such as `marginal direct`.
    pub fn words(self) -> String {
        let factors = self.factors.iter().map(|it| it.word());
        std::iter::once(self.accounting.word()).chain(factors).collect::<Vec<_>>().join(" ")
    }

    /// That of an agenda which has but what was put: as the newest of its revisions says it that says anything of it, as one
    /// that withdraws does not; `None` where none does.
    pub fn of_put(newest_first: &[FeedRevision]) -> Option<Self> {
        newest_first.iter().find_map(|it| Self::of_words(Quantity::Co2, &it.meta.kind))
    }

    /// As documents name it.
    pub fn document(self) -> Co2AccountingDocument {
        Co2AccountingDocument {
            accounting: self.accounting.word().to_owned(),
            factors: self.factors.map(|it| it.word().to_owned()),
        }
    }
}

/// How the CO2 is counted that a stored basis of offers tells of; `None` where it does not say so.
pub fn stored_accounting(basis: &[Value]) -> Option<Co2AccountingDocument> {
    let of_co2 = basis.iter().filter(|it| it["quantity"] == Quantity::Co2.word());
    let read = |it: &Value| serde_json::from_value(it["co2_accounting"].clone()).ok();
    let all: Vec<Option<Co2AccountingDocument>> = of_co2.map(read).collect();
    Co2AccountingDocument::common(all.iter().map(Option::as_ref))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_words_of_a_revision_say_how_its_co2_is_counted() {
        let read = |kind: &str| {
            Co2Accounting::of_words(Quantity::Co2, kind).map(|it| it.document().to_string())
        };
        assert_eq!(read("marginal").as_deref(), Some("marginal"));
        assert_eq!(read("average life-cycle").as_deref(), Some("average, life-cycle"));
        let kind = Kind::Co2 { accounting: Accounting::Marginal, factors: Factors::Direct };
        assert_eq!(read(&kind.to_string()).as_deref(), Some("marginal, direct"));
        assert_eq!(
            Co2Accounting::of_words(Quantity::Co2, &kind.to_string()),
            Co2Accounting::of(kind)
        );
        let said = Co2Accounting::of(kind).unwrap();
        assert_eq!(Co2Accounting::of_words(Quantity::Co2, &said.words()), Some(said));
        assert_eq!(said.words(), "marginal direct");
        assert_eq!(read("withdrawn"), None);
        // Prices are put with a kind as well, which says nothing of them.
        assert_eq!(Co2Accounting::of_words(Quantity::Price, "average"), None);
    }

    #[test]
    fn a_stored_basis_says_how_its_co2_is_counted_where_it_was_known() {
        let counted = json!({ "accounting": "average", "factors": "direct" });
        let price = json!({ "quantity": "price", "source": "epex" });
        let co2 = json!({ "quantity": "co2", "source": "rte", "co2_accounting": counted });
        let before = json!({ "quantity": "co2", "source": "rte" });
        let read = |basis: &[Value]| stored_accounting(basis).map(|it| it.to_string());
        assert_eq!(read(&[price.clone(), co2.clone()]).as_deref(), Some("average, direct"));
        assert_eq!(read(&[price.clone(), before.clone()]), None);
        assert_eq!(read(&[co2, before]), None);
        assert_eq!(read(&[price]), None);
    }
}
