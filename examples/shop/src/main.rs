//! Makes the database of a small shop, to be looked at: `cargo run --release -p worldspace-example-shop -- shop.db`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that says what it did")]

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

mod shop;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [path] = &arguments[..] else {
        eprintln!("usage: cargo run --release -p worldspace-example-shop -- FILE");
        return ExitCode::from(2);
    };
    let path = Path::new(path);
    // Made here, so that nothing that is there already is written to.
    if let Err(error) = File::create_new(path) {
        eprintln!("error: cannot make {}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    match shop::make(path) {
        Ok(made) => {
            println!("{}: {made}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            // A part of a shop is of no use, and would be in the way of the next try.
            let _ = std::fs::remove_file(path);
            eprintln!("error: cannot make {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
