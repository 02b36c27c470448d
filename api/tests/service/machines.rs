//! Machines that a site's own command switches: a shell script that keeps what each node is in a file, and notes every
//! order in another.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::site::Site;

/// `$2` and what follows are nodes; of `set-limit`, which has the limit before them, `$3`. A node with a file `.absent` ignores
/// orders to come on, one with a file `.stuck` has its limit lifted by nobody.
const PROGRAM: &str = r#"
verb=$1
shift
if [ "$verb" = set-limit ]; then limit=$1; shift; fi
for node; do
    is=$(cat "$here/$node" 2>/dev/null || echo on)
    case $verb in
    state) echo "$node: $is" ;;
    on | off)
        echo "$(date +%s) $verb $node $is" >>"$here/orders"
        [ -e "$here/$node.absent" ] && [ "$verb" = on ] || echo "$verb" >"$here/$node"
        echo "$node: ok" ;;
    limit)
        is=$(cat "$here/$node.limit" 2>/dev/null || echo none)
        [ "$is" = none ] && echo "$node: none" || echo "$node: $is W" ;;
    set-limit)
        [ -e "$here/$node.stuck" ] && [ "$limit" = none ] || echo "$limit" >"$here/$node.limit"
        echo "$node: ok" ;;
    *) echo "$node: refused $verb is unknown" ;;
    esac
done
"#;

/// The machines of a site.
pub struct Machines {
    folder: PathBuf,
}

/// An order as it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub at: i64,
    pub verb: String,
    pub node: String,
    /// What the node was when it was ordered.
    pub was: String,
}

impl Machines {
    /// All of them are on.
    pub fn of(site: &Site) -> Self {
        let folder = site.folder().join("machines");
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("#!/bin/sh\nhere='{}'\n{PROGRAM}", folder.display());
        let machines = Self { folder };
        std::fs::write(machines.program(), text).unwrap();
        std::fs::set_permissions(machines.program(), PermissionsExt::from_mode(0o700)).unwrap();
        machines
    }

    pub fn program(&self) -> PathBuf {
        self.folder.join("switch")
    }

    /// A node that does not come on any more.
    pub fn break_down(&self, node: &str) {
        std::fs::write(self.folder.join(format!("{node}.absent")), "").unwrap();
    }

    /// The power limit of a node in watts, or `none`.
    pub fn limit(&self, node: &str) -> String {
        let limit = std::fs::read_to_string(self.folder.join(format!("{node}.limit")));
        limit.map_or_else(|_| "none".to_owned(), |it| it.trim().to_owned())
    }

    /// Limits a node to so many watts, as people do.
    pub fn set_limit(&self, node: &str, watts: u32) {
        std::fs::write(self.folder.join(format!("{node}.limit")), watts.to_string()).unwrap();
    }

    /// A node whose limit nobody lifts any more.
    pub fn get_stuck(&self, node: &str) {
        std::fs::write(self.folder.join(format!("{node}.stuck")), "").unwrap();
    }

    /// What a node is.
    pub fn state(&self, node: &str) -> String {
        let state = std::fs::read_to_string(self.folder.join(node));
        state.map_or_else(|_| "on".to_owned(), |it| it.trim().to_owned())
    }

    /// All orders, as they arrived.
    pub fn orders(&self) -> Vec<Order> {
        let log = std::fs::read_to_string(self.folder.join("orders")).unwrap_or_default();
        let order = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let [at, verb, node, was] = words.try_into().unwrap();
            Order { at: at.parse().unwrap(), verb, node, was }
        };
        log.lines().map(order).collect()
    }
}
