//! `#[wip(…)]`: what is said of a type, field, case, operation or parameter beside its Rust form.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitStr, Path};

use crate::errors::Errors;

/// What `#[wip(…)]` can say.
#[derive(Default)]
pub(crate) struct Wip {
    /// `name = "…"`
    pub(crate) name: Option<LitStr>,
    /// `inline`
    pub(crate) inline: Option<Path>,
    /// `union`
    pub(crate) union: Option<Path>,
}

impl Wip {
    /// What those among these say. `known` are the words that mean something there.
    pub(crate) fn of(attributes: &[Attribute], known: &[&str], errors: &mut Errors) -> Self {
        let mut wip = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("wip")) {
            let parsed = attribute.parse_nested_meta(|meta| wip.read(&meta, known, errors));
            errors.take(parsed);
        }
        if let (Some(_), Some(inline)) = (&wip.name, &wip.inline) {
            let message = "what is put where it is used has no name; say either `inline` or `name = \"…\"`";
            errors.at(inline, message);
        }
        wip
    }

    fn read(&mut self, meta: &ParseNestedMeta, known: &[&str], errors: &mut Errors) -> syn::Result<()> {
        let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if !known.contains(&word.as_str()) {
            let known: Vec<String> = known.iter().copied().map(usage).collect();
            if known.is_empty() {
                errors.at(
                    &meta.path,
                    "a value without a name has nothing that could be said of it; take this away",
                );
            } else {
                let said = format!("this is not known here; what can be said is {}", known.join(", "));
                errors.at(&meta.path, said);
            }
            return skip(meta);
        }
        let twice = match word.as_str() {
            "name" => {
                let name: LitStr = meta
                    .value()
                    .and_then(|value| value.parse())
                    .map_err(|_| meta.error("a name is a string: `name = \"…\"`"))?;
                self.name.replace(name).is_some()
            }
            "inline" => self.inline.replace(meta.path.clone()).is_some(),
            _ => self.union.replace(meta.path.clone()).is_some(),
        };
        if twice {
            errors.at(&meta.path, format!("`{word}` is said twice; once will do"));
        }
        Ok(())
    }
}

fn usage(word: &str) -> String {
    if word == "name" { "`name = \"…\"`".to_owned() } else { format!("`{word}`") }
}

/// Goes on behind something that is not known.
pub(crate) fn skip(meta: &ParseNestedMeta) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}
