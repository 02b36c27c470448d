//! The words of a command line, or of a script's `#SBATCH` lines, taken apart as sbatch takes them apart:
//! options come first, in any spelling, and end at the first word that is none.

use std::ffi::OsString;

use super::known_options::{Takes, by_letter, by_name, own};

/// An option of sbatch, and the value that it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidOption {
    /// Its full name.
    pub name: &'static str,
    /// Its value, where it has one.
    pub value: Option<String>,
}

/// Words that were taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The options of sbatch that are known, in their order.
    pub said: Vec<SaidOption>,
    /// Every word that is sbatch's, as it was written; also of options that are not known.
    pub passed: Vec<OsString>,
    /// The words of the options that `wattbook sbatch` adds.
    pub own: Vec<OsString>,
    /// What follows the options: the script and its arguments.
    pub rest: Vec<OsString>,
}

impl Words {
    /// Takes words apart.
    ///
    /// # Errors
    /// An option that lacks its value, has one too many, or may be several.
    pub fn of(words: Vec<OsString>) -> Result<Self, String> {
        let mut read = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            match text.as_bytes() {
                b"--" => {
                    read.rest.extend(words);
                    break;
                }
                [b'-', b'-', ..] => read.long(&text[2..], word, &mut words)?,
                [b'-', _, ..] => read.letters(&text[1..], word, &mut words)?,
                _ => {
                    read.rest.push(word);
                    read.rest.extend(words);
                    break;
                }
            }
        }
        Ok(read)
    }

    /// An option by its name, such as `nodes=4`.
    fn long(
        &mut self,
        said: &str,
        word: OsString,
        words: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), String> {
        let (name, value) = match said.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (said, None),
        };
        if let Some(takes) = own(name).or((name == "help").then_some(Takes::Nothing)) {
            self.own.push(word);
            if takes == Takes::Value && value.is_none() {
                self.own.push(next(words, name)?);
            }
            return Ok(());
        }
        let known = by_name(name)?;
        if value.is_some() && matches!(known, Some((_, Takes::Nothing))) {
            return Err(format!("--{name} takes no value"));
        }
        self.passed.push(word);
        let Some((name, takes)) = known else { return Ok(()) };
        let value = match (value, takes) {
            (None, Takes::Value) => Some(self.value(words, name)?),
            (value, _) => value,
        };
        self.said.push(SaidOption { name, value });
        Ok(())
    }

    /// Options by their letters, such as `Hn4`.
    fn letters(
        &mut self,
        said: &str,
        word: OsString,
        words: &mut impl Iterator<Item = OsString>,
    ) -> Result<(), String> {
        if said.starts_with('h') {
            self.own.push(word);
            return Ok(());
        }
        self.passed.push(word);
        let mut letters = said.chars();
        while let Some(letter) = letters.next() {
            // What follows a letter that is not known may be its value.
            let Some((name, takes)) = by_letter(letter) else { break };
            let value = match takes {
                Takes::Nothing => None,
                Takes::Perhaps | Takes::Value => {
                    let inside = Some(letters.as_str()).filter(|it| !it.is_empty());
                    let inside = inside.map(str::to_owned);
                    letters = "".chars();
                    match inside {
                        None if takes == Takes::Value => Some(self.value(words, name)?),
                        inside => inside,
                    }
                }
            };
            self.said.push(SaidOption { name, value });
        }
        Ok(())
    }

    /// The next word, which is an option's value.
    fn value(
        &mut self,
        words: &mut impl Iterator<Item = OsString>,
        name: &str,
    ) -> Result<String, String> {
        let word = next(words, name)?;
        let text = word.to_string_lossy().into_owned();
        self.passed.push(word);
        Ok(text)
    }
}

fn next(words: &mut impl Iterator<Item = OsString>, name: &str) -> Result<OsString, String> {
    words.next().ok_or_else(|| format!("--{name} lacks its value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Words, String> {
        Words::of(line.split_whitespace().map(OsString::from).collect())
    }

    fn line(words: &[OsString]) -> String {
        words.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_end_at_the_script_and_ours_may_stand_anywhere_among_them() {
        let read =
            of("--within 6h -N4 --keep --time=30 --ranking=x -Hn 8 job.sh --within -N 2").unwrap();
        assert_eq!(line(&read.own), "--within 6h --keep --ranking=x");
        assert_eq!(line(&read.passed), "-N4 --time=30 -Hn 8");
        assert_eq!(line(&read.rest), "job.sh --within -N 2");
        let said: Vec<_> =
            read.said.iter().map(|it| (it.name, it.value.as_deref().unwrap_or("-"))).collect();
        assert_eq!(said, [("nodes", "4"), ("time", "30"), ("hold", "-"), ("ntasks", "8")]);
    }

    #[test]
    fn values_are_where_sbatch_looks_for_them() {
        for (words, said, rest) in [
            ("--nodes 4 x", "nodes=4", "x"),
            ("--nod=4", "", ""), // may be several: see below
            ("--exclusive user", "exclusive", "user"),
            ("--exclusive=user", "exclusive=user", ""),
            ("-k x", "no-kill", "x"),
            ("-koff x", "no-kill=off", "x"),
            ("-t-1 x", "time=-1", "x"),
            ("-x -n x", "exclude=-n", "x"),
            ("-J= x", "job-name==", "x"),
            ("--comment= x", "comment=", "x"),
            ("-- -N", "", "-N"),
            ("- -N", "", "- -N"),
            ("--new-one=3 --flag x", "", "x"),
            ("-Z4 x", "", "x"),
            ("-vvW x", "verbose verbose wait", "x"),
            ("--hel x", "help", "x"),
            ("-Hh x", "hold help", "x"),
        ] {
            let Ok(read) = of(words) else {
                assert_eq!(words, "--nod=4");
                continue;
            };
            let told = |SaidOption { name, value }: &SaidOption| match value {
                Some(value) => format!("{name}={value}"),
                None => (*name).to_owned(),
            };
            let told: Vec<String> = read.said.iter().map(told).collect();
            assert_eq!(
                (told.join(" ").as_str(), line(&read.rest).as_str()),
                (said, rest),
                "{words}"
            );
        }
    }

    #[test]
    fn what_lacks_a_value_or_has_one_too_many_is_told() {
        assert_eq!(of("-N"), Err("--nodes lacks its value".to_owned()));
        assert_eq!(of("--within"), Err("--within lacks its value".to_owned()));
        assert_eq!(of("--wait=5"), Err("--wait takes no value".to_owned()));
        assert!(of("--nod=4").unwrap_err().contains("--nodefile"));
    }
}
