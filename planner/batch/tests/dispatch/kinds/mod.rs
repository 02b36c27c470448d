//! Jobs of several kinds of units, with properties wanted, exclusive or shared: a plain simulation, and what must hold of every
//! schedule.

mod plain;
mod plain_conservative;
mod validity;

use batch::dispatch::jobs::UnitJob;
use batch::dispatch::system::System;
use batch::dispatch::{OtherUnits, UnitRequest};
use batch::time::Time;
use proptest::prelude::*;

use super::{Row, jobs};

/// Four nodes, of which each two are alike but for their properties.
const SYSTEM: &str = "[[nodes]]\ncount = 1\ncores = 4\nproperties = [\"a\"]\n[nodes.power]\ncores = { idle_w = 1, full_w = 3 }\n\
                      [[nodes]]\ncount = 1\ncores = 4\n[nodes.power]\ncores = { idle_w = 2, full_w = 3 }\n\
                      [[nodes]]\ncount = 1\ncores = 3\ngpu = 2\nproperties = [\"b\", \"a\"]\n\
                      [nodes.power]\ncores = { idle_w = 1, full_w = 6 }\n\
                      [[nodes]]\ncount = 1\ncores = 3\ngpu = 2\n[nodes.power]\ncores = { idle_w = 1, full_w = 4 }\n\
                      [shared]\nlicence = 3\n";
const CAPACITY: [[u32; 2]; 4] = [[4, 0], [4, 0], [3, 2], [3, 2]];
const MARKS: [u64; 4] = [1, 0, 3, 0];
const LICENCES: u32 = 3;

/// Units of one kind: how many, of cores, GPUs and licences, on nodes with which properties.
#[derive(Clone, Debug)]
struct Kind {
    units: u32,
    of_node: [u32; 2],
    licences: u32,
    wanted: u64,
}

/// A job in whole seconds.
#[derive(Clone, Debug)]
struct Asked {
    submitted: i64,
    run: i64,
    walltime: i64,
    alone: bool,
    kinds: Vec<Kind>,
}

impl Asked {
    fn lasts(&self) -> i64 {
        self.run.min(self.walltime)
    }

    fn licences(&self) -> u32 {
        self.kinds.iter().map(|kind| kind.units * kind.licences).sum()
    }
}

/// How many units of a kind fit on a node where so much is free.
fn room(kind: &Kind, node: usize, free: [u32; 2]) -> u32 {
    let fits = (0..2).filter(|at| kind.of_node[*at] > 0).map(|at| free[at] / kind.of_node[at]);
    if kind.wanted & !MARKS[node] == 0 { fits.min().unwrap_or(0) } else { 0 }
}

fn kind() -> impl Strategy<Value = Kind> {
    let wanted = prop::sample::select(vec![0, 0, 0, 0, 1, 2]);
    (1_u32..=3, 0_u32..=4, 0_u32..=1, 0_u32..=4, wanted).prop_map(
        |(units, cores, gpu, licences, wanted)| Kind {
            units,
            of_node: [cores, gpu],
            licences: licences / 4,
            wanted,
        },
    )
}

fn workload() -> impl Strategy<Value = Vec<Asked>> {
    let kinds = prop::collection::vec(kind(), 1..=3);
    let job = (0_i64..40, 1_i64..12, -2_i64..8, 0_u32..4, kinds);
    let job = job.prop_map(|(submitted, run, more, alone, kinds)| Asked {
        submitted,
        run,
        walltime: (run + more).max(1),
        alone: alone == 0,
        kinds,
    });
    prop::collection::vec(job, 1..20)
}

/// Jobs numbered from 0, in the order of submission.
fn unit_jobs(asked: &[Asked]) -> Vec<UnitJob> {
    let row = |it: &Asked| Row {
        submitted: it.submitted,
        units: it.kinds[0].units,
        unit: vec![it.kinds[0].of_node[0], it.kinds[0].of_node[1], it.kinds[0].licences],
        run: it.run,
        walltime: it.walltime,
        user: 0,
    };
    let rows: Vec<Row> = asked.iter().map(row).collect();
    let mut all = jobs(&rows, 2);
    for job in &mut all {
        let asked = &asked[usize::try_from(super::number(job)).unwrap()];
        let request = |kind: &Kind| UnitRequest {
            properties: kind.wanted,
            ..UnitRequest::of(&[kind.of_node[0], kind.of_node[1], kind.licences], 2)
        };
        job.unit = request(&asked.kinds[0]);
        job.unit.exclusive = asked.alone;
        job.unit.beside = asked.kinds[1..]
            .iter()
            .map(|kind| OtherUnits { units: kind.units, each: request(kind) })
            .collect();
        assert!(job.walltime.is_some_and(|it| it > Time::ZERO));
    }
    all
}

fn system() -> System {
    System::parse(SYSTEM).unwrap()
}
