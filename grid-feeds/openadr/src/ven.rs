//! The VEN: reads what the supplier says, and says what this site plans and asks for.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grid_feeds::feed::FeedError;
use grid_feeds::http::Timeouts;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::{Mutex, watch};

use crate::client::Contact;
use crate::error::VenError;
use crate::map::{EventReader, SupplierWord};
use crate::report::{Contents, PlannedInterval, PowerRequest, QuietSpan, ReportKind, Used};
use crate::settings::Settings;
use crate::wire::{Event, Program, SentReport};

/// Events that repeat are laid out so far ahead.
const AHEAD: Seconds = Seconds::new(62 * 86_400);

/// This site in the eyes of its supplier. Clones share one token and one connection.
#[derive(Clone, Debug)]
pub struct Ven {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    contact: Arc<Contact>,
    currency: Currency,
    registered: AtomicBool,
    /// One report at a time, so that none is created twice.
    reporting: Mutex<()>,
    /// Grows with each notification.
    changes: watch::Sender<u64>,
}

/// The program as it is now.
struct State {
    program: Program,
    events: Vec<Event>,
}

impl Ven {
    /// A VEN of these settings. Nothing is asked and no secret read before it is needed.
    ///
    /// # Errors
    /// Settings that cannot work.
    pub fn connect(settings: Settings, currency: Currency) -> Result<Self, VenError> {
        Self::connect_within(settings, currency, Timeouts::default())
    }

    /// A VEN of these settings that waits for answers as long as `timeouts` say.
    ///
    /// # Errors
    /// Settings that cannot work.
    pub fn connect_within(
        settings: Settings,
        currency: Currency,
        timeouts: Timeouts,
    ) -> Result<Self, VenError> {
        let contact = Arc::new(Contact::new(settings, timeouts)?);
        let registered = AtomicBool::new(false);
        let (reporting, changes) = (Mutex::new(()), watch::Sender::new(0));
        Ok(Self { shared: Arc::new(Shared { contact, currency, registered, reporting, changes }) })
    }

    /// The settings that it was made of.
    pub fn settings(&self) -> &Settings {
        &self.shared.contact.settings
    }

    /// The site's currency.
    pub fn currency(&self) -> Currency {
        self.shared.currency
    }

    /// How many requests were made so far.
    pub fn requests(&self) -> u64 {
        self.shared.contact.http.requests()
    }

    /// Reads all events of the program.
    ///
    /// # Errors
    /// The server could not be asked; [`VenError::retry`] says when to try again. An event whose
    /// document cannot be read is no error: it is listed in [`SupplierWord`].
    pub async fn events(&self, now: Timestamp) -> Result<SupplierWord, VenError> {
        let state = self.state(now).await?;
        Ok(self.reader(now).word(&state.program, &state.events))
    }

    /// Reads all events of the program, for the process that speaks for this site: it also deletes our
    /// reports that are over, or that keep an event from being deleted.
    ///
    /// # Errors
    /// Events that could not be read; [`VenError::retry`] says when to try again. Reports that could
    /// not be deleted are logged, and tried again the next time.
    pub async fn hear(&self, now: Timestamp) -> Result<SupplierWord, VenError> {
        let state = self.state(now).await?;
        if let Err(error) = self.tidy(&state, now).await {
            tracing::warn!(%error, "could not take away a report that is over");
        }
        Ok(self.reader(now).word(&state.program, &state.events))
    }

