//! `machine_states.csv` and `pstate_changes.csv`, with Batsim's columns: a row whenever machines change
//! what they do, or their power state.

use std::io::{self, Write};

use super::jobs::{seconds, whole};
use crate::kernel::{Entered, Entering};
use crate::machine_ranges;
use crate::time::Time;

/// `machine_states.csv`: how many machines are in each state.
#[derive(Debug)]
pub struct StateTable<W> {
    out: W,
    off: u32,
    switching_on: u32,
    switching_off: u32,
    idle: u32,
    computing: u32,
    row: Vec<u8>,
}

impl<W: Write> StateTable<W> {
    /// A table of no rows yet; all machines are idle.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, machines: u32) -> io::Result<Self> {
        out.write_all(b"time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n")?;
        let (off, switching_on, switching_off, computing) = (0, 0, 0, 0);
        let row = Vec::new();
        Ok(Self { out, off, switching_on, switching_off, idle: machines, computing, row })
    }

    /// A row after a job of `nodes` machines started.
    ///
    /// # Errors
    /// Those of the output.
    pub fn started(&mut self, now: Time, nodes: u32) -> io::Result<()> {
        self.idle -= nodes;
        self.computing += nodes;
        self.row(now)
    }

    /// A row after a job of `nodes` machines ended.
    ///
    /// # Errors
    /// Those of the output.
    pub fn ended(&mut self, now: Time, nodes: u32) -> io::Result<()> {
        self.computing -= nodes;
        self.idle += nodes;
        self.row(now)
    }

    /// A row after machines entered a state.
    ///
    /// # Errors
    /// Those of the output.
    pub fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        let (from, to) = match entering.state {
            Entered::SwitchingOff => (&mut self.idle, &mut self.switching_off),
            Entered::SwitchingOn => (&mut self.off, &mut self.switching_on),
            Entered::Off(_) => (&mut self.switching_off, &mut self.off),
            Entered::On(_) => (&mut self.switching_on, &mut self.idle),
            Entered::Other(_) => return Ok(()),
        };
        let count = entering.machines.count();
        *from -= count;
        *to += count;
        self.row(entering.now)
    }

    fn row(&mut self, now: Time) -> io::Result<()> {
        let row = &mut self.row;
        row.clear();
        seconds(row, now);
        for count in [self.off, self.switching_on, self.switching_off, self.idle, self.computing] {
            row.push(b',');
            whole(row, i64::from(count));
        }
        row.push(b'\n');
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

/// `pstate_changes.csv`: time, machines, and the number of the state they enter, or -1 where they are
/// being switched on and -2 where they are being switched off.
#[derive(Debug)]
pub struct ChangeTable<W> {
    out: W,
    row: Vec<u8>,
}

impl<W: Write> ChangeTable<W> {
    /// A table with one row: all machines begin in the state of this number.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(mut out: W, machines: u32, initial: u16) -> io::Result<Self> {
        let last = machines.saturating_sub(1);
        let all = if last == 0 { "0".to_owned() } else { format!("0-{last}") };
        writeln!(out, "time,machine_id,new_pstate\n0,{all},{initial}")?;
        Ok(Self { out, row: Vec::new() })
    }

    /// A row.
    ///
    /// # Errors
    /// Those of the output.
    pub fn row(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        let row = &mut self.row;
        row.clear();
        seconds(row, entering.now);
        row.push(b',');
        machine_ranges::write(row, entering.machines);
        row.push(b',');
        whole(row, entering.state.number());
        row.push(b'\n');
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
