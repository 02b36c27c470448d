//! The rule that follows power actions (`planner::power_action`) with a driver and a controller of ours, as whoever wires
//! both does it: read, ask the rule, order, and note what was answered. Time is counted, not waited for.

use planner::power_action::{
    ActionWithNode, FollowRules, FollowedAction, NodeUse, PowerActionState, PowerChange, PowerStep,
    next_steps,
};
use planner::time::{Seconds, Timestamp};
use power::PowerError;

use super::controller::{Controller, Fault};
use super::only;
use super::redfish::{Setup, nodes, setup};

const RULES: FollowRules = FollowRules {
    first_wait: Seconds::new(30),
    longest_wait: Seconds::new(300),
    most_orders: 3,
    forced_after: Some(2),
    at_once: 1,
};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_seconds(1_767_225_600 + seconds)
}

/// Follows an order to switch the node off, a turn every ten seconds; what became of it, when, and why.
async fn switched_off(setup: &Setup) -> (PowerActionState, i64, Option<String>) {
    let mut action = FollowedAction {
        change: PowerChange::Off,
        state: PowerActionState::Waiting,
        since: at(0),
        orders: 0,
        patience: Seconds::new(60),
        until: at(3600),
    };
    for second in (0..).step_by(10) {
        let (now, nodes) = (at(second), nodes());
        let seen = only(setup.driver.powers(&nodes, now).await);
        let used = NodeUse::Free;
        let asked = ActionWithNode { node: &nodes[0], action, seen: &seen, used: &used };
        match next_steps(&[asked], &RULES, now).remove(0) {
            PowerStep::Keep | PowerStep::Hold(_) => {}
            PowerStep::Limit(limit) => panic!("nobody asked to limit it: {limit:?}"),
            PowerStep::Order(order) => {
                let given = only(setup.driver.order(order, &nodes, now).await);
                (action, _) = action.answered(PowerError::order_answer(given), now);
            }
            PowerStep::Become(state, because) if state.is_final() => {
                return (state, second, because);
            }
            PowerStep::Become(state, _) => action = FollowedAction { state, since: now, ..action },
        }
        if action.state.is_final() {
            return (action.state, second, None);
        }
    }
    unreachable!("it is given up at some time")
}

async fn with(fault: Fault) -> (Controller, (PowerActionState, i64)) {
    let controller = Controller::new().await;
    let setup = setup(&controller);
    controller.inside().fault = fault;
    let (state, second, _) = switched_off(&setup).await;
    (controller, (state, second))
}

#[tokio::test]
async fn what_was_done_is_seen_though_its_answer_was_lost_or_it_took_a_while() {
    for (fault, second) in [(Fault::Nothing, 10), (Fault::Cut, 10), (Fault::Slow(3), 40)] {
        let (controller, outcome) = with(fault).await;
        assert_eq!(outcome, (PowerActionState::Done, second), "{fault:?}");
        assert_eq!(controller.resets(), ["GracefulShutdown"], "{fault:?}");
    }
}

#[tokio::test]
async fn a_refusal_ends_it_and_no_power_is_taken_away_instead() {
    let (controller, outcome) = with(Fault::Refuses).await;
    assert_eq!(outcome, (PowerActionState::Refused, 0));
    assert_eq!(controller.resets(), ["GracefulShutdown"]);
}

/// Ordered at 0, failed at 60, again at 90, failed at 150, forced at 210 (60 s later), given up at 270.
#[tokio::test]
async fn a_controller_that_lies_is_told_again_ever_later_and_given_up() {
    let controller = Controller::new().await;
    let setup = setup(&controller);
    controller.inside().fault = Fault::Lies;
    let (state, second, because) = switched_off(&setup).await;
    assert_eq!((state, second), (PowerActionState::GivenUp, 270));
    assert_eq!(because.as_deref(), Some("its power is on after 60 s; given up after 3 orders"));
    assert_eq!(controller.resets(), ["GracefulShutdown", "GracefulShutdown", "ForceOff"]);
}

#[tokio::test]
async fn nothing_is_ordered_while_the_power_is_unknown() {
    for fault in [Fault::Busy, Fault::Rubbish] {
        let (controller, outcome) = with(fault).await;
        assert_eq!(outcome, (PowerActionState::GivenUp, 3600), "of no use any more");
        assert_eq!(controller.resets(), [""; 0], "{fault:?}");
    }
}
