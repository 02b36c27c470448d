//! Mails sent from the outbox, each until a server takes it or a day is over.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::{Address, AsyncTransport};
use planner::time::{Seconds, Timestamp};
use storage::{MailOutcome, NewMail, WaitingMail};
use uuid::Uuid;

use super::NotificationService;
use crate::config::mail::MailSettings;
use crate::service::shared::Fault;

/// The first wait before a mail is sent again; it doubles each time.
const FIRST_WAIT_S: i64 = 30;

/// The longest wait.
const LONGEST_WAIT_S: i64 = 3600;

/// A mail that no server takes for so long is given up.
const TRIED_FOR: Seconds = Seconds::new(86_400);

/// Mails that are sent in a turn.
const SENT_TOGETHER: u16 = 50;

impl NotificationService {
    /// Sends what is due. Where the server does not answer, the rest waits for the next turn.
    pub(super) async fn send_due(&self, mail: &MailSettings, instance: Uuid) -> Result<(), Fault> {
        let database = &self.shared.database;
        let due = database.due_mails(self.shared.now(), SENT_TOGETHER).await?;
        for waiting in due {
            if self.shared.stop.is_cancelled() {
                return Ok(());
            }
            let (outcome, answers) = self.attempt(mail, &waiting, instance).await?;
            count(&waiting.mail, &outcome);
            database.note_mail(&waiting.mail.id, &outcome, self.shared.now()).await?;
            if !answers {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries to send a mail: what became of it, and whether the server answered at all.
    async fn attempt(
        &self,
        settings: &MailSettings,
        waiting: &WaitingMail,
        instance: Uuid,
    ) -> Result<(MailOutcome, bool), Fault> {
        let WaitingMail { mail, failures } = waiting;
        if !self.shared.state().await?.callers().knows(&mail.owner) {
            let why = "its user is blocked, or has no valid token".to_owned();
            return Ok((MailOutcome::GivenUp(why), true));
        }
        let message = match message(settings, mail, instance) {
            Ok(message) => message,
            Err(error) => return Ok((MailOutcome::GivenUp(format!("{error:#}")), true)),
        };
        match settings.server.send(message).await {
            Ok(_) => Ok((MailOutcome::Sent, true)),
            Err(error) => {
                let answers = error.is_transient() || error.is_permanent();
                let now = self.shared.now();
                Ok((failed(mail, *failures, &error.to_string(), now), answers))
            }
        }
    }
}

/// What follows from an attempt that failed.
fn failed(mail: &NewMail, failures: i64, why: &str, now: Timestamp) -> MailOutcome {
    if now - mail.created >= TRIED_FOR {
        return MailOutcome::GivenUp(why.to_owned());
    }
    let wait = (FIRST_WAIT_S << failures.clamp(0, 10)).min(LONGEST_WAIT_S);
    MailOutcome::Again(why.to_owned(), now + Seconds::new(wait))
}

/// Counts what became of a mail, and says what somebody should look at.
fn count(mail: &NewMail, outcome: &MailOutcome) {
    let id = &mail.id;
    let word = match outcome {
        MailOutcome::Sent => "sent",
        MailOutcome::Again(error, at) => {
            tracing::warn!(mail = id, error, again = %at, "the mail server did not take a mail");
            "again"
        }
        MailOutcome::GivenUp(error) => {
            tracing::warn!(mail = id, error, "gave up sending a mail");
            "given_up"
        }
    };
    metrics::counter!("wattbook_mails_total", &[("outcome", word)]).increment(1);
}

/// A mail as it is sent. Whatever stands in its subject cannot begin another header: the crate encodes it.
fn message(settings: &MailSettings, mail: &NewMail, instance: Uuid) -> anyhow::Result<Message> {
    let address: Address = mail.address.parse().context("its address")?;
    let domain = settings.from.email.domain();
    let written_s = u64::try_from(mail.created.as_unix_seconds()).unwrap_or_default();
    // Nobody's holiday is to answer (RFC 3834).
    let automatic = HeaderValue::new(
        HeaderName::new_from_ascii_str("Auto-Submitted"),
        "auto-generated".to_owned(),
    );
    Message::builder()
        .from(settings.from.clone())
        .to(Mailbox::new(None, address))
        .subject(&mail.subject)
        .date(UNIX_EPOCH + Duration::from_secs(written_s))
        // The same each time that it is sent, so that receivers can tell repetitions.
        .message_id(Some(format!("<{}.{}@{domain}>", mail.id, instance.simple())))
        .raw_header(automatic)
        .header(ContentType::TEXT_PLAIN)
        .body(mail.body.clone())
        .context("its headers")
}

#[cfg(test)]
mod tests {
    use lettre::{AsyncSmtpTransport, Tokio1Executor};

    use super::*;

    fn mail(subject: &str) -> NewMail {
        NewMail {
            id: "event-17".to_owned(),
            owner: "ada".to_owned(),
            address: "ada@site.example".to_owned(),
            subject: subject.to_owned(),
            body: "Bonjour à tous.\n".to_owned(),
            created: Timestamp::from_unix_seconds(1_772_366_400),
        }
    }

    fn headers(subject: &str) -> Vec<String> {
        let server = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous("localhost").build();
        let settings = MailSettings { server, from: "wattbook@site.example".parse().unwrap() };
        let message = message(&settings, &mail(subject), Uuid::nil()).unwrap().formatted();
        let message = String::from_utf8(message).unwrap();
        let (head, _) = message.split_once("\r\n\r\n").unwrap();
        head.split("\r\n").map(str::to_owned).collect()
    }

    #[test]
    fn a_mail_is_dated_and_named_by_what_it_tells_of() {
        let headers = headers("Confirmed: 4 nodes");
        for expected in [
            "Message-ID: <event-17.00000000000000000000000000000000@site.example>",
            "Date: Sun, 01 Mar 2026 12:00:00 +0000",
            "Auto-Submitted: auto-generated",
            "To: ada@site.example",
            "Subject: Confirmed: 4 nodes",
        ] {
            assert!(headers.iter().any(|line| line == expected), "{expected}: {headers:?}");
        }
    }

    #[test]
    fn a_subject_begins_no_other_header() {
        for subject in
            ["a\r\nBcc: bob@site.example", "a\nBcc: bob@site.example", "a\rBcc: bob@site.example"]
        {
            let headers = headers(subject);
            assert!(!headers.iter().any(|line| line.starts_with("Bcc")), "{headers:?}");
        }
    }

    #[test]
    fn a_mail_is_tried_later_and_later_then_given_up() {
        let (mail, mut now, mut times) = (mail("a"), mail("a").created, Vec::new());
        let last = loop {
            times.push((now - mail.created).get());
            let failures = i64::try_from(times.len()).unwrap() - 1;
            match failed(&mail, failures, "no answer", now) {
                MailOutcome::Again(_, at) => now = at,
                outcome => break outcome,
            }
        };
        assert_eq!(last, MailOutcome::GivenUp("no answer".to_owned()));
        // 30, 60, 120, ... seconds between attempts.
        assert_eq!(times[..5], [0, 30, 90, 210, 450]);
        let end = times[times.len() - 1];
        assert!((86_400..90_000).contains(&end), "{end}");
    }
}
