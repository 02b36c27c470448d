//! Mails: each is written once, in the order of events, and leaves the outbox when it was sent or given up.

use storage::{EventId, MailOutcome, NewMail, PrunedKind};

use crate::bench::{Bench, next_uuid, on_both_engines, t};

on_both_engines![
    a_mail_is_written_once_and_by_one_process,
    a_mail_waits_until_it_is_sent_or_given_up,
];

fn mail(id: &str, at: i64) -> NewMail {
    NewMail {
        id: id.to_owned(),
        owner: "ada".to_owned(),
        address: "ada@site.example".to_owned(),
        subject: "Confirmed".to_owned(),
        body: "Your reservation is confirmed.".to_owned(),
        created: t(at),
    }
}

async fn due(bench: &Bench, at: i64) -> Vec<(String, i64)> {
    let due = bench.database.due_mails(t(at), 10).await.unwrap();
    due.into_iter().map(|it| (it.mail.id, it.failures)).collect()
}

async fn a_mail_is_written_once_and_by_one_process(bench: Bench) {
    let database = &bench.database;
    let opened = database.open_mails(next_uuid()).await.unwrap();
    assert_eq!(database.open_mails(next_uuid()).await.unwrap(), opened, "it goes on");
    let (from, to) = (opened.position, EventId::from(opened.position.get() + 3));
    let mails = [mail("event-1", 10), mail("event-2", 11)];
    assert!(database.write_mails_of_events(&mails, from, to).await.unwrap());
    // Another process that read the same events writes nothing.
    assert!(!database.write_mails_of_events(&[mail("event-3", 12)], from, to).await.unwrap());
    assert_eq!(database.open_mails(next_uuid()).await.unwrap().position, to);
    let other = NewMail { subject: "Begins soon".to_owned(), ..mail("event-1", 12) };
    database.write_mails(&[other, mail("begins-1", 12)]).await.unwrap();
    let waiting = database.due_mails(t(12), 10).await.unwrap();
    let waiting: Vec<NewMail> = waiting.into_iter().map(|it| it.mail).collect();
    assert_eq!(waiting, [mail("event-1", 10), mail("event-2", 11), mail("begins-1", 12)]);
}

async fn a_mail_waits_until_it_is_sent_or_given_up(bench: Bench) {
    let database = &bench.database;
    let mails = ["a", "b", "c"].map(|id| mail(id, 10));
    database.write_mails(&mails).await.unwrap();
    assert_eq!(due(&bench, 9).await, []);
    let why = || "no answer".to_owned();
    database.note_mail("a", &MailOutcome::Sent, t(11)).await.unwrap();
    database.note_mail("b", &MailOutcome::Again(why(), t(41)), t(11)).await.unwrap();
    database.note_mail("c", &MailOutcome::GivenUp(why()), t(12)).await.unwrap();
    assert_eq!(due(&bench, 40).await, []);
    assert_eq!(due(&bench, 41).await, [("b".to_owned(), 1)]);
    assert_eq!(database.waiting_mails().await.unwrap(), 1);
    // What was sent is not written again while it is remembered.
    database.write_mails(&mails).await.unwrap();
    assert_eq!(database.waiting_mails().await.unwrap(), 1);
    assert_eq!(database.prune_piece(PrunedKind::Mails, t(12)).await.unwrap(), Some(1));
    database.write_mails(&mails).await.unwrap();
    assert_eq!(due(&bench, 41).await, [("a".to_owned(), 0), ("b".to_owned(), 1)]);
}
