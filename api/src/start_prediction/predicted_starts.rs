//! From the state of a queue and a question to the answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use batch::policy::{Combination, Policy};
use batch::start_prediction::{Shape, StartPrediction, StartPredictor};
use batch::time::Time;
use planner::search::Cancelled;

use super::question::Question;
use super::state::{PartitionState, QueueState};

/// How many of the jobs that have started are compared with what would have been predicted for them.
const COMPARED: usize = 500;

/// So many jobs that wait are told of; those behind them are not.
const MAX_WAITING: usize = 100;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PredictionError {
    /// A policy that needs more than the state of a queue.
    #[error("{policy} cannot be played on: {}", errors.join("; "))]
    Policy {
        /// Which one.
        policy: Policy,
        /// What it needs.
        errors: Vec<String>,
    },
    /// No partition of the name.
    #[error("there is no partition {name:?}; there are {known}")]
    NoPartition {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// More nodes than there are.
    #[error("{nodes} nodes are asked for; there are {most}")]
    TooManyNodes {
        /// Of the shape.
        nodes: u32,
        /// Of the largest partition.
        most: u32,
    },
    /// Nobody waits for it any more.
    #[error("it was cancelled")]
    Cancelled(#[from] Cancelled),
}

/// Who asks.
#[derive(Debug)]
pub struct PredictionAsker {
    /// Whose jobs the shapes are taken for, where the question does not say.
    pub user: String,
    /// Whose jobs that wait they are told of; everybody's where that is not limited.
    pub sees: Option<BTreeSet<String>>,
}

/// What was learned from the jobs of a partition.
#[derive(Clone, Debug)]
pub struct Learned {
    partition: Box<str>,
    policy: Policy,
    predictor: Arc<StartPredictor>,
}

/// What is predicted.
#[derive(Debug)]
pub struct PredictedStarts {
    /// The instant of the state.
    pub now: Time,
    /// Jobs that run, in the partitions that are asked for.
    pub running: usize,
    /// Jobs that wait there.
    pub waiting: usize,
    /// By shape, and by partition for each.
    pub shapes: Vec<(Shape, Box<str>, StartPrediction)>,
    /// Jobs that wait: id, partition and shape.
    pub jobs: Vec<(Box<str>, Box<str>, Shape, StartPrediction)>,
}

impl Learned {
    /// Learns from what happened in a partition until now.
    ///
    /// # Errors
    /// The policy needs more; nobody waits for it.
    fn from(
        partition: &PartitionState,
        policy: Policy,
        now: Time,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, PredictionError> {
        let mut predictor = predictor(partition.nodes, policy)?;
        let every = partition.jobs.len().div_ceil(COMPARED).max(1);
        predictor.follow(&partition.jobs, now, every, cancelled)?;
        let partition = partition.name.clone();
        Ok(Self { partition, policy, predictor: Arc::new(predictor) })
    }
}

impl PredictedStarts {
    /// Predicts. `learned` may have been learned from an earlier state; what is new is added to it.
    ///
    /// # Errors
    /// The question does not go with the state; nobody waits for it.
    pub fn new(
        state: &QueueState,
        question: &Question,
        asker: &PredictionAsker,
        learned: &mut Vec<Learned>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, PredictionError> {
        let policy = question.policy.or(state.policy).unwrap_or(Policy::Easy);
        let partitions = asked_partitions(state, question.partition.as_deref())?;
        let most = partitions.iter().map(|it| it.nodes).max().unwrap_or_default();
        if let Some(&Shape { nodes, .. }) = question.shapes.iter().find(|it| it.nodes > most) {
            return Err(PredictionError::TooManyNodes { nodes, most });
        }
        let user = question.user.as_deref().unwrap_or(&asker.user);
        let mut answer =
            Self { now: state.now, running: 0, waiting: 0, shapes: Vec::new(), jobs: Vec::new() };
        for partition in partitions {
            let is_of = |it: &Learned| it.partition == partition.name && it.policy == policy;
            if !learned.iter().any(is_of) {
                learned.push(Learned::from(partition, policy, state.now, cancelled)?);
            }
            let Some(known) = learned.iter().find(|it| is_of(it)) else { continue };
            let predictor = known.predictor.in_queue(partition.nodes, &partition.jobs);
            answer.running += predictor.running();
            answer.waiting += predictor.waiting();
            answer.tell_shapes(partition, &question.shapes, user, &predictor, cancelled)?;
            if question.waiting {
                answer.tell_jobs(partition, &predictor, asker, cancelled)?;
            }
        }
        let place = |shape| question.shapes.iter().position(|it| *it == shape);
        answer.shapes.sort_by_key(|(shape, ..)| place(*shape));
        Ok(answer)
    }

    fn tell_shapes(
        &mut self,
        partition: &PartitionState,
        shapes: &[Shape],
        user: &str,
        predictor: &StartPredictor,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Cancelled> {
        for shape in shapes {
            let prediction = predictor.predict(self.now, user, *shape, cancelled)?;
            self.shapes.extend(prediction.map(|it| (*shape, partition.name.clone(), it)));
        }
        Ok(())
    }

    fn tell_jobs(
        &mut self,
        partition: &PartitionState,
        predictor: &StartPredictor,
        asker: &PredictionAsker,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), Cancelled> {
        let sees = |user: &str| asker.sees.as_ref().is_none_or(|users| users.contains(user));
        let waiting = partition.jobs.iter().enumerate();
        let waiting = waiting.filter(|(_, job)| job.started.is_none() && sees(&job.user));
        let places: Vec<usize> = waiting.map(|(place, _)| place).take(MAX_WAITING).collect();
        let predictions = predictor.predict_waiting(self.now, &places, cancelled)?;
        let told = places.into_iter().zip(predictions).filter_map(|(place, prediction)| {
            let (id, shape) = (partition.ids[place].clone(), partition.jobs[place].shape);
            Some((id, partition.name.clone(), shape, prediction?))
        });
        self.jobs.extend(told);
        Ok(())
    }
}

/// Who predicts starts in a queue that is served by `policy`.
///
/// # Errors
/// The policy needs more.
pub fn predictor(nodes: u32, policy: Policy) -> Result<StartPredictor, PredictionError> {
    StartPredictor::new(nodes, Combination::from(policy))
        .map_err(|errors| PredictionError::Policy { policy, errors })
}

/// The partition of a name, or all.
fn asked_partitions<'a>(
    state: &'a QueueState,
    name: Option<&str>,
) -> Result<Vec<&'a PartitionState>, PredictionError> {
    let all = &state.partitions;
    let asked: Vec<&PartitionState> =
        all.iter().filter(|it| name.is_none_or(|name| *it.name == *name)).collect();
    if let (Some(name), true) = (name, asked.is_empty()) {
        let known: Vec<&str> = all.iter().map(|it| &*it.name).filter(|it| !it.is_empty()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(PredictionError::NoPartition { name: name.to_owned(), known });
    }
    Ok(asked)
}
