//! How figures of CO2 are counted, in the heads and cells of tables.

use planner::json::co2_accounting::Co2AccountingDocument;
use serde::Deserialize;

/// What an answer says of how its CO2 is counted.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Co2Words {
    /// Absent where that is not known.
    #[serde(default)]
    co2_accounting: Option<Co2AccountingDocument>,
    /// Of what is shown beside it; absent where there is nothing.
    #[serde(default)]
    other_co2_accounting: Option<Co2AccountingDocument>,
}

impl Co2Words {
    /// The head of a column, such as `CO2, AVERAGE, DIRECT`.
    pub fn head(&self) -> String {
        head(self.co2_accounting.as_ref())
    }

    /// The head of the column of what is shown beside it; `None` where there is nothing.
    pub fn other_head(&self) -> Option<String> {
        self.other_co2_accounting.as_ref().map(|it| head(Some(it)))
    }

    /// For tables of programs: such as `average, direct`; empty where it is not known.
    pub fn word(&self) -> String {
        word(self.co2_accounting.as_ref())
    }

    /// Of what is shown beside it: such as `marginal, direct`; empty where there is nothing.
    pub fn other_word(&self) -> String {
        word(self.other_co2_accounting.as_ref())
    }

    /// A figure, and how it is counted where a column is of several.
    pub fn cell(&self, figure: String, is_mixed: bool) -> String {
        match &self.co2_accounting {
            Some(counted) if is_mixed => format!("{figure} ({counted})"),
            _ => figure,
        }
    }

    /// What all of several say; `None` where two differ.
    pub fn common<'a>(mut all: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let first = all.next()?;
        let is_same = |it: &Self| it.co2_accounting == first.co2_accounting;
        let same = all.all(is_same);
        same.then(|| Self { co2_accounting: first.co2_accounting.clone(), ..Self::default() })
    }
}

fn head(counted: Option<&Co2AccountingDocument>) -> String {
    match counted {
        Some(counted) => format!("CO2, {}", counted.to_string().to_uppercase()),
        None => "CO2".to_owned(),
    }
}

fn word(counted: Option<&Co2AccountingDocument>) -> String {
    counted.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_column_is_named_by_how_it_is_counted_and_else_each_cell_is() {
        let counted = |accounting: &str| -> Co2Words {
            let told = json!({ "accounting": accounting, "factors": "direct" });
            serde_json::from_value(json!({ "co2_accounting": told })).unwrap()
        };
        let (average, marginal) = (counted("average"), counted("marginal"));
        assert_eq!(average.head(), "CO2, AVERAGE, DIRECT");
        assert_eq!(Co2Words::default().head(), "CO2");
        assert_eq!(average.other_head(), None);
        assert_eq!(
            Co2Words::common([&average, &average].into_iter()).unwrap().word(),
            average.word()
        );
        assert!(Co2Words::common([&average, &marginal].into_iter()).is_none());
        let cell = |is_mixed| marginal.cell("1.500 kg".to_owned(), is_mixed);
        assert_eq!(cell(true), "1.500 kg (marginal, direct)");
        assert_eq!(cell(false), "1.500 kg");
    }
}
