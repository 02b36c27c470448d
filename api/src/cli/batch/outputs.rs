//! Where results go while a workload is played.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use batch::energy::MeterReading;
use batch::job::Job;
use batch::kernel::{Entering, LinkUse, Observer, Played};
use batch::output::{ChangeTable, EnergyTable, JobTable, PajeTrace, StateTable, write_links};
use batch::platform::Platform;
use batch::report::{Collector, ReportPart};
use batch::scheduler::RefusalReason;
use batch::summary::Summary;
use batch::time::Time;
use planner::node_set::NodeSet;
use planner::time::Timestamp;

use super::files::Pending;
use super::formats::Format;

/// A table that is being written.
type Out = BufWriter<File>;

/// The tables and the pictures.
pub struct Outputs {
    tables: Option<Tables>,
    paje: Option<(PajeTrace<Out>, Pending)>,
    page: Option<Collector>,
    to: Option<Destination>,
}

/// Where results are written, and how.
struct Destination {
    folder: PathBuf,
    formats: Vec<Format>,
}

struct Tables {
    jobs: JobTable<Out>,
    /// Where it is known what machines draw.
    energy: Option<EnergyTables>,
    pending: Vec<(&'static str, Pending)>,
}

struct EnergyTables {
    consumed: EnergyTable<Out>,
    states: StateTable<Out>,
    changes: ChangeTable<Out>,
}

impl Outputs {
    /// Results in `folder`, if there is one, in these formats.
    pub fn create(
        folder: Option<&Path>,
        formats: &[Format],
        platform: &Platform,
        part: ReportPart,
    ) -> anyhow::Result<Self> {
        let mut outputs = Self { tables: None, paje: None, page: None, to: None };
        let Some(folder) = folder else { return Ok(outputs) };
        if formats.iter().any(|format| format.has_tables()) {
            outputs.tables = Some(Tables::create(folder, platform)?);
        }
        if formats.contains(&Format::Paje) {
            let (pending, out) = Pending::create(folder, "schedule.trace")?;
            outputs.paje = Some((PajeTrace::new(out, platform.machines())?, pending));
        }
        outputs.page = formats.contains(&Format::Html).then(|| Collector::new(part));
        outputs.to = Some(Destination { folder: folder.to_owned(), formats: formats.to_vec() });
        Ok(outputs)
    }

    /// Ends everything. `title` and `summary` are shown on the page; the simulation began at `zero` by the
    /// clock.
    pub fn finish(
        self,
        summary: &Summary,
        title: &str,
        zero: Option<Timestamp>,
    ) -> anyhow::Result<()> {
        let Some(to) = self.to else { return Ok(()) };
        if let Some(tables) = self.tables {
            tables.finish(&to)?;
        }
        if let Some((trace, pending)) = self.paje {
            trace.finish()?;
            pending.keep()?;
        }
        if let Some(page) = self.page {
            let (pending, mut out) = Pending::create(&to.folder, "report.html")?;
            out.write_all(page.html(title, summary, zero).as_bytes())?;
            out.flush()?;
            pending.keep()?;
        }
        Ok(())
    }

    fn energy(&mut self) -> Option<&mut EnergyTables> {
        self.tables.as_mut().and_then(|tables| tables.energy.as_mut())
    }
}

impl Tables {
    fn create(folder: &Path, platform: &Platform) -> anyhow::Result<Self> {
        let mut pending = Vec::new();
        let mut begin = |name| -> anyhow::Result<Out> {
            let (file, out) = Pending::create(folder, format!("{name}.csv"))?;
            pending.push((name, file));
            Ok(out)
        };
        let jobs = JobTable::new(begin("jobs")?)?;
        let mut energy = None;
        if platform.has_draws() {
            let machines = platform.machines();
            let initial = platform.state_numbers().nth(platform.initial()).unwrap_or_default();
            energy = Some(EnergyTables {
                consumed: EnergyTable::new(begin("consumed_energy")?)?,
                states: StateTable::new(begin("machine_states")?, machines)?,
                changes: ChangeTable::new(begin("pstate_changes")?, machines, initial)?,
            });
        }
        Ok(Self { jobs, energy, pending })
    }

    fn finish(self, to: &Destination) -> anyhow::Result<()> {
        self.jobs.finish()?;
        if let Some(EnergyTables { consumed, states, changes }) = self.energy {
            consumed.finish()?;
            states.finish()?;
            changes.finish()?;
        }
        #[cfg(feature = "parquet")]
        if to.formats.contains(&Format::Parquet) {
            for (name, table) in &self.pending {
                super::parquet::write(&to.folder, name, table.written())?;
            }
        }
        let kept = to.formats.contains(&Format::Csv);
        self.pending.into_iter().filter(|_| kept).try_for_each(|(_, table)| table.keep())
    }
}

impl Observer for Outputs {
    fn started(&mut self, now: Time, job: &Job, machines: &NodeSet) -> io::Result<()> {
        if let Some((trace, _)) = &mut self.paje {
            trace.started(now, &job.id, machines)?;
        }
        if let Some(page) = &mut self.page {
            page.started(now, job, machines)?;
        }
        self.energy().map_or(Ok(()), |energy| energy.states.started(now, job.nodes))
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        if let Some((trace, _)) = &mut self.paje {
            trace.played(played)?;
        }
        if let Some(page) = &mut self.page {
            page.played(played)?;
        }
        let Some(tables) = &mut self.tables else { return Ok(()) };
        tables.jobs.played(played)?;
        let Some(energy) = &mut tables.energy else { return Ok(()) };
        energy.states.ended(played.finished, played.job.nodes)
    }

    fn refused(&mut self, job: &Job, reason: Option<RefusalReason>) -> io::Result<()> {
        self.tables.as_mut().map_or(Ok(()), |tables| tables.jobs.refused(job, reason))
    }

    fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        if let Some((trace, _)) = &mut self.paje {
            trace.entered(entering)?;
        }
        if let Some(page) = &mut self.page {
            page.entered(entering)?;
        }
        let Some(energy) = self.energy() else { return Ok(()) };
        energy.states.entered(entering)?;
        energy.changes.row(entering)
    }

    fn linked(&mut self, links: &[LinkUse<'_>]) -> io::Result<()> {
        let (Some(tables), Some(to)) = (&mut self.tables, &self.to) else { return Ok(()) };
        let (file, out) = Pending::create(&to.folder, "links.csv").map_err(io::Error::other)?;
        tables.pending.push(("links", file));
        write_links(out, links)
    }

    fn metered(&mut self, reading: &MeterReading) -> io::Result<()> {
        if let Some(page) = &mut self.page {
            page.metered(reading)?;
        }
        self.energy().map_or(Ok(()), |energy| energy.consumed.row(reading))
    }
}
