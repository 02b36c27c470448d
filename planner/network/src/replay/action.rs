//! What a rank of an application does, a line of its trace at a time, as `SimGrid`'s SMPI writes and replays it.

use std::str::SplitWhitespace;

/// The largest amount that is read.
const MOST: f64 = 1e18;

/// What a rank does; sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// What takes no time: `init`, `finalize`, `comm_size`, `location` and their like.
    Nothing,
    /// Computes so many operations on one core.
    Compute(f64),
    /// Computes on a part of the cores of its host, so many operations on each.
    Use {
        part: f64,
        operations: f64,
    },
    /// Waits so many seconds.
    Sleep(f64),
    /// Sends; goes on at once where it is `isend`.
    Send {
        to: u32,
        tag: i64,
        bytes: f64,
        at_once: bool,
    },
    /// Receives from a rank, or any, with a tag, or any; goes on at once where it is `irecv`.
    Receive {
        from: Option<u32>,
        tag: Option<i64>,
        at_once: bool,
    },
    /// Waits for one request; of any sender where it is not known yet.
    Wait {
        from: Option<u32>,
        to: u32,
        tag: i64,
    },
    /// Waits for all of its requests.
    WaitAll,
    /// Looks whether a request is done, and goes on either way.
    Test {
        from: Option<u32>,
        to: u32,
        tag: i64,
    },
    Barrier,
    Broadcast {
        bytes: f64,
        root: u32,
    },
    Reduce {
        bytes: f64,
        operations: f64,
        root: u32,
    },
    AllReduce {
        bytes: f64,
        operations: f64,
    },
    /// Each sends so much to each other.
    AllToAll {
        bytes: f64,
    },
    /// Each sends so much to each rank.
    AllToAllVarying {
        bytes: Vec<f64>,
    },
    Gather {
        bytes: f64,
        root: u32,
    },
    AllGather {
        bytes: f64,
    },
    Scatter {
        bytes: f64,
        root: u32,
    },
    /// The root sends so much to each rank.
    ScatterVarying {
        bytes: Vec<f64>,
        root: u32,
    },
    /// Reduces, and then each rank has a part of the result.
    ReduceScatter {
        bytes: Vec<f64>,
        operations: f64,
    },
}

impl Action {
    pub(super) const fn operations(&self) -> f64 {
        match self {
            Self::Compute(operations)
            | Self::Use { operations, .. }
            | Self::Reduce { operations, .. }
            | Self::AllReduce { operations, .. }
            | Self::ReduceScatter { operations, .. } => *operations,
            _ => 0.0,
        }
    }

    pub(super) const fn sleeps_s(&self) -> f64 {
        if let Self::Sleep(seconds) = self { *seconds } else { 0.0 }
    }

    /// Whether others have to do with it.
    pub(super) const fn communicates(&self) -> bool {
        let alone = matches!(self, Self::Nothing | Self::Compute(_) | Self::Use { .. });
        let waits = matches!(self, Self::Wait { .. } | Self::WaitAll | Self::Test { .. });
        !(alone || waits || matches!(self, Self::Sleep(_)))
    }

    /// Whether each rank sends to each other in it.
    pub(super) const fn is_among_all(&self) -> bool {
        matches!(
            self,
            Self::AllToAll { .. } | Self::AllToAllVarying { .. } | Self::AllGather { .. }
        )
    }
}

/// Reads the trace of one rank.
pub(super) struct ActionReader {
    ranks: u32,
    rank: u32,
    /// Bytes of a datatype that is not said.
    usual: f64,
}

impl ActionReader {
    /// For a rank of so many. Sizes count bytes until `init` says otherwise.
    pub(super) const fn of(rank: u32, ranks: u32) -> Self {
        Self { ranks, rank, usual: 1.0 }
    }

    /// The action of a line; none where it is empty or a comment.
    pub(super) fn read(&mut self, line: &str) -> Result<Option<Action>, String> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(of) = words.next() else { return Ok(None) };
        if of.trim_start_matches('p').parse() != Ok(self.rank) {
            return Err(format!(
                "it is of rank {of:?}, and this is the trace of rank {}",
                self.rank
            ));
        }
        let name = words.next().ok_or("it names no action")?.to_ascii_lowercase();
        let mut rest = Words { after: words, ranks: self.ranks, usual: self.usual };
        if name == "init" {
            // Datatypes of eight bytes, where anything stands behind it.
            self.usual = if rest.after.next().is_some() { 8.0 } else { 1.0 };
            return Ok(Some(Action::Nothing));
        }
        action(&name, &mut rest).map(Some)
    }
}

