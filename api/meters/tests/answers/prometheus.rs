//! Prometheus: questions in pages, and what of answers is taken, left out and told.

use std::time::Duration;

use grid_feeds::feed::{FeedError, RetryClass, SecretSource};
use grid_feeds::http::{Http, Timeouts};
use meters::access::Access;
use meters::answer::Answer;
use meters::name::NameRule;
use meters::prometheus::{Prometheus, PrometheusSettings};
use planner::metering::MeterUnit;
use planner::time::{Seconds, Span, Timestamp};

use super::server::{Reply, Server};

/// 2026-01-01T00:00:00Z.
const START: i64 = 1_767_225_600;

fn span(seconds: i64) -> Span {
    let start = Timestamp::from_unix_seconds(START);
    Span::starting(start, Seconds::new(seconds)).unwrap()
}

fn settings(server: &Server, query: &str) -> PrometheusSettings {
    PrometheusSettings {
        url: server.url.parse().unwrap(),
        access: Access::Open,
        query: query.to_owned(),
        name: NameRule::new("instance", None).unwrap(),
        unit: MeterUnit::Watt,
        period: Seconds::new(10),
    }
}

async fn asked(settings: PrometheusSettings, seconds: i64) -> Result<Answer, FeedError> {
    let timeouts = Timeouts { total: Duration::from_secs(2), ..Timeouts::default() };
    let meter = Prometheus::new(settings, Http::new(timeouts).unwrap());
    let span = span(seconds);
    meter.samples(span, span.end()).await
}

/// A matrix of series, each with its labels and values as JSON.
fn matrix(series: &[(&str, &str)]) -> Reply {
    let one =
        |(labels, values): &(&str, &str)| format!(r#"{{"metric": {labels}, "values": {values}}}"#);
    let series: Vec<_> = series.iter().map(one).collect();
    Reply::Answer(
        200,
        format!(
            r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{}]}}}}"#,
            series.join(",")
        ),
    )
}

/// Milliseconds after the start, and milliwatts.
fn of(answer: &Answer, name: &str) -> Vec<(i64, i64)> {
    let of_name = answer.series.iter().filter(|it| &*it.name == name);
    let samples = of_name.flat_map(|it| &it.samples);
    samples.map(|it| (it.at.as_unix_milliseconds() - START * 1000, it.value_milli)).collect()
}

#[tokio::test]
async fn samples_keep_their_instants_and_what_is_no_number_is_left_out_and_told() {
    let server = Server::new(|_| {
        matrix(&[
            (
                r#"{"instance": "n1:9100"}"#,
                r#"[[1767225600.123, "401.25"], [1767225610.5, "NaN"], [1767225620, "+Inf"],
                    [1767225630, "4.5e+02"], [1767225660, "1"]]"#,
            ),
            (r#"{"job": "x"}"#, r#"[[1767225600, "1"]]"#),
        ])
    })
    .await;
    let answer = asked(settings(&server, "power_watts"), 60).await.unwrap();
    // The last is outside of [0 s, 60 s).
    assert_eq!(of(&answer, "n1"), [(123, 401_250), (30_000, 450_000)]);
    let notes: Vec<_> = answer.notes.iter().map(String::as_str).collect();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes.iter().any(|it| it.contains("NaN") && it.contains("n1")), "{notes:?}");
    assert!(notes.iter().any(|it| it.contains("no label \"instance\"") && it.contains("job")));
    // A selector: the samples as they were scraped.
    let requests = server.requests();
    assert_eq!((requests[0].path.as_str(), requests.len()), ("/api/v1/query", 1));
    assert_eq!(requests[0].method, "POST");
    assert_eq!(requests[0].body, "query=power_watts%5B61s%5D&time=1767225660");
}

