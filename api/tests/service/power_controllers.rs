//! The service with real clients of management controllers: Redfish against sushy-emulator, and FreeIPMI against OpenIPMI's
//! simulator. Each is also broken: it hangs, refuses, lies and forgets. Run by `.ci/power`.

use std::path::PathBuf;
use std::time::Duration;

use controllers::{
    BMC_PASSWORD, Bmc, EMULATOR_PASSWORD, Emulator, Process, USER, freeipmi_config, limit_module,
};
use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{now, pass, path};
use crate::event_stream::Stream;
use crate::power_management::{
    AUTOMATIC, PATH, actions, booked, furnished, nodes_of, served, settings_of, until,
};
use crate::server::Server;
use crate::site::Site;
use crate::slower_states;

/// The controllers of nodes n0, n1, ...
enum Controllers {
    Redfish(Vec<Emulator>),
    Ipmi(Vec<Bmc>),
}

impl Controllers {
    /// So many, with more settings of the emulator.
    fn redfish(site: &Site, count: u32, settings: &str) -> Self {
        let one = |n| Emulator::start(site.folder(), &format!("n{n}"), settings);
        Self::Redfish((0..count).map(one).collect())
    }

    fn ipmi(site: &Site, count: u32) -> Self {
        let module = limit_module(site.folder());
        let one = |n| Bmc::start(site.folder(), &format!("n{n}"), &module);
        Self::Ipmi((0..count).map(one).collect())
    }

    /// The driver as the settings name it; it has the right password.
    fn driver(&self, site: &Site) -> String {
        let hosts: Vec<&str> = match self {
            Self::Redfish(emulators) => emulators.iter().map(|it| it.url.as_str()).collect(),
            Self::Ipmi(bmcs) => bmcs.iter().map(|it| it.host.as_str()).collect(),
        };
        let listed = (0..).zip(hosts).map(|(n, host)| format!("n{n} = \"{host}\""));
        let listed = listed.collect::<Vec<String>>().join(", ");
        let file = self.password(site, true);
        match self {
            Self::Redfish(_) => format!(
                "kind = \"redfish\", timeout_s = 2, addresses = {{ {listed} }}, \
                 basic = {{ user = \"{USER}\", password = {{ file = \"{}\" }} }}",
                file.display()
            ),
            Self::Ipmi(_) => format!(
                "kind = \"ipmi\", config_file = \"{}\", addresses = {{ {listed} }}",
                file.display()
            ),
        }
    }

    /// Gives the service the right password, or a wrong one; where it reads it.
    fn password(&self, site: &Site, is_right: bool) -> PathBuf {
        let file = site.folder().join("password");
        let wrong = "wr0ng-secret";
        match self {
            Self::Redfish(_) => {
                std::fs::write(&file, if is_right { EMULATOR_PASSWORD } else { wrong }).unwrap();
            }
            Self::Ipmi(_) => {
                let password = if is_right { BMC_PASSWORD } else { wrong };
                std::fs::rename(freeipmi_config(site.folder(), password), &file).unwrap();
            }
        }
        file
    }

    fn process(&self, node: &str) -> &Process {
        let place = place(node);
        match self {
            Self::Redfish(emulators) => &emulators[place].process,
            Self::Ipmi(bmcs) => &bmcs[place].process,
        }
    }

    /// Whether a node is on, asked around the service.
    fn is_on(&self, node: &str) -> bool {
        let place = place(node);
        match self {
            Self::Redfish(emulators) => emulators[place].is_on(),
            Self::Ipmi(bmcs) => bmcs[place].is_on(),
        }
    }

    fn orders(&self, node: &str) -> usize {
        let place = place(node);
        match self {
            Self::Redfish(emulators) => emulators[place].orders(),
            Self::Ipmi(bmcs) => bmcs[place].orders().len(),
        }
    }

    /// How long a node takes to switch: the emulator's up to eleven seconds.
    const fn boot_s(&self) -> u32 {
        match self {
            Self::Redfish(_) => 12,
            Self::Ipmi(_) => 2,
        }
    }

