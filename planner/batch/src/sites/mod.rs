//! Several batch systems: clusters behind frontals, and clients that choose among them.
//!
//! A task is submitted at its client, which chooses a site by its rule (`rule`). Its input travels to the site's frontal over
//! the links between sites (`wide_network`). There the task is queued. Once it starts, its input goes from the frontal to the
//! first of its machines over the site's own network, and when it has computed its output goes back the same way, and on to
//! the client. All of that, and what each site's own users submit, is played in one time (`play`).
//!
//! Source: Simbatch (J.-S. Gay, Y. Caniou, INRIA report 00115880, 2006), section 3, and its annex A for what is in one file
//! here (`document`) and in four there. Rules by price, CO2 and energy are ours.

mod ask;
mod checks;
mod document;
mod drawn;
mod experiment;
mod play;
mod record;
mod results;
mod rule;
mod site;
mod table;
mod tasks;
mod wide_network;

pub use checks::SitesDocumentError;
pub use document::{
    ClientSection, DrawnSection, LoadSection, PlatformSource, SiteSection, SitesDocument,
    TaskSection, WideLinkSection,
};
pub use drawn::drawn_load;
pub use experiment::{Client, SitesError, SitesExperiment};
pub use play::play_sites;
pub use record::{SiteTaskEnd, SiteTaskRecord};
pub use results::{ClientResults, SiteResults, SitesResults, WideLinkUse};
pub use rule::SiteRule;
pub use site::SiteSetup;
pub use table::write_site_jobs;
pub use tasks::{SiteTask, TaskTableError, read_tasks};
pub use wide_network::{WideNetwork, WideNetworkError};
