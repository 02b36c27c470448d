//! Notices as documents, which are read again where they were kept.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::dialogue::YieldOrder;
use crate::identity::{OfferId, OutageId, ReservationId};
use crate::node_set::NodeSet;
use crate::reservation::{
    Degradation, LostNodes, NamedNodes, Notice, NoticeKind, Rejection, ReplacedNodes, ToldOutage,
    Withdrawal,
};
use crate::time::Timestamp;

/// The code of what is degraded, and the cause, for want of power.
const CAP_LOWERED: &str = "cap_lowered";
/// The code of what is degraded, and the cause, for want of nodes.
const OUTAGE: &str = "outage";
const NODES_REPLACED: &str = "nodes_replaced";
const OFFERS_WITHDRAWN: &str = "offers_withdrawn";

/// Why a text is no notice.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// It is not JSON, or a member is missing or of another type.
    #[error("the notice cannot be read")]
    Json(#[from] serde_json::Error),
    /// A word or a list of nodes is not what may stand there.
    #[error("the notice has an unknown {0}")]
    Unknown(&'static str),
}

/// A [`Notice`] as JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct NoticeDocument {
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    causes: Option<Vec<String>>,
    at: String,
    detail: String,
    way_out: String,
    /// Said, if only as null, of what is degraded.
    #[serde(default, skip_serializing_if = "Member::is_absent")]
    replacement_id: Member<ReservationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    yield_order: Option<String>,
    /// Said, if only as null, where nodes were lost before others took their place.
    #[serde(default, skip_serializing_if = "Member::is_absent")]
    outages: Member<Vec<LostNodesDocument>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing_nodes: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced: Option<Vec<ReplacedNodesDocument>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offer_ids: Option<Vec<OfferId>>,
}

/// A member that may be null, which is not the same as absent.
#[derive(Debug, Default)]
enum Member<T> {
    #[default]
    Absent,
    Null,
    Value(T),
}

