use std::time::Duration;

use openadr::{Changes, Ven};
use serde_json::json;

use crate::server::{Server, limit, now};

/// Generous: the machine may be slow.
const LONG: Duration = Duration::from_mins(1);

/// Short, for what must not come.
const SHORT: Duration = Duration::from_millis(300);

fn listening(ven: &Ven) -> tokio::task::JoinHandle<()> {
    let ven = ven.clone();
    tokio::spawn(async move { ven.listen(now, [7; 32]).await })
}

async fn changed(changes: &mut Changes) {
    tokio::time::timeout(LONG, changes.next()).await.expect("a change");
}

/// Until somebody is connected.
async fn connected(server: &Server) {
    let connected = async {
        while server.notify.receiver_count() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, connected).await.expect("a connection");
}

fn notification(id: &str) -> String {
    let object = limit("a", &[5.0]);
    json!({"id": id, "operation": "CREATE", "objectType": "EVENT", "object": object}).to_string()
}

#[tokio::test]
async fn a_notification_is_a_change_and_the_same_one_again_is_none() {
    let server = Server::start();
    let ven = server.ven();
    let mut changes = ven.changes();
    let listener = listening(&ven);
    connected(&server).await;
    changed(&mut changes).await;
    server.notify.send(notification("n1")).unwrap();
    changed(&mut changes).await;
    server.notify.send(notification("n1")).unwrap();
    assert!(tokio::time::timeout(SHORT, changes.next()).await.is_err(), "a duplicate");
    server.notify.send(notification("n2")).unwrap();
    changed(&mut changes).await;
    let wanted = server.world().subscriptions.clone();
    assert_eq!(wanted.len(), 1);
    assert_eq!(wanted[0]["objectOperations"][0]["mechanism"], "WEBSOCKET");
    listener.abort();
}

#[tokio::test]
async fn a_connection_that_closes_is_opened_again_without_subscribing_twice() {
    let server = Server::start();
    let ven = server.ven();
    let mut changes = ven.changes();
    let listener = listening(&ven);
    connected(&server).await;
    changed(&mut changes).await;
    server.notify.send("close".to_owned()).unwrap();
    let reconnected = async {
        // The first connection may still be counted: both were there when two sockets were asked for.
        while server.world().log.iter().filter(|it| *it == "GET /notifiers/ws").count() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LONG, reconnected).await.expect("another connection");
    changed(&mut changes).await;
    connected(&server).await;
    server.notify.send(notification("n1")).unwrap();
    changed(&mut changes).await;
    assert_eq!(server.world().subscriptions.len(), 1);
    listener.abort();
}

/// 409 while the server thinks that the connection before is still there; then 503; then a stale
/// token. Each is tried again.
#[tokio::test]
async fn refusals_of_the_socket_are_tried_again() {
    let server = Server::start();
    let ven = server.ven();
    // The program is asked for once more for the subscription.
    ven.events(now()).await.unwrap();
    server.world().failures.extend([(503, Some("1"), "later")]);
    let mut changes = ven.changes();
    let listener = listening(&ven);
    connected(&server).await;
    changed(&mut changes).await;
    assert!(server.log().iter().filter(|it| *it == "GET /notifiers").count() >= 2);
    listener.abort();
}

#[tokio::test]
async fn a_site_that_wants_no_notifications_asks_for_none() {
    let server = Server::start();
    let mut settings = server.settings();
    settings.push = false;
    let ven = Ven::connect(settings, server.ven().currency()).unwrap();
    tokio::time::timeout(LONG, ven.listen(now, [7; 32])).await.expect("returns at once");
    assert_eq!(server.log(), [""; 0]);
}
