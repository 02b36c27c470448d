//! A folder in which commands run on its files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::site::wattbook;

pub struct CommandFolder(TempDir);

impl CommandFolder {
    /// With files of these names and texts.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Runs `wattbook` with these words.
    pub fn run(&self, arguments: &str) -> Output {
        let words: Vec<&str> = arguments.split(' ').collect();
        wattbook(&words).current_dir(self.path()).output().unwrap()
    }

    /// What a command that succeeds prints.
    pub fn done(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a command says of its input, with exit code 2.
    pub fn refused(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// The rows of a table.
    pub fn table(&self, name: &str) -> Vec<HashMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.path().join(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }
}
