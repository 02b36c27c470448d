//! Slurm's accounts as projects, by its real `sacctmgr`.

use std::process::Command;

use serde_json::{Value, json};

use crate::peer::Peer;

/// What `wattbook project import --slurm` would take over.
fn imported(peer: &Peer) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattbook"));
    command.args(["project", "import", "--slurm", "--dry-run", "--cluster", &peer.cluster]);
    let output = command.arg("--sacctmgr").arg(peer.bin.join("sacctmgr")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The accounts physics and chemistry have the users alice, bob and carol.
#[test]
#[ignore = "needs a real Slurm: .ci/slurm"]
fn accounts_are_projects_and_their_coordinators_manage_them() {
    let peer = Peer::of_environment();
    if !peer.slurmdbd {
        return;
    }
    for words in [
        "add account ocean Description=ocean Organization=site parent=physics",
        "add user bob Account=ocean",
        "add coordinator Account=ocean Names=carol",
    ] {
        // The account is there already when the test is run again.
        let words = words.split(' ');
        peer.program("sacctmgr").arg("--immediate").args(words).output().unwrap();
    }
    let told = imported(&peer);
    assert_eq!(told["source"], "slurm");
    let project = |name: &str| {
        let all = told["projects"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name} in {told}"))
    };
    assert_eq!(project("ocean")["parent"], "physics");
    let members =
        json!([{ "user": "bob", "manager": false }, { "user": "carol", "manager": true }]);
    assert_eq!(project("ocean")["members"], members);
    assert_eq!(project("physics")["parent"], Value::Null);
    let users: Vec<&Value> =
        project("physics")["members"].as_array().unwrap().iter().map(|it| &it["user"]).collect();
    for user in ["alice", "bob", "carol"] {
        assert!(users.contains(&&json!(user)), "{user} in {users:?}");
    }
    let all = told["projects"].as_array().unwrap();
    assert!(all.iter().all(|it| it["name"] != "root"), "{told}");
}
