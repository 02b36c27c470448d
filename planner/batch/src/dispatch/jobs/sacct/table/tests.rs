//! Tables as `sacct` prints them, and what is wrong with them.

use super::*;
use crate::dispatch::jobs::ordered::JobsInOrder;
use crate::dispatch::unit::UnitRequest;

const SYSTEM: &str = "[[nodes]]\ncount = 4\ncpu = 16\nmemory_mb = 64000\ngpu = 4\n[shared]\nmatlab = 3\n\
                      [[queues]]\nname = \"batch\"\n[[queues]]\nname = \"long\"\n";

/// Seconds of a day, and no dates.
fn seconds(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("{text:?} is not an instant"))
}

fn rows(text: &str) -> Result<JobsInOrder<RowsOfSacct<&[u8]>>, UnitJobError> {
    let system = System::parse(SYSTEM).unwrap();
    Ok(JobsInOrder::new(RowsOfSacct::new(text.as_bytes(), &system, Box::new(seconds))?))
}

fn wrong(text: &str) -> String {
    rows(text).and_then(Iterator::collect::<Result<Vec<_>, _>>).unwrap_err().to_string()
}

const HEADER: &str = "JobID|JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|User|Partition|JobName|State|ReqTRES|AllocTRES|ConsumedEnergyRaw\n";

/// Job 7 has 32 processors, 64 GB (65,536 MB) and 8 GPUs on 2 nodes: 16, 32,768 MB and 4 on each, and a licence, which is
/// one for each unit. Job 9 had nothing yet, so that what it asks for counts: it was cancelled while it ran, with a limit of 60 minutes.
#[test]
fn jobs_are_units_of_nodes() {
    let text = format!(
        "{HEADER}\
         7|7|1000|1100|1200|100|2|ada|batch|train|COMPLETED|cpu=1,mem=1G,node=1|billing=4,cpu=32,gres/gpu:a100=8,gres/gpu=8,license/matlab=2,mem=64G,node=2|12000\n\
         7.batch|7.batch|1000|1100|1200|100||||batch|COMPLETED||cpu=16,mem=32G,node=1|\n\
         7.0|7.0|1000|1100|1200|100||||a.out|COMPLETED||cpu=32,node=2|\n\
         8_3|9|900|950|1000|50|60|eve|long|say \"it|CANCELLED by 100|cpu=2,mem=4000M,node=1||18446744073709551614\n\
         10|10|1001|Unknown|Unknown|0|60|eve|batch|a|PENDING|cpu=2,node=1||\n\
         11|11|1002|None|1010|0|60|eve|batch|a|CANCELLED by 100|cpu=2,node=1||\n\
         12|12|1003|1003|Unknown|90|60|eve|batch|a|RUNNING|cpu=2,node=1|cpu=2,node=1|\n\
         13+1|13+1|1004|1004|1024|20|UNLIMITED|eve|batch|a|OUT_OF_MEMORY|cpu=2,node=1|cpu=2,node=1|0\n"
    );
    let mut jobs = rows(&text).unwrap();
    let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
    let ids: Vec<String> = all.iter().map(|job| job.id.to_string()).collect();
    assert_eq!(ids, ["9", "7", "13+1"]);
    let [early, train, part] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((early.submitted, train.submitted), (Time::ZERO, Time::from_seconds(100)));
    assert_eq!((train.units, &train.unit), (2, &UnitRequest::of(&[16, 32_768, 4, 1], 3)));
    assert_eq!(
        (train.run, train.walltime),
        (Time::from_seconds(100), Some(Time::from_seconds(120)))
    );
    assert_eq!((&*train.user, &*train.queue, &*train.name), ("ada", "batch", "train"));
    assert_eq!(train.energy, Energy::from_joules(12_000.0));
    assert_eq!((early.units, &early.unit), (1, &UnitRequest::of(&[2, 4000, 0, 0], 3)));
    assert_eq!((&*early.name, early.energy), ("say \"it", None));
    assert_eq!((part.walltime, part.energy), (None, None));
    let read = jobs.read();
    assert_eq!((read.rows, read.jobs), (6, 3));
    let dropped: Vec<(&str, u64, u64)> =
        read.dropped.iter().map(|it| (it.what.as_str(), it.rows, it.first_line)).collect();
    assert_eq!(dropped, [("never started", 2, 6), ("has not ended", 1, 8)]);
}

/// `sacct -p` has a bar at the end of each line; others export commas, clocks and columns for counts.
#[test]
fn other_spellings_are_read() {
    let text = "jobid,submit,start,end,elapsed,timelimit,nnodes,ncpus,reqmem\n\
                1,10,20,3620,01:00:00,1-00:00:00,2,32,4Gn\n2,11,20,,00:30.5,Partition_Limit,1,4,2Gc\n";
    for text in
        [text.to_owned(), text.replace('\n', ",\n"), text.replace(',', "|").replace('\n', "\r\n")]
    {
        let all: Vec<UnitJob> = rows(&text).unwrap().map(Result::unwrap).collect();
        // 4 GB on each of two nodes; 4 x 2 GB on one.
        assert_eq!(all[0].unit, UnitRequest::of(&[16, 4096, 0, 0], 3));
        assert_eq!(all[0].walltime, Some(Time::from_seconds(86_400)));
        assert_eq!(all[1].unit, UnitRequest::of(&[4, 8192, 0, 0], 3));
        assert_eq!((all[1].run, all[1].walltime), (Time::from_micros(30_500_000), None));
    }
}

/// Slurm without memory as a resource says what is asked for all the same: it does not count.
#[test]
fn memory_that_slurm_does_not_count_is_none() {
    let text = "JobID|Submit|Start|ElapsedRaw|ReqMem|ReqTRES|AllocTRES\n\
                1|1|1|1|32000M|cpu=2,mem=32000M,node=1|billing=2,cpu=2,node=1\n";
    let all: Vec<UnitJob> = rows(text).unwrap().map(Result::unwrap).collect();
    assert_eq!(all[0].unit, UnitRequest::of(&[2, 0, 0, 0], 3));
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_column() {
    let least = "JobID|Submit|Start|ElapsedRaw|TimelimitRaw|Partition|AllocTRES\n";
    for (text, told) in [
        (
            "JobID|State\n".to_owned(),
            "line 1: there is no column Submit; print the file by sacct -a -P",
        ),
        (
            format!("{least}1|now|1|1|1||cpu=1\n"),
            "line 2: column Submit: \"now\" is not an instant",
        ),
        (format!("{least}1|1|1|long|1||cpu=1\n"), "line 2: column ElapsedRaw: \"long\" is no time"),
        (
            format!("{least}1|1|1|1|soon||cpu=1\n"),
            "line 2: column TimelimitRaw: \"soon\" is no limit",
        ),
        (
            format!("{least}1|1|1|1|1||cpu=x\n"),
            "line 2: column AllocTRES: \"x\" is no whole amount",
        ),
        (format!("{least}1|1|1|1|1||\n"), "line 2: it is not said how many processors"),
        (format!("{least}1|1|1|1|1|fast|cpu=1\n"), "line 2: the system has no queue \"fast\""),
        (format!("{least}1|1|1|1|1||cpu=1|more\n"), "line 2: 8 columns, where the header has 7"),
    ] {
        let error = wrong(&text);
        assert!(error.starts_with(told), "{error}");
    }
}
