//! What can be told of a type by its look: forms that the protocol has nothing for, and what to write instead.
//!
//! A name alone does not say what stands behind it, so only what can mean nothing else is refused here; the rest is told by the
//! compiler, in the words of the traits `WipType` and `WipField`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericArgument, Ident, PathArguments, Type, TypePath};

use crate::errors::Errors;

/// Where a type stands.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// In a field or parameter, which can be absent.
    Member,
    /// Where a value always is.
    Value,
}

/// Tells what is wrong with a type; `own` is the type that it is a part of.
pub(crate) fn check(ty: &Type, place: Place, own: Option<&Ident>, errors: &mut Errors) {
    match ty {
        Type::Paren(inner) => check(&inner.elem, place, own, errors),
        Type::Group(inner) => check(&inner.elem, place, own, errors),
        Type::Path(path) if path.qself.is_none() => check_path(path, place, own, errors),
        Type::Path(_) | Type::Macro(_) | Type::Verbatim(_) => {}
        Type::Reference(reference) if !matches!(&*reference.elem, Type::Path(_) | Type::Slice(_)) => {
            check(&reference.elem, place, own, errors);
        }
        Type::Reference(reference) => {
            let owned = owned(&reference.elem);
            errors.at(ty, format!("a value crosses the protocol as a whole, so it is owned: write `{owned}`"));
        }
        Type::Slice(slice) => {
            errors.at(ty, format!("a list is a `Vec`: write `Vec<{}>`", spelled(&slice.elem)));
        }
        Type::Array(array) => {
            let items = spelled(&array.elem);
            errors.at(ty, format!("the protocol has no lists of a fixed length: write `Vec<{items}>`"));
        }
        Type::Tuple(tuple) if tuple.elems.is_empty() => {}
        Type::Tuple(_) => errors.at(
            ty,
            "the parts of a tuple have no names; make a struct of them, with `#[derive(WipType)]`",
        ),
        Type::Infer(_) => errors.at(ty, "a type that crosses the protocol is written out"),
        Type::ImplTrait(_) | Type::TraitObject(_) => errors.at(
            ty,
            "what crosses the protocol is one certain type: name it; where it is one of several, make an enum of \
             them, with `#[derive(WipType)]`",
        ),
        Type::Never(_) => errors.at(ty, "an operation that gives nothing gives `()`"),
        _ => errors.at(ty, "there is no such value in the protocol; say by plain data what the other side needs"),
    }
}

fn check_path(path: &TypePath, place: Place, own: Option<&Ident>, errors: &mut Errors) {
    let Some(last) = path.path.segments.last() else { return };
    let name = last.ident.to_string();
    let alone = path.path.get_ident().is_some();
    if is_own(path, own) {
        let own = own.map(ToString::to_string).unwrap_or_default();
        errors.at(
            path,
            format!(
                "`{own}` contains itself, which no type of the protocol does; refer to the inner one by an \
                 `EntryPath`, or give it a type of its own"
            ),
        );
        return;
    }
    if alone && let Some(instead) = instead_of(&name) {
        errors.at(path, instead);
        return;
    }
    let inner: Vec<&Type> = arguments(&last.arguments);
    match (name.as_str(), inner.as_slice()) {
        ("Option", [inner]) => {
            if place == Place::Value {
                let said = "a value is there or not only as a field or parameter of its own; make a struct with an optional \
                            field, or an enum whose case without a value says why there is none";
                errors.at(path, said);
            }
            check(inner, Place::Value, own, errors);
        }
        ("Vec", [item]) if is(item, "u8") => errors.at(path, BYTES),
        ("Vec", [item]) => check(item, Place::Value, own, errors),
        ("HashMap" | "BTreeMap" | "IndexMap", [_, _, ..]) => errors.at(
            path,
            "the protocol has no maps; write a `Vec` of a struct that names key and value, with `#[derive(WipType)]`",
        ),
        ("HashSet" | "BTreeSet" | "VecDeque" | "IndexSet", [item, ..]) => {
            errors.at(path, format!("a list is a `Vec`: write `Vec<{}>`", spelled(item)));
        }
        ("Arc", [item]) if is(item, "str") => {}
        ("Box" | "Rc" | "Arc" | "Cow", [.., item]) if matches!(item, Type::Path(item) if is_own(item, own)) => {
            check(item, Place::Value, own, errors);
        }
        ("Box" | "Rc" | "Arc" | "Cow", [.., item]) => {
            errors.at(path, format!("a value is held as it is: write `{}`", owned(item)));
        }
        ("Result", _) => errors.at(
            path,
            "what callers should handle is a case of an enum, with `#[derive(WipType)]`; what fails is a `Refusal`",
        ),
        _ => {
            let lifetime = |argument: &&GenericArgument| matches!(argument, GenericArgument::Lifetime(_));
            if let PathArguments::AngleBracketed(given) = &last.arguments
                && let Some(lifetime) = given.args.iter().find(lifetime)
            {
                errors.at(lifetime, "a value crosses the protocol as a whole, so its type borrows nothing");
            }
            inner.into_iter().for_each(|inner| check(inner, Place::Value, own, errors));
        }
    }
}

/// Whether a type is the one that it is a part of.
fn is_own(path: &TypePath, own: Option<&Ident>) -> bool {
    own.is_some_and(|own| path.path.is_ident(own) || path.path.is_ident("Self"))
}

const BYTES: &str =
    "bytes are `worldspace_host::model::Bytes`, so that no list of small integers is declared by mistake";

/// What to write instead of a type of the standard library that stands alone.
fn instead_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "u8" => {
            "the smallest integer is of 16 bits: write `u16`, or for bytes `worldspace_host::model::Bytes`"
        }
        "i8" => "the smallest integer is of 16 bits: write `i16`",
        "u128" => "an integer of the protocol is within ±(2^53−1): write `u64`",
        "i128" => "an integer of the protocol is within ±(2^53−1): write `i64`",
        "f32" => "a number of the protocol has 64 bits: write `f64`",
        "char" | "str" => "text is a `String`",
        _ => return None,
    })
}

/// The owned form of what was borrowed.
fn owned(ty: &Type) -> String {
    match ty {
        Type::Path(_) if is(ty, "str") => "String".to_owned(),
        Type::Slice(slice) if is(&slice.elem, "u8") => "worldspace_host::model::Bytes".to_owned(),
        Type::Slice(slice) => format!("Vec<{}>", spelled(&slice.elem)),
        _ => spelled(ty),
    }
}

/// Whether a type is that one name.
pub(crate) fn is(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

/// The types among the arguments of a path's segment.
pub(crate) fn arguments(arguments: &PathArguments) -> Vec<&Type> {
    let PathArguments::AngleBracketed(given) = arguments else { return Vec::new() };
    let types = given.args.iter().map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.flatten().collect()
}

/// A type as one writes it, without the blanks between its tokens.
fn spelled(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "").replace(',', ", ")
}

/// `<ty as root::trait>`, the one form in which types of the author are used, so that the compiler tells one that is none of the
/// protocol once, however often it is needed.
pub(crate) fn as_trait(ty: &Type, root: &TokenStream, name: &str) -> TokenStream {
    let name = Ident::new(name, proc_macro2::Span::call_site());
    quote!(<#ty as #root::#name>)
}