    async fn served(&self, site: &Site) -> Server {
        let text = settings_of(&self.driver(site), self.boot_s(), AUTOMATIC);
        let text = text.replace("off_patience_s = 5", "off_patience_s = 15");
        served(site, &text).await
    }
}

/// The number in a node's name.
fn place(node: &str) -> usize {
    node.trim_start_matches('n').parse().unwrap()
}

/// How many actions of a node came to an end in a state.
async fn ended(client: &Client, node: &str, action: &str, state: &str) -> usize {
    let ended = actions(client, &format!("state=final&node={node}&limit=1000")).await;
    ended.iter().filter(|it| it["action"] == action && it["state"] == state).count()
}

async fn until_asleep(client: &Client, nodes: &[&str]) {
    for node in nodes {
        until(&format!("{node} was read to be off"), || async {
            ended(client, node, "off", "done").await > 0
        })
        .await;
    }
}

/// The reservation whose nodes were replaced, as its owner sees it.
async fn until_replaced(client: &Client, stream: &mut Stream, reservation: &Value) -> Value {
    let told = stream.until("reservation.nodes_replaced").await.pop().unwrap();
    assert_eq!(told.data["reservation_id"], reservation["id"]);
    let told = client.get(&path(reservation)).await.ok(200);
    assert_eq!(told["notice"]["code"], "nodes_replaced");
    told
}

/// Idle nodes are read to be off; one that is booked is on at its start, and the other sleeps on.
async fn nodes_sleep_and_are_up_in_time(site: Site, controllers: Controllers) {
    let server = controllers.served(&site).await;
    let client = server.client();
    furnished(&client, 2).await;
    until_asleep(&client, &["n0", "n1"]).await;
    assert!(!controllers.is_on("n0") && !controllers.is_on("n1"));
    let (reservation, start) = booked(&client, 1, 75).await;
    let node = nodes_of(&client, &reservation).await.remove(0);
    let other = if node == "n0" { "n1" } else { "n0" };
    pass(start).await;
    assert!(controllers.is_on(&node) && !controllers.is_on(other));
    assert_eq!((controllers.orders(&node), controllers.orders(other)), (2, 1));
    assert_eq!(ended(&client, &node, "wake", "done").await, 1);
}

/// n2 hangs from the beginning: it is not ordered, and nobody takes it for off. The node that is booked hangs while it is
/// off: it is out of service, and another is up at the start.
async fn who_hangs_is_unknown_and_is_replaced(site: Site, controllers: Controllers) {
    let server = controllers.served(&site).await;
    controllers.process("n2").freeze();
    let client = server.client();
    furnished(&client, 3).await;
    until_asleep(&client, &["n0", "n1"]).await;
    let of_n2 = actions(&client, "node=n2").await;
    assert!(of_n2.iter().all(|it| it["state"] != "done" && it["orders"] == 0), "{of_n2:#?}");
    let (reservation, start) = booked(&client, 1, 110).await;
    let node = nodes_of(&client, &reservation).await.remove(0);
    // n2 may be on for all that is known; whoever has it is not the one who is to hang here.
    assert_ne!(node, "n2");
    controllers.process(&node).freeze();
    let mut stream = Stream::opened(&client).await;
    let told = until_replaced(&client, &mut stream, &reservation).await;
    println!("replaced {} s before the start", start - now());
    assert!(now() < start, "before the start");
    let detail = told["notice"]["detail"].as_str().unwrap();
    assert!(detail.contains(&node) && detail.contains("did not switch on"), "{detail}");
    let other = nodes_of(&client, &reservation).await.remove(0);
    assert_eq!(ended(&client, &node, "wake", "done").await, 0);
    let outages = client.get("/api/v1/outages").await.ok(200);
    assert_eq!(outages["items"][0]["nodes"], json!([node]), "{outages:#}");
    for frozen in [node.as_str(), "n2"] {
        controllers.process(frozen).thaw();
    }
    pass(start).await;
    assert!(controllers.is_on(&other), "{other} at the start");
}

