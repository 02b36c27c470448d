//! The VEN: reads what the supplier says, and says what this site plans and asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use grid_feeds::feed::FeedError;
use grid_feeds::http::Timeouts;
use openleadr_client::{EventClient, Filter, ProgramClient, VirtualEndNode};
use openleadr_wire::event::Event;
use openleadr_wire::program::Program;
use openleadr_wire::report::Report;
use openleadr_wire::ven::VenVenRequest;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use reqwest::Method;
use tokio::sync::{Mutex, watch};

use crate::client::{Calls, Contact};
use crate::error::VenError;
use crate::map::{Reader, SupplierWord};
use crate::pages::Pages;
use crate::report::{Asked, Contents, PlannedInterval, QuietSpan, ReportKind, Used, announced};
use crate::settings::Settings;

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

    /// As [`Ven::connect`], with other limits of time.
    ///
    /// # Errors
    /// As for [`Ven::connect`].
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

    /// The settings.
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
    /// Says by [`VenError::retry`] when to try again. Events that cannot be read are no error of the
    /// whole: see [`SupplierWord`].
    pub async fn events(&self, now: Timestamp) -> Result<SupplierWord, VenError> {
        let state = self.state(now).await?;
        Ok(self.reader(now).word(&state.program, &state.events))
    }

    /// Tells what is planned; the newest plan replaces the one before.
    ///
    /// # Errors
    /// Says by [`VenError::retry`] when to try again; [`VenError::NoEvent`] where the supplier
    /// takes no reports now.
    pub async fn plan(&self, planned: &[PlannedInterval], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Plan, now, |_| Contents::plan(planned)).await
    }

    /// Warns of spans of low consumption. Those that were announced before and are not among them
    /// are withdrawn; without any, all are.
    ///
    /// # Errors
    /// As for [`Ven::plan`].
    pub async fn warn_low(&self, quiet: &[QuietSpan], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Quiet, now, |before| Contents::quiet(quiet, before, now)).await
    }

    /// Asks for more power. All requests that still count are told at once; the answer comes as
    /// grants and offers among the events, or not at all.
    ///
    /// # Errors
    /// As for [`Ven::plan`].
    pub async fn ask(&self, asked: &[Asked], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Request, now, |_| Contents::request(asked)).await
    }

    /// Tells what was drawn.
    ///
    /// # Errors
    /// As for [`Ven::plan`].
    pub async fn usage(&self, used: &[Used], now: Timestamp) -> Result<(), VenError> {
        self.say(ReportKind::Usage, now, |_| Contents::usage(used)).await
    }

    pub(crate) fn contact(&self) -> &Arc<Contact> {
        &self.shared.contact
    }

    pub(crate) fn change_sender(&self) -> &watch::Sender<u64> {
        &self.shared.changes
    }

    fn reader(&self, now: Timestamp) -> Reader<'_> {
        let currency = self.currency();
        Reader { now, until: now + AHEAD, currency, targets: &self.settings().targets }
    }

    async fn state(&self, now: Timestamp) -> Result<State, VenError> {
        let calls = self.contact().client(now);
        self.register(&calls).await?;
        let program = self.program(&calls).await?;
        let events = self.program_events(&calls, &program).await?;
        Ok(State { program, events })
    }

    /// Makes ourselves known, once; the supplier may have done so, or may not let us.
    pub(crate) async fn register(&self, calls: &Calls) -> Result<(), VenError> {
        if self.shared.registered.load(Ordering::Relaxed) {
            return Ok(());
        }
        let name = &self.settings().ven_name;
        match calls.library.get_ven_by_name(name).await {
            Err(openleadr_client::Error::ObjectNotFound) => {
                let ven = VenVenRequest { ven_name: name.clone(), attributes: None };
                match calls.told(calls.library.create_ven(ven).await) {
                    Ok(_) => {}
                    Err(
                        error @ (VenError::Conflict { .. }
                        | VenError::Contact(FeedError::Refused { .. })),
                    ) => tracing::info!(%error, "the supplier does not enrol us by ourselves"),
                    Err(error) => return Err(error),
                }
            }
            told => match calls.told(told) {
                Ok(_) | Err(VenError::Contact(FeedError::Refused { .. })) => {}
                Err(error) => return Err(error),
            },
        }
        self.shared.registered.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) async fn program(&self, calls: &Calls) -> Result<Program, VenError> {
        let mut programs = Pages::new();
        while let Some(page) = programs.next()? {
            let page = calls.told(calls.library.get_programs(Filter::none(), page).await)?;
            programs.add(page.iter().map(program_of), |program| program.id.to_string());
        }
        let mut programs = programs.into_all().into_iter();
        let name = &self.settings().program;
        let found = programs.find(|program| program.content.program_name == *name);
        found.ok_or_else(|| VenError::NoProgram { name: name.clone() })
    }

    async fn program_events(
        &self,
        calls: &Calls,
        program: &Program,
    ) -> Result<Vec<Event>, VenError> {
        let mut events = Pages::new();
        while let Some(page) = events.next()? {
            let page = calls.library.get_events(Some(&program.id), Filter::none(), page).await;
            events.add(calls.told(page)?.iter().map(event_of), |event| event.id.to_string());
        }
        Ok(events.into_all())
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
        let earlier = self.earlier(kind, &state.program, now).await?;
        let before = earlier.as_ref().map(announced).unwrap_or_default();
        let contents = contents(&before);
        if contents.is_empty() && before.is_empty() {
            return Ok(());
        }
        let ranked = self.reader(now).ranked(&state.program, &state.events);
        let event = kind.event(&ranked, now).ok_or(VenError::NoEvent { what: kind.word() })?;
        let settings = self.settings();
        let report = contents.report(event.id, &settings.ven_name, settings.resource.as_deref());
        let contact = self.contact();
        if let Some(earlier) = earlier {
            let path = format!("reports/{}", earlier.id);
            let put: Result<Report, _> =
                contact.json(Method::PUT, &path, &[], Some(&report), now).await;
            match put {
                // Gone meanwhile, as the event that it answered may be.
                Err(VenError::Contact(FeedError::Refused { status: 404, .. })) => {}
                put => return put.map(drop),
            }
        }
        contact.json::<Report>(Method::POST, "reports", &[], Some(&report), now).await.map(drop)
    }

    /// Our newest report of a kind.
    async fn earlier(
        &self,
        kind: ReportKind,
        program: &Program,
        now: Timestamp,
    ) -> Result<Option<Report>, VenError> {
        let name = &self.settings().ven_name;
        let mut reports = Pages::new();
        while let Some(page) = reports.next()? {
            let (skip, limit) = (page.skip.to_string(), page.limit.to_string());
            let program = program.id.as_str();
            let query =
                [("programID", program), ("clientName", name), ("skip", &skip), ("limit", &limit)];
            let nothing = None::<&()>;
            let page: Vec<Report> =
                self.contact().json(Method::GET, "reports", &query, nothing, now).await?;
            reports.add(page, |report| report.id.to_string());
        }
        let ours = reports.into_all().into_iter().filter(|report| {
            let content = &report.content;
            content.client_name == *name && content.report_name.as_deref() == Some(kind.name())
        });
        Ok(ours.max_by_key(|report| report.modification_date_time))
    }
}

fn program_of(client: &ProgramClient<VirtualEndNode>) -> Program {
    Program {
        id: client.id().clone(),
        created_date_time: client.created_date_time(),
        modification_date_time: client.modification_date_time(),
        content: client.content().clone(),
    }
}

fn event_of(client: &EventClient<VirtualEndNode>) -> Event {
    Event {
        id: client.id().clone(),
        created_date_time: client.created_date_time(),
        modification_date_time: client.modification_date_time(),
        content: client.content().clone(),
    }
}
