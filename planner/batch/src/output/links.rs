//! `links.csv`: what went over each link of the network.

use std::io::{self, Write};

use super::jobs::quoted;
use crate::kernel::LinkUse;

/// Writes `links.csv`: the link, its bytes, how long anything went over it in seconds, and the mean part of its
/// bandwidth that was used from the begin of the simulation to its end.
///
/// # Errors
/// Those of `out`.
pub fn write_links(mut out: impl Write, links: &[LinkUse<'_>]) -> io::Result<()> {
    out.write_all(b"link,bytes,busy_time,mean_load\n")?;
    let mut row = Vec::new();
    for LinkUse { name, bytes, busy_s, mean_load } in links {
        row.clear();
        quoted(&mut row, name);
        writeln!(row, ",{bytes:.3},{busy_s:.6},{mean_load:.9}")?;
        out.write_all(&row)?;
    }
    out.flush()
}
