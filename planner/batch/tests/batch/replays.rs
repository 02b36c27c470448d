//! Messages of another simulator.

use batch::kernel::replay;
use batch::message_log::read_messages;

use super::*;

const ROWS: [Row; 3] = [(0, 1, 10, 10), (10, 2, 3, 3), (10, 1, 5, 5)];

fn played(messages: &str) -> Result<Vec<i64>, String> {
    let mut notes = Notes::default();
    let jobs = jobs(&ROWS).into_iter().map(Ok::<Job, Infallible>);
    let platform = Platform::of_machines(2);
    let cluster = cluster(&platform);
    let mut scheduler = combination(Policy::Easy, SET).scheduler(&setting(&platform)).unwrap();
    let messages = read_messages(messages.as_bytes());
    let result: Result<(), SimulationError<Infallible>> =
        replay(jobs, messages, cluster, scheduler.as_mut(), &mut notes);
    result.map_err(|error| error.to_string())?;
    Ok(notes.played.values().map(|happened| happened.started).collect())
}

/// Told with the end of job 1, job 2 starts first. Told job 3 alone before, on the machine that is free, job
/// 2 has to wait for its end.
#[test]
fn a_split_instant_is_decided_on_piece_by_piece() {
    let together = "time,ended,submitted\n0,,1\n10,1,2 3\n13,2,\n18,3,\n";
    assert_eq!(played(together).unwrap(), [0, 10, 13]);
    let split = "time,ended,submitted\n0,,1\n10,,3\n10,1,2\n15,3,\n18,2,\n";
    assert_eq!(played(split).unwrap(), [0, 15, 10]);
}

#[test]
fn messages_that_contradict_the_simulation_are_named() {
    let cases = [
        ("0,,1\n9,1,\n", "line 3: job 1 does not end at 9.000000 s"),
        ("0,,1\n11,1,\n", "line 3: a job that ended at 10.000000 s was passed over"),
        ("0,,1\n9,,2\n", "line 3: job 2 is not submitted at 9.000000 s"),
        ("0,,1\n10,7,\n", "line 3: job 7 does not end at 10.000000 s"),
        ("0,,1\n10,1,2\n13,2,\n", "line 4: no message submits job 3"),
        ("0,,1\n10,1,2 3\n13,2,\n", "line 4: no message tells the end at 18.000000 s"),
        ("0,,1\nten,1,\n", "line 3: \"ten\" is not a time in seconds"),
    ];
    for (messages, expected) in cases {
        let messages = format!("time,ended,submitted\n{messages}");
        assert_eq!(played(&messages).unwrap_err(), expected);
    }
}
