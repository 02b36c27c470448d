//! Tokens, people and idempotency keys.

use planner::reservation::Role;
use planner::rights::Action;
use planner::time::Seconds;
use storage::{
    ApiToken, Database, IdempotencyRecord, Person, PersonId, ProposeError, PrunedKind,
    RenewalOutcome, SeenToken, StorageError, TokenId, TokenLimit,
};
use tokio::task::JoinSet;

use crate::bench::{
    Bench, install_ten_nodes, newest, next_uuid, offer, on_both_engines, ranks, reservation, span,
    t,
};

on_both_engines![
    tokens_are_listed_oldest_first_with_when_they_were_revoked,
    two_tokens_never_share_a_digest,
    tokens_that_count_no_more_are_forgotten_but_the_newest,
    a_token_is_used_ends_and_is_renewed,
    an_owner_has_no_more_tokens_than_the_limit_by_whichever_process,
    a_person_is_who_they_were_when_they_came_first,
    a_name_belongs_to_one_person,
    the_newest_token_says_what_is_kept_of_a_person,
    people_are_signed_out_and_blocked_by_name_and_everybody_hears_of_it,
    a_key_used_twice_books_once,
    a_proposal_that_fails_leaves_its_key_free,
    old_answers_are_forgotten,
];

fn token(role: Role, digest: &str, created: i64) -> ApiToken {
    ApiToken {
        id: TokenId::new(next_uuid()),
        owner: "ada".to_owned(),
        role,
        digest: digest.to_owned(),
        created: t(created),
        revoked: None,
        expires: None,
        used: None,
        actions: None,
    }
}

fn record(key: &str, created: i64) -> IdempotencyRecord {
    IdempotencyRecord {
        owner: "ada".to_owned(),
        key: key.to_owned(),
        fingerprint: "f00d".to_owned(),
        status: 201,
        response: r#"{"id":"é"}"#.to_owned(),
        created: t(created),
    }
}

async fn a_token_is_used_ends_and_is_renewed(bench: Bench) {
    let database = &bench.database;
    let actions = Some(vec![Action::NodeRead, Action::MetricsRead]);
    let first = ApiToken { expires: Some(t(90)), actions, ..token(Role::User, "aa", 5) };
    database.create_token(&first).await.unwrap();
    for (now, used) in [(20, 20), (30, 30), (10, 30)] {
        database.note_token_use(first.id, t(now)).await.unwrap();
        let first = ApiToken { used: Some(t(used)), ..first.clone() };
        assert_eq!(database.list_tokens().await.unwrap(), [first]);
    }
    let second = token(Role::User, "bb", 40);
    let renewed = database.renew_token(first.id, t(95), &second, None).await.unwrap();
    assert_eq!(renewed, RenewalOutcome::Stored);
    let ends = async || database.list_tokens().await.unwrap()[0].expires;
    assert_eq!(ends().await, Some(t(90)), "it ended before");
    let third = token(Role::User, "cc", 41);
    database.renew_token(first.id, t(50), &third, None).await.unwrap();
    assert_eq!(ends().await, Some(t(50)));
    let late = token(Role::User, "dd", 50);
    let renewed = database.renew_token(first.id, t(60), &late, None).await.unwrap();
    assert_eq!(renewed, RenewalOutcome::Ended);
    assert_eq!(database.list_tokens().await.unwrap().len(), 3);
    assert!(first.counts_at(t(89)) && !first.counts_at(t(90)));
}

/// Twelve are made at once by two handles, then twelve renewals are asked for: with what ada had before there are five.
async fn an_owner_has_no_more_tokens_than_the_limit_by_whichever_process(bench: Bench) {
    let other = Database::connect(&bench.url).await.unwrap();
    let limit = TokenLimit { most: 4, kept_for: Seconds::new(30) };
    let first = token(Role::User, "first", 1);
    bench.database.create_token(&first).await.unwrap();
    let mut making = JoinSet::new();
    for (number, database) in (0..12).zip([&bench.database, &other].into_iter().cycle()) {
        let (database, made) = (database.clone(), token(Role::User, &format!("{number}"), 2));
        making.spawn(async move { database.create_token_within(limit, &made).await.unwrap() });
    }
    let stored = making.join_all().await.into_iter().filter(|it| *it).count();
    assert_eq!((stored, bench.database.list_tokens().await.unwrap().len()), (3, 4));
    let mut renewing = JoinSet::new();
    let limit = TokenLimit { most: 5, ..limit };
    for (number, database) in (0..12).zip([&bench.database, &other].into_iter().cycle()) {
        let (database, id) = (database.clone(), first.id);
        let successor = token(Role::User, &format!("successor {number}"), 3);
        let limit = Some(limit);
        renewing.spawn(
            async move { database.renew_token(id, t(90), &successor, limit).await.unwrap() },
        );
    }
    let stored = |it: &RenewalOutcome| *it == RenewalOutcome::Stored;
    let renewed = renewing.join_all().await;
    assert_eq!(renewed.iter().filter(|it| stored(it)).count(), 1, "{renewed:?}");
    assert!(renewed.iter().all(|it| stored(it) || *it == RenewalOutcome::TooMany));
    // Of others there is room.
    let bobs = ApiToken { owner: "bob".to_owned(), ..token(Role::User, "bob", 3) };
    assert!(other.create_token_within(limit, &bobs).await.unwrap());
    other.close().await;
}

