//! The `wattbook` binary: see [`wattbook::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wattbook::cli::run()
}