fn action(name: &str, rest: &mut Words<'_>) -> Result<Action, String> {
    Ok(match name {
        "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" => Action::Nothing,
        "compute" => Action::Compute(rest.amount("operations")?),
        "m_usage" => {
            let part = rest.amount("the part of the cores")?;
            if part > 1.0 {
                return Err(format!("{part} is not a part of the cores, from 0 to 1"));
            }
            Action::Use { part, operations: rest.amount("operations")? }
        }
        "sleep" => Action::Sleep(rest.amount("seconds")?),
        "send" | "isend" => {
            let (to, tag) = (rest.rank("the receiver")?, rest.number("the tag")?);
            if tag < 0 {
                return Err(format!("{tag} is no tag of what is sent: a whole number, 0 or more"));
            }
            let size = rest.amount("the size")?;
            Action::Send { to, tag, bytes: rest.in_bytes(size)?, at_once: name == "isend" }
        }
        "recv" | "irecv" => {
            let (from, tag) = (rest.sender()?, rest.number("the tag")?);
            Action::Receive {
                from,
                tag: Some(tag).filter(|tag| *tag >= 0),
                at_once: name == "irecv",
            }
        }
        "wait" | "test" => {
            let (from, to) = (rest.sender()?, rest.rank("the receiver")?);
            let tag = rest.number("the tag")?;
            if name == "wait" {
                Action::Wait { from, to, tag }
            } else {
                Action::Test { from, to, tag }
            }
        }
        "waitall" => Action::WaitAll,
        _ => return collective(name, rest),
    })
}

fn collective(name: &str, rest: &mut Words<'_>) -> Result<Action, String> {
    Ok(match name {
        "barrier" => Action::Barrier,
        "bcast" => {
            let size = rest.amount("the size")?;
            let root = rest.root()?;
            Action::Broadcast { bytes: rest.in_bytes(size)?, root }
        }
        "reduce" => {
            let (size, operations) = (rest.amount("the size")?, rest.amount("operations")?);
            let root = rest.root()?;
            Action::Reduce { bytes: rest.in_bytes(size)?, operations, root }
        }
        "allreduce" => {
            let (size, operations) = (rest.amount("the size")?, rest.amount("operations")?);
            Action::AllReduce { bytes: rest.in_bytes(size)?, operations }
        }
        "alltoall" => {
            let (size, _) = (rest.amount("the size")?, rest.amount("what is received")?);
            Action::AllToAll { bytes: rest.in_bytes(size)? }
        }
        "alltoallv" => {
            rest.amount("the size of what is sent")?;
            let sizes = rest.of_each("what goes to each rank")?;
            rest.amount("the size of what is received")?;
            rest.of_each("what comes from each rank")?;
            Action::AllToAllVarying { bytes: rest.all_in_bytes(sizes)? }
        }
        "gather" | "gatherv" => {
            let size = rest.amount("the size")?;
            if name == "gather" {
                rest.amount("what is received")?;
            } else {
                rest.of_each("what comes from each rank")?;
            }
            let root = rest.root()?;
            Action::Gather { bytes: rest.in_bytes(size)?, root }
        }
        "allgather" => {
            let (size, _) = (rest.amount("the size")?, rest.amount("what is received")?);
            Action::AllGather { bytes: rest.in_bytes(size)? }
        }
        "allgatherv" => {
            let size = rest.amount("the size")?;
            rest.of_each("what comes from each rank")?;
            Action::AllGather { bytes: rest.in_bytes(size)? }
        }
        "scatter" => {
            let (size, _) = (rest.amount("the size")?, rest.amount("what is received")?);
            let root = rest.root()?;
            Action::Scatter { bytes: rest.in_bytes(size)?, root }
        }
        "scatterv" => {
            let sizes = rest.of_each("what goes to each rank")?;
            rest.amount("what is received")?;
            let root = rest.root()?;
            Action::ScatterVarying { bytes: rest.all_in_bytes(sizes)?, root }
        }
        "reducescatter" => {
            let sizes = rest.of_each("what each rank has in the end")?;
            let operations = rest.amount("operations")?;
            Action::ReduceScatter { bytes: rest.all_in_bytes(sizes)?, operations }
        }
        _ => return Err(format!("{name:?} is no action that is played")),
    })
}

/// What stands behind the name of an action.
struct Words<'a> {
    after: SplitWhitespace<'a>,
    ranks: u32,
    usual: f64,
}

