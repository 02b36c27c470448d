//! The options in a batch script: its `#SBATCH` lines, read as sbatch reads them.

use std::ffi::OsString;

/// What begins a line with options.
const MARK: &str = "#SBATCH";

/// The words of a script's `#SBATCH` lines, in their order. They end at the first line that is neither a
/// comment nor blank; other comments may stand between them.
///
/// # Errors
/// With the line's number: a quote that is not closed, a colon that stands alone, a line that begins another
/// component of a heterogeneous job. Texts that sbatch does not take for scripts.
pub fn words(script: &str) -> Result<Vec<OsString>, String> {
    if !script.starts_with("#!") {
        return Err("the script must begin with #! and the path of an interpreter".to_owned());
    }
    if script.contains("\r\n") {
        return Err("the script's lines end as in DOS (\\r\\n); sbatch takes none such".to_owned());
    }
    let mut words = Vec::new();
    for (index, line) in script.lines().enumerate() {
        let told = |error| format!("line {} of the script: {error}", index + 1);
        match line.strip_prefix(MARK) {
            Some(options) => words.extend(arguments(options).map_err(told)?),
            None if line.trim_start().is_empty() || line.trim_start().starts_with('#') => {}
            None => break,
        }
    }
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Whether a script has lines for PBS or LSF, which sbatch obeys too unless it is told `--ignore-pbs`.
pub fn has_foreign_options(script: &str) -> bool {
    let comments = script.lines().take_while(|line| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('#')
    });
    comments.into_iter().any(|line| line.starts_with("#PBS") || line.starts_with("#BSUB"))
}

/// The words of what follows the mark in a line.
fn arguments(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        if rest.starts_with(':') {
            return Err("a colon that stands alone".to_owned());
        }
        let (word, after) = argument(rest)?;
        // sbatch reads a line no further than to an empty word or a comment.
        if word.is_empty() {
            break;
        }
        words.push(word);
        rest = after.trim_start();
    }
    if words.iter().any(|word| word == "hetjob" || word == "packjob") {
        return Err(super::HETEROGENEOUS.to_owned());
    }
    Ok(words)
}

/// The first word of a text and what follows it. Quotes and backslashes keep what is special; a `#` outside
/// of quotes begins a comment.
fn argument(text: &str) -> Result<(String, &str), String> {
    let (mut word, mut quote, mut escaped) = (String::new(), None, false);
    for (at, character) in text.char_indices() {
        match (character, quote) {
            (_, _) if escaped => {
                escaped = false;
                word.push(character);
            }
            ('\\', _) => escaped = true,
            (closing, Some(opening)) if closing == opening => quote = None,
            ('"' | '\'', None) => quote = Some(character),
            ('#', None) => return Ok((word, "")),
            (blank, None) if blank.is_ascii_whitespace() => return Ok((word, &text[at..])),
            _ => word.push(character),
        }
    }
    match quote {
        Some(quote) => Err(format!("a quote {quote} that is not closed")),
        None => Ok((word, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str) -> Result<Vec<String>, String> {
        let words = words(script)?;
        Ok(words.iter().map(|it| it.to_string_lossy().into_owned()).collect())
    }

    /// Each of these was read so by the sbatch of Slurm 22.05 or 26.05.
    #[test]
    fn lines_are_read_as_sbatch_reads_them() {
        for (lines, expected) in [
            ("#SBATCH -N2-4   --time=1-2:30 # later", "-N2-4 --time=1-2:30"),
            ("#SBATCH--time=5", "--time=5"),
            ("#SBATCH\t-N 2\t", "-N 2"),
            ("  #SBATCH -N 2", ""),
            ("##SBATCH -N 2", ""),
            ("#sbatch -N 2", ""),
            ("# text\n\n \t\n#SBATCH -N 2\necho\n#SBATCH -n 5", "-N 2"),
            ("echo\n#SBATCH -N 2", ""),
            ("#SBATCH --job-name=\"a b\" -C 'x&y'", "--job-name=a|b -C x&y"),
            ("#SBATCH --comment=a\\ b", "--comment=a|b"),
            ("#SBATCH --comment=it\\'s\\#1 -N1", "--comment=it's#1 -N1"),
            ("#SBATCH --comment='a \"b\" # c'", "--comment=a|\"b\"|#|c"),
            ("#SBATCH -n3#-N 2", "-n3"),
            ("#SBATCH -p batch '' -n 3", "-p batch"),
            ("#SBATCH -J myhetjob", "-J myhetjob"),
        ] {
            let words = read(&format!("#!/bin/sh\n{lines}\n")).unwrap();
            let shown: Vec<String> = words.iter().map(|it| it.replace(' ', "|")).collect();
            assert_eq!(shown.join(" "), expected, "{lines}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (script, told) in [
            ("echo", "the script must begin with #!"),
            ("", "the script must begin with #!"),
            ("#!/bin/sh\r\n#SBATCH -N 2\r\n", "the script's lines end as in DOS"),
            (
                "#!/bin/sh\n\n#SBATCH -J \"a b\n",
                "line 3 of the script: a quote \" that is not closed",
            ),
            ("#!/bin/sh\n#SBATCH -N 1 : -N 2\n", "line 2 of the script: a colon that stands alone"),
            ("#!/bin/sh\n#SBATCH hetjob\n", "line 2 of the script: heterogeneous jobs"),
            ("#!/bin/sh\n#SBATCH packjob\n", "line 2 of the script: heterogeneous jobs"),
        ] {
            let error = read(script).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn lines_of_other_batch_systems_count_until_the_first_command() {
        assert!(has_foreign_options("#!/bin/sh\n#PBS -l nodes=3\ntrue\n"));
        assert!(has_foreign_options("#!/bin/sh\n#BSUB -n 3\n"));
        assert!(!has_foreign_options("#!/bin/sh\ntrue\n#PBS -l nodes=3\n"));
    }
}