impl<T> Member<T> {
    const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl<T> From<Option<T>> for Member<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Serialize> Serialize for Member<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Member<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct LostNodesDocument {
    #[serde(flatten)]
    outage: OutageDocument,
    from: String,
    #[serde(flatten)]
    nodes: NodesDocument,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReplacedNodesDocument {
    offer_id: OfferId,
    from: String,
    lost: NodesDocument,
    by: NodesDocument,
    outages: Vec<OutageDocument>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OutageDocument {
    outage_id: OutageId,
    reason: String,
    start: String,
    end: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct NodesDocument {
    node_count: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<String>>,
    node_ranges: Vec<[u32; 2]>,
}

impl From<&Notice> for NoticeDocument {
    fn from(notice: &Notice) -> Self {
        let told = Self {
            at: notice.at.to_string(),
            detail: notice.detail.clone(),
            way_out: notice.way_out.clone(),
            ..Self::default()
        };
        match &notice.kind {
            NoticeKind::Degraded(degradation) => told.degraded(degradation),
            NoticeKind::NodesReplaced(replaced) => Self {
                code: NODES_REPLACED.to_owned(),
                replaced: Some(replaced.iter().map(ReplacedNodesDocument::from).collect()),
                ..told
            },
            NoticeKind::OffersWithdrawn(offers, withdrawal) => {
                let lost = match withdrawal {
                    Withdrawal::CapLowered => None,
                    Withdrawal::NodesLost(lost) => Some(lost),
                };
                Self {
                    code: OFFERS_WITHDRAWN.to_owned(),
                    causes: lost.map(|_| vec![OUTAGE.to_owned()]),
                    outages: lost.map_or(Member::Absent, |lost| Member::Value(lost_nodes(lost))),
                    offer_ids: Some(offers.clone()),
                    ..told
                }
            }
            NoticeKind::Rejected(rejection) => Self { code: rejection.word().to_owned(), ..told },
        }
    }
}

fn lost_nodes(lost: &[LostNodes]) -> Vec<LostNodesDocument> {
    lost.iter().map(LostNodesDocument::from).collect()
}

impl NoticeDocument {
    fn degraded(self, degradation: &Degradation) -> Self {
        let Degradation { lost, missing_nodes, lost_power, replacement, replaced } = degradation;
        let outage = (!lost.is_empty()).then_some(OUTAGE);
        let causes: Vec<String> =
            outage.into_iter().chain(lost_power.map(|_| CAP_LOWERED)).map(str::to_owned).collect();
        let was_replaced = !replaced.is_empty();
        Self {
            code: causes.first().cloned().unwrap_or_default(),
            causes: Some(causes),
            replacement_id: Member::from(*replacement),
            yield_order: lost_power.map(|order| order.word().to_owned()),
            outages: match lost.as_slice() {
                [] if was_replaced => Member::Null,
                [] => Member::Absent,
                lost => Member::Value(lost_nodes(lost)),
            },
            missing_nodes: *missing_nodes,
            replaced: was_replaced
                .then(|| replaced.iter().map(ReplacedNodesDocument::from).collect()),
            ..self
        }
    }

    /// The notice that this is.
    ///
    /// # Errors
    /// `Unknown` for a code, a time or nodes that cannot be.
    pub fn read(self) -> Result<Notice, NoticeError> {
        let kind = self.kind()?;
        Ok(Notice { kind, at: instant(&self.at)?, detail: self.detail, way_out: self.way_out })
    }

    fn kind(&self) -> Result<NoticeKind, NoticeError> {
        let lost = || -> Result<Vec<LostNodes>, NoticeError> {
            let lost = self.outages.value().map(Vec::as_slice);
            lost.unwrap_or_default().iter().map(LostNodesDocument::read).collect()
        };
        let replaced = || -> Result<Vec<ReplacedNodes>, NoticeError> {
            let replaced = self.replaced.as_deref().unwrap_or_default();
            replaced.iter().map(ReplacedNodesDocument::read).collect()
        };
        // Earlier releases told one cause by the code alone.
        let has_cause = |cause: &str| match &self.causes {
            Some(causes) => causes.iter().any(|it| it == cause),
            None => self.code == cause,
        };
        match self.code.as_str() {
            CAP_LOWERED | OUTAGE => Ok(NoticeKind::Degraded(Degradation {
                lost: lost()?,
                missing_nodes: self.missing_nodes,
                lost_power: has_cause(CAP_LOWERED).then(|| self.order()).transpose()?,
                replacement: self.replacement_id.value().copied(),
                replaced: replaced()?,
            })),
            NODES_REPLACED => Ok(NoticeKind::NodesReplaced(replaced()?)),
            OFFERS_WITHDRAWN => {
                let offers = self.offer_ids.clone().unwrap_or_default();
                let withdrawal = if has_cause(OUTAGE) {
                    Withdrawal::NodesLost(lost()?)
                } else {
                    Withdrawal::CapLowered
                };
                Ok(NoticeKind::OffersWithdrawn(offers, withdrawal))
            }
            code => Rejection::from_word(code)
                .map(NoticeKind::Rejected)
                .ok_or(NoticeError::Unknown("code")),
        }
    }

    fn order(&self) -> Result<YieldOrder, NoticeError> {
        match &self.yield_order {
            Some(word) => YieldOrder::parse(word).ok_or(NoticeError::Unknown("order of yielding")),
            None => Ok(YieldOrder::default()),
        }
    }
}

/// Reads a notice that was kept.
///
/// # Errors
/// What is no notice.
pub fn read_notice(text: &str) -> Result<Notice, NoticeError> {
    serde_json::from_str::<NoticeDocument>(text)?.read()
}

/// A notice as it is kept.
pub fn notice_text(notice: &Notice) -> String {
    serde_json::json!(NoticeDocument::from(notice)).to_string()
}

fn instant(text: &str) -> Result<Timestamp, NoticeError> {
    Timestamp::parse(text).map_err(|_| NoticeError::Unknown("time"))
}

impl From<&LostNodes> for LostNodesDocument {
    fn from(it: &LostNodes) -> Self {
        Self {
            outage: OutageDocument::from(&it.outage),
            from: it.from.to_string(),
            nodes: NodesDocument::from(&it.nodes),
        }
    }
}

impl LostNodesDocument {
    fn read(&self) -> Result<LostNodes, NoticeError> {
        let (outage, nodes) = (self.outage.read()?, self.nodes.read()?);
        Ok(LostNodes { outage, from: instant(&self.from)?, nodes })
    }
}

impl From<&ReplacedNodes> for ReplacedNodesDocument {
    fn from(it: &ReplacedNodes) -> Self {
        Self {
            offer_id: it.offer,
            from: it.from.to_string(),
            lost: NodesDocument::from(&it.lost),
            by: NodesDocument::from(&it.by),
            outages: it.outages.iter().map(OutageDocument::from).collect(),
        }
    }
}

impl ReplacedNodesDocument {
    fn read(&self) -> Result<ReplacedNodes, NoticeError> {
        Ok(ReplacedNodes {
            offer: self.offer_id,
            from: instant(&self.from)?,
            lost: self.lost.read()?,
            by: self.by.read()?,
            outages: self.outages.iter().map(OutageDocument::read).collect::<Result<_, _>>()?,
        })
    }
}

impl From<&ToldOutage> for OutageDocument {
    fn from(it: &ToldOutage) -> Self {
        Self {
            outage_id: it.id,
            reason: it.reason.clone(),
            start: it.start.to_string(),
            end: it.end.map(|end| end.to_string()),
        }
    }
}

impl OutageDocument {
    fn read(&self) -> Result<ToldOutage, NoticeError> {
        Ok(ToldOutage {
            id: self.outage_id,
            reason: self.reason.clone(),
            start: instant(&self.start)?,
            end: self.end.as_deref().map(instant).transpose()?,
        })
    }
}

impl From<&NamedNodes> for NodesDocument {
    fn from(nodes: &NamedNodes) -> Self {
        Self {
            node_count: nodes.count(),
            nodes: nodes.names.clone(),
            node_ranges: ranges_of(&nodes.ordinals),
        }
    }
}

impl NodesDocument {
    fn read(&self) -> Result<NamedNodes, NoticeError> {
        let nodes = named_nodes(self.nodes.clone(), &self.node_ranges);
        let nodes = nodes.filter(|nodes| nodes.count() == self.node_count);
        nodes.ok_or(NoticeError::Unknown("set of nodes"))
    }
}

/// Inclusive pairs of ordinals.
pub fn ranges_of(ordinals: &NodeSet) -> Vec<[u32; 2]> {
    ordinals.ranges().iter().map(|range| [range.start, range.end - 1]).collect()
}

/// Nodes by their names and by inclusive pairs of ordinals; `None` where a pair is no range.
pub fn named_nodes(names: Option<Vec<String>>, ranges: &[[u32; 2]]) -> Option<NamedNodes> {
    let range = |&[first, last]: &[u32; 2]| {
        let end = last.checked_add(1)?;
        (first < end).then_some(first..end)
    };
    let ranges = ranges.iter().map(range).collect::<Option<Vec<_>>>()?;
    Some(NamedNodes { names, ordinals: NodeSet::from_ranges(ranges) })
}
