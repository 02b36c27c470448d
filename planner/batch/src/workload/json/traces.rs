//! The traces of applications that profiles name: a file lists one file for each rank, beside itself.

use std::io;
use std::sync::Arc;

use network::replay::{ApplicationTrace, read_application};

/// Reads the text of a file that a workload names, by its path from the folder of the workload.
pub type FilesBeside<'a> = &'a dyn Fn(&str) -> io::Result<String>;

/// Reads no file: for profiles that come without a workload file.
///
/// # Errors
/// Always.
pub(crate) fn no_files(_: &str) -> io::Result<String> {
    Err(io::Error::other("traces are read beside the file of a workload only"))
}

/// Reads the traces that a file lists.
pub(super) fn read_traces(
    list: &str,
    files: FilesBeside<'_>,
) -> Result<Arc<ApplicationTrace>, String> {
    let read = |file: &str| files(file).map_err(|error| format!("{file}: {error}"));
    let folder = list.rfind('/').map_or("", |end| &list[..=end]);
    let listed = read(list)?;
    let named = listed.lines().map(str::trim).filter(|line| !line.is_empty());
    let texts = named.map(|name| read(&format!("{folder}{name}")));
    let texts = texts.collect::<Result<Vec<String>, String>>()?;
    let application = read_application(texts.iter().map(String::as_str));
    application.map_err(|error| format!("{list}: {error}"))
}
