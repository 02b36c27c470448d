//! Feeds while PostgreSQL is out of reach: a proxy between it and the service is cut and mended.

use std::sync::Arc;
use std::time::Duration;

use replay_supplier::Fault;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::server::PATIENCE;
use crate::site::Site;
use crate::supply::{Supply, feed, until};

/// Between a service and its database.
struct Proxy {
    /// The database's URL by way of the proxy.
    url: String,
    open: Arc<watch::Sender<bool>>,
}

impl Proxy {
    /// To the server of a URL such as `postgres://user@host:5432/name`.
    async fn before(url: &str) -> Self {
        let (credentials, rest) = url.split_once('@').unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let server =
            if server.contains(':') { server.to_owned() } else { format!("{server}:5432") };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{credentials}@{}/{name}", listener.local_addr().unwrap());
        let open = Arc::new(watch::Sender::new(true));
        let opened = Arc::clone(&open);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (server, mut open) = (server.clone(), opened.subscribe());
                tokio::spawn(async move {
                    if *open.borrow() {
                        tokio::select! {
                            () = passed_on(client, &server) => {}
                            _ = open.wait_for(|open| !open) => {}
                        }
                    }
                });
            }
        });
        Self { url, open }
    }

    /// Ends all connections and lets none through, or lets them through again.
    fn set_open(&self, open: bool) {
        self.open.send_replace(open);
    }
}

async fn passed_on(mut client: TcpStream, server: &str) {
    if let Ok(mut server) = TcpStream::connect(server).await {
        // Either end may go away at any time.
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn feeds_go_on_by_themselves_after_postgres_was_out_of_reach() {
    let name = "feeds_go_on_by_themselves_after_postgres_was_out_of_reach";
    if let Some(site) = Site::postgres(name).await {
        site.run(out_of_reach).await;
    }
}

/// A minute of the clock in a second, and a poll every two minutes. For longer than leases last.
async fn out_of_reach(site: Site) {
    let proxy = Proxy::before(&site.database).await;
    let mut behind = site.clone();
    behind.database.clone_from(&proxy.url);
    let supply = Supply::at_rate(60).await;
    let pace = "poll = { poll_every_s = 120, publications = [], catch_up_s = 10 }";
    let server = supply.serve(&behind, &supply.entsoe("entsoe", pace)).await;
    let client = server.client();
    let heard = |feeds: &serde_json::Value| feed(feeds, "entsoe")["status"] == "ok";
    until(&client, "/api/v1/feeds", heard).await;
    let before = client.get("/api/v1/feeds/entsoe/revisions").await.ok(200);
    let known = before["items"].as_array().unwrap().len();

    proxy.set_open(false);
    supply.supplier.set_fault(Some(Fault::Revised));
    let polls = supply.supplier.requests();
    tokio::time::sleep(Duration::from_secs(12)).await;
    // 12 minutes of the clock would be six polls; who cannot write asks no more.
    let made = supply.supplier.requests() - polls;
    assert!(made <= 2, "{made} requests while nothing could be kept");

    proxy.set_open(true);
    let give_up = tokio::time::Instant::now() + 3 * PATIENCE;
    while client.get("/health/ready").await.status != 200 {
        assert!(tokio::time::Instant::now() < give_up, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let polls = supply.supplier.requests();
    let back = tokio::time::Instant::now();
    let revisions = until(&client, "/api/v1/feeds/entsoe/revisions", |revisions| {
        revisions["items"].as_array().unwrap().len() > known
    })
    .await;
    // What was known before is there still, and the agenda has what is new.
    let items = revisions["items"].as_array().unwrap();
    assert_eq!(items[items.len() - known..], before["items"].as_array().unwrap()[..]);
    until(&client, "/api/v1/feeds", heard).await;
    let day = "/api/v1/agendas/price?from=2026-03-20T12:00:00Z&to=2026-03-20T13:00:00Z";
    let revised = crate::supply::true_value(
        &crate::supply::truth().price,
        crate::supply::at("2026-03-20T12:00:00Z").as_unix_seconds(),
    );
    let revised = revised.as_f64().unwrap() + 1.0;
    until(&client, day, |agenda| agenda["pieces"][0]["price_per_mwh"] == revised).await;
    // A poll every two seconds, give or take, and one to catch up.
    let made = supply.supplier.requests() - polls;
    let usual = back.elapsed().as_secs();
    assert!(made <= usual + 3, "{made} requests in {usual} s");
}
