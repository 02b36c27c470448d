//! What is known ahead of time, for the forecast of one agenda: asked for while the agenda is composed, and kept in memory.
//!
//! A source tells the past anew each time, as it was expected then, so nothing of it is kept for good.

use std::collections::HashMap;
use std::sync::Arc;

use grid_feeds::feed::{FeedError, RetryClass};
use grid_feeds::forecast::ForecastInput;
use grid_feeds::http::{Http, Timeouts};
use grid_feeds::input::InputQuery;
use planner::time::{Seconds, Span, Timestamp};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use crate::config::feeds::{AgendaRules, InputSource};

/// So often a source is asked.
const EVERY: Seconds = Seconds::new(3 * 3600);

/// So often while it fails, and more seldom where it asks to wait longer.
const AFTER_FAILURE: Seconds = Seconds::new(600);

/// No source is asked for a longer past.
const LONGEST_PAST: Seconds = Seconds::new(350 * 86_400);

/// A forecast compares with the week before.
const WEEK: Seconds = Seconds::new(7 * 86_400);

/// What inputs said last, for all agendas: what two of them name is asked once.
#[derive(Clone, Default)]
pub(super) struct SharedInputs(Arc<Mutex<HashMap<String, SaidByInput>>>);

/// What an input said of a window, or why it did not.
struct SaidByInput {
    at: Timestamp,
    window: Span,
    said: Result<ForecastInput, FeedError>,
}

/// The inputs of one agenda's forecast.
#[derive(Default)]
pub(super) struct KeptInputs {
    /// The newest of each source that ever answered, in the order of the settings.
    series: Arc<Vec<ForecastInput>>,
    asking: JoinSet<Vec<InputAnswer>>,
    /// The last question of each input, by its id.
    questions: HashMap<String, LastQuestion>,
}

/// When an input was asked, and how long it is not asked again.
struct LastQuestion {
    at: Timestamp,
    pause: Seconds,
}

/// What an input says, or why it does not.
struct InputAnswer {
    id: String,
    said: Result<ForecastInput, FeedError>,
}

impl KeptInputs {
    /// What is known.
    pub(super) fn series(&self) -> Arc<Vec<ForecastInput>> {
        Arc::clone(&self.series)
    }

    /// Takes what came, and asks those whose time it is; whether anything came.
    pub(super) fn turn(
        &mut self,
        rules: &AgendaRules,
        shared: &SharedInputs,
        now: Timestamp,
    ) -> bool {
        let answers = self.asking.try_join_next().and_then(Result::ok);
        let came = answers.is_some_and(|answers| self.take(rules, answers));
        if !self.asking.is_empty() {
            return came;
        }
        let is_due = |it: &&InputSource| self.is_due(&it.id, now);
        let due: Vec<InputSource> = rules.inputs.iter().filter(is_due).cloned().collect();
        let Some(window) = window(rules, now).filter(|_| !due.is_empty()) else { return came };
        for source in &due {
            // Until there is an answer, it counts as a failure.
            let question = LastQuestion { at: now, pause: AFTER_FAILURE };
            self.questions.insert(source.id.clone(), question);
        }
        let shared = shared.clone();
        self.asking.spawn(async move { ask_all(due, &shared, window, now).await });
        came
    }

    fn is_due(&self, id: &str, now: Timestamp) -> bool {
        let is_over = |it: &LastQuestion| !(Seconds::new(0)..it.pause).contains(&(now - it.at));
        self.questions.get(id).is_none_or(is_over)
    }

    fn take(&mut self, rules: &AgendaRules, answers: Vec<InputAnswer>) -> bool {
        let mut known: Vec<ForecastInput> = self.series.to_vec();
        let mut came = false;
        for InputAnswer { id, said } in answers {
            if let Some(question) = self.questions.get_mut(&id) {
                question.pause = said.as_ref().map_or_else(pause_after, |_| EVERY);
            }
            match said {
                Ok(input) => {
                    known.retain(|it| it.name != input.name);
                    known.push(input);
                    came = true;
                }
                Err(error) => {
                    let error = error.to_string();
                    tracing::warn!(
                        input = id,
                        error,
                        "an input did not come; forecasts do without what is missing"
                    );
                }
            }
        }
        let place =
            |input: &ForecastInput| rules.inputs.iter().position(|it| *it.id == *input.name);
        known.sort_by_key(place);
        self.series = Arc::new(known);
        came
    }
}

