//! A method of the trait as an operation: reads it, tells what is wrong with it, and leaves behind the method that the
//! trait really has.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, Ident, LitStr, Meta, Pat, PatType, PatWild, Receiver, Token, TraitItemFn, Type};

use super::method::{self, Outcome};
use crate::attributes::Wip;
use crate::documentation::Documentation;
use crate::errors::Errors;
use crate::names::{Names, WireName};
use crate::types::{self, Place};

/// An operation of the interface.
pub(crate) struct Operation {
    pub(crate) ident: Ident,
    pub(crate) name: WireName,
    pub(crate) documentation: Documentation,
    /// The attributes that its client's method shares.
    pub(crate) shared: Vec<Attribute>,
    /// The conditions under which it is there.
    pub(crate) configured: Vec<Attribute>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) given: Vec<Given>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns_documentation: Documentation,
    /// The type of the result; none where it could not be told.
    pub(crate) returns: Option<Type>,
}

/// What an operation is given beside its arguments.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Given {
    Call,
    CallRef,
    Context,
}

/// An argument.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) name: WireName,
    pub(crate) documentation: Documentation,
    pub(crate) ty: Type,
}

/// What is claimed of an operation.
#[derive(Clone, Copy, PartialEq, PartialOrd, Eq, Ord)]
pub(crate) enum Effect {
    Read,
    Idempotent,
    Destructive,
    Guarded,
}

impl Effect {
    const ALL: [(&str, Self); 4] = [
        ("read", Self::Read),
        ("idempotent", Self::Idempotent),
        ("destructive", Self::Destructive),
        ("guarded", Self::Guarded),
    ];

    /// The variant of the model's enum.
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Idempotent => "Idempotent",
            Self::Destructive => "Destructive",
            Self::Guarded => "Guarded",
        }
    }
}

impl Operation {
    pub(crate) fn is_read(&self) -> bool {
        self.effects.contains(&Effect::Read)
    }
}

/// Reads a method; what is left is the method without what only the macro understands.
pub(crate) fn read(method: &mut TraitItemFn, errors: &mut Errors) -> Operation {
    let wip = Wip::of(&method.attrs, &["name"], errors);
    let documentation = Documentation::of(&method.attrs);
    let effects = effects(&method.attrs, errors);
    let returns_documentation = returns_documentation(&method.attrs, errors);
    method.attrs.retain(|attribute| {
        if is_ours(attribute) {
            return false;
        }
        let said = misleading(attribute);
        said.iter().for_each(|said| errors.at(attribute, said));
        said.is_none()
    });
    let of_name = |names: &[&str]| -> Vec<Attribute> {
        let named = |attribute: &&Attribute| names.iter().any(|name| attribute.path().is_ident(name));
        method.attrs.iter().filter(named).cloned().collect()
    };
    let (shared, configured) = (of_name(&["doc", "deprecated", "cfg"]), of_name(&["cfg"]));

    method::check_signature(&method.sig, errors);
    let read_only = effects.contains(&Effect::Read);
    let has_body = method.default.is_some();
    let (given, parameters) = inputs(method, read_only, has_body, errors);
    let Outcome { returns, output } = method::outcome(&method.sig, read_only, errors);
    method::desugar(method, output);
    Operation {
        name: WireName::of(&method.sig.ident, wip.name.as_ref()),
        ident: method.sig.ident.clone(),
        documentation,
        shared,
        configured,
        effects,
        given,
        parameters,
        returns_documentation,
        returns,
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    let ours = ["wip", "returns"].into_iter().chain(Effect::ALL.map(|(name, _)| name));
    ours.into_iter().any(|name| attribute.path().is_ident(name))
}

fn effects(attributes: &[Attribute], errors: &mut Errors) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut read = None;
    for attribute in attributes {
        let known = Effect::ALL.into_iter().find(|(name, _)| attribute.path().is_ident(name));
        let Some((name, effect)) = known else { continue };
        if !matches!(attribute.meta, Meta::Path(_)) {
            errors.at(attribute, format!("an effect stands alone: `#[{name}]`"));
        }
        if effects.contains(&effect) {
            errors.at(attribute, format!("`#[{name}]` is said twice; once will do"));
            continue;
        }
        if effect == Effect::Read {
            read = Some(attribute);
        }
        effects.push(effect);
    }
    if let Some(read) = read.filter(|_| effects.len() > 1) {
        let said = "what only reads has no further effect; take `#[read]` away, or the others";
        errors.at(read, said);
    }
    effects.sort_unstable();
    effects
}

fn returns_documentation(attributes: &[Attribute], errors: &mut Errors) -> Documentation {
    let mut said = attributes.iter().filter(|attribute| attribute.path().is_ident("returns"));
    let Some(attribute) = said.next() else { return Documentation::default() };
    for again in said {
        errors.at(again, "the result is described twice; once will do");
    }
    match attribute.parse_args::<LitStr>() {
        Ok(text) => Documentation::of_text(&text.value()),
        Err(_) => {
            errors
                .at(attribute, "what the result means is a string: `#[returns(\"The text as it is now.\")]`");
            Documentation::default()
        }
    }
}

