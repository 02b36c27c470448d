//! Files with the columns of PM100, written here, and what is wrong with others.

use batch::dispatch::jobs::JobsInOrder;
use parquet::data_type::{ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::*;

const SYSTEM: &str =
    "[[nodes]]\ncount = 4\ncores = 128\nmemory_gb = 246\ngpu = 4\n[[queues]]\nname = \"1\"\n";

/// A column of the file that is written.
enum Column {
    Numbers(&'static str, Vec<i64>),
    Texts(&'static str, Vec<&'static str>),
    /// Watts of two rows, two samples each.
    Powers([f64; 4]),
}

fn write(columns: &[Column]) -> tempfile::NamedTempFile {
    let fields: String = columns
        .iter()
        .map(|column| match column {
            Column::Numbers(name, _) if name.ends_with("time") && *name != "run_time" => {
                format!("REQUIRED INT64 {name} (TIMESTAMP(NANOS,true));")
            }
            Column::Numbers(name, _) => format!("REQUIRED INT64 {name};"),
            Column::Texts(name, _) => format!("REQUIRED BYTE_ARRAY {name} (UTF8);"),
            Column::Powers(_) => "OPTIONAL group node_power_consumption (LIST) { REPEATED group list { OPTIONAL DOUBLE element; } }".to_owned(),
        })
        .collect();
    let schema = parse_message_type(&format!("message jobs {{ {fields} }}")).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let properties = Arc::new(WriterProperties::builder().build());
    let out = file.reopen().unwrap();
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in columns {
        let mut out = group.next_column().unwrap().unwrap();
        match column {
            Column::Numbers(_, numbers) => {
                out.typed::<Int64Type>().write_batch(numbers, None, None).unwrap();
            }
            Column::Texts(_, texts) => {
                let texts: Vec<_> = texts.iter().map(|it| (*it).into()).collect();
                out.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
            }
            Column::Powers(watts) => {
                let (levels, begins) = ([3; 4], [0, 1, 0, 1]);
                out.typed::<DoubleType>().write_batch(watts, Some(&levels), Some(&begins)).unwrap();
            }
        }
        out.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    file
}

fn open(file: &Path) -> anyhow::Result<JobsInOrder<RowsOfParquet>> {
    let system = System::parse(SYSTEM).unwrap();
    let instant = Box::new(|text: &str| text.parse().map_err(|_| format!("{text:?} is none")));
    Ok(JobsInOrder::new(RowsOfParquet::open(file, &system, instant)?))
}

/// Job 5 has 256 cores, 8 GPUs and 400 GB on 2 nodes, 128, 4 and 200 on each, and a limit of 90 minutes; its samples of 1,000 and
/// 1,500 W are 1,250 W in the mean, over 100 s 125,000 J. The other has no run time.
#[test]
fn jobs_of_pm100_are_units_of_nodes() {
    let at = |seconds: i64| (1_588_300_000 + seconds) * 1_000_000_000;
    let file = write(&[
        Column::Numbers("job_id", vec![5, 6]),
        Column::Numbers("submit_time", vec![at(0), at(7)]),
        Column::Numbers("run_time", vec![100, 0]),
        Column::Numbers("time_limit", vec![90, 90]),
        Column::Numbers("user_id", vec![17, 18]),
        Column::Texts("partition", vec!["1", "1"]),
        Column::Texts("not_used", vec!["a", "b"]),
        Column::Numbers("num_nodes_alloc", vec![2, 1]),
        Column::Numbers("num_cores_alloc", vec![256, 1]),
        Column::Numbers("num_gpus_alloc", vec![8, 0]),
        Column::Numbers("mem_alloc", vec![400, 1]),
        Column::Texts("shared", vec!["0", "1"]),
        Column::Powers([1000.0, 1500.0, 1.0, 1.0]),
    ]);
    let mut jobs = open(file.path()).unwrap();
    let all: Vec<UnitJob> = jobs.by_ref().map(Result::unwrap).collect();
    let [job] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((&job.id, job.submitted, job.units), (&JobId::Number(5), Time::ZERO, 2));
    assert_eq!(*job.unit.of_node, [(0, 128), (1, 200), (2, 4)]);
    assert!(job.unit.exclusive);
    assert_eq!((job.run, job.walltime), (Time::from_seconds(100), Some(Time::from_seconds(5400))));
    assert_eq!((&*job.user, &*job.queue), ("17", "1"));
    assert_eq!(job.energy, Energy::from_joules(125_000.0));
    let dropped = &jobs.read().dropped[0];
    assert_eq!((dropped.what.as_str(), dropped.first_line), ("has no run time", 2));
}

#[test]
fn what_is_wrong_is_told_with_its_row_and_column() {
    let file = write(&[Column::Numbers("job_id", vec![5])]);
    let error = open(file.path()).err().unwrap().to_string();
    assert_eq!(error, "there is no column submit_time or submit_time_epoch");
    let least = |limit: Vec<&'static str>, queue: &'static str| {
        write(&[
            Column::Numbers("submit_time_epoch", vec![1, 2]),
            Column::Numbers("run_time", vec![1, 1]),
            Column::Numbers("num_nodes_alloc", vec![1, 1]),
            Column::Numbers("num_cores_alloc", vec![1, 1]),
            Column::Texts("time_limit", limit),
            Column::Texts("partition", vec!["1", queue]),
        ])
    };
    for (file, told) in [
        (least(vec!["INFINITE", "long"], "1"), "line 2: column time_limit: \"long\" is no number"),
        (least(vec!["1", "1"], "x"), "line 2: the system has no queue \"x\""),
    ] {
        let error = open(file.path()).unwrap().find_map(Result::err).unwrap().to_string();
        assert!(error.starts_with(told), "{error}");
    }
}
