//! The files of results, to be compared.

use std::fs;
use std::path::Path;

/// Every file below a folder but those that tell of time, by path.
pub fn result_files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            if path.is_dir() {
                folders.push(path);
            } else if !name.starts_with("timing") {
                found.push((name, fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
