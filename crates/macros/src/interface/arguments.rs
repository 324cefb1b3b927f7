//! What stands in `#[interface(…)]`.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{LitStr, Path, Token};

use crate::attributes::skip;
use crate::errors::Errors;

/// What stands in `#[interface(…)]`.
#[derive(Default)]
pub(crate) struct Arguments {
    /// `name = "…"`
    pub(crate) name: String,
    /// `client`: a typed client is wanted too.
    pub(crate) client: bool,
    /// `types(…)`: types that are declared by name, in this order, though nothing may use them.
    pub(crate) types: Vec<Path>,
}

const KNOWN: &str = "`name = \"…\"`, `client` and `types(…)`";

pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Arguments {
    let mut name = None;
    let mut arguments = Arguments::default();
    let mut types = None;
    let read = |meta: ParseNestedMeta<'_>| {
        let twice = if meta.path.is_ident("name") {
            let given = meta.value().and_then(|value| value.parse::<LitStr>());
            let given =
                given.map_err(|_| meta.error("the name is a string: `name = \"issue.lifecycle\"`"))?;
            name.replace(given).is_some()
        } else if meta.path.is_ident("client") {
            std::mem::replace(&mut arguments.client, true)
        } else if meta.path.is_ident("types") {
            let content;
            syn::parenthesized!(content in meta.input);
            let listed = Punctuated::<Path, Token![,]>::parse_terminated(&content)?;
            types.replace(listed).is_some()
        } else {
            errors.at(&meta.path, format!("this is not known here; what can be said is {KNOWN}"));
            return skip(&meta);
        };
        if twice {
            errors.at(&meta.path, "this is said twice; once will do");
        }
        Ok(())
    };
    let parsed = syn::meta::parser(read).parse2(tokens);
    let failed = errors.take(parsed).is_none();
    match name {
        Some(given) if given.value().is_empty() => {
            errors.at(&given, "the name of an interface is not empty: `name = \"issue.lifecycle\"`");
        }
        Some(given) => arguments.name = given.value(),
        // What could not be read may have been the name.
        None if failed => {}
        None => errors.push(syn::Error::new(
            proc_macro2::Span::call_site(),
            "an interface has a name, by which others know it: `#[interface(name = \"issue.lifecycle\")]`",
        )),
    }
    arguments.types = types.into_iter().flatten().collect();
    arguments
}