    /// Tells what is planned; the newest plan replaces the one before.
    ///
    /// # Errors
    /// The report could not be sent; [`VenError::retry`] says when to try again.
    /// [`VenError::NoEvent`] where the supplier takes no reports now.
    pub async fn plan(&self, planned: &[PlannedInterval], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Plan, now, |_| Contents::plan(planned)).await
    }

    /// Warns of spans of low consumption. Those that were announced before and are not among them
    /// are withdrawn; without any, all are.
    ///
    /// # Errors
    /// The report could not be sent; [`VenError::retry`] says when to try again.
    /// [`VenError::NoEvent`] where the supplier takes no reports now.
    pub async fn warn_low(&self, quiet: &[QuietSpan], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Quiet, now, |before| Contents::quiet(quiet, before, now)).await
    }

    /// Asks for more power. All requests that still count are told at once; the answer comes as
    /// grants and offers among the events, or not at all.
    ///
    /// # Errors
    /// The report could not be sent; [`VenError::retry`] says when to try again.
    /// [`VenError::NoEvent`] where the supplier takes no reports now.
    pub async fn ask(&self, asked: &[PowerRequest], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Request, now, |_| Contents::request(asked)).await
    }

    /// Tells what was drawn.
    ///
    /// # Errors
    /// The report could not be sent; [`VenError::retry`] says when to try again.
    /// [`VenError::NoEvent`] where the supplier takes no reports now.
    pub async fn usage(&self, used: &[Used], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Usage, now, |_| Contents::usage(used)).await
    }

    pub(crate) fn contact(&self) -> &Arc<Contact> {
        &self.shared.contact
    }

    pub(crate) fn change_sender(&self) -> &watch::Sender<u64> {
        &self.shared.changes
    }

    fn reader(&self, now: Timestamp) -> EventReader<'_> {
        let currency = self.currency();
        EventReader { now, until: now + AHEAD, currency, targets: &self.settings().targets }
    }

    async fn state(&self, now: Timestamp) -> Result<State, VenError> {
        self.register(now).await?;
        let program = self.program(now).await?;
        let query = [("programID", program.id.as_str())];
        let events = self.contact().list("events", &query, now).await?;
        let events = (1..).zip(&events).map(|(number, event)| Event::read(event, number)).collect();
        Ok(State { program, events })
    }

    /// Makes ourselves known, once; the supplier may have done so, or may not let us.
    pub(crate) async fn register(&self, now: Timestamp) -> Result<(), VenError> {
        if self.shared.registered.load(Ordering::Relaxed) {
            return Ok(());
        }
        let (contact, nothing) = (self.contact(), None::<&()>);
        let name = self.settings().ven_name.as_str();
        let query = [("venName", name)];
        match contact.json::<Vec<Value>>(Method::GET, "vens", &query, nothing, now).await {
            Ok(vens) if vens.is_empty() => {
                let ven = json!({"objectType": "VEN_VEN_REQUEST", "venName": name});
                match contact.json::<Value>(Method::POST, "vens", &[], Some(&ven), now).await {
                    Ok(_) => {}
                    Err(
                        error @ (VenError::Conflict { .. }
                        | VenError::Contact(FeedError::Refused { .. })),
                    ) => tracing::info!(%error, "the supplier does not enrol us by ourselves"),
                    Err(error) => return Err(error),
                }
            }
            Ok(_) | Err(VenError::Contact(FeedError::Refused { .. })) => {}
            Err(error) => return Err(error),
        }
        self.shared.registered.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) async fn program(&self, now: Timestamp) -> Result<Program, VenError> {
        let programs = self.contact().list("programs", &[], now).await?;
        let name = &self.settings().program;
        let found = programs.iter().find_map(|program| Program::named(name, program));
        found.ok_or_else(|| VenError::NoProgram { name: name.clone() })
    }

    /// Puts a report in place of an earlier one of its name. `contents` is given the spans of that.
    async fn say(
        &self,
        kind: ReportKind,
        now: Timestamp,
        contents: impl FnOnce(&[Span]) -> Contents,
    ) -> Result<(), VenError> {
        let _one_at_a_time = self.shared.reporting.lock().await;
        let state = self.state(now).await?;
        let sent = self.sent(&state.program, now).await?;
        let earlier = sent.into_iter().find(|report| report.name == kind.name());
        let before = earlier.as_ref().map(|report| report.spans.clone()).unwrap_or_default();
        let contents = contents(&before);
        if contents.is_empty() && before.is_empty() {
            return Ok(());
        }
        let ranked = self.reader(now).ranked(&state.program, &state.events);
        let event = kind.event(&ranked, now).ok_or(VenError::NoEvent { what: kind.word() })?;
        let event = event.id.parse().map_err(|error| VenError::payload("the event's id", error))?;
        let settings = self.settings();
        let report = contents.report(event, &settings.ven_name, settings.resource.as_deref());
        let contact = self.contact();
        if let Some(earlier) = earlier {
            let path = format!("reports/{}", earlier.id);
            match contact.json::<Value>(Method::PUT, &path, &[], Some(&report), now).await {
                // Gone meanwhile, as the event that it answered may be.
                Err(error) if error.is_not_found() => {}
                put => return put.map(drop),
            }
        }
        contact.json::<Value>(Method::POST, "reports", &[], Some(&report), now).await.map(drop)
    }

    /// Our reports in a program, the newest first.
    async fn sent(&self, program: &Program, now: Timestamp) -> Result<Vec<SentReport>, VenError> {
        let name = self.settings().ven_name.as_str();
        let query = [("programID", program.id.as_str()), ("clientName", name)];
        let reports = self.contact().list("reports", &query, now).await?;
        let ours = reports.iter().filter_map(|report| SentReport::of(name, report));
        let mut ours: Vec<SentReport> = ours.collect();
        ours.sort_by_key(|report| std::cmp::Reverse(report.modified));
        Ok(ours)
    }

    /// Takes away reports that are over, that a newer one of their name replaced, or that hold up an
    /// event which is over or does not ask for them; what is still worth saying is said to another.
    async fn tidy(&self, state: &State, now: Timestamp) -> Result<(), VenError> {
        let _one_at_a_time = self.shared.reporting.lock().await;
        let ranked = self.reader(now).ranked(&state.program, &state.events);
        let mut newer = HashSet::new();
        for report in self.sent(&state.program, now).await? {
            let Some(kind) = ReportKind::named(&report.name) else { continue };
            let is_of_use = newer.insert(kind) && !kind.is_over(&report, now);
            let event = ranked.iter().find(|event| event.id == report.event_id);
            if is_of_use && event.is_some_and(|event| kind.may_answer(event, now)) {
                continue;
            }
            let path = format!("reports/{}", report.id);
            match kind.event(&ranked, now).filter(|_| is_of_use) {
                Some(event) => {
                    let moved = report.to_event(&event.id);
                    let put =
                        self.contact().json::<Value>(Method::PUT, &path, &[], Some(&moved), now);
                    put.await?;
                }
                None => self.contact().delete(&path, now).await?,
            }
        }
        Ok(())
    }
}
