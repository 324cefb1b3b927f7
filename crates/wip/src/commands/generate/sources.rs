//! Interfaces as stubs are made of them: each once, and those of one name told apart.

use std::collections::HashMap;

use worldspace_model::{Descriptor, EffectTable, EntryPath, InterfaceName};
use worldspace_projections::stubs::Source;

/// An interface as it was found or declared.
#[derive(Debug, Clone)]
pub(in crate::commands) struct Interface {
    /// What it belongs to; nothing where that is left to whoever publishes it.
    pub(super) scope: Option<EntryPath>,
    pub(super) name: InterfaceName,
    pub(super) descriptor: Descriptor,
    pub(super) effects: EffectTable,
}

/// The interfaces in their order. Equal ones of one name are one: it can be met in any scope. Others of one name (as each
/// table of a database has an interface of its own) are called by as much of their scope as tells them apart.
pub(in crate::commands) fn told_apart(interfaces: Vec<Interface>) -> Vec<Source> {
    let mut different: Vec<Interface> = Vec::new();
    let mut of_name: HashMap<InterfaceName, Vec<usize>> = HashMap::new();
    for interface in interfaces {
        let known = of_name.entry(interface.name.clone()).or_default();
        let is_known = known.iter().any(|at| {
            different[*at].descriptor == interface.descriptor && different[*at].effects == interface.effects
        });
        if !is_known {
            known.push(different.len());
            different.push(interface);
        }
    }
    let called: HashMap<usize, String> = of_name
        .values()
        .filter(|of_name| of_name.len() > 1)
        .flat_map(|of_name| call(&different, of_name))
        .collect();
    let source = |(at, interface): (usize, Interface)| Source {
        called: called.get(&at).cloned(),
        ..Source::new(interface.name, interface.descriptor, interface.effects)
    };
    different.into_iter().enumerate().map(source).collect()
}

/// Calls interfaces of one name by the end of their scopes, so much of them that no two are called alike, if possible.
fn call(interfaces: &[Interface], of_name: &[usize]) -> Vec<(usize, String)> {
    let deepest = |at: &usize| interfaces[*at].scope.as_ref().map_or(0, EntryPath::depth);
    let most = of_name.iter().map(deepest).max().unwrap_or_default();
    let mut called = Vec::new();
    for segments in 1..=most.max(1) {
        called = of_name.iter().map(|at| (*at, called_by(&interfaces[*at], segments))).collect();
        let mut names: Vec<&String> = called.iter().map(|(_, called)| called).collect();
        names.sort_unstable();
        if names.windows(2).all(|pair| pair[0] != pair[1]) {
            break;
        }
    }
    called
}

/// `customers.sql.table`
fn called_by(interface: &Interface, segments: usize) -> String {
    let scope: Vec<&str> = interface.scope.iter().flat_map(EntryPath::segments).collect();
    let end = &scope[scope.len().saturating_sub(segments)..];
    end.iter().copied().chain([interface.name.as_str()]).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use worldspace_model::{Declaration, OperationDeclaration};

    use super::*;

    fn interface(scope: &str, name: &str, operation: &str) -> Interface {
        let operations = vec![OperationDeclaration::new(operation)];
        Interface {
            scope: Some(EntryPath::parse(scope).unwrap()),
            name: InterfaceName::parse(name).unwrap(),
            descriptor: Descriptor::new(Declaration { operations, ..Declaration::default() }).unwrap(),
            effects: EffectTable::default(),
        }
    }

    #[test]
    fn interfaces_of_one_name_are_called_by_what_tells_them_apart() {
        let called = |interfaces: &[(&str, &str, &str)]| -> Vec<String> {
            let interfaces =
                interfaces.iter().map(|(scope, name, operation)| interface(scope, name, operation));
            let sources = told_apart(interfaces.collect());
            sources.iter().map(|source| source.called.clone().unwrap_or_else(|| "-".into())).collect()
        };
        assert_eq!(called(&[("/a", "x", "o"), ("/b", "x", "o"), ("/b", "y", "o")]), ["-", "-"]);
        assert_eq!(called(&[("/a", "x", "o"), ("/b", "x", "p"), ("/c", "x", "o")]), ["a.x", "b.x"]);
        assert_eq!(
            called(&[("/1/t", "x", "o"), ("/2/t", "x", "p"), ("/", "x", "q")]),
            ["1.t.x", "2.t.x", "x"]
        );
        assert_eq!(called(&[("/", "x", "o"), ("/", "x", "p")]), ["x", "x"]);
    }
}
