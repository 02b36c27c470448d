//! The nodes of a cluster as a table: `name,idle_power_w,max_power_w` and optionally `alpha`,
//! `partitions` and `features`, the last two with `;` between names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use planner::decimal::Fraction;
use planner::labels::{Labels, NodeLabels};
use planner::node::{Node, Nodes, NodesError, is_name};

use super::reader::Errors;
use super::{Columns, Row, TableError, read};

const NAME: usize = 0;
const IDLE: usize = 1;
const MAX: usize = 2;
const ALPHA: usize = 3;

const PARTITIONS: usize = 4;
const FEATURES: usize = 5;

const COLUMNS: Columns = Columns {
    required: &["name", "idle_power_w", "max_power_w"],
    optional: &["alpha", "partitions", "features"],
};

/// Reads nodes in the order of the rows; an empty cell of an optional column means none.
///
/// `O(rows)`; beside the text only the nodes and an index of their names are in memory.
///
/// # Errors
/// Every error with its line; a name that appears twice names both lines.
pub fn nodes(text: &str) -> Result<Nodes, Vec<TableError>> {
    // Whole clusters share one alpha, and reading one takes as long as both powers.
    let mut latest_alpha: Option<(String, Fraction)> = None;
    let nodes = read(text, &COLUMNS, |row, errors| {
        let name = row.name(NAME, errors);
        let idle = row.power(IDLE, errors);
        let max = row.power(MAX, errors);
        let alpha = row.optional(ALPHA, errors, |row, column, errors| {
            let text = row.text(column);
            if let Some((_, alpha)) = latest_alpha.as_ref().filter(|(latest, _)| latest == text) {
                return Some(*alpha);
            }
            let alpha = row.fraction(column, errors)?;
            latest_alpha = Some((text.to_owned(), alpha));
            Some(alpha)
        });
        let partitions = row.optional(PARTITIONS, errors, labels);
        let features = row.optional(FEATURES, errors, labels);
        let (name, idle, max, alpha) = (name?, idle?, max?, alpha?);
        let node = Node::new(idle, max, alpha).map_err(|error| errors.row(row.line(), error));
        let labels = NodeLabels {
            partitions: partitions?.unwrap_or_default(),
            features: features?.unwrap_or_default(),
        };
        Some(((Box::<str>::from(name), node.ok()?), labels))
    })?;
    let (nodes, labels): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
    let nodes = Nodes::listed(nodes).map_err(|error| match error {
        NodesError::DuplicateName { .. } => duplicates(text),
        error => vec![TableError { line: 1, column: None, message: error.to_string() }],
    })?;
    Ok(nodes.with_labels(Labels::new(labels)))
}

/// Names with `;` between them.
fn labels(row: &Row, column: usize, errors: &mut Errors) -> Option<Vec<Box<str>>> {
    let names = row.text(column).split(';').map(|name| is_name(name).then(|| name.into()));
    let labels = names.collect::<Option<_>>();
    row.accept(column, errors, labels.ok_or("must be names with ; between them"))
}

/// Every row whose name is on an earlier line: read again, so that lines need not be kept where all
/// is well.
fn duplicates(text: &str) -> Vec<TableError> {
    let mut first_line: HashMap<String, u64> = HashMap::new();
    let found = read(text, &COLUMNS, |row, errors| {
        match first_line.entry(row.text(NAME).to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(row.line());
            }
            Entry::Occupied(entry) => {
                let message = format!("{:?} is on line {} already", entry.key(), entry.get());
                row.error(NAME, errors, message);
            }
        }
        Some(())
    });
    found.err().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use planner::quantity::Power;

    use super::*;

    fn messages(text: &str) -> Vec<String> {
        nodes(text).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_nodes_with_and_without_alpha() {
        let cluster =
            nodes("max_power_w,name,alpha,idle_power_w\n190,n1,0.75,95.5\n190,\"n,2\",,95\n")
                .unwrap();
        let powers = Node::new(
            Power::from_watts(95.5).unwrap(),
            Power::from_watts(190.0).unwrap(),
            Fraction::new(0.75),
        );
        assert_eq!(cluster.as_slice()[0], powers.unwrap());
        assert_eq!(cluster.as_slice()[1].alpha(), None);
        assert_eq!((cluster.name(0), cluster.name(1)), ("n1".into(), "n,2".into()));
        assert_eq!(nodes("name,idle_power_w,max_power_w\nn1,95,190\n").unwrap().count(), 1);
    }

    #[test]
    fn reads_partitions_and_features() {
        let text = "name,idle_power_w,max_power_w,partitions,features\n\
                    n1,1,2,gpu;big nodes,nvme\n\
                    n2,1,2,,\n";
        let cluster = nodes(text).unwrap();
        let labels = cluster.labels().of(0).unwrap();
        assert_eq!(labels.partitions, ["gpu".into(), "big nodes".into()]);
        assert_eq!(labels.features, ["nvme".into()]);
        assert_eq!(cluster.labels().of(1), Some(&NodeLabels::default()));
        let wrong = "name,idle_power_w,max_power_w,features\nn1,1,2,a;;b\n";
        assert_eq!(messages(wrong), ["line 2, features: must be names with ; between them"]);
    }

    #[test]
    fn collects_all_errors_of_all_rows() {
        let long = "x".repeat(256);
        let text = format!(
            "name,idle_power_w,max_power_w,alpha\n\
             ,95,190,1.5\n\
             n1,200,190,\n\
             n2,-1,inf,nan\n\
             \"n\n3\",95,1e12,+1\n\
             {long},95,190,.5\n\
             n4,95,190,0.1\n"
        );
        assert_eq!(
            messages(&text),
            [
                "line 2, name: must have 1 to 255 characters and no control characters",
                "line 2, alpha: is not a number between 0 and 1",
                "line 3: idle_power_w must not exceed max_power_w",
                "line 4, idle_power_w: must lie between 0 and 1e11 W",
                "line 4, max_power_w: is not a number",
                "line 4, alpha: is not a number between 0 and 1",
                "line 5, name: must have 1 to 255 characters and no control characters",
                "line 5, max_power_w: must lie between 0 and 1e11 W",
                "line 5, alpha: is not a number between 0 and 1",
                "line 7, name: must have 1 to 255 characters and no control characters",
                "line 7, alpha: is not a number between 0 and 1",
                "line 8: alpha * max_power_w must lie between idle_power_w and max_power_w",
            ]
        );
    }

    #[test]
    fn names_both_lines_of_a_duplicate() {
        let text = "name,idle_power_w,max_power_w\r\nn1,95,190\r\nn2,95,190\r\nn1,95,190\r\n\
                    n1,1,2\r\n";
        assert_eq!(
            messages(text),
            [
                "line 4, name: \"n1\" is on line 2 already",
                "line 5, name: \"n1\" is on line 2 already",
            ]
        );
    }

    #[test]
    fn reads_a_hundred_thousand_nodes() {
        let mut text = String::from("name,idle_power_w,max_power_w,alpha\n");
        for ordinal in 0..100_000 {
            writeln!(text, "node-{ordinal},{}.5,200.25,0.7", 90 + ordinal % 30).unwrap();
        }
        assert_eq!(nodes(&text).unwrap().count(), 100_000);
    }
}