impl SharedInputs {
    /// What an input says: what it said a moment ago to another agenda, else what it says now. One is asked after the other.
    async fn ask(
        &self,
        source: &InputSource,
        window: Span,
        now: Timestamp,
    ) -> Result<ForecastInput, FeedError> {
        let mut last = self.0.lock().await;
        if let Some(said) = last.get(&source.id).filter(|it| it.is_good(window, now)) {
            return said.said.clone();
        }
        let said = ask(source, window, now).await;
        last.insert(source.id.clone(), SaidByInput { at: now, window, said: said.clone() });
        said
    }
}

impl SaidByInput {
    /// Whether it is young and of the window, but for as much as windows move with the clock. A failure is of any window.
    fn is_good(&self, window: Span, now: Timestamp) -> bool {
        let pause = self.said.as_ref().map_or_else(pause_after, |_| AFTER_FAILURE);
        let is_whole = self.window.start() <= window.start()
            && window.end() <= self.window.end() + AFTER_FAILURE;
        (Seconds::new(0)..pause).contains(&(now - self.at)) && (is_whole || self.said.is_err())
    }
}

/// How long a source that failed is not asked.
fn pause_after(error: &FeedError) -> Seconds {
    match error.retry() {
        RetryClass::After(wait) => wait.max(AFTER_FAILURE),
        _ => AFTER_FAILURE,
    }
}

/// The past that is learnt from, and the days ahead.
fn window(rules: &AgendaRules, now: Timestamp) -> Option<Span> {
    let days = i64::try_from(rules.forecast.as_ref()?.history_days()).ok()?;
    let past = (Seconds::new(days * 86_400) + WEEK).min(LONGEST_PAST);
    Span::new(now - past, now + rules.ahead + Seconds::new(86_400))
}

async fn ask_all(
    sources: Vec<InputSource>,
    shared: &SharedInputs,
    window: Span,
    now: Timestamp,
) -> Vec<InputAnswer> {
    let mut answers = Vec::with_capacity(sources.len());
    for source in sources {
        let said = shared.ask(&source, window, now).await;
        answers.push(InputAnswer { id: source.id, said });
    }
    answers
}

async fn ask(
    source: &InputSource,
    window: Span,
    now: Timestamp,
) -> Result<ForecastInput, FeedError> {
    let http = Http::new(Timeouts::default())?;
    let query = InputQuery { name: &source.id, quantity: source.quantity, now, window };
    source.provider.fetch(query, &http).await
}

