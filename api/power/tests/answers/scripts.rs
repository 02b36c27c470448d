//! Small programs in the place of real ones.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;

/// A shell script in a folder of its own, where `$here` is that folder.
pub struct Script {
    folder: TempDir,
}

impl Script {
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        let here = folder.path().display();
        std::fs::write(&file, format!("#!/bin/sh\nhere='{here}'\n{text}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// A file that it wrote, or nothing.
    pub fn wrote(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(file)).unwrap_or_default()
    }
}
