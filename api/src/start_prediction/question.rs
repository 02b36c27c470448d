//! What is asked of a queue.

use batch::policy::Policy;
use batch::start_prediction::Shape;
use batch::time::Time;
use planner::json::Reader;
use serde_json::value::RawValue;

use super::state::{QueueState, policy, whole_above_zero};

/// So many shapes may be asked for at once.
pub const MAX_SHAPES: usize = 32;

/// A walltime is at most ten years.
const MAX_WALLTIME_S: i64 = 10 * 366 * 86_400;

/// What is asked of a queue.
#[derive(Debug, Default)]
pub struct Question {
    /// Which jobs might be submitted.
    pub shapes: Vec<Shape>,
    /// Whose they would be; who asks where it is not said.
    pub user: Option<String>,
    /// In which partition; in all where it is not said.
    pub partition: Option<String>,
    /// By which policy; by the state's, or EASY, where it is not said.
    pub policy: Option<Policy>,
    /// Whether the jobs that wait are asked for, too.
    pub waiting: bool,
}

/// Reads a question, and the state of the queue where it comes with one.
pub fn question(reader: &mut Reader, raw: &RawValue) -> Option<(Question, Option<QueueState>)> {
    const KNOWN: [&str; 6] = ["shapes", "user", "partition", "policy", "waiting", "state"];
    let object = reader.object(raw, &KNOWN)?;
    let shapes = reader.optional(&object, "shapes", |reader, raw| {
        let shapes = reader.array(raw, shape)?;
        if shapes.len() > MAX_SHAPES {
            reader.error(format!("has more than {MAX_SHAPES} shapes"));
            return None;
        }
        Some(shapes)
    });
    let user = reader.optional(&object, "user", Reader::string);
    let partition = reader.optional(&object, "partition", Reader::string);
    let policy = reader.optional(&object, "policy", policy);
    let waiting = reader.optional(&object, "waiting", Reader::boolean);
    let state = reader.optional(&object, "state", QueueState::read);
    let question = Question {
        shapes: shapes?.unwrap_or_default(),
        user: user?,
        partition: partition?,
        policy: policy?,
        waiting: waiting?.unwrap_or_default(),
    };
    let state = state?;
    if question.shapes.is_empty() && !question.waiting {
        reader.error("asks for nothing: give shapes, or \"waiting\": true");
        return None;
    }
    Some((question, state))
}

fn shape(reader: &mut Reader, raw: &RawValue) -> Option<Shape> {
    let object = reader.object(raw, &["nodes", "walltime_s"])?;
    let nodes = reader.required(&object, "nodes", whole_above_zero);
    let walltime = reader.required(&object, "walltime_s", |reader, raw| {
        let walltime = reader.duration(raw)?.get();
        if !(1..=MAX_WALLTIME_S).contains(&walltime) {
            reader.error("must lie between 1 s and ten years");
            return None;
        }
        Some(Time::from_seconds(walltime))
    });
    Some(Shape { nodes: nodes?, walltime: walltime? })
}
