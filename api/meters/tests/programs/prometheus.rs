//! Debian's Prometheus, which scrapes an exporter of ours with curves that are known.

use std::fmt::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use grid_feeds::http::{Http, Timeouts};
use meters::access::Access;
use meters::answer::Answer;
use meters::name::NameRule;
use meters::prometheus::{Prometheus, PrometheusSettings};
use planner::metering::{MeterUnit, Sample};
use planner::time::{Seconds, Span, Timestamp};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// A Prometheus with a folder of its own, which ends with it.
struct Peer {
    url: String,
    folder: TempDir,
    _process: Child,
}

impl Peer {
    /// One that scrapes an exporter each second, and has what is in its folder.
    async fn start(folder: TempDir, exporter: &str, options: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let configuration = format!(
            "global: {{scrape_interval: 1s, scrape_timeout: 1s}}\n\
             scrape_configs: [{{job_name: ours, static_configs: [{{targets: ['{exporter}']}}]}}]\n"
        );
        let file = folder.path().join("prometheus.yml");
        std::fs::write(&file, configuration).unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let process = Command::new("prometheus")
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg("--storage.tsdb.retention.time=10y")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .args(options)
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let peer = Self { url: format!("http://127.0.0.1:{port}"), folder, _process: process };
        peer.until_ready().await;
        peer
    }

