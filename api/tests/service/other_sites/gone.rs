//! A site that is slow or gone delays nobody, is told with what helps, and to whoever watches.

use std::time::{Duration, Instant};

use super::between::Does;
use super::three::{Three, of_site};
use crate::event_stream::Stream;
use crate::server::PATIENCE;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_site_that_is_slow_or_gone_is_told_and_delays_nobody,
}

/// How long a machine that is busy may take for what is immediate.
const SOON: Duration = Duration::from_secs(5);

async fn a_site_that_is_slow_or_gone_is_told_and_delays_nobody(site: Site) {
    let three = Three::start(&site, "timeout_s = 1.0\npause_s = 2.0").await;
    let before = three.ask().await;
    let Three { home, lyon, to_lyon, to_nice, hours, .. } = three;
    let question =
        serde_json::json!({ "request": hours.request(1, 1, 12), "output_bytes": 1_000_000_000 });
    let client = home.client();
    let mut stream = Stream::opened(&client).await;
    lyon.kill();
    to_lyon.now(Does::CutOff);
    to_nice.now(Does::Nothing);
    for asked in 1..=4 {
        let began = Instant::now();
        let told = client.post("/api/v1/site-offers", &question).await.ok(200);
        assert!(began.elapsed() < Duration::from_secs(1) + SOON, "{:?}", began.elapsed());
        // This site's own offers are what they were, and the choice is among them.
        assert_eq!(of_site(&told, "home")["offers"], of_site(&before, "home")["offers"]);
        assert_eq!(told["offers"], of_site(&told, "home")["offers"]);
        assert_eq!(told["compromise"], of_site(&told, "home")["compromise"]);
        let states = ["lyon", "nice"].map(|name| of_site(&told, name)["state"].clone());
        let expected = if asked <= 3 { ["unreachable", "slow"] } else { ["paused", "paused"] };
        assert_eq!(states, expected, "{told}");
        for name in ["lyon", "nice"] {
            let detail = of_site(&told, name)["detail"].as_str().unwrap();
            let helps = ["again", "left alone"].iter().any(|word| detail.contains(word));
            assert!(helps && !detail.contains("127.0.0.1"), "{detail}");
        }
    }
    // It is told which are silent, and by metrics.
    for name in ["lyon", "nice"] {
        let told = stream.until("site.silent").await;
        assert_eq!(told.last().unwrap().data["site"], name);
    }
    let metrics = client.get("/metrics").await.body;
    for name in ["lyon", "nice"] {
        let silent = format!("wattbook_other_site_up{{site=\"{name}\"}} 0\n");
        assert!(metrics.contains(&silent), "{metrics}");
        assert!(metrics.contains(&format!("wattbook_other_site_age_seconds{{site=\"{name}\"}} ")));
        let failures = format!("wattbook_other_site_failures_total{{site=\"{name}\"}} ");
        assert!(metrics.contains(&failures), "{metrics}");
    }
    // A quote of this site asks nobody else.
    to_nice.now(Does::Pass);
    client.post("/api/v1/quotes", &question["request"]).await.ok(200);
    // Once the pause is over a site that is back is asked again.
    let began = Instant::now();
    loop {
        let told = client.post("/api/v1/site-offers", &question).await.ok(200);
        if of_site(&told, "nice")["offers"] == of_site(&before, "nice")["offers"] {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "{told}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let told = stream.until("site.answers").await;
    assert_eq!(told.last().unwrap().data["site"], "nice");
    let log = home.log();
    assert!(log.contains("another site does not answer"), "{log}");
}
