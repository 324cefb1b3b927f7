//! What the macros make, kept as files to be read: beside `a.rs` in `tests/expansions` stands `a.expanded.rs`.
//!
//! `WIP_UPDATE_GOLDEN=1` writes anew what differs.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item, Meta};

fn arguments(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

/// What is made of an item, and what of it stays.
fn expand(mut item: Item) -> TokenStream {
    let root = quote!(::worldspace_host::model);
    match &mut item {
        Item::Trait(declared) => {
            let attribute = declared.attrs.remove(0);
            crate::interface::expand(arguments(&attribute), item.to_token_stream())
        }
        // What is derived stands beside the type, of which nothing changes.
        Item::Struct(_) | Item::Enum(_) => crate::wip_type::expand(item.to_token_stream(), &root),
        _ => TokenStream::new(),
    }
}

fn written(source: &Path) -> String {
    let file = syn::parse_file(&fs::read_to_string(source).unwrap()).unwrap();
    let items: TokenStream = file.items.into_iter().map(expand).collect();
    prettyplease::unparse(&syn::parse2(items).unwrap())
}

#[test]
fn what_is_made_is_what_was_read_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expansions");
    let mut sources: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    sources.retain(|path| !path.to_string_lossy().ends_with(".expanded.rs"));
    assert!(!sources.is_empty());
    for source in sources {
        let (golden, written) = (source.with_extension("expanded.rs"), written(&source));
        #[allow(clippy::disallowed_methods, reason = "the one switch of golden tests")]
        if std::env::var_os("WIP_UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &written).unwrap();
        }
        let wanted = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(wanted, written, "{} differs; WIP_UPDATE_GOLDEN=1 writes it anew", golden.display());
    }
}
