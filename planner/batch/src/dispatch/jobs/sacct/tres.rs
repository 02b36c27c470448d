//! What Slurm counts of jobs: `cpu=16,mem=32G,node=2,gres/gpu=4,license/matlab=1`.

/// What a job has in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tres {
    pub nodes: Option<u64>,
    pub processors: Option<u64>,
    pub memory_kb: Option<u64>,
    /// Other countable things of nodes, and licences.
    pub others: Vec<(String, u64)>,
}

/// What Slurm counts, and jobs do not wait for.
const UNCOUNTED: [&str; 5] = ["billing", "energy", "pages", "vmem", "fs"];

impl Tres {
    /// Reads `cpu=16,mem=32G,node=2`.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut tres = Self::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (name, amount) =
                part.split_once('=').ok_or_else(|| format!("{part:?} is not NAME=AMOUNT"))?;
            let (kind, name) = name.trim().split_once('/').unwrap_or((name.trim(), ""));
            if kind == "mem" {
                tres.memory_kb = Some(memory_kb(amount)?);
            } else if !UNCOUNTED.contains(&kind) {
                tres.add(kind, name, whole(amount)?);
            }
        }
        tres.settle();
        Ok(tres)
    }

    /// Adds what is counted under a kind and a name, such as `gres` and `gpu:a100`.
    pub fn add(&mut self, kind: &str, name: &str, amount: u64) {
        match kind {
            "cpu" => self.processors = Some(amount),
            "node" => self.nodes = Some(amount),
            "gres" | "license" => self.others.push((name.to_owned(), amount)),
            _ => {}
        }
    }

    /// Things of several types count under the name that they share, once: `gpu` stands for `gpu:a100` beside it.
    pub fn settle(&mut self) {
        let all = std::mem::take(&mut self.others);
        let whole = |name: &str| all.iter().any(|(other, _)| other == name);
        for (name, amount) in &all {
            let base = name.split(':').next().unwrap_or_default();
            if base != name && whole(base) {
                continue;
            }
            match self.others.iter_mut().find(|(other, _)| other == base) {
                Some((_, sum)) => *sum = sum.saturating_add(*amount),
                None => self.others.push((base.to_owned(), *amount)),
            }
        }
    }

    /// Adds licences as `sacct` lists them: `matlab:2,fluent@db:1`. Those that are there already stay.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn add_licences(&mut self, text: &str) -> Result<(), String> {
        for part in text.split([',', '|']).map(str::trim).filter(|part| !part.is_empty()) {
            let (name, amount) = part.rsplit_once([':', '=']).unwrap_or((part, "1"));
            let name = name.split('@').next().unwrap_or_default();
            let amount = whole(amount)?;
            if !self.others.iter().any(|(other, _)| other == name) {
                self.others.push((name.to_owned(), amount));
            }
        }
        Ok(())
    }
}

fn whole(amount: &str) -> Result<u64, String> {
    amount
        .trim()
        .parse()
        .map_err(|_| format!("{amount:?} is no whole amount; print the file by sacct --noconvert"))
}

/// Memory in kB: `4000M`, `1.50G`, `512K`; in MB without a unit.
///
/// # Errors
/// Says what is wrong.
pub(super) fn memory_kb(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "K" | "k" => 1.0,
        "" | "M" | "m" => 1024.0,
        "G" | "g" => 1_048_576.0,
        "T" | "t" => 1_073_741_824.0,
        "P" | "p" => 1_099_511_627_776.0,
        _ => f64::NAN,
    };
    let kb = digits.parse::<f64>().map_or(f64::NAN, |amount| (amount * factor).ceil());
    if (0.0..9e15).contains(&kb) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
        return Ok(kb as u64);
    }
    Err(format!("{text:?} is no memory such as 4000M or 32G"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1.5 GB are 1,572,864 kB. Of two types of GPUs without a sum 1 + 2 count.
    #[test]
    fn what_jobs_have_is_read_and_what_they_do_not_wait_for_left_out() {
        let text = "billing=96,cpu=16,energy=1203,fs/disk=7,gres/gpu:a100=3,gres/gpu=4,license/matlab=1,mem=1.50G,node=2";
        let read = Tres::parse(text).unwrap();
        let expected = Tres {
            nodes: Some(2),
            processors: Some(16),
            memory_kb: Some(1_572_864),
            others: vec![("gpu".to_owned(), 4), ("matlab".to_owned(), 1)],
        };
        assert_eq!(read, expected);
        let typed = Tres::parse("gres/gpu:a100=1,gres/gpu:h100=2").unwrap();
        assert_eq!(typed.others, [("gpu".to_owned(), 3)]);
        assert_eq!(Tres::parse("").unwrap(), Tres::default());
    }

    #[test]
    fn licences_beside_it_count_once() {
        let mut tres = Tres::parse("license/matlab=2").unwrap();
        tres.add_licences("matlab:2,fluent@db:3,ansys").unwrap();
        let expected = [("matlab", 2), ("fluent", 3), ("ansys", 1)];
        assert_eq!(tres.others, expected.map(|(name, amount)| (name.to_owned(), amount)));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, told) in [
            ("cpu", "\"cpu\" is not NAME=AMOUNT"),
            ("cpu=1.5K", "\"1.5K\" is no whole amount"),
            ("mem=much", "\"much\" is no memory"),
            ("mem=-1G", "\"-1G\" is no memory"),
        ] {
            let error = Tres::parse(text).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
        assert_eq!((memory_kb("0"), memory_kb("2K"), memory_kb("3")), (Ok(0), Ok(2), Ok(3072)));
    }
}
