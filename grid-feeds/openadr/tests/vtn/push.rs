use std::time::Duration;

use openadr::{Changes, Ven};

use crate::server::{LONG, Vtn, event, now, power, until, word};

fn listening(ven: &Ven) -> tokio::task::JoinHandle<()> {
    let ven = ven.clone();
    tokio::spawn(async move { ven.listen(now, [7; 32]).await })
}

async fn changed(changes: &mut Changes) {
    tokio::time::timeout(LONG, changes.next()).await.expect("a change");
}

/// Created, changed and deleted; then the server restarts, and creates another.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn what_the_supplier_changes_is_told_at_once_and_after_a_restart_too() {
    let mut vtn = Vtn::start().await;
    let program = vtn.program().await;
    let ven = vtn.ven();
    let mut changes = ven.changes();
    let listener = listening(&ven);
    // Connected: something may have changed before.
    changed(&mut changes).await;
    let limits = |kilowatts| event(&program, "cap", "IMPORT_CAPACITY_LIMIT", 1, &[kilowatts]);
    let mut cap = program.create_event(limits(60.0)).await.unwrap();
    changed(&mut changes).await;
    assert_eq!(word(&ven).await.limit.said.pieces()[0].value, power(60.0));
    *cap.content_mut() = limits(40.0);
    cap.update().await.unwrap();
    changed(&mut changes).await;
    assert_eq!(word(&ven).await.limit.said.pieces()[0].value, power(40.0));
    cap.delete().await.unwrap();
    changed(&mut changes).await;
    assert!(word(&ven).await.limit.said.pieces().is_empty());

    vtn.kill();
    vtn.start_again('B').await;
    changed(&mut changes).await;
    let program = vtn.supplier().get_program_by_id(program.id()).await.unwrap();
    program.create_event(limits(50.0)).await.unwrap();
    changed(&mut changes).await;
    assert_eq!(word(&ven).await.limit.said.pieces()[0].value, power(50.0));
    listener.abort();
}

/// The server keeps one connection for each client: another is refused with 409 until the first is
/// found to be gone, which is when it is next written to.
#[tokio::test]
#[ignore = "needs a server: .ci/openadr-vtn"]
async fn a_second_connection_waits_for_the_first_to_be_gone() {
    let vtn = Vtn::start().await;
    let program = vtn.program().await;
    let (first, second) = (vtn.ven(), vtn.ven());
    let (mut of_first, mut of_second) = (first.changes(), second.changes());
    let listener = listening(&first);
    changed(&mut of_first).await;
    let waiting = listening(&second);
    let refused = tokio::time::timeout(Duration::from_millis(500), of_second.next()).await;
    assert!(refused.is_err(), "refused");
    listener.abort();
    // Each notification lets the server look whether the first is still there.
    let poke = async || {
        let price = event(&program, "poke", "PRICE", 1, &[0.1]);
        program.create_event(price).await.unwrap();
        tokio::time::timeout(Duration::from_millis(500), of_second.clone().next()).await.ok()
    };
    until(poke).await;
    waiting.abort();
}