/// What there is to say of an attribute that nearly is ours, or that cannot be looked into. All others are the compiler's.
fn misleading(attribute: &Attribute) -> Option<String> {
    let name = attribute.path().get_ident()?.to_string();
    let meant = Effect::ALL.into_iter().find(|(effect, _)| name.get(..4) == effect.get(..4));
    if name == "cfg_attr" {
        let said = "what stands in `cfg_attr` cannot be looked into here; write the operation once for each case, under \
                    `#[cfg(…)]`";
        Some(said.to_owned())
    } else if name.starts_with("writ") {
        Some("an operation that says no effect is an ordinary write; leave this out".to_owned())
    } else if let Some((effect, _)) = meant {
        Some(format!("there is no effect `{name}`; did you mean `#[{effect}]`?"))
    } else if name.starts_with("return") {
        Some("did you mean `#[returns(\"…\")]`, which says what the result means?".to_owned())
    } else {
        None
    }
}

/// What the operation is given, and its arguments.
fn inputs(
    method: &mut TraitItemFn,
    read_only: bool,
    has_body: bool,
    errors: &mut Errors,
) -> (Vec<Given>, Vec<Parameter>) {
    let mut given = Vec::new();
    let mut parameters = Vec::new();
    let mut names = Names::of("parameter");
    check_receiver(method, errors);
    for input in &mut method.sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        if parameters.is_empty()
            && let Some(known) = method::given(&input.ty)
        {
            if given.contains(&known) {
                errors.at(&*input, "this is given once; take the second one away");
            }
            check_attributes(&mut input.attrs, &[], errors);
            given.push(known);
        } else if method::given(&input.ty)
            .is_some_and(|known| known != Given::Context || method::is_borrowed(&input.ty))
        {
            errors.at(&*input, "what comes with a call stands before the arguments: move it behind `&self`");
        } else if let Some(parameter) = parameter(input, has_body, errors) {
            names.add(&parameter.name, errors);
            parameters.push(parameter);
        }
    }
    method::check_given(&method.sig, &given, read_only, errors);
    (given, parameters)
}

fn check_receiver(method: &TraitItemFn, errors: &mut Errors) {
    let said = "an operation takes `&self`, since several may run on one Object at once; what it changes stands behind a lock or \
                in a database";
    match method.sig.inputs.first() {
        Some(FnArg::Receiver(Receiver {
            reference: Some((_, None)),
            mutability: None,
            colon_token: None,
            ..
        })) => {}
        Some(FnArg::Receiver(receiver)) => errors.at(receiver, said),
        _ => errors.at(&method.sig.ident, said),
    }
}

fn parameter(input: &mut PatType, has_body: bool, errors: &mut Errors) -> Option<Parameter> {
    let wip = Wip::of(&input.attrs, &["name"], errors);
    let documentation = Documentation::of(&input.attrs);
    check_attributes(&mut input.attrs, &["wip", "doc"], errors);
    types::check(&input.ty, Place::Member, None, errors);
    match &*input.pat {
        Pat::Ident(pat)
            if pat.by_ref.is_none() && pat.subpat.is_none() && (has_body || pat.mutability.is_none()) =>
        {
            let name = WireName::of(&pat.ident, wip.name.as_ref());
            Some(Parameter { ident: pat.ident.clone(), name, documentation, ty: (*input.ty).clone() })
        }
        pat => {
            let said = "an argument is known to callers by its name; give it a plain one, and take it apart in the body";
            errors.at(pat, said);
            // Of which the compiler has nothing more to say.
            *input.pat = Pat::Wild(PatWild { attrs: Vec::new(), underscore_token: Token![_](pat.span()) });
            None
        }
    }
}

/// Tells which attributes mean nothing there, and leaves those that the compiler understands.
fn check_attributes(attributes: &mut Vec<Attribute>, known: &[&str], errors: &mut Errors) {
    attributes.retain(|attribute| {
        let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
        if known.contains(&name.as_str()) {
            return false;
        }
        match name.as_str() {
            "allow" | "expect" | "warn" | "deny" | "forbid" => return true,
            "cfg" | "cfg_attr" => errors.at(
                attribute,
                "an argument is there under every configuration; make it optional, or write the operation once for \
                 each case, under `#[cfg(…)]`",
            ),
            "doc" => errors.at(attribute, "this is no argument, so that its comment reaches nobody; take it away"),
            "wip" => errors.at(attribute, "this is no argument, so that it has no name among them; take this away"),
            _ => errors.at(
                attribute,
                format!(
                    "`{}` means nothing here; an argument has documentation and `#[wip(name = \"…\")]`",
                    spelled(attribute)
                ),
            ),
        }
        false
    });
}

fn spelled(attribute: &Attribute) -> String {
    attribute.path().to_token_stream().to_string().replace(' ', "")
}

impl ToTokens for Effect {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        Ident::new(self.variant(), proc_macro2::Span::call_site()).to_tokens(tokens);
    }
}