async fn tokens_are_listed_oldest_first_with_when_they_were_revoked(bench: Bench) {
    let database = &bench.database;
    assert!(!database.has_had_users().await.unwrap());
    let (user, supplier) = (token(Role::User, "aa", 5), token(Role::Supplier, "bb", 4));
    for token in [&user, &supplier] {
        database.create_token(token).await.unwrap();
    }
    assert_eq!(database.list_tokens().await.unwrap(), [supplier.clone(), user.clone()]);
    assert!(database.revoke_token(user.id, t(9)).await.unwrap());
    assert!(!database.revoke_token(user.id, t(10)).await.unwrap());
    let revoked = ApiToken { revoked: Some(t(9)), ..user };
    assert_eq!(database.list_tokens().await.unwrap(), [supplier.clone(), revoked]);
    assert!(database.has_had_users().await.unwrap());
    database.revoke_token(supplier.id, t(10)).await.unwrap();
    assert!(database.has_had_users().await.unwrap());
}

async fn two_tokens_never_share_a_digest(bench: Bench) {
    bench.database.create_token(&token(Role::Operator, "aa", 1)).await.unwrap();
    let again = bench.database.create_token(&token(Role::User, "aa", 2)).await;
    assert!(matches!(again, Err(StorageError::TokenExists)));
}

/// One was revoked and one has ended before instant 50, one later, one counts still; the newest was revoked, too.
async fn tokens_that_count_no_more_are_forgotten_but_the_newest(bench: Bench) {
    let database = &bench.database;
    let revoked = ApiToken { revoked: Some(t(40)), ..token(Role::User, "aa", 1) };
    let ended = ApiToken { expires: Some(t(49)), ..token(Role::User, "bb", 2) };
    let later = ApiToken { expires: Some(t(50)), ..token(Role::User, "cc", 3) };
    let counts = token(Role::Operator, "dd", 4);
    let newest = ApiToken { revoked: Some(t(6)), ..token(Role::User, "ee", 5) };
    for token in [&revoked, &ended, &later, &counts, &newest] {
        database.create_token(token).await.unwrap();
    }
    assert_eq!(database.old_rows(PrunedKind::Tokens, t(50)).await.unwrap(), 2);
    assert_eq!(database.prune_piece(PrunedKind::Tokens, t(50)).await.unwrap(), Some(2));
    assert_eq!(database.prune_piece(PrunedKind::Tokens, t(50)).await.unwrap(), None);
    assert_eq!(database.list_tokens().await.unwrap(), [later, counts.clone(), newest.clone()]);
    // However late it is, one is left of those that count no more, and the service stays closed.
    database.revoke_token(counts.id, t(60)).await.unwrap();
    assert_eq!(database.prune_piece(PrunedKind::Tokens, t(999)).await.unwrap(), Some(2));
    assert_eq!(database.list_tokens().await.unwrap(), [newest]);
    assert!(database.has_had_users().await.unwrap());
    assert_eq!(database.rows_left(PrunedKind::Tokens).await.unwrap(), 1);
}

async fn a_key_used_twice_books_once(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let (first, second) = (
        reservation(vec![offer(ranks(0..1), span(10, 20))]),
        reservation(vec![offer(ranks(1..2), span(10, 20))]),
    );
    database.propose(newest(1), &first, t(0), Some(&record("k", 1))).await.unwrap();
    // With the version the first one made and with the one before it.
    for version in [2, 1] {
        let again = database.propose(newest(version), &second, t(0), Some(&record("k", 2))).await;
        assert!(matches!(again, Err(ProposeError::IdempotencyKeyReused)));
    }
    assert_eq!(database.reservation(second.id).await.unwrap(), None);
    assert_eq!(database.idempotent_response("ada", "k").await.unwrap(), Some(record("k", 1)));
    assert_eq!(database.idempotent_response("bob", "k").await.unwrap(), None);
}

async fn a_proposal_that_fails_leaves_its_key_free(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    let wanted = reservation(vec![offer(ranks(0..1), span(10, 20))]);
    let stale = database.propose(newest(0), &wanted, t(0), Some(&record("k", 1))).await;
    assert!(matches!(stale, Err(ProposeError::BookChanged { expected: 0, found: 1 })));
    assert_eq!(database.idempotent_response("ada", "k").await.unwrap(), None);
    database.propose(newest(1), &wanted, t(0), Some(&record("k", 1))).await.unwrap();
}