impl Words<'_> {
    fn next(&mut self, what: &str) -> Result<&str, String> {
        self.after.next().ok_or_else(|| format!("it lacks {what}"))
    }

    /// An amount: a number that is not negative, and not so large that sums of it are none.
    fn amount(&mut self, what: &str) -> Result<f64, String> {
        let word = self.next(what)?;
        let amount = word.parse().ok().filter(|amount: &f64| (0.0..=MOST).contains(amount));
        amount.ok_or_else(|| format!("{word:?} is not {what}: a number from 0 to 1e18"))
    }

    fn number(&mut self, what: &str) -> Result<i64, String> {
        let word = self.next(what)?;
        word.parse().map_err(|_| format!("{word:?} is not {what}: a whole number"))
    }

    /// A rank, or any where it is negative.
    fn sender(&mut self) -> Result<Option<u32>, String> {
        let from = self.number("the sender")?;
        if from < 0 { Ok(None) } else { self.known(from).map(Some) }
    }

    fn rank(&mut self, what: &str) -> Result<u32, String> {
        let rank = self.number(what)?;
        self.known(rank)
    }

    fn known(&self, rank: i64) -> Result<u32, String> {
        let known = u32::try_from(rank).ok().filter(|rank| *rank < self.ranks);
        known.ok_or_else(|| format!("there is no rank {rank} among {}", self.ranks))
    }

    /// The root of a collective; the first rank where none is said.
    fn root(&mut self) -> Result<u32, String> {
        let Some(word) = self.after.next() else { return Ok(0) };
        let root = word.parse().map_err(|_| format!("{word:?} is not the root: a whole number"))?;
        self.known(root)
    }

    fn of_each(&mut self, what: &str) -> Result<Vec<f64>, String> {
        (0..self.ranks).map(|_| self.amount(what)).collect()
    }

    /// A size in bytes, by the datatype that comes next.
    fn in_bytes(&mut self, size: f64) -> Result<f64, String> {
        Ok(size.floor() * self.datatype_bytes()?)
    }

    fn all_in_bytes(&mut self, sizes: Vec<f64>) -> Result<Vec<f64>, String> {
        let bytes = self.datatype_bytes()?;
        Ok(sizes.into_iter().map(|size| size.floor() * bytes).collect())
    }

    /// Bytes of the datatype that comes next, by SMPI's numbers; of the usual one where none does.
    fn datatype_bytes(&mut self) -> Result<f64, String> {
        let Some(word) = self.after.next() else { return Ok(self.usual) };
        let bytes = match word {
            "2" | "6" | "8" | "9" | "16" | "17" | "21" => 1.0,
            "3" | "10" | "18" | "22" => 2.0,
            "1" | "5" | "11" | "15" | "19" | "23" => 4.0,
            "0" | "4" | "7" | "12" | "13" | "20" | "24" | "25" | "28" | "29" => 8.0,
            "14" | "26" => 16.0,
            "27" => 32.0,
            _ => return Err(format!("{word:?} is no datatype that is known, from 0 to 29")),
        };
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Vec<Action>, String> {
        let mut reader = ActionReader::of(1, 3);
        lines.iter().filter_map(|line| reader.read(line).transpose()).collect()
    }

    /// 10 doubles are 80 bytes, 10 of what is not said 10 bytes, and 80 after `init 1`; 2.5 characters are two.
    #[test]
    fn sizes_are_of_datatypes() {
        let lines = [
            "1 send 2 7 10 0",
            "",
            "1 isend 2 7 10 # more",
            "p1 init 1",
            "1 send 0 7 10",
            "1 bcast 2.5 2 2",
        ];
        let send = |to, bytes, at_once| Action::Send { to, tag: 7, bytes, at_once };
        let expected = vec![
            send(2, 80.0, false),
            send(2, 10.0, true),
            Action::Nothing,
            send(0, 80.0, false),
            Action::Broadcast { bytes: 2.0, root: 2 },
        ];
        assert_eq!(read(&lines), Ok(expected));
    }

    #[test]
    fn negative_senders_and_tags_are_any() {
        let any = Action::Receive { from: None, tag: None, at_once: true };
        assert_eq!(read(&["1 irecv -1 -1 100"]), Ok(vec![any]));
    }

    #[test]
    fn sizes_of_each_rank_come_before_the_root() {
        let scatter = Action::ScatterVarying { bytes: vec![4.0, 8.0, 12.0], root: 2 };
        assert_eq!(read(&["1 scatterv 1 2 3 3 2 1"]), Ok(vec![scatter]));
        let reduce = Action::ReduceScatter { bytes: vec![8.0, 8.0, 16.0], operations: 5.0 };
        assert_eq!(read(&["1 reducescatter 1 1 2 5 0"]), Ok(vec![reduce]));
        let gather = Action::Gather { bytes: 9.0, root: 1 };
        assert_eq!(read(&["1 gatherv 9 9 9 9 1"]), Ok(vec![gather]));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let cases = [
            ("0 compute 1", "it is of rank \"0\", and this is the trace of rank 1"),
            ("1", "it names no action"),
            ("1 compute", "it lacks operations"),
            ("1 compute -1", "\"-1\" is not operations: a number from 0 to 1e18"),
            ("1 send 3 0 1", "there is no rank 3 among 3"),
            ("1 compute 1e19", "\"1e19\" is not operations: a number from 0 to 1e18"),
            ("1 send 0 -1 5", "-1 is no tag of what is sent: a whole number, 0 or more"),
            ("1 send 0 x 1", "\"x\" is not the tag: a whole number"),
            ("1 scan 5 5", "\"scan\" is no action that is played"),
            ("1 bcast 5 0 99", "\"99\" is no datatype that is known, from 0 to 29"),
            ("1 m_usage 1.5 5", "1.5 is not a part of the cores, from 0 to 1"),
        ];
        for (line, expected) in cases {
            assert_eq!(read(&[line]), Err(expected.to_owned()), "{line}");
        }
    }
}
