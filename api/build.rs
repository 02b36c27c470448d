//! Puts the built web page, `frontend/dist`, into the binary: a table of its files.
//!
//! Every file is there three times: plain, and compressed beside it as `.br` and `.gz`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let dist = Path::new(&manifest).join("../frontend/dist").canonicalize()?;
    println!("cargo::rerun-if-changed={}", dist.display());

    let mut files = Vec::new();
    plain_files(&dist, &mut files)?;
    files.sort();
    let mut table = String::from("[\n");
    for file in files {
        let route = file.strip_prefix(&dist).map_err(io::Error::other)?.display();
        let path = file.display();
        writeln!(
            table,
            "File {{ route: {:?}, plain: include_bytes!({:?}), brotli: include_bytes!({:?}), gzip: include_bytes!({:?}) }},",
            route.to_string(),
            path.to_string(),
            format!("{path}.br"),
            format!("{path}.gz"),
        )
        .map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(Path::new(&out).join("web_page_files.rs"), table)
}

fn plain_files(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            plain_files(&path, found)?;
        } else if !path.extension().is_some_and(|kind| kind == "br" || kind == "gz") {
            found.push(path);
        }
    }
    Ok(())
}
