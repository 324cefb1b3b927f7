//! `metadata`: what the filesystem says of a file, a link or a device.

use std::io;

use worldspace_host::{Call, LocalPath, Refusal};
use worldspace_model::{Segment, Value};

use crate::files::failure::refused;
use crate::files::stat::Kind;
use crate::files::task::Task;

pub(super) fn run(task: &Task<'_>, call: &Call) -> Result<Value, Refusal> {
    let found = task.find(call)?;
    let stat = found.stat;
    let target = match task.root.read_link(&found) {
        Ok(target) => target,
        // Another thing stands there by now.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Err(Refusal::StateChanged),
        Err(error) => return Err(refused(error)),
    };
    task.confirm(call, &found)?;
    let target = target.and_then(|target| named(call.path(), &target)).map(|path| task.context.entry(&path));
    Ok(Value::record([
        ("kind", Some(Value::from(stat.kind.name()))),
        ("size", Some(Value::count(stat.size))),
        ("modified", Some(Value::from(stat.modified.text()))),
        ("created", stat.born.map(|born| Value::from(born.text()))),
        ("executable", Some(Value::from(stat.kind == Kind::File && stat.mode & 0o111 != 0))),
        ("links", Some(Value::count(stat.links))),
        ("target", target.map(Value::Entry)),
    ])?)
}

/// The path that the text of a link names by itself, other links aside; none where it is absolute or leaves the root:
/// what stands there is nobody's business here.
fn named(link: &LocalPath, target: &str) -> Option<LocalPath> {
    if target.starts_with('/') {
        return None;
    }
    let mut path = link.parent()?;
    for name in target.split('/') {
        path = match name {
            "" | "." => path,
            ".." => path.parent()?,
            name => path.child(&Segment::parse(name).ok()?),
        };
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_what_stands_within_the_root_or_nothing() {
        let link = LocalPath::parse("/a/b/link").unwrap();
        for (target, path) in [
            ("c", Some("/a/b/c")),
            ("../c", Some("/a/c")),
            ("./c//d/", Some("/a/b/c/d")),
            ("../..", Some("/")),
            ("../../..", None),
            ("../../../a", None),
            ("/a/b", None),
            ("/proc/self/root", None),
        ] {
            assert_eq!(named(&link, target).as_ref().map(LocalPath::as_str), path, "{target}");
        }
    }
}
