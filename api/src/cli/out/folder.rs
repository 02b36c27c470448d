//! Results in a folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;

use super::{is_inner, is_result};

/// The names of the files of results in a folder, and in its inner folders.
pub fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    add_names(folder, "", &mut names)?;
    Ok(names)
}

fn add_names(folder: &Path, below: &str, names: &mut Vec<String>) -> anyhow::Result<()> {
    let Ok(entries) = fs::read_dir(folder.join(below)) else { return Ok(()) };
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if is_inner(&name) || name == "instances" {
            add_names(folder, &format!("{name}/"), names)?;
        } else if is_result(&name) && entry.path().is_file() {
            names.push(name);
        }
    }
    Ok(())
}

/// What a file holds; `None` where there is none.
pub fn read(folder: &Path, name: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let path = folder.join(name);
    match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        read => Ok(Some(read.with_context(|| format!("cannot read {}", path.display()))?)),
    }
}

/// Removes a file; its inner folder goes with the last one in it.
pub fn remove(folder: &Path, name: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    if let Some(inner) = path.parent().filter(|_| name.contains('/')) {
        let _ = fs::remove_dir(inner);
    }
    Ok(())
}
