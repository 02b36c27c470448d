//! Where the results of an experiment with several sites go: tables of all of it, and of each site in a folder of its own.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use batch::energy::MeterReading;
use batch::job::Job;
use batch::kernel::{Entering, LinkUse, Observer, Played};
use batch::output::{PajeTrace, write_links};
use batch::report::{Collector, ReportPart, sites_page};
use batch::scheduler::RefusalReason;
use batch::sites::{SitesExperiment, SitesResults, WideLinkUse, write_site_jobs};
use batch::time::Time;
use planner::node_set::NodeSet;
use planner::time::Timestamp;

use super::super::files::Pending;
use super::super::formats::Format;
use super::super::outputs::Outputs;

type Trace = Rc<RefCell<PajeTrace<BufWriter<File>>>>;

/// The results of all sites.
pub struct SitesOutputs {
    to: Option<(PathBuf, Vec<Format>)>,
    sites: Vec<SiteOutputs>,
    trace: Option<(Trace, Pending)>,
}

/// Who is told what happens at a site.
pub struct SiteOutputs {
    own: Outputs,
    page: Option<Collector>,
    /// The trace of all sites, and the number of the site's first machine in it.
    trace: Option<(Trace, u32)>,
}

impl SitesOutputs {
    /// Results in a folder, if there is one, in these formats.
    pub fn create(
        folder: Option<&Path>,
        formats: &[Format],
        experiment: &SitesExperiment<'_>,
        part: ReportPart,
    ) -> anyhow::Result<Self> {
        let has = |format| folder.is_some() && formats.contains(&format);
        let mut trace = None;
        if let Some(folder) = folder.filter(|_| has(Format::Paje)) {
            let (pending, out) = Pending::create(folder, "schedule.trace")?;
            let clusters =
                experiment.sites.iter().map(|site| (site.name, site.platform.machines()));
            let paje = PajeTrace::of_clusters(out, &clusters.collect::<Vec<_>>())?;
            trace = Some((Rc::new(RefCell::new(paje)), pending));
        }
        let tables: Vec<Format> =
            formats.iter().copied().filter(|format| format.has_tables()).collect();
        let (mut sites, mut first) = (Vec::new(), 0);
        for (number, site) in (1..).zip(&experiment.sites) {
            let own = folder.map(|folder| folder.join(format!("{number:03}-{}", site.name)));
            sites.push(SiteOutputs {
                own: Outputs::create(own.as_deref(), &tables, site.platform, part)?,
                page: has(Format::Html).then(|| Collector::new(part)),
                trace: trace.as_ref().map(|(trace, _)| (Rc::clone(trace), first)),
            });
            first += site.platform.machines();
        }
        let to = folder.map(|folder| (folder.to_owned(), formats.to_vec()));
        Ok(Self { to, sites, trace })
    }

    /// One for each site.
    pub fn observers(&mut self) -> &mut [SiteOutputs] {
        &mut self.sites
    }

    /// Ends everything. `summary` is the text of the results; they are of the experiment of this name, which began then by the
    /// clock.
    pub fn finish(
        self,
        experiment: &SitesExperiment<'_>,
        results: &SitesResults,
        summary: &str,
        (name, zero): (&str, Option<Timestamp>),
    ) -> anyhow::Result<()> {
        let Some((folder, formats)) = self.to else { return Ok(()) };
        let mut pages = Vec::new();
        for (site, of) in self.sites.into_iter().zip(&results.sites) {
            site.own.finish(&of.summary, &of.site, zero)?;
            pages.extend(site.page);
        }
        if let Some((trace, pending)) = self.trace
            && let Some(trace) = Rc::into_inner(trace)
        {
            trace.into_inner().finish()?;
            pending.keep()?;
        }
        let mut files = vec![("summary.json", format!("{summary}\n").into_bytes())];
        if formats.contains(&Format::Html) {
            files.push(("report.html", sites_page(name, results, pages, zero).into_bytes()));
        }
        if formats.contains(&Format::Csv) {
            let mut jobs = Vec::new();
            write_site_jobs(&mut jobs, experiment, &results.records)?;
            files.push(("jobs.csv", jobs));
            let mut links = Vec::new();
            let uses: Vec<LinkUse<'_>> = results.links.iter().map(link_use).collect();
            write_links(&mut links, &uses)?;
            files.push(("links.csv", links));
        }
        for (name, bytes) in files {
            let (pending, mut out) = Pending::create(&folder, name)?;
            out.write_all(&bytes)?;
            out.flush()?;
            pending.keep()?;
        }
        Ok(())
    }
}

fn link_use(link: &WideLinkUse) -> LinkUse<'_> {
    let WideLinkUse { link, bytes, busy_time_s, mean_load } = link;
    LinkUse { name: link, bytes: *bytes, busy_s: *busy_time_s, mean_load: *mean_load }
}

/// Machines in the trace of all sites.
fn behind(machines: &NodeSet, first: u32) -> NodeSet {
    NodeSet::from_positions(machines.positions().map(|machine| first + machine))
}

impl Observer for SiteOutputs {
    fn started(&mut self, now: Time, job: &Job, machines: &NodeSet) -> io::Result<()> {
        if let Some((trace, first)) = &self.trace {
            trace.borrow_mut().started(now, &job.id, &behind(machines, *first))?;
        }
        if let Some(page) = &mut self.page {
            page.started(now, job, machines)?;
        }
        self.own.started(now, job, machines)
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        if let Some((trace, first)) = &self.trace {
            let machines = &behind(played.machines, *first);
            trace.borrow_mut().played(&Played { machines, ..*played })?;
        }
        if let Some(page) = &mut self.page {
            page.played(played)?;
        }
        self.own.played(played)
    }

    fn refused(&mut self, job: &Job, reason: Option<RefusalReason>) -> io::Result<()> {
        self.own.refused(job, reason)
    }

    fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        if let Some((trace, first)) = &self.trace {
            let machines = &behind(entering.machines, *first);
            trace.borrow_mut().entered(&Entering { machines, ..*entering })?;
        }
        if let Some(page) = &mut self.page {
            page.entered(entering)?;
        }
        self.own.entered(entering)
    }

    fn linked(&mut self, links: &[LinkUse<'_>]) -> io::Result<()> {
        self.own.linked(links)
    }

    fn metered(&mut self, reading: &MeterReading) -> io::Result<()> {
        if let Some(page) = &mut self.page {
            page.metered(reading)?;
        }
        self.own.metered(reading)
    }
}
