//! What the manager of a month is told by partition or feature: its rights, and how many nodes stay warm.

use std::fmt;

use jiff::tz::TimeZone;
use planner::filter::NodeFilter;
use planner::json::power_rights::{partition_or_feature, window_document, windows};
use planner::json::{Reader, read};
use planner::node::Nodes;
use planner::node_set::NodeSet;
use planner::power_plan::{KeepWarm, RightLevel, WeeklyWindow};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The most rights, and the most rules of warm nodes.
const MOST_RULES: usize = 100;

/// The nodes of a partition, or those with a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeGroup {
    /// Those of the partition of this name.
    Partition(Box<str>),
    /// Those with the feature of this name.
    Feature(Box<str>),
}

/// Whether the manager may switch off the nodes of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRight {
    /// The nodes.
    pub group: NodeGroup,
    /// [`RightLevel::Automatic`] or [`RightLevel::Nothing`]: nobody approves anything in a simulated month.
    pub level: RightLevel,
    /// When it is in force; at any time where there is none.
    pub windows: Vec<WeeklyWindow>,
}

/// So many nodes of a group that nobody has stay up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmGroup {
    /// The nodes among which they are.
    pub group: NodeGroup,
    /// How many nodes stay on.
    pub nodes: u32,
}

/// The rights of the manager: of those in force the strictest holds, and where none is in force nothing may be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupRights(pub Vec<GroupRight>);

/// The groups of which nodes stay warm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarmGroups(pub Vec<WarmGroup>);

impl NodeGroup {
    /// `partition` or `feature`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Partition(_) => "partition",
            Self::Feature(_) => "feature",
        }
    }

    const fn name(&self) -> &str {
        match self {
            Self::Partition(name) | Self::Feature(name) => name,
        }
    }

    /// The filter that only its nodes pass.
    pub(super) fn filter(&self) -> NodeFilter {
        match self {
            Self::Partition(name) => {
                NodeFilter { partition: Some(name.clone()), ..NodeFilter::default() }
            }
            Self::Feature(name) => {
                NodeFilter { features: vec![name.clone()], ..NodeFilter::default() }
            }
        }
    }

    /// Its nodes, by ordinal.
    pub(super) fn nodes(&self, nodes: &Nodes) -> NodeSet {
        let filter = self.filter();
        let admits = filter.admits(nodes);
        NodeSet::from_positions((0..nodes.count()).filter(|ordinal| admits(*ordinal)))
    }

    fn document(&self) -> Map<String, Value> {
        Map::from_iter([(self.kind().to_owned(), self.name().into())])
    }
}

impl WarmGroup {
    /// The rule of the planner that it is.
    pub(super) fn rule(&self, nodes: &Nodes) -> KeepWarm {
        KeepWarm {
            name: format!("{} {:?}", self.group.kind(), self.group.name()).into(),
            among: self.group.nodes(nodes),
            nodes: self.nodes,
            until: None,
        }
    }
}

impl GroupRights {
    /// Reads `[{"partition", "level", "windows"}]`, or with a `feature` instead of the partition.
    pub fn read(reader: &mut Reader, raw: &RawValue) -> Option<Self> {
        let rights = reader.array(raw, |reader, raw| {
            let object = reader.object(raw, &["partition", "feature", "level", "windows"])?;
            let level = reader.required(&object, "level", level);
            let windows = reader.optional(&object, "windows", |reader, raw| {
                windows(reader, raw, &|zone| TimeZone::get(zone).ok())
            });
            let group = group(partition_or_feature(reader, &object)?);
            Some(GroupRight { group, level: level?, windows: windows?.unwrap_or_default() })
        });
        at_most(reader, rights?).map(Self)
    }
}

impl WarmGroups {
    /// Reads `[{"partition", "nodes"}]`, or with a `feature` instead of the partition.
    pub fn read(reader: &mut Reader, raw: &RawValue) -> Option<Self> {
        let groups = reader.array(raw, |reader, raw| {
            let object = reader.object(raw, &["partition", "feature", "nodes"])?;
            let nodes = reader.required(&object, "nodes", |reader, raw| {
                let count = reader.whole_number(raw)?;
                reader.accept(u32::try_from(count).map_err(|_| "must be between 0 and 4294967295"))
            });
            let group = group(partition_or_feature(reader, &object)?);
            Some(WarmGroup { group, nodes: nodes? })
        });
        at_most(reader, groups?).map(Self)
    }
}

