//! `consumed_energy.csv`: a row whenever a job starts or ends, machines change their state, or the loads of jobs that
//! communicate change, with Batsim's columns.

use std::io::{self, Write};

use super::jobs::seconds;
use crate::energy::{Happening, MeterReading};
use crate::quantity::watts;

/// `consumed_energy.csv`: time, energy so far, `s` for a start, `e` for an end, `p` for a change of
/// power states or `l` for one of loads, what machines would draw without their jobs, mean power since the row before or `NA`.
#[derive(Debug)]
pub struct EnergyTable<W> {
    out: W,
    row: Vec<u8>,
}

impl<W: Write> EnergyTable<W> {
    /// A table of no rows yet.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"time,energy,event_type,wattmin,epower\n")?;
        Ok(Self { out, row: Vec::new() })
    }

    /// A row.
    ///
    /// # Errors
    /// Those of the output.
    pub fn row(&mut self, reading: &MeterReading) -> io::Result<()> {
        let row = &mut self.row;
        row.clear();
        seconds(row, reading.now);
        let letter = match reading.happening {
            Happening::Start => 's',
            Happening::End => 'e',
            Happening::State => 'p',
            Happening::Load => 'l',
        };
        let (consumed, least) = (reading.consumed.as_joules(), watts(reading.least));
        write!(row, ",{consumed:.6},{letter},{least:.6},")?;
        match reading.drawn {
            Some(drawn) => writeln!(row, "{:.6}", watts(drawn))?,
            None => row.extend_from_slice(b"NA\n"),
        }
        self.out.write_all(row)
    }

    /// Writes what is not written yet.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