#[tokio::test]
async fn an_expression_is_evaluated_at_every_period_and_looks_back_no_further() {
    let server = Server::new(|_| matrix(&[])).await;
    let answer = asked(settings(&server, "sum by (instance) (last_over_time(p[$window]))"), 65)
        .await
        .unwrap();
    assert_eq!(answer, Answer::default());
    let request = &server.requests()[0];
    assert_eq!(request.path, "/api/v1/query_range");
    for part in
        ["start=1767225600&", "end=1767225664&", "step=10&", "lookback_delta=15", "p%5B15s%5D"]
    {
        assert!(request.body.contains(part), "{}", request.body);
    }
}

#[tokio::test]
async fn series_of_one_node_follow_each_other_or_are_left_out() {
    let server = Server::new(|_| {
        matrix(&[
            (r#"{"instance": "n1", "version": "2"}"#, r#"[[1767225620, "3"], [1767225630, "4"]]"#),
            (r#"{"instance": "n1", "version": "1"}"#, r#"[[1767225600, "1"], [1767225610, "2"]]"#),
            (r#"{"instance": "n2", "zone": "a"}"#, r#"[[1767225600, "1"], [1767225620, "1"]]"#),
            (r#"{"instance": "n2", "zone": "b"}"#, r#"[[1767225610, "7"]]"#),
        ])
    })
    .await;
    let answer = asked(settings(&server, "power_watts"), 60).await.unwrap();
    let n1 = of(&answer, "n1");
    assert_eq!(n1, [(0, 1000), (10_000, 2000), (20_000, 3000), (30_000, 4000)]);
    assert_eq!(of(&answer, "n2"), []);
    let notes: Vec<_> = answer.notes.iter().collect();
    assert!(
        notes.len() == 1 && notes[0].contains("n2") && notes[0].contains("sum by"),
        "{notes:?}"
    );
}

/// 40 s are asked for as 40, 20, 10, 10 and 20 s where no more than 15 s may be asked for at once.
#[tokio::test]
async fn what_is_too_much_at_once_is_asked_for_in_halves() {
    let server = Server::new(|request| {
        let (length, rest) = request.body.split_once("%5B").unwrap().1.split_once("s%5D").unwrap();
        let end: i64 = rest.strip_prefix("&time=").unwrap().parse().unwrap();
        let start = end - (length.parse::<i64>().unwrap() - 1);
        if end - start > 15 {
            let message =
                "query processing would load too many samples into memory in query execution";
            let body =
                format!(r#"{{"status": "error", "errorType": "execution", "error": "{message}"}}"#);
            return Reply::Answer(422, body);
        }
        matrix(&[(r#"{"instance": "n1"}"#, &format!(r#"[[{start}, "1"], [{end}, "2"]]"#))])
    })
    .await;
    let answer = asked(settings(&server, "power_watts"), 40).await.unwrap();
    // Each half has its start, and not its end, which is the next one's start.
    let starts: Vec<_> = of(&answer, "n1").into_iter().map(|it| it.0 / 1000).collect();
    assert_eq!(starts, [0, 10, 20, 30]);
    assert_eq!(server.requests().len(), 7);
}

#[tokio::test]
async fn whoever_asks_shows_who_it_is_and_no_error_tells_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "s3cr3t-t0ken\n").unwrap();
    let source = SecretSource::File(file.clone());
    let server = Server::new(|request| {
        let shown = request.headers["authorization"].to_str().unwrap();
        Reply::Answer(401, format!("not you: {shown}"))
    })
    .await;
    let basic = Access::Basic { user: "alice".into(), password: source.clone() };
    for (access, shown) in
        [(Access::Bearer(source), "Bearer s3cr3t-t0ken"), (basic, "Basic YWxpY2U6czNjcjN0LXQwa2Vu")]
    {
        let settings = PrometheusSettings { access, ..settings(&server, "power_watts") };
        let error = asked(settings, 60).await.unwrap_err();
        assert_eq!(error.retry(), RetryClass::Permanent);
        assert!(error.to_string().contains("401"), "{error}");
        assert!(!error.to_string().contains("s3cr3t") && !error.to_string().contains("czNjcjN0"));
        assert_eq!(server.requests().last().unwrap().headers["authorization"], shown);
    }
    std::fs::remove_file(&file).unwrap();
    let gone = Access::Bearer(SecretSource::File(file));
    let settings = PrometheusSettings { access: gone, ..settings(&server, "power_watts") };
    let error = asked(settings, 60).await.unwrap_err().to_string();
    assert!(error.contains("cannot read the secret in"), "{error}");
}

#[tokio::test]
async fn a_bad_answer_is_an_error_that_says_whether_to_ask_again() {
    let said = |status, error: &str, kind: &str| {
        let body = format!(r#"{{"status": "error", "errorType": "{kind}", "error": "{error}"}}"#);
        Reply::Answer(status, body)
    };
    let vector = r#"{"status": "success", "data": {"resultType": "vector", "result": []}}"#;
    for (reply, retry, words) in [
        (said(400, "parse error: unexpected", "bad_data"), RetryClass::Permanent, "parse error"),
        (said(422, "unknown function", "execution"), RetryClass::Permanent, "unknown function"),
        (said(200, "refused", "bad_data"), RetryClass::Permanent, "refused"),
        (Reply::Answer(503, "starting".into()), RetryClass::Backoff, "503"),
        (
            Reply::WithHeader(429, "Retry-After", "30".into(), String::new()),
            RetryClass::After(Seconds::new(30)),
            "30 s",
        ),
        (Reply::Answer(404, "<h1>no</h1>".into()), RetryClass::Permanent, "404"),
        (Reply::Answer(400, "<h1>proxy</h1>".into()), RetryClass::Permanent, "proxy"),
        (Reply::Answer(500, String::new()), RetryClass::Backoff, "500"),
        (Reply::Answer(200, "<h1>login</h1>".into()), RetryClass::Backoff, "the answer"),
        (Reply::Answer(200, "{}".into()), RetryClass::Backoff, "status"),
        (Reply::Answer(200, vector.into()), RetryClass::Backoff, "not a matrix"),
        (matrix(&[("7", "[]")]), RetryClass::Backoff, "data.result"),
        (matrix(&[("{}", r#"[["soon", "1"]]"#)]), RetryClass::Backoff, "data.result"),
        (Reply::Cut(r#"{"status": "success""#.into()), RetryClass::Backoff, "no answer"),
        (Reply::Silence, RetryClass::Backoff, "no answer"),
    ] {
        let told = reply.clone();
        let server = Server::new(move |_| told.clone()).await;
        let error = asked(settings(&server, "power_watts"), 60).await.unwrap_err();
        assert_eq!(error.retry(), retry, "{reply:?}: {error}");
        assert!(error.to_string().contains(words), "{reply:?}: {error}");
        assert!(!error.to_string().contains("127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn a_query_that_takes_too_long_is_asked_for_in_halves_and_no_further() {
    let server = Server::new(|_| {
        let body = r#"{"status": "error", "errorType": "timeout", "error": "query timed out"}"#;
        Reply::Answer(503, body.into())
    })
    .await;
    let error = asked(settings(&server, "power_watts"), 60).await.unwrap_err();
    assert_eq!(error.retry(), RetryClass::Backoff, "{error}");
    // 60 s, its first half, the first half of that, and so on down to one second: 60, 30, 15, 7, 3, 1.
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn warnings_are_told() {
    let server = Server::new(|_| {
        let body = r#"{"status": "success", "warnings": ["a store is away"],
                       "data": {"resultType": "matrix", "result": []}}"#;
        Reply::Answer(200, body.into())
    })
    .await;
    let answer = asked(settings(&server, "power_watts"), 60).await.unwrap();
    assert!(answer.notes.iter().any(|it| it.contains("a store is away")), "{answer:?}");
}
