//! Files, read only and writable, through the suite that holds for every provider.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use worldspace_host::Host;
use worldspace_model::{EntryPath, FetchTreeRequest, Principal, RequestContext, Responder as _, Value};
use worldspace_providers::files::{Files, Settings};
use worldspace_testkit::suite::{self, Outcome, Report, Sample, Subject};

/// A directory with a few files, as somebody beside the Host reaches it.
#[derive(Clone)]
struct Directory(Arc<TempDir>);

impl Directory {
    fn new() -> Self {
        let directory = Self(Arc::new(TempDir::new().unwrap()));
        for (name, content) in [
            (".gitignore", "*.tmp\n"),
            (".secret", "hidden"),
            ("ignored.tmp", "ignored"),
            ("readme.md", "first\nsecond\n"),
            ("docs/guide.md", "# Guide\n"),
            ("docs/parts/one.txt", "one"),
            ("docs/parts/two.txt", "two"),
            ("log.txt", "old\n"),
        ] {
            directory.write(name, content);
        }
        for number in 0..12 {
            directory.write(&format!("many/{number:02}.txt"), "");
        }
        directory
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Another content of the same length, written in place, with the time of the one before.
    fn rewrite(&self, name: &str) {
        let path = self.path(name);
        let mut content = fs::read(&path).unwrap();
        let modified = path.metadata().unwrap().modified().unwrap();
        content[0] = if content[0] == b'a' { b'b' } else { b'a' };
        let mut file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all(&content).unwrap();
        file.set_modified(modified).unwrap();
    }

    /// Another file in the place of one, as an editor saves it.
    fn replace(&self, name: &str) {
        File::create_new(self.path("new.tmp")).unwrap().write_all(b"another").unwrap();
        self.rename("new.tmp", name);
    }
}

/// Whether the filesystem of temporary files keeps times of birth, without which a file cannot be told from a later one.
fn tells_files_apart() -> bool {
    cfg!(target_os = "linux") && TempDir::new().unwrap().path().metadata().unwrap().created().is_ok()
}

/// Waits until the directory whose names are too many to be its state has one that lasts, as its time of change is old to
/// the clock of the filesystem. Trees do not wait by themselves.
async fn grow_old(files: &Files) {
    let host = Host::builder().mount(EntryPath::root(), files.clone()).build().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let mut seen = Vec::new();
        for _ in 0..2 {
            let context = RequestContext::of(Principal::anonymous());
            let request = FetchTreeRequest::new(EntryPath::root(), 1, 100, None).unwrap();
            let tree = host.fetch_tree(context, request).await.unwrap();
            seen.push(tree.nodes().iter().map(|node| node.object.clone()).collect::<Vec<_>>());
        }
        if seen[0] == seen[1] {
            return;
        }
        assert!(Instant::now() < end, "nothing grows old");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What holds of a directory whether it can be written or not.
fn files(name: &str, writable: bool) -> Subject<Directory> {
    let subject = Subject::new(name, move || async move {
        let directory = Directory::new();
        let settings = Settings { writable, indexable_names: 8, ..Settings::default() };
        let files = Files::open(directory.0.path(), settings).unwrap();
        grow_old(&files).await;
        (files, directory)
    })
    .object("/")
    .object("/docs")
    .object("/docs/parts")
    .leaf("/docs/parts/one.txt")
    .leaf("/readme.md")
    .leaf("/log.txt")
    .leaf("/many")
    .unlisted("/many/03.txt")
    .absent("/nothing")
    .absent("/docs/nothing.md")
    .absent("/readme.md/below")
    .hidden("/.secret")
    .hidden("/ignored.tmp")
    .states()
    .reading(Sample::of("/", "files.directory", "list"))
    .reading(Sample::of("/docs", "files.directory", "find").with("glob", "*.txt"))
    .reading(Sample::of("/many", "files.directory", "find"))
    .reading(Sample::of("/readme.md", "files.file", "metadata"))
    .reading(Sample::of("/readme.md", "files.file", "read_text"))
    .reading(Sample::of("/docs/guide.md", "files.file", "read_bytes"))
    .refusing(Sample::of("/", "files.directory", "list").with("limit", Value::count(0)))
    .refusing(Sample::of("/", "files.directory", "list").with("cursor", "none of its own"))
    .refusing(Sample::of("/", "files.directory", "find").with("text", "(").with("regex", true))
    .refusing(Sample::of("/", "files.directory", "find").with("glob", "[a"))
    .refusing(Sample::of("/readme.md", "files.file", "read_text").with("start_line", Value::count(0)))
    .moving("/docs", "/moved", |directory: Directory| async move { directory.rename("docs", "moved") })
    .moving("/readme.md", "/docs/readme.md", |directory: Directory| async move {
        directory.rename("readme.md", "docs/readme.md");
    })
    .replacing("/readme.md", |directory: Directory| async move { directory.replace("readme.md") })
    .disturbing("/readme.md", |directory: Directory| async move { directory.rewrite("readme.md") })
    .disturbing("/log.txt", |directory: Directory| async move { directory.rewrite("log.txt") })
    .disturbing("/docs", |directory: Directory| async move { directory.write("docs/new.md", "new") });
    if tells_files_apart() { subject.identities() } else { subject }
}

fn writable() -> Subject<Directory> {
    let create = |operation| Sample::of("/docs", "files.directory.write", operation);
    let readme = |operation| Sample::of("/readme.md", "files.file.write", operation);
    let names = ["", ".", "..", "a/b", "a\0b", ".hidden", "left.tmp"];
    let subject = files("files, writable", true)
        .adding(
            Sample::of("/log.txt", "files.file.write", "append").with("text", "x"),
            Sample::of("/log.txt", "files.file", "read_bytes"),
            |result| {
                let size = result.as_record().and_then(|record| record.get("size")?.as_integer());
                size.and_then(|size| usize::try_from(size).ok()).unwrap_or_default()
            },
        )
        .writing(create("create_file").with("name", "new.txt").with("text", "new"))
        .writing(create("create_directory").with("name", "new"))
        .writing(Sample::of("/docs", "files.directory.write", "delete").with("recursive", true))
        .writing(
            Sample::of("/docs/parts", "files.directory.write", "move")
                .with_entry("to", "/")
                .with("name", "elsewhere")
                .moving_to("/elsewhere"),
        )
        .writing(readme("write").with("text", "another text\n"))
        .writing(readme("replace_text").with("old", "second").with("new", "2nd"))
        .writing(readme("move").with_entry("to", "/docs").moving_to("/docs/readme.md"))
        .writing(readme("delete"))
        .refusing(readme("write"))
        .refusing(readme("write").with("text", "a").with("data", Value::bytes(*b"a")))
        .refusing(readme("replace_text").with("old", "").with("new", "a"))
        .refusing(readme("replace_text").with("old", "a").with("new", "b").with("count", Value::count(0)))
        .refusing(readme("move").with_entry("to", "/nothing"))
        .refusing(readme("move").with_entry("to", "/log.txt"))
        .refusing(Sample::of("/docs", "files.directory.write", "move").with_entry("to", "/docs/parts"))
        .refusing(
            create("create_file").with("name", "a").with("text", "a").with("data", Value::bytes(*b"a")),
        );
    names.into_iter().fold(subject, |subject, name| {
        subject
            .refusing(create("create_file").with("name", name))
            .refusing(create("create_directory").with("name", name))
            .refusing(readme("move").with_entry("to", "/docs").with("name", name))
    })
}

/// The checks that could not be tried.
fn missing(report: &Report) -> Vec<&str> {
    let missing = |check: &&suite::Checked| matches!(check.outcome, Outcome::NotApplicable { .. });
    let mut names: Vec<&str> = report.checks().iter().filter(missing).map(|check| &*check.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_can_only_be_read_hold_to_everything_that_applies() {
    suite::run(&files("files, read only", false)).await.assert();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_can_be_written_hold_to_everything() {
    let report = suite::run(&writable()).await;
    if tells_files_apart() {
        let not_for_files = [
            "what is not permitted is denied and nothing happens",
            "writers that are not guarded lose no effect",
        ];
        assert_eq!(missing(&report), not_for_files, "{report}");
    }
    report.assert();
}
