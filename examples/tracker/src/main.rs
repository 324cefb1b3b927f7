//! Serves an issue tracker over HTTP: `cargo run --release -p worldspace-example-tracker`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that says what it does")]

use std::error::Error;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::filter::LevelFilter;
use worldspace_example_tracker::{Serving, StartError, bind, filling};

/// Serve an issue tracker over HTTP, to whoever shows the token that is told at the start
///
/// A file that is not there yet is made and filled with a few thousand issues, the same ones each time.
#[derive(Debug, Parser)]
#[command(name = "tracker", version, max_term_width = 100)]
struct Args {
    /// The SQLite database of the tracker
    #[arg(default_value = "tracker.db")]
    file: PathBuf,

    /// The port to listen at, on this machine alone; 0 takes a free one
    #[arg(long, default_value_t = 8420)]
    port: u16,
}

/// How long calls that have begun to change something may take to end.
const PATIENCE: Duration = Duration::from_secs(15);

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    // What the Host is to blame for: callers are told no more than that it failed.
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(LevelFilter::WARN).init();
    match run(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprintln!("because: {cause}");
                source = cause.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), StartError> {
    filling(&args.file).iter().for_each(|said| eprint!("{said}"));
    let serving = bind(&args.file, SocketAddr::from(([127, 0, 0, 1], args.port))).await?;
    eprint!("{}", serving.notice());
    let Serving { server, host, .. } = serving;
    println!("listening on {}", server.url());
    // Whoever waits for this line reads it through a pipe.
    let _ = std::io::stdout().flush();
    server.serve(asked_to_end()).await;
    host.drain(PATIENCE).await;
    Ok(())
}

/// Done once somebody asks: Ctrl-C, or what sends SIGTERM. SQLite is safe from every other end.
async fn asked_to_end() {
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut terminate) => drop(terminate.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        asked = tokio::signal::ctrl_c() => if asked.is_err() {
            std::future::pending::<()>().await;
        },
        () = terminated => {}
    }
}