/// The password is changed at the controllers while nodes sleep: nothing is known any more, no order counts as done, and the
/// owner hears before the start that the node does not come.
async fn who_refuses_the_password_is_unknown_and_the_owner_is_told(
    site: Site,
    controllers: Controllers,
) {
    let server = controllers.served(&site).await;
    let client = server.client();
    furnished(&client, 1).await;
    until_asleep(&client, &["n0"]).await;
    let (reservation, start) = booked(&client, 1, 75).await;
    controllers.password(&site, false);
    let mut stream = Stream::opened(&client).await;
    let told = stream.until("reservation.degraded").await.pop().unwrap();
    assert!(now() < start, "before the start");
    assert_eq!(told.data["reservation_id"], reservation["id"]);
    let told = client.get(&path(&reservation)).await.ok(200);
    assert_eq!((&told["degraded"], &told["notice"]["code"]), (&json!(true), &json!("outage")));
    let because = told["notice"]["outages"][0]["reason"].as_str().unwrap();
    assert!(because.contains("did not switch on") && !because.contains("wr0ng"), "{because}");
    assert_eq!(ended(&client, "n0", "wake", "done").await, 0);
    assert_eq!(controllers.orders("n0"), 1, "it was switched off, and nothing else");
    // Once the password is right, the node is seen, and the outage goes.
    controllers.password(&site, true);
    client.post(PATH, &json!({"action": "wake", "nodes": ["n0"]})).await.ok(200);
    stream.until("reservation.restored").await;
    assert!(controllers.is_on("n0"));
    assert!(!server.log().contains("wr0ng-secret"));
}

#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn by_redfish_nodes_sleep_and_are_up_in_time() {
    let site = Site::sqlite();
    let controllers = Controllers::redfish(&site, 2, "");
    nodes_sleep_and_are_up_in_time(site, controllers).await;
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn by_ipmi_nodes_sleep_and_are_up_in_time() {
    let site = Site::sqlite();
    let controllers = Controllers::ipmi(&site, 2);
    nodes_sleep_and_are_up_in_time(site, controllers).await;
}

#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn by_redfish_who_hangs_is_unknown_and_is_replaced() {
    let site = Site::sqlite();
    let controllers = Controllers::redfish(&site, 3, "");
    who_hangs_is_unknown_and_is_replaced(site, controllers).await;
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn by_ipmi_who_hangs_is_unknown_and_is_replaced() {
    let site = Site::sqlite();
    let controllers = Controllers::ipmi(&site, 3);
    who_hangs_is_unknown_and_is_replaced(site, controllers).await;
}

#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn by_redfish_who_refuses_the_password_is_unknown_and_the_owner_is_told() {
    let site = Site::sqlite();
    let controllers = Controllers::redfish(&site, 1, "");
    who_refuses_the_password_is_unknown_and_the_owner_is_told(site, controllers).await;
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn by_ipmi_who_refuses_the_password_is_unknown_and_the_owner_is_told() {
    let site = Site::sqlite();
    let controllers = Controllers::ipmi(&site, 1);
    who_refuses_the_password_is_unknown_and_the_owner_is_told(site, controllers).await;
}

/// It is told no for good: once, not at each turn.
#[tokio::test]
#[ignore = "needs sushy-emulator: .ci/power"]
async fn by_redfish_an_order_that_is_refused_is_not_given_at_each_turn() {
    let site = Site::sqlite();
    let controllers = Controllers::redfish(&site, 1, "SUSHY_EMULATOR_DISABLE_POWER_OFF = True");
    let server = controllers.served(&site).await;
    let client = server.client();
    furnished(&client, 1).await;
    until("it is refused", || async { ended(&client, "n0", "off", "refused").await > 0 }).await;
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(ended(&client, "n0", "off", "refused").await, 1);
    assert!(controllers.is_on("n0"));
    assert_eq!((controllers.orders("n0"), ended(&client, "n0", "off", "done").await), (1, 0));
}

