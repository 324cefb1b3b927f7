//! The files in `test_data`: what sound ones declare, and what is said of faulty ones.
//!
//! `WIP_UPDATE_GOLDEN=1` writes what is said anew. Beside `a.wip` stands `a.txt`; files that others use are in `used`.

use std::fs;
use std::path::{Path, PathBuf};

use worldspace_idl::{Checked, Loader, check, diagnostic, source_view};

/// Finds files beside those that use them.
struct Folder(PathBuf);

impl Loader for Folder {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        let text = fs::read_to_string(self.0.join(path)).map_err(|_| "it is not there".to_owned())?;
        Ok((path.to_owned(), text))
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(name)
}

fn files(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "wip")).collect();
    files.sort();
    assert!(!files.is_empty(), "{name} is empty");
    files
}

fn read(path: &Path) -> Checked {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    check(name, &text, &mut Folder(path.parent().unwrap().to_owned()))
}

fn said(checked: &Checked) -> String {
    let shown = checked.diagnostics.iter().map(|each| diagnostic::render(&checked.sources, each));
    shown.collect::<Vec<_>>().join("\n")
}

fn compare(path: &Path, found: &str) -> Option<String> {
    let golden = path.with_extension("txt");
    #[allow(clippy::disallowed_methods, reason = "the one switch of golden tests")]
    if std::env::var_os("WIP_UPDATE_GOLDEN").is_some() {
        fs::write(&golden, found).unwrap();
    }
    let wanted = fs::read_to_string(&golden).unwrap_or_default();
    let name = golden.file_name().unwrap().to_string_lossy().into_owned();
    (wanted != found).then(|| format!("--- {name} ---\n{found}"))
}

fn all(name: &str, show: impl Fn(&Path) -> String) {
    let differ: Vec<String> = files(name).iter().filter_map(|path| compare(path, &show(path))).collect();
    assert!(
        differ.is_empty(),
        "WIP_UPDATE_GOLDEN=1 writes anew what differs, and the difference is to be read:\n{}",
        differ.join("\n")
    );
}

#[test]
fn sound_files_declare_what_they_say() {
    all("ok", |path| {
        let checked = read(path);
        assert!(checked.diagnostics.is_empty(), "{}: {}", path.display(), said(&checked));
        let interfaces = checked.interfaces.iter();
        let shown =
            interfaces.map(|each| source_view::interface(&each.name, &each.descriptor, &each.effects));
        shown.collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn faulty_files_are_told_all_that_is_wrong() {
    all("err", |path| {
        let checked = read(path);
        assert!(!checked.diagnostics.is_empty(), "{} is not faulty", path.display());
        said(&checked)
    });
}
