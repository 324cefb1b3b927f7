//! Names as they cross the protocol.

use std::collections::HashMap;

use heck::ToSnakeCase;
use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;

use crate::errors::Errors;

/// A name of the protocol, and where it comes from.
#[derive(Clone)]
pub(crate) struct WireName {
    pub(crate) text: String,
    /// The identifier, or the string that was given in its place.
    pub(crate) span: Span,
}

impl WireName {
    /// The name that was given, or the identifier's.
    pub(crate) fn of(ident: &Ident, given: Option<&syn::LitStr>) -> Self {
        match given {
            Some(given) => Self { text: given.value(), span: given.span() },
            None => Self { text: ident.unraw().to_string(), span: ident.span() },
        }
    }

    /// The same for a case: what stands in camel case in Rust stands in snake case in the protocol.
    pub(crate) fn of_case(ident: &Ident, given: Option<&syn::LitStr>) -> Self {
        let name = Self::of(ident, given);
        if given.is_some() { name } else { Self { text: name.text.to_snake_case(), ..name } }
    }
}

/// The names of one kind that stand side by side.
pub(crate) struct Names {
    kind: &'static str,
    first: HashMap<String, Span>,
}

impl Names {
    /// None yet; `kind` is what they name, in the singular.
    pub(crate) fn of(kind: &'static str) -> Self {
        Self { kind, first: HashMap::new() }
    }

    /// Another one: told where it stands a second time, and where it stood first.
    pub(crate) fn add(&mut self, name: &WireName, errors: &mut Errors) {
        let Some(first) = self.first.get(&name.text) else {
            self.first.insert(name.text.clone(), name.span);
            return;
        };
        let (kind, text) = (self.kind, &name.text);
        let again = format!(
            "a second {kind} is named `{text}`; rename it, or give it another name with `#[wip(name = \"…\")]`"
        );
        errors.push(syn::Error::new(name.span, again));
        errors.push(syn::Error::new(*first, format!("the first {kind} named `{text}` is this one")));
    }
}