/// The inputs of an agenda over the past, for a back-test; those that cannot be had, in words.
pub async fn past_inputs(
    rules: &AgendaRules,
    span: Span,
    now: Timestamp,
) -> (Vec<ForecastInput>, Vec<String>) {
    let start = span.start().max(span.end() - LONGEST_PAST);
    let window = Span::new(start, span.end()).unwrap_or(span);
    let (mut inputs, mut missing) = (Vec::new(), Vec::new());
    for InputAnswer { id, said } in
        ask_all(rules.inputs.clone(), &SharedInputs::default(), window, now).await
    {
        match said {
            Ok(input) => inputs.push(input),
            Err(error) => missing.push(format!("input {id}: {error}")),
        }
    }
    (inputs, missing)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use planner::quantity::Currency;

    use super::*;
    use crate::config::feeds::{AgendaFields, Feeds};

    /// A forecast by two files of a folder.
    fn rules(folder: &std::path::Path) -> AgendaRules {
        let input = |id: &str| {
            let path = folder.join(format!("{id}.csv")).display().to_string();
            let text = format!(
                "id = {id:?}\nquantity = \"load\"\nprovider = \"file-drop\"\npath = {path:?}"
            );
            toml::from_str(&text).unwrap()
        };
        let agendas: BTreeMap<String, AgendaFields> = toml::from_str(
            "[co2]\nforecast = { time_zone = \"UTC\", inputs = [\"north\", \"south\"] }",
        )
        .unwrap();
        let inputs = vec![input("north"), input("south")];
        let feeds = Feeds::read(Vec::new(), inputs, &agendas, None, Currency::EUR, None).unwrap();
        feeds.agendas[0].clone()
    }

    /// Asks, and waits until something came.
    async fn come(kept: &mut KeptInputs, rules: &AgendaRules, now: Timestamp) {
        let shared = SharedInputs::default();
        assert!(!kept.turn(rules, &shared, now), "sources are asked now, and nothing came yet");
        for _ in 0..1000 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if kept.turn(rules, &shared, now) {
                return;
            }
        }
        panic!("nothing came within ten seconds");
    }

    /// The second of two files is missing at first: the first counts, and the second alone is read again after ten minutes. Once the
    /// first is broken, what it said before goes on to count.
    #[tokio::test]
    async fn inputs_are_asked_beside_the_work_and_kept_where_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let write = |id: &str, text: &str| {
            std::fs::write(folder.path().join(format!("{id}.csv")), text).unwrap();
        };
        write("north", "start,value\n2026-03-01T00:00:00Z,51000\n");
        let (rules, start) =
            (rules(folder.path()), Timestamp::parse("2026-03-02T00:00:00Z").unwrap());
        let names = |kept: &KeptInputs| {
            kept.series().iter().map(|it| it.name.to_string()).collect::<Vec<_>>()
        };
        let mut kept = KeptInputs::default();
        come(&mut kept, &rules, start).await;
        assert_eq!(names(&kept), ["north"]);
        let later = |seconds: i64| start + Seconds::new(seconds);
        let due = |kept: &KeptInputs, seconds: i64| {
            ["north", "south"].map(|id| kept.is_due(id, later(seconds)))
        };
        assert_eq!([due(&kept, 599), due(&kept, 600)], [[false, false], [false, true]]);
        write("north", "start,value\nnonsense\n");
        write("south", "start,value\n2026-03-01T00:00:00Z,4000\n");
        come(&mut kept, &rules, later(600)).await;
        assert_eq!(names(&kept), ["north", "south"]);
        assert_eq!([due(&kept, 10_799), due(&kept, 10_800)], [[false, false], [true, false]]);
        come(&mut kept, &rules, later(11_400)).await;
        assert_eq!(names(&kept), ["north", "south"]);
        assert_eq!([due(&kept, 11_999), due(&kept, 12_000)], [[false, false], [true, false]]);
    }

    /// Two agendas name a file, and the second asks a second later: it is read once, but for a longer past, and after ten minutes.
    #[tokio::test]
    async fn what_two_agendas_name_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let write = |value: &str| {
            let text = format!("start,value\n2026-03-01T00:00:00Z,{value}\n");
            std::fs::write(folder.path().join("north.csv"), text).unwrap();
        };
        let source = rules(folder.path()).inputs[0].clone();
        let start = Timestamp::parse("2026-03-02T00:00:00Z").unwrap();
        let shared = SharedInputs::default();
        let asked = async |days: i64, after: i64| {
            let (now, ahead) = (start + Seconds::new(after), Seconds::new(86_400));
            let window = Span::new(now - Seconds::new(days * 86_400), now + ahead).unwrap();
            let input = shared.ask(&source, window, now).await.unwrap();
            input.values[0].values.pieces()[0].value
        };
        write("51000");
        assert_eq!(asked(30, 0).await, 51_000_000_000);
        write("52000");
        assert_eq!(asked(30, 1).await, 51_000_000_000);
        assert_eq!(asked(60, 2).await, 52_000_000_000);
        write("53000");
        assert_eq!(asked(30, 601).await, 52_000_000_000);
        assert_eq!(asked(30, 602).await, 53_000_000_000);
    }

    #[test]
    fn a_source_that_asks_to_wait_is_left_alone_so_long() {
        let busy = |seconds: i64| {
            let retry_after = Some(Seconds::new(seconds));
            pause_after(&FeedError::Busy { status: 429, retry_after })
        };
        assert_eq!([busy(30), busy(1800)], [Seconds::new(600), Seconds::new(1800)]);
        let broken = FeedError::Transient { message: "away".to_owned() };
        assert_eq!(pause_after(&broken), Seconds::new(600));
    }
}
