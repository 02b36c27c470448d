//! Reservations in plain words, for calendars and mails.

use planner::json::co2_accounting::Co2AccountingDocument;
use planner::node_list;
use planner::reservation::{HeldOffer, OfferTerms, Reservation};
use serde_json::Value;

use super::StoredWords;
use super::provenance::stored_accounting;

/// What a reservation is called in one line: its nodes, and its project, or what it is labelled with.
///
/// Worked example: 4 nodes for the project ocean give `4 nodes · ocean`.
pub fn title(reservation: &Reservation) -> String {
    let nodes = shown_offer(reservation).map(|offer| counted_nodes(offer.terms.nodes.count()));
    let words = StoredWords::of_reservation(reservation).unwrap_or_default();
    let labels = ["project", "application"].map(|name| words.label(name));
    let mut names = std::iter::once(reservation.project.clone()).chain(labels);
    let name = names.find(|name| !name.is_empty());
    let parts = nodes.into_iter().chain(name.map(|name| one_line(&name)));
    parts.collect::<Vec<_>>().join(" · ")
}

/// The offer that stands for a reservation: the chosen one, before the choice the earliest.
pub fn shown_offer(reservation: &Reservation) -> Option<&HeldOffer> {
    reservation.counting_offers().min_by_key(|offer| (offer.terms.span.start(), offer.id))
}

/// Nodes, energy, cost and CO2 of an offer of a reservation, a line each; CO2 with how it is counted, where that is known.
pub fn amounts(reservation: &Reservation, terms: &OfferTerms) -> String {
    let cost = terms.cost();
    format!(
        "Nodes: {}\nEnergy: {:.2} kWh\nCost: {:.2} {}\nCO2{}: {:.3} kg\n",
        nodes(terms),
        terms.values.energy.as_kilowatt_hours(),
        cost.as_units(),
        cost.currency(),
        accounting_words(counted(&reservation.summary).as_ref()),
        terms.values.co2.as_grams() / 1000.0,
    )
}

/// Such as ` (average, direct)`, behind a word; nothing where it is not known how CO2 is counted.
pub fn accounting_words(counted: Option<&Co2AccountingDocument>) -> String {
    counted.map(|it| format!(" ({it})")).unwrap_or_default()
}

/// How the CO2 of a reservation's offers is counted, as the summary beside them says.
fn counted(summary: &str) -> Option<Co2AccountingDocument> {
    let summary: Value = serde_json::from_str(summary).ok()?;
    stored_accounting(summary["basis"].as_array()?)
}

/// A text in one line and without control characters.
pub fn one_line(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

/// How many nodes, and which where that is short.
fn nodes(terms: &OfferTerms) -> String {
    let count = terms.nodes.count();
    match &terms.nodes.names {
        Some(names) => {
            let list = node_list::format(names.iter().map(String::as_str));
            format!("{count} ({})", one_line(&list))
        }
        None => count.to_string(),
    }
}

fn counted_nodes(count: u32) -> String {
    if count == 1 { "1 node".to_owned() } else { format!("{count} nodes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_node_is_a_node() {
        assert_eq!([counted_nodes(1), counted_nodes(2)], ["1 node", "2 nodes"]);
    }

    #[test]
    fn co2_is_told_with_how_it_is_counted_where_that_is_known() {
        let summary = r#"{ "basis": [{ "quantity": "co2", "source": "rte",
            "co2_accounting": { "accounting": "marginal", "factors": "direct" } }] }"#;
        assert_eq!(accounting_words(counted(summary).as_ref()), " (marginal, direct)");
        // As earlier versions wrote it, and while a request waits for the supplier.
        for silent in [r#"{ "basis": [{ "quantity": "co2", "source": "rte" }] }"#, "{}"] {
            assert_eq!(accounting_words(counted(silent).as_ref()), "");
        }
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        assert_eq!(one_line("ocean\r\nBcc: all\u{0}"), "ocean  Bcc: all ");
    }
}
