//! Whatever a descriptor says, what is generated is Rust, and no name stands twice in it.

use std::collections::HashSet;

use proptest::prelude::*;
use syn::{Fields, FnArg, ImplItem, Item, Pat, Signature, TraitItem};
use worldspace_idl::{DeclaredName, NoFiles, check};
use worldspace_projections::stubs::{Source, rust};

use crate::arbitrary::{Declared, interface};

fn source((name, descriptor, effects): Declared) -> Source {
    let name = match name {
        DeclaredName::Full(reference) => reference.name().clone(),
        DeclaredName::Bare(name) => name,
    };
    Source::new(name, descriptor, effects)
}

/// Takes the names of one scope, each once.
fn once(scope: &str, names: impl IntoIterator<Item = String>) {
    let mut known = HashSet::new();
    for name in names {
        assert!(known.insert(name.clone()), "{scope}: {name} stands twice");
    }
}

fn fields(scope: &str, fields: &Fields) {
    once(scope, fields.iter().filter_map(|field| field.ident.as_ref()).map(ToString::to_string));
}

fn arguments(signature: &Signature) {
    let named = |argument: &FnArg| match argument {
        FnArg::Typed(argument) => match &*argument.pat {
            Pat::Ident(pat) => Some(pat.ident.to_string()),
            _ => panic!("an argument of {} has no name", signature.ident),
        },
        FnArg::Receiver(_) => None,
    };
    once(&signature.ident.to_string(), signature.inputs.iter().filter_map(named));
}

/// Every name that a `use` brings along.
fn used(tree: &syn::UseTree, names: &mut Vec<String>) {
    match tree {
        syn::UseTree::Path(path) => used(&path.tree, names),
        syn::UseTree::Name(name) => names.push(name.ident.to_string()),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| used(tree, names)),
        _ => panic!("a name is used as another one"),
    }
}

/// Everything is an item that is expected here: no text of a descriptor has become one.
fn sound(text: &str) {
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    // What the macros make of a trait stands beside it.
    let mut names = Vec::new();
    let mut methods = Vec::new();
    for item in &file.items {
        match item {
            Item::Use(item) => used(&item.tree, &mut names),
            Item::Struct(item) => {
                names.push(item.ident.to_string());
                fields(&item.ident.to_string(), &item.fields);
            }
            Item::Enum(item) => {
                names.push(item.ident.to_string());
                let scope = item.ident.to_string();
                once(&scope, item.variants.iter().map(|variant| variant.ident.to_string()));
                item.variants.iter().for_each(|variant| fields(&scope, &variant.fields));
            }
            Item::Trait(item) => {
                names.extend(["", "Interface", "Client"].map(|behind| format!("{}{behind}", item.ident)));
                methods.extend(item.items.iter().map(|item| match item {
                    TraitItem::Fn(method) => (names.len(), &method.sig),
                    _ => panic!("what is no item of ours is among them:\n{text}"),
                }));
            }
            Item::Impl(item) if item.trait_.is_none() => {
                methods.extend(item.items.iter().map(|item| match item {
                    ImplItem::Fn(method) => (names.len(), &method.sig),
                    _ => panic!("what is no item of ours is among them:\n{text}"),
                }));
            }
            Item::Impl(_) => {}
            _ => panic!("what is no item of ours is among them:\n{text}"),
        }
    }
    once("the module", names);
    once("methods", methods.iter().map(|(of, method)| format!("{of} {}", method.ident)));
    methods.iter().for_each(|(_, method)| arguments(method));
    // What is shown in a comment is what is there.
    for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("///")) {
        assert!(!line.chars().any(|c| c.is_control() || "\u{202e}\u{2066}\u{2028}".contains(c)), "{line:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn whatever_is_declared_is_made_into_rust(interfaces in prop::collection::vec(interface(), 1..3)) {
        let sources: Vec<Source> = interfaces.into_iter().map(source).collect();
        sound(&rust::client(&sources, "client").remove(0).text);
        sound(&rust::traits(&sources));
    }
}

#[test]
fn nothing_is_called_what_macros_make_of_a_trait() {
    let text = "interface a { type A2Interface = {}; type AClient = {}; }\n\
                interface A {} interface aClient {} interface A2Client { type X = {}; }";
    let checked = check("names", text, &mut NoFiles);
    let declared = checked.interfaces.into_iter();
    let sources: Vec<Source> =
        declared.map(|declared| source((declared.name, declared.descriptor, declared.effects))).collect();
    assert_eq!(sources.len(), 4);
    sound(&rust::traits(&sources));
}
