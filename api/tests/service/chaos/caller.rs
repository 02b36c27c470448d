//! Requests sent by way of any replica, and again where no answer came, as by a proxy.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::Value;
use tokio::sync::watch;

use super::dice::Dice;
use super::fleet::Fleet;
use crate::client::{Answer, try_answer};

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A pause before a request is sent again.
const PAUSE_MS: (u64, u64) = (50, 500);

/// What all clients saw.
#[derive(Default)]
pub struct Tally {
    /// Answers by what was asked and their status; 0 where there was none.
    answers: Mutex<BTreeMap<(&'static str, u16), u64>>,
    /// What ought not to be.
    wrong: Mutex<Vec<String>>,
    /// Refusals that name the disk.
    pub disk_told: AtomicBool,
    longest: Mutex<Duration>,
}

impl Tally {
    /// Notes what ought not to be.
    pub fn wrong(&self, what: String) {
        eprintln!("wrong: {what}");
        self.wrong.lock().unwrap().push(what);
    }

    /// All of that.
    pub fn all_wrong(&self) -> Vec<String> {
        self.wrong.lock().unwrap().clone()
    }

    /// How many answers there were to something, with one of these statuses.
    pub fn count(&self, kind: &str, statuses: &[u16]) -> u64 {
        let answers = self.answers.lock().unwrap();
        let counted =
            answers.iter().filter(|((of, status), _)| *of == kind && statuses.contains(status));
        counted.map(|(_, count)| count).sum()
    }

    /// Answers by what was asked and their status, in words.
    pub fn answers(&self) -> String {
        let answers = self.answers.lock().unwrap();
        let each = answers.iter().map(|((kind, status), count)| match status {
            0 => format!("{kind} unanswered: {count}"),
            _ => format!("{kind} {status}: {count}"),
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// The slowest answer.
    pub fn longest(&self) -> Duration {
        *self.longest.lock().unwrap()
    }

    fn note(&self, kind: &'static str, answer: Option<&Answer>, took: Duration) {
        let status = answer.map_or(0, |it| it.status);
        *self.answers.lock().unwrap().entry((kind, status)).or_default() += 1;
        if answer.is_some() {
            let mut longest = self.longest.lock().unwrap();
            *longest = longest.max(took);
        }
        let Some(answer) = answer else { return };
        if status >= 500 && status != 503 {
            self.wrong(format!("{kind}: {answer:?}"));
        }
        if status == 503 && answer.body.contains("disk") {
            self.disk_told.store(true, Ordering::Relaxed);
        }
    }
}

/// A request to be sent.
#[derive(Clone)]
pub struct Call {
    pub kind: &'static str,
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
    pub header: Option<(&'static str, String)>,
}

impl Call {
    /// One without a body.
    pub const fn new(kind: &'static str, method: Method, path: String) -> Self {
        Self { kind, method, path, body: None, header: None }
    }

    /// With a body.
    #[must_use]
    pub fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// With a header.
    #[must_use]
    pub fn header(self, name: &'static str, value: impl Into<String>) -> Self {
        Self { header: Some((name, value.into())), ..self }
    }
}

/// What came of a request that was sent until it had a definite answer.
pub struct Outcome {
    pub answer: Answer,
    /// Whether it may have been done, or still be done, by a request before that had no definite answer.
    pub was_cut: bool,
    /// Which replica answered.
    pub replica: usize,
}

/// Who sends requests for a user.
pub struct Caller {
    pub fleet: Arc<Fleet>,
    pub tally: Arc<Tally>,
    pub dice: Dice,
    pub http: reqwest::Client,
    pub token: String,
    /// Whether nothing new is to be begun.
    pub end: watch::Receiver<bool>,
    /// How long after that a request is sent again.
    pub patience_at_the_end: Duration,
}

impl Caller {
    /// Sends a request once; `None` where there is no answer.
    pub async fn once(&mut self, call: &Call) -> Option<(Answer, usize)> {
        let (replica, address) = self.fleet.any(&mut self.dice)?;
        let request =
            self.http.request(call.method.clone(), format!("http://{address}{}", call.path));
        let mut request = request.bearer_auth(&self.token).timeout(PATIENCE);
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        if let Some((name, value)) = &call.header {
            request = request.header(*name, value);
        }
        let asked = Instant::now();
        let answer = try_answer(request).await.ok();
        self.tally.note(call.kind, answer.as_ref(), asked.elapsed());
        Some((answer?, replica))
    }

    /// Sends a request until there is a definite answer; `None` where there was none for too long. What is refused for a
    /// while (503) may still be gone on with; others who were quicker (409 `book_changed`) and limits (429) may be tried again.
    pub async fn insist(&mut self, call: &Call) -> Option<Outcome> {
        let (mut was_cut, mut give_up) = (false, None);
        loop {
            if self.is_over() {
                let now = Instant::now();
                if *give_up.get_or_insert(now + self.patience_at_the_end) <= now {
                    return None;
                }
            }
            match self.once(call).await {
                Some((answer, _)) if answer.status == 429 || is_changed_by_others(&answer) => {}
                Some((answer, replica)) if answer.status < 500 => {
                    return Some(Outcome { answer, was_cut, replica });
                }
                _ => was_cut = true,
            }
            let pause = self.dice.between(PAUSE_MS.0, PAUSE_MS.1);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Whether nothing new is to be begun.
    pub fn is_over(&self) -> bool {
        *self.end.borrow()
    }
}

/// Whether others changed the book too often for a plan to be written.
fn is_changed_by_others(answer: &Answer) -> bool {
    answer.status == 409 && answer.body.contains("\"book_changed\"")
}
