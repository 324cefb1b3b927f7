//! `#[interface]`: a trait as an interface of the protocol.
//!
//! What is made of a trait `Notes`: the trait, its helper attributes taken away; `NotesInterface`, which describes it and serves
//! whatever implements it; and, if asked for, `NotesClient`. Each is written by a file of its own.

mod arguments;
mod client;
mod host;
mod method;
mod operation;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Ident, ItemTrait, TraitItem};

use self::arguments::Arguments;
use self::operation::Operation;
use crate::documentation::Documentation;
use crate::errors::Errors;
use crate::names::Names;

/// All that is known of the interface.
struct Interface {
    arguments: Arguments,
    item: ItemTrait,
    documentation: Documentation,
    operations: Vec<Operation>,
}

/// The trait, and what is made of it.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let arguments = arguments::read(arguments, &mut errors);
    let item: ItemTrait = match syn::parse2(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            errors.push(explained(error, &item));
            return errors.to_token_stream();
        }
    };
    let interface = read(arguments, item, &mut errors);
    let item = &interface.item;
    if !item.generics.params.is_empty() {
        return quote!(#errors #item);
    }
    let host = host::expand(&interface, errors.is_empty());
    let client = interface.arguments.client.then(|| client::expand(&interface, errors.is_empty()));
    quote! {
        #errors
        #item
        #host
        #client
    }
}

/// What the parser says of an item that is no trait helps nobody.
fn explained(error: syn::Error, item: &TokenStream) -> syn::Error {
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(_) => syn::Error::new_spanned(
            item,
            "an interface is made of a trait: `#[interface(name = \"…\")] trait …`",
        ),
        Err(_) => error,
    }
}

fn read(arguments: Arguments, mut item: ItemTrait, errors: &mut Errors) -> Interface {
    check(&item, errors);
    item.attrs.retain(|attribute| !attribute.path().is_ident("wip"));
    let documentation = Documentation::of(&item.attrs);
    let mut names = Names::of("operation");
    let mut operations = Vec::new();
    for member in &mut item.items {
        match member {
            TraitItem::Fn(method) => {
                let operation = operation::read(method, errors);
                // Which of them are there is for the compiler to decide; it tells two of one name.
                if operation.configured.is_empty() {
                    names.add(&operation.name, errors);
                }
                operations.push(operation);
            }
            TraitItem::Const(constant) => {
                errors.at(
                    constant,
                    "an interface has operations alone; move this constant to a trait of its own",
                );
            }
            TraitItem::Type(ty) => {
                let said = "an interface has operations alone, and its types are the same for all that implement it; name \
                            the type itself";
                errors.at(ty, said);
            }
            other => errors.at(other, "an interface has operations alone: `async fn` with `&self`"),
        }
    }
    // What is no operation was told, and shall not be told again in the compiler's words.
    item.items.retain(|member| !matches!(member, TraitItem::Macro(_) | TraitItem::Verbatim(_)));
    Interface { arguments, item, documentation, operations }
}

/// What is wrong with the trait itself.
fn check(item: &ItemTrait, errors: &mut Errors) {
    if let Some(token) = &item.unsafety {
        errors.at(token, "an interface is an ordinary trait; take `unsafe` away");
    }
    if let Some(token) = &item.auto_token {
        errors.at(token, "an interface is an ordinary trait; take `auto` away");
    }
    if !item.generics.params.is_empty() {
        let said = "one description holds for all that implement an interface, so it has no parameters; make a trait \
                    for each use";
        errors.at(&item.generics, said);
    }
    for attribute in &item.attrs {
        if attribute.path().is_ident("wip") {
            errors.at(attribute, "what is said of an interface stands in `#[interface(…)]`, its name too");
        }
        if ["cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name)) {
            errors.at(
                attribute,
                "put this above `#[interface]`, so that it holds for all that is made of the trait",
            );
        }
    }
}

impl Interface {
    fn ident(&self) -> &Ident {
        &self.item.ident
    }

    /// The name of something that is made of the trait.
    fn made(&self, suffix: &str) -> Ident {
        format_ident!("{}{suffix}", self.item.ident)
    }
}