fn group((kind, name): (&'static str, Box<str>)) -> NodeGroup {
    if kind == "partition" { NodeGroup::Partition(name) } else { NodeGroup::Feature(name) }
}

fn level(reader: &mut Reader, raw: &RawValue) -> Option<RightLevel> {
    let level = RightLevel::from_word(&reader.string(raw)?);
    let plays = |level: &RightLevel| matches!(level, RightLevel::Automatic | RightLevel::Nothing);
    reader.accept(
        level
            .filter(plays)
            .ok_or("must be automatic or nothing: nobody approves anything in a simulated month"),
    )
}

fn at_most<T>(reader: &mut Reader, rules: Vec<T>) -> Option<Vec<T>> {
    let is_few = rules.len() <= MOST_RULES;
    reader.accept(is_few.then_some(rules).ok_or(format!("must have at most {MOST_RULES} elements")))
}

/// For people, in few words: of windows only how many there are.
impl fmt::Display for GroupRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |GroupRight { group, level, windows }: &GroupRight| {
            let windows = match windows.len() {
                0 => String::new(),
                1 => " in 1 window".to_owned(),
                count => format!(" in {count} windows"),
            };
            format!("{} {}{windows}", group.name(), level.word())
        };
        f.write_str(&listed(self.0.iter().map(word)))
    }
}

/// For people, in few words.
impl fmt::Display for WarmGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |warm: &WarmGroup| format!("{} of {}", warm.nodes, warm.group.name());
        f.write_str(&listed(self.0.iter().map(word)))
    }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join("; ") }
}

impl Serialize for GroupRights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|right| {
            let mut document = right.group.document();
            document.insert("level".to_owned(), right.level.word().into());
            if !right.windows.is_empty() {
                let windows = right.windows.iter().map(|window| window_document(window).into());
                document.insert("windows".to_owned(), Value::Array(windows.collect()));
            }
            document
        }))
    }
}

impl Serialize for WarmGroups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|warm| {
            let mut document = warm.group.document();
            document.insert("nodes".to_owned(), warm.nodes.into());
            document
        }))
    }
}

impl<'de> Deserialize<'de> for GroupRights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        with_places(deserializer, "rights", Self::read)
    }
}

impl<'de> Deserialize<'de> for WarmGroups {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        with_places(deserializer, "keep_warm_in", Self::read)
    }
}

/// Reads a parameter so that each error names its place.
fn with_places<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    parameter: &str,
    part: fn(&mut Reader, &RawValue) -> Option<T>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    read(&value.to_string(), part).map_err(|errors| {
        let errors = errors.iter().map(|it| format!("{parameter}{}: {}", it.pointer, it.message));
        D::Error::custom(errors.collect::<Vec<_>>().join("; "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rights_and_warm_nodes_are_written_as_they_are_read() {
        let document = json!([
            {"partition": "batch", "level": "automatic",
             "windows": [{"days": ["mon", "sun"], "from": "20:30", "to": "06:00", "zone": "Europe/Paris"}]},
            {"feature": "gpu", "level": "nothing"},
        ]);
        let rights: GroupRights = serde_json::from_value(document.clone()).unwrap();
        assert_eq!(rights.0[1].group, NodeGroup::Feature("gpu".into()));
        assert_eq!(serde_json::to_value(&rights).unwrap(), document);
        let document = json!([{"partition": "batch", "nodes": 2}, {"feature": "gpu", "nodes": 0}]);
        let warm: WarmGroups = serde_json::from_value(document.clone()).unwrap();
        assert_eq!((warm.0[0].nodes, serde_json::to_value(&warm).unwrap()), (2, document));
    }

    #[test]
    fn every_error_names_its_place() {
        let errors = |document| serde_json::from_value::<GroupRights>(document).unwrap_err();
        let wrong = json!([
            {"partition": "batch", "level": "propose"},
            {"level": "automatic", "windows": [{"from": "25:00", "to": "06:00", "zone": "Mars"}]},
        ]);
        let told = errors(wrong).to_string();
        let places: Vec<&str> = told.split("; ").map(|it| it.split_once(": ").unwrap().0).collect();
        let expected =
            ["rights/0/level", "rights/1/windows/0/from", "rights/1/windows/0/zone", "rights/1"];
        assert_eq!(places, expected);
        let warm = |document| serde_json::from_value::<WarmGroups>(document).unwrap_err();
        let told = warm(json!([{"partition": "batch", "nodes": -1}])).to_string();
        assert!(told.starts_with("keep_warm_in/0/nodes: must be between"), "{told}");
        let many = vec![json!({"partition": "batch", "nodes": 1}); 101];
        let told = warm(many.into()).to_string();
        assert_eq!(told, "keep_warm_in: must have at most 100 elements");
    }
}
