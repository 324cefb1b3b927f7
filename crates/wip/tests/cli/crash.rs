//! A server that is killed while it writes: whatever is on the disk then is whole.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use worldspace_client::{CallOptions, Client};
use worldspace_model::{EntryPath, InterfaceName, InterfaceReference, Record, Value};

use crate::victim::{Served, serve};

const FILES: usize = 40;
const WRITES: usize = 200;
/// Large enough that a part of it would be seen.
const SIZE: usize = 100_000;

/// The content of a file in one version: every byte tells.
fn content(file: usize, version: usize) -> String {
    let line = format!("file {file} version {version}\n");
    line.repeat(SIZE / line.len())
}

/// Writes the next version of a file; whether that was answered as done.
async fn write(client: &Client, file: usize, version: usize) -> bool {
    let entry = EntryPath::parse(&format!("/w/f{file}")).unwrap();
    let reference = InterfaceReference::new(
        EntryPath::parse("/w").unwrap(),
        InterfaceName::parse("files.file.write").unwrap(),
    );
    let Ok(seen) = client.fetch(&entry).await else { return false };
    let Ok(interface) = client.interface(&reference).await else { return false };
    let arguments = Record::new(vec![("text".into(), Value::from(content(file, version)))]).unwrap();
    client.call(&seen, &interface, "write", arguments, CallOptions::default()).await.is_ok()
}

/// Names that somebody sees who lists the directory, but for the one that is never published.
fn names(directory: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(directory).unwrap().map(|item| item.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".wip-writes").collect();
    names.sort();
    names
}

#[test]
fn a_server_that_is_killed_leaves_every_file_old_or_new_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for file in 0..FILES {
        std::fs::write(at.join(format!("f{file}")), content(file, 0)).unwrap();
    }
    let all = names(at);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut cut_short = 0;
    // The last version of each file that was answered as done, in whichever round.
    let answered: Vec<AtomicUsize> = (0..FILES).map(|_| AtomicUsize::new(0)).collect();
    for (round, killed_after) in [5, 40, 90, 140, 195].into_iter().enumerate() {
        let Served { mut child, client } = serve("w", at);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let before = |number: usize| round * WRITES + number;
        let pid = child.id().to_string();
        runtime.block_on(async {
            let writer = || async {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= WRITES {
                        return;
                    }
                    let file = number % FILES;
                    if write(&client, file, before(number) + 1).await {
                        answered[file].fetch_max(before(number) + 1, Ordering::SeqCst);
                        if done.fetch_add(1, Ordering::SeqCst) + 1 == killed_after {
                            assert!(
                                std::process::Command::new("kill")
                                    .args(["-KILL", &pid])
                                    .status()
                                    .unwrap()
                                    .success()
                            );
                        }
                    }
                }
            };
            tokio::join!(writer(), writer(), writer(), writer());
        });
        child.wait().unwrap();
        cut_short += usize::from(done.load(Ordering::SeqCst) < WRITES);
        assert_eq!(names(at), all, "killed after {killed_after}");
        for file in 0..FILES {
            let found = std::fs::read_to_string(at.join(format!("f{file}"))).unwrap();
            let version: usize = found
                .split_whitespace()
                .nth(3)
                .unwrap_or_else(|| panic!("file {file} is empty"))
                .parse()
                .unwrap();
            assert!(found == content(file, version), "file {file} is neither old nor new");
            let answered = answered[file].load(Ordering::SeqCst);
            assert!(version >= answered, "file {file} was answered as {answered} and is {version}");
        }
    }
    assert_eq!(cut_short, 5, "a server outlived its end");
    // The next start clears what was left where changes are made ready.
    let Served { mut child, .. } = serve("w", at);
    let end = Instant::now() + Duration::from_secs(30);
    while at.join(".wip-writes").exists() {
        assert!(Instant::now() < end, "what was left is not cleared");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}
