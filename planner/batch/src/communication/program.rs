//! What a job does step by step: its profile, and how far a job has come in it.

use std::sync::Arc;

use network::replay::ApplicationTrace;
use serde_json::{Value, json};

use super::TaskProfile;

/// A profile of a job that communicates.
#[derive(Clone, Debug, PartialEq)]
pub struct JobProgram {
    /// What the workload calls it.
    pub name: Arc<str>,
    /// What it does.
    pub step: Step,
}

/// What is done at a time.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// To occupy the machines for so many seconds.
    Wait(f64),
    /// A parallel task.
    Task(TaskProfile),
    /// What each rank of an application computes, sends and receives.
    Replay(Arc<ApplicationTrace>),
    /// Other programs in turn.
    Sequence {
        /// One after the other.
        parts: Vec<Arc<JobProgram>>,
        /// How often all of it is done.
        repeat: u32,
    },
}

/// A sequence that a job is in.
#[derive(Clone, Debug)]
struct Frame {
    sequence: Arc<JobProgram>,
    /// The next of its parts.
    next: usize,
    /// Rounds that are done.
    rounds: u32,
}

/// How far a job has come in its program.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The sequences around what is done now, the outermost first.
    around: Vec<Frame>,
    /// What is done now, no sequence; none once all is done.
    current: Option<Arc<JobProgram>>,
}

impl Cursor {
    /// The first step of a program.
    pub fn of(program: Arc<JobProgram>) -> Self {
        let mut cursor = Self { around: Vec::new(), current: None };
        cursor.enter(program);
        cursor
    }

    /// What is done now, no sequence; none once all is done.
    pub fn current(&self) -> Option<&Step> {
        self.current.as_ref().map(|program| &program.step)
    }

    /// Goes on to the next step.
    pub fn advance(&mut self) {
        self.current = None;
        while let Some(frame) = self.around.last_mut() {
            let Step::Sequence { parts, repeat } = &frame.sequence.step else { return };
            if let Some(part) = parts.get(frame.next).filter(|_| frame.rounds < *repeat) {
                frame.next += 1;
                let part = Arc::clone(part);
                return self.enter(part);
            }
            frame.rounds += 1;
            frame.next = 0;
            if frame.rounds >= *repeat || parts.is_empty() {
                self.around.pop();
            }
        }
    }

    fn enter(&mut self, program: Arc<JobProgram>) {
        if matches!(program.step, Step::Sequence { .. }) {
            self.around.push(Frame { sequence: program, next: 0, rounds: 0 });
            self.advance();
        } else {
            self.current = Some(program);
        }
    }

    /// How far a job has come, as Batsim's protocol tells it, where `share` of the current step is done.
    pub fn progress(&self, share: f64) -> Value {
        let inner = match &self.current {
            Some(program) => json!({"profile_name": *program.name, "progress": share}),
            None => Value::Null,
        };
        let outer = |inner: Value, frame: &Frame| {
            let index = frame.next.saturating_sub(1);
            json!({
                "profile_name": *frame.sequence.name,
                "current_task_index": index,
                "current_task": inner,
            })
        };
        self.around.iter().rev().fold(inner, outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(name: &str, seconds: f64) -> Arc<JobProgram> {
        Arc::new(JobProgram { name: name.into(), step: Step::Wait(seconds) })
    }

    fn sequence(name: &str, parts: Vec<Arc<JobProgram>>, repeat: u32) -> Arc<JobProgram> {
        Arc::new(JobProgram { name: name.into(), step: Step::Sequence { parts, repeat } })
    }

    fn seconds(program: Arc<JobProgram>) -> Vec<f64> {
        let mut cursor = Cursor::of(program);
        let mut done = Vec::new();
        while let Some(Step::Wait(seconds)) = cursor.current() {
            done.push(*seconds);
            cursor.advance();
        }
        done
    }

    /// Twice (1, twice (2, 3)): 1 2 3 2 3 1 2 3 2 3. What is never done is passed over.
    #[test]
    fn sequences_in_sequences_are_done_in_turn() {
        let inner = sequence("inner", vec![wait("two", 2.0), wait("three", 3.0)], 2);
        let never = sequence("never", vec![wait("nine", 9.0)], 0);
        let nothing = sequence("nothing", Vec::new(), 5);
        let parts = vec![never, wait("one", 1.0), nothing, inner];
        let once = [1.0, 2.0, 3.0, 2.0, 3.0];
        assert_eq!(seconds(sequence("outer", parts, 2)), [once, once].concat());
        assert_eq!(seconds(wait("one", 1.0)), [1.0]);
        assert_eq!(seconds(sequence("empty", Vec::new(), 3)), [0.0; 0]);
    }

    #[test]
    fn progress_is_that_of_the_current_step() {
        let program = sequence("outer", vec![wait("one", 1.0), wait("two", 2.0)], 3);
        let mut cursor = Cursor::of(program);
        cursor.advance();
        let two = json!({"profile_name": "two", "progress": 0.25});
        let expected =
            json!({"profile_name": "outer", "current_task_index": 1, "current_task": two});
        assert_eq!(cursor.progress(0.25), expected);
    }
}
