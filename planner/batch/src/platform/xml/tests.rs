//! Descriptions with their machines, and those that cannot be read.

use planner::power_states::{ComputingState, Draws, PowerStates, Sleep, Transition};
use planner::quantity::Power;

use super::*;
use crate::platform::switching_time;

const XML: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="main" routing="None">
<host id="master_host" speed="1Gf"><prop id="wattage_per_state" value="1:2"/></host>
<host id="a" speed="100.0Mf, 50Mf" pstate="1">
  <prop id="wattage_per_state" value="95.0:96:190.738, 94:120.5"/>
  <prop id="wattage_off" value="10"/>
</host>
<host id="disk" speed="1Gf"><prop id="role" value="storage"/></host>
<host id="b" speed="2e9"/>
</zone></platform>"#;

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

#[test]
fn hosts_are_machines_in_the_state_they_begin_in() {
    let draws = |idle, computing| Some(Draws { idle: watts(idle), computing: watts(computing) });
    let first = ComputingState { number: 0, speed: 1e8, draws: draws(95.0, 190.738) };
    let second = ComputingState { number: 1, speed: 5e7, draws: draws(94.0, 120.5) };
    let properties = [("wattage_off", "10"), ("wattage_per_state", "95.0:96:190.738, 94:120.5")];
    let properties = properties.map(|(id, value)| (id.to_owned(), value.to_owned())).into();
    let a = Naming { name: Some("a".into()), properties };
    let b = Naming { name: Some("b".into()), ..Naming::default() };
    let states = PowerStates { computing: vec![first, second], initial: 1, sleep: None };
    let expected = [
        Machine { naming: a, ..Machine::of(states) },
        Machine { naming: b, ..Machine::of(PowerStates::always_on(2e9, None)) },
    ];
    assert_eq!(read_xml(XML).unwrap(), expected);
}

/// Off takes 1 / 0.16393... = 6.1 s, on 1 / 0.0065997... = 151.52 s.
#[test]
fn sleep_states_are_switches() {
    let xml = r#"<host id="a" speed="1f, 1e-9Mf, 0.1639344262295082f, 0.006599788806758183f">
        <prop id="wattage_per_state" value="95:190, 9.75:9.75, 101:101, 125:125"/>
        <prop id="sleep_pstates" value="1:2:3"/></host>"#;
    let machines = read_xml(xml).unwrap();
    let transition = |power, time| {
        let time = switching_time(time).unwrap();
        Transition { power: watts(power), time }
    };
    let expected = Sleep {
        number: 1,
        off: watts(9.75),
        switching_off: transition(101.0, 6.1),
        switching_on: transition(125.0, 151.52),
    };
    assert_eq!(machines[0].power_states.sleep, Some(expected));
    assert_eq!(machines[0].power_states.computing.len(), 1);
    let wrong = xml.replace("1:2:3", "1:2");
    let message = read_xml(&wrong).unwrap_err().to_string();
    assert_eq!(message, "host a: sleep_pstates \"1:2\" is not sleep:off:on");
}

/// The thesis's kind of platform: a cluster that computes and one of the master. Two speeds, and a state that
/// is off: 6.1 s there, 151.52 s back.
#[test]
fn clusters_are_hosts_that_are_alike() {
    let xml = r#"<zone id="AS0" routing="Full">
        <cluster id="compute" prefix="host" suffix=".site" radical="0-2, 7,9-10" bw="125MBps" lat="50us"
            speed="100.0Mf, 50Mf, 1e-9Mf, 0.1639344262295082f, 0.006599788806758183f">
          <prop id="watt_per_state" value="95.0:190.738, 95.0:120, 9.75:9.75, 101:101, 125:125"/>
          <prop id="wattage_off" value="9.75"/>
          <prop id="sleep_pstates" value="2:3:4"/>
        </cluster>
        <cluster id="master" prefix="master_host" suffix="" radical="0-0" speed="1Gf">
          <prop id="role" value="master"/>
        </cluster></zone>"#;
    let machines = read_xml(xml).unwrap();
    let names: Vec<_> =
        machines.iter().map(|machine| machine.naming.name.as_deref().unwrap()).collect();
    let expected = ["0", "1", "2", "7", "9", "10"].map(|number| format!("host{number}.site"));
    assert_eq!(names, expected);
    for machine in &machines {
        let states = &machine.power_states;
        let [first, second] = states.computing.as_slice() else { panic!("{states:?}") };
        assert!((first.speed - 1e8).abs() + (second.speed - 5e7).abs() < 1.0);
        assert_eq!(first.draws, Some(Draws { idle: watts(95.0), computing: watts(190.738) }));
        let sleep = states.sleep.unwrap();
        assert_eq!((sleep.number, sleep.off), (2, watts(9.75)));
        assert_eq!(sleep.switching_on.time, switching_time(151.52).unwrap());
        assert_eq!(machine.naming.properties["wattage_off"], "9.75");
        assert_eq!(machine.group, None);
    }
    let two = |radical: &str| {
        format!("<cluster id='{radical}' prefix='n' radical='{radical}' speed='1'/>")
    };
    let racks = read_xml(&format!("<zone id='z'>{}{}</zone>", two("0-1"), two("2"))).unwrap();
    let groups: Vec<_> = racks.iter().map(|machine| machine.group.clone().unwrap()).collect();
    assert!(groups[0] == groups[1] && groups[1] != groups[2], "{groups:?}");
}

#[test]
fn zones_are_groups() {
    let zone = |hosts: &[&str]| {
        let host = |id: &&str| format!("<host id='{id}' speed='1'/>");
        format!("<zone id='z'>{}</zone>", hosts.iter().map(host).collect::<String>())
    };
    let within = |zones: &str| read_xml(&format!("<zone id='all'>{zones}</zone>")).unwrap();
    let master = zone(&["master_host"]);
    let machines =
        within(&(master.clone() + &zone(&["a", "b"]) + "<zone id='n'/>" + &zone(&["c"])));
    let groups: Vec<_> = machines.iter().map(|machine| machine.group.clone().unwrap()).collect();
    assert!(groups[0] == groups[1] && groups[1] != groups[2], "{groups:?}");
    let machines = within(&(master + &zone(&["a", "b"])));
    assert!(machines.iter().all(|machine| machine.group.is_none()));
}

#[test]
fn what_cannot_be_read_is_named() {
    let message = |text: &str| read_xml(text).unwrap_err().to_string();
    assert_eq!(message("<host id='a' speed='fast'/>"), "host a: \"fast\" is not a speed");
    assert_eq!(message("<host id='a' speed='1' pstate='2'/>"), "host a: there is no speed 2");
    assert_eq!(
        message("<cluster id='c' radical='0-3,5-4' speed='1'/>"),
        "cluster c: radical \"0-3,5-4\" is not numbers and ranges of them, such as 0-127 or 0-3,7"
    );
    assert!(message("<cluster id='c' radical='0-4000000000' speed='1'/>").contains("more than"));
    assert_eq!(message("<cluster id='c' radical='0'/>"), "host c: there is no speed 0");
    assert!(message("<host id='a'></hos>").starts_with("at byte"));
    let powers = "<host id='a' speed='1'><prop id='wattage_per_state' value='95'/></host>";
    assert!(message(powers).starts_with("host a: \"95\": a power must be"));
}