/// Orders are accepted and nothing happens. Off: three orders, each 15 s after the one before and a wait of 1 or 2 s, and given
/// up in the open. On: out of service and replaced.
#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn by_ipmi_who_lies_is_retried_given_up_and_replaced() {
    let site = Site::sqlite();
    let controllers = Controllers::ipmi(&site, 3);
    let Controllers::Ipmi(bmcs) = &controllers else { unreachable!() };
    bmcs[2].fault("lies");
    let server = controllers.served(&site).await;
    let client = server.client();
    furnished(&client, 3).await;
    until_asleep(&client, &["n0", "n1"]).await;
    let mut stream = Stream::opened(&client).await;
    let (reservation, start) = booked(&client, 1, 75).await;
    let node = nodes_of(&client, &reservation).await.remove(0);
    bmcs[place(&node)].fault("lies");
    until("n2 is given up", || async { ended(&client, "n2", "off", "given_up").await > 0 }).await;
    let told = actions(&client, "state=final&node=n2").await;
    let because = told[0]["because"].as_str().unwrap().to_owned();
    assert!(because.contains("is on after 15 s; given up after 3 orders"), "{because}");
    let told = until_replaced(&client, &mut stream, &reservation).await;
    assert!(now() < start, "before the start");
    let detail = told["notice"]["detail"].as_str().unwrap();
    assert!(detail.contains(&node) && detail.contains("did not switch on"), "{detail}");
    assert_eq!(ended(&client, &node, "wake", "done").await, 0);
    let other = nodes_of(&client, &reservation).await.remove(0);
    pass(start).await;
    assert!(bmcs[place(&other)].is_on(), "{other} at the start");
    assert_eq!(bmcs[2].orders().len(), 3, "it was left alone then: {:?}", bmcs[2].orders());
}

/// A node that comes on again by itself is seen to be on, and switched off anew.
#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn by_ipmi_who_forgets_is_seen_to_be_on_again() {
    let site = Site::sqlite();
    let controllers = Controllers::ipmi(&site, 1);
    let Controllers::Ipmi(bmcs) = &controllers else { unreachable!() };
    let server = controllers.served(&site).await;
    let client = server.client();
    furnished(&client, 1).await;
    until_asleep(&client, &["n0"]).await;
    bmcs[0].fault("forgets");
    until("it is on by itself", || async { bmcs[0].is_on() }).await;
    bmcs[0].fault("none");
    until("it sleeps again", || async { ended(&client, "n0", "off", "done").await == 2 }).await;
    assert!(!bmcs[0].is_on());
    assert_eq!(bmcs[0].orders(), ["shutdown 1", "shutdown 1"]);
}

/// DCMI's limit is inactive at first, is 120 W while the reservation lasts, and is inactive again afterwards.
#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/power"]
async fn by_ipmi_a_slowed_reservation_is_limited_and_the_limit_lifted() {
    let site = Site::sqlite();
    let controllers = Controllers::ipmi(&site, 2);
    let Controllers::Ipmi(bmcs) = &controllers else { unreachable!() };
    for bmc in bmcs {
        bmc.limit("500 inactive 0");
    }
    let limits = "kind = \"ipmi\", raw_program = \"ipmi-raw\"";
    let driver = controllers.driver(&site).replace("kind = \"ipmi\"", limits);
    let server = served(&site, &slower_states::settings_of(&driver, "automatic", 15)).await;
    let client = server.client();
    slower_states::furnished(&client, 2, 300.0).await;
    let (_, start) = slower_states::booked_in(&client, 40, 5).await;
    pass(start).await;
    for bmc in bmcs {
        assert_eq!(bmc.limit_now(), "120 active 0");
    }
    for node in ["n0", "n1"] {
        until(&format!("{node} is unlimited"), || async {
            ended(&client, node, "lift", "done").await > 0
        })
        .await;
        assert_eq!(bmcs[place(node)].limit_now(), "120 inactive 0");
    }
}
