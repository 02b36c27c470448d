//! Rebuilds the crate when a migration is added: `migrate!` only notices changes to known files.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