    async fn until_ready(&self) {
        let http = Http::new(Timeouts::default()).unwrap();
        let begun = Instant::now();
        loop {
            let asked = http.request(reqwest::Method::GET, format!("{}/-/ready", self.url)).send();
            if asked.await.is_ok_and(|it| it.status() == StatusCode::OK) {
                return;
            }
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap();
            assert!(begun.elapsed() < Duration::from_mins(1), "{}", log());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    fn meter(&self, query: &str, unit: MeterUnit, period: i64) -> Prometheus {
        let settings = PrometheusSettings {
            url: self.url.parse().unwrap(),
            access: Access::Open,
            query: query.to_owned(),
            name: NameRule::new("node", None).unwrap(),
            unit,
            period: Seconds::new(period),
        };
        Prometheus::new(settings, Http::new(Timeouts::default()).unwrap())
    }
}

fn unix_seconds() -> f64 {
    #[expect(clippy::disallowed_methods, reason = "Prometheus scrapes by the world's time")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

#[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
fn now() -> i64 {
    unix_seconds() as i64
}

/// Watts at an instant: a ramp of 10 W each second, so that 30 s go over many.
fn ramp(at: f64) -> f64 {
    at.rem_euclid(1e6) * 10.0
}

/// Joules since the beginning of the million seconds: the integral of [`ramp`].
fn ramp_energy(at: f64) -> f64 {
    5.0 * at.rem_euclid(1e6).powi(2)
}

/// The address of an exporter of curves. They tell their own instants, so that nothing depends on how long a
/// scrape takes; `node_plain_watts` does not, and its second series is there while `lives` says so.
async fn exporter(lives: Arc<AtomicBool>) -> String {
    let metrics = move || {
        let lives = Arc::clone(&lives);
        async move {
            let milliseconds = (unix_seconds() * 1000.0).floor();
            let at = milliseconds / 1000.0;
            let mut text = format!(
                "node_curve_watts{{node=\"n1\"}} {} {milliseconds}\n\
                 node_curve_joules_total{{node=\"n1\"}} {} {milliseconds}\n\
                 node_plain_watts{{node=\"n1\"}} 200\nnode_nothing_watts{{node=\"n1\"}} NaN\n",
                ramp(at),
                ramp_energy(at),
            );
            if lives.load(Ordering::Relaxed) {
                text.push_str("node_plain_watts{node=\"n2\"} 300\n");
            }
            text
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let app = Router::new().route("/metrics", get(metrics));
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

fn of<'a>(answer: &'a Answer, name: &str) -> Vec<&'a Sample> {
    answer.series.iter().filter(|it| &*it.name == name).flat_map(|it| &it.samples).collect()
}

fn seconds(sample: &Sample) -> f64 {
    sample.at.as_unix_milliseconds() as f64 / 1000.0
}

/// Joules by the trapezium rule.
fn trapezia(samples: &[&Sample]) -> f64 {
    let pairs = samples.windows(2);
    pairs
        .map(|it| {
            let mean = (it[0].value_milli + it[1].value_milli) as f64 / 2000.0;
            mean * (seconds(it[1]) - seconds(it[0]))
        })
        .sum()
}

/// A ramp is linear, so trapezia are exact but for rounding: 0.5 mW over 20 s, and as much for the counter's ends.
#[tokio::test]
#[ignore = "needs Prometheus: .ci/meters"]
async fn a_curve_that_is_scraped_has_its_integral_as_gauge_and_as_counter() {
    let lives = Arc::new(AtomicBool::new(true));
    let exporter = exporter(Arc::clone(&lives)).await;
    let peer = Peer::start(tempfile::tempdir().unwrap(), &exporter, &[]).await;
    let begun = Timestamp::from_unix_seconds(now() - 5);
    tokio::time::sleep(Duration::from_secs(8)).await;
    lives.store(false, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(8)).await;
    let now = Timestamp::from_unix_seconds(now());
    let span = Span::new(begun, now).unwrap();

    let gauge =
        peer.meter("node_curve_watts", MeterUnit::Watt, 1).samples(span, now).await.unwrap();
    let samples = of(&gauge, "n1");
    assert!(samples.len() >= 10 && gauge.notes.is_empty(), "{gauge:?}");
    let (first, last) = (seconds(samples[0]), seconds(samples[samples.len() - 1]));
    let truth = ramp_energy(last) - ramp_energy(first);
    assert!((trapezia(&samples) - truth).abs() < 0.02, "{} {truth}", trapezia(&samples));

    let query = "node_curve_joules_total";
    let counter = peer.meter(query, MeterUnit::Joule, 1).samples(span, now).await.unwrap();
    let samples = of(&counter, "n1");
    let (first, last) = (samples[0], samples[samples.len() - 1]);
    let difference = (last.value_milli - first.value_milli) as f64 / 1000.0;
    let truth = ramp_energy(seconds(last)) - ramp_energy(seconds(first));
    assert!((difference - truth).abs() < 0.02, "{difference} {truth}");

    let nothing = peer.meter("node_nothing_watts", MeterUnit::Watt, 1).samples(span, now).await;
    let nothing = nothing.unwrap();
    assert!(nothing.count() == 0 && nothing.notes.iter().any(|it| it.contains("NaN")));

    // What is gone is gone at once: Prometheus would go on for five minutes where it is only asked for the latest.
    for query in ["node_plain_watts", "sum by (node) (node_plain_watts)"] {
        let plain = peer.meter(query, MeterUnit::Watt, 1).samples(span, now).await.unwrap();
        let (stays, goes) = (of(&plain, "n1"), of(&plain, "n2"));
        assert!(stays.iter().all(|it| it.value_milli == 200_000));
        assert!(goes.iter().all(|it| it.value_milli == 300_000));
        assert!(goes.len() + 4 < stays.len(), "{query}: {} {}", goes.len(), stays.len());
    }
}

/// Prometheus itself does not scrape for ten minutes: nothing may be told of them.
#[tokio::test]
#[ignore = "needs Prometheus: .ci/meters"]
async fn a_long_history_comes_whole_in_pages_and_its_gaps_stay_gaps() {
    let folder = tempfile::tempdir().unwrap();
    // A day at 5 s: 17,280 samples of each of two series, but for ten minutes.
    let start = 1_767_225_600_i64;
    let is_gap = |second: i64| (30_000..30_600).contains(&second);
    let mut text = String::from("# TYPE node_power_watts gauge\n");
    for node in ["n1", "n2"] {
        for second in (0..86_400).step_by(5).filter(|it| !is_gap(*it)) {
            let at = start + second;
            writeln!(text, "node_power_watts{{node=\"{node}\"}} {second} {at}").unwrap();
        }
    }
    text += "# EOF\n";
    import(folder.path(), &text).await;
    // As a busy site limits it: no query may load more samples.
    let peer = Peer::start(folder, "127.0.0.1:1", &["--query.max-samples=20000"]).await;
    let begin = Timestamp::from_unix_seconds(start);
    let day = Span::starting(begin, Seconds::new(86_400)).unwrap();

    for query in ["node_power_watts", "sum by (node) (last_over_time(node_power_watts[$window]))"] {
        let meter = peer.meter(query, MeterUnit::Watt, 5);
        let mut samples: Vec<(String, Sample)> = Vec::new();
        let mut from = day.start();
        while from < day.end() {
            let to = day.end().min(from + meter.longest());
            let page = Span::new(from, to).unwrap();
            let answer = meter.samples(page, day.end()).await.unwrap();
            for series in answer.series {
                samples.extend(series.samples.iter().map(|it| (series.name.to_string(), *it)));
            }
            from = to;
        }
        for node in ["n1", "n2"] {
            let of_node = samples.iter().filter(|(name, _)| name == node);
            let seconds: Vec<i64> =
                of_node.clone().map(|(_, it)| it.at.second().as_unix_seconds() - start).collect();
            // Evaluated at the instants of scrapes an expression has one more: half a period after the last.
            let expected: Vec<i64> = (0..86_400)
                .step_by(5)
                .filter(|it| !is_gap(*it) || (query.starts_with("sum") && *it == 30_000))
                .collect();
            assert_eq!(seconds, expected, "{query} of {node}");
            let exact = of_node.filter(|(_, it)| {
                it.value_milli == (it.at.second().as_unix_seconds() - start) * 1000
            });
            assert_eq!(exact.count(), 86_400 / 5 - 120, "{query} of {node}");
        }
    }
}

/// Puts samples into the folder of a Prometheus that does not run.
async fn import(folder: &Path, text: &str) {
    let file = folder.join("history");
    std::fs::write(&file, text).unwrap();
    let imported = Command::new("promtool")
        .args(["tsdb", "create-blocks-from", "openmetrics", "--quiet"])
        .arg(&file)
        .arg(folder.join("data"))
        .output()
        .await
        .unwrap();
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
}