async fn old_answers_are_forgotten(bench: Bench) {
    let database = &bench.database;
    install_ten_nodes(database).await;
    for (version, node, key, created) in [(1, 0, "old", 10), (2, 1, "new", 20)] {
        let wanted = reservation(vec![offer(ranks(node..node + 1), span(10, 20))]);
        let answer = record(key, created);
        database.propose(newest(version), &wanted, t(0), Some(&answer)).await.unwrap();
    }
    assert_eq!(database.prune_piece(PrunedKind::Answers, t(20)).await.unwrap(), Some(1));
    assert_eq!(database.prune_piece(PrunedKind::Answers, t(20)).await.unwrap(), None);
    assert_eq!(database.idempotent_response("ada", "old").await.unwrap(), None);
    assert!(database.idempotent_response("ada", "new").await.unwrap().is_some());
}

fn person(subject: &str, name: &str) -> Person {
    Person {
        id: PersonId::new(next_uuid()),
        issuer: "https://id.example.org".to_owned(),
        subject: subject.to_owned(),
        name: name.to_owned(),
        first_seen: t(5),
        tokens_from: None,
        blocked: None,
        seen: None,
    }
}

async fn a_person_is_who_they_were_when_they_came_first(bench: Bench) {
    let database = &bench.database;
    let (ada, bob) = (person("1", "ada"), person("2", "bob"));
    assert!(!database.has_had_users().await.unwrap());
    assert_eq!(database.meet_person(&ada).await.unwrap(), ada);
    // The issuer calls her otherwise now.
    let renamed = Person { name: "lovelace".to_owned(), ..person("1", "") };
    assert_eq!(database.meet_person(&renamed).await.unwrap(), ada);
    assert_eq!(database.meet_person(&bob).await.unwrap(), bob);
    assert_eq!(database.people().await.unwrap(), [ada, bob]);
    // A site whose people sign in keeps its door shut, too.
    assert!(database.has_had_users().await.unwrap());
}

async fn the_newest_token_says_what_is_kept_of_a_person(bench: Bench) {
    let database = &bench.database;
    let seen = |role: Option<Role>, projects: &[&str], issued: i64| SeenToken {
        role,
        projects: projects.iter().map(|it| (*it).to_owned()).collect(),
        issued: t(issued),
    };
    let first = seen(Some(Role::Operator), &["ocean", "ice"], 10);
    let ada = Person { seen: Some(first), ..person("1", "ada") };
    let bob = person("2", "bob");
    for met in [&ada, &bob] {
        assert_eq!(database.meet_person(met).await.unwrap(), *met);
    }
    let mut heard = database.marks().await.unwrap().tokens;
    for (who, news, is_newer) in [
        (&ada, seen(None, &[], 9), false),
        (&ada, seen(None, &[], 10), false),
        (&ada, seen(Some(Role::User), &["ice"], 11), true),
        (&bob, seen(None, &["é"], 1), true),
    ] {
        database.note_seen(who.id, &news, t(20)).await.unwrap();
        let people = database.people().await.unwrap();
        let kept = people.into_iter().find(|it| it.id == who.id).unwrap().seen;
        assert_eq!(kept == Some(news), is_newer);
        let now = database.marks().await.unwrap().tokens;
        assert_eq!(now > heard, is_newer);
        heard = now;
    }
}

async fn a_name_belongs_to_one_person(bench: Bench) {
    let database = &bench.database;
    database.meet_person(&person("1", "ada")).await.unwrap();
    let elsewhere = Person { issuer: "https://elsewhere.example".to_owned(), ..person("1", "ada") };
    for other in [person("2", "ada"), elsewhere] {
        let met = database.meet_person(&other).await;
        assert!(matches!(met, Err(StorageError::NameTaken)));
    }
    assert_eq!(database.people().await.unwrap().len(), 1);
}

async fn people_are_signed_out_and_blocked_by_name_and_everybody_hears_of_it(bench: Bench) {
    let database = &bench.database;
    let ada = database.meet_person(&person("1", "ada")).await.unwrap();
    let mut heard = database.marks().await.unwrap().tokens;
    let mut check = async |done: bool, tokens_from: Option<i64>, blocked: Option<i64>| {
        assert!(done);
        let expected =
            Person { tokens_from: tokens_from.map(t), blocked: blocked.map(t), ..ada.clone() };
        assert_eq!(database.people().await.unwrap(), [expected]);
        let now = database.marks().await.unwrap().tokens;
        assert!(now > heard);
        heard = now;
    };
    check(database.end_sessions("ada", t(9)).await.unwrap(), Some(9), None).await;
    // The later instant stays.
    check(database.end_sessions("ada", t(7)).await.unwrap(), Some(9), None).await;
    check(database.block_person("ada", true, t(11)).await.unwrap(), Some(9), Some(11)).await;
    check(database.block_person("ada", false, t(12)).await.unwrap(), Some(9), None).await;
    assert!(!database.end_sessions("eve", t(9)).await.unwrap());
    assert!(!database.block_person("eve", true, t(9)).await.unwrap());
}
