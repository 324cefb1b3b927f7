//! The signature of a method: what it must be, and what becomes of it.

use syn::{Path, ReturnType, Signature, TraitItemFn, Type, parse_quote};

use super::operation::Given;
use crate::errors::Errors;
use crate::types::{self, Place};

/// What a method gives.
pub(crate) struct Outcome {
    /// The type of the operation's result; none where it could not be told.
    pub(crate) returns: Option<Type>,
    /// What stands behind the arrow.
    pub(crate) output: Type,
}

/// Tells what no operation can be.
pub(crate) fn check_signature(signature: &Signature, errors: &mut Errors) {
    if signature.asyncness.is_none() {
        errors.at(signature.fn_token, "an operation may take its time: write `async fn`");
    }
    if let Some(token) = &signature.constness {
        errors.at(token, "an operation runs when it is called; take `const` away");
    }
    if let Some(token) = &signature.unsafety {
        errors.at(
            token,
            "an operation is called from elsewhere, where nobody can vouch for anything; take `unsafe` away",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, "an operation is an ordinary function; take `extern` away");
    }
    if !signature.generics.params.is_empty() {
        errors.at(
            &signature.generics,
            "one description holds for all calls of an operation, so it has no parameters of types or lifetimes; name the types",
        );
    }
    if let Some(clause) = &signature.generics.where_clause {
        errors.at(clause, "an operation is there whatever implements it; put the condition on the trait");
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "an operation takes certain arguments; where they are any number, take a `Vec`");
    }
}

/// What stands before the arguments, if that is what this type is.
pub(crate) fn given(ty: &Type) -> Option<Given> {
    match ty {
        Type::Path(path) if ends_in(&path.path, "Call") => Some(Given::Call),
        // A mistake, which `check_given` tells.
        Type::Path(path) if ends_in(&path.path, "Context") => Some(Given::Context),
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Path(path) if ends_in(&path.path, "Call") => Some(Given::CallRef),
            Type::Path(path) if ends_in(&path.path, "Context") => Some(Given::Context),
            _ => None,
        },
        _ => None,
    }
}

/// An owned `Context` behind an argument is a type of the author's own.
pub(crate) fn is_borrowed(ty: &Type) -> bool {
    matches!(ty, Type::Reference(_))
}

fn ends_in(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name && last.arguments.is_none())
}

/// Tells what is missing or too much before the arguments.
pub(crate) fn check_given(signature: &Signature, given: &[Given], read_only: bool, errors: &mut Errors) {
    let before_arguments = signature.inputs.iter().skip(1).zip(given);
    for (input, _) in before_arguments.filter(|(_, given)| **given == Given::Context) {
        if let syn::FnArg::Typed(input) = input
            && matches!(&*input.ty, Type::Path(_))
        {
            errors.at(&input.ty, "what comes with a call is borrowed: write `&Context`");
        }
    }
    let (owned, borrowed) = (given.contains(&Given::Call), given.contains(&Given::CallRef));
    if read_only && owned {
        errors.at(
            &signature.inputs,
            "an operation that only reads borrows its call: write `call: &Call`, or leave it out",
        );
    } else if !read_only && !owned {
        let said = if borrowed {
            "an operation with an effect takes its call by value, since it crosses the fence with it: write `call: Call`; \
             one without any effect is `#[read]`"
        } else {
            "an operation with an effect takes its call behind `&self`, to cross the fence with it: write `call: Call`; one \
             without any effect is `#[read]`"
        };
        let place = signature.inputs.iter().nth(usize::from(borrowed));
        match place.filter(|_| borrowed) {
            Some(input) => errors.at(input, said),
            None => errors.at(&signature.ident, said),
        }
    }
}

/// What a method gives, taken out of what it returns.
pub(crate) fn outcome(signature: &Signature, read_only: bool, errors: &mut Errors) -> Outcome {
    let usual = if read_only { "Result<…, Refusal>" } else { "Result<Done<…>, Refusal>" };
    let ReturnType::Type(_, output) = &signature.output else {
        errors.at(
            &signature.ident,
            format!("an operation can be refused, so it returns `{usual}`; one that gives nothing gives `()` in it"),
        );
        return Outcome { returns: None, output: parse_quote!(()) };
    };
    let output = (**output).clone();
    let returns = match (arguments_of(&output, "Result").as_deref(), read_only) {
        (Some([result, refusal]), _) => {
            if !matches!(refusal, Type::Path(path) if ends_in(&path.path, "Refusal")) {
                errors.at(
                    refusal,
                    "what fails is a `Refusal`, which says that nothing happened; what callers should handle is a case of the \
                     result",
                );
            }
            result_of(result, read_only, errors)
        }
        (Some([_]), _) => {
            errors.at(&output, format!("write out which error: `{usual}`"));
            None
        }
        _ => {
            errors.at(&output, format!("an operation can be refused, so it returns `{usual}`"));
            None
        }
    };
    Outcome { returns, output }
}

/// The type of the result within the first argument of `Result`.
fn result_of(result: &Type, read_only: bool, errors: &mut Errors) -> Option<Type> {
    let done = arguments_of(result, "Done");
    let ty = match (done.as_deref(), read_only) {
        (None, true) => result.clone(),
        (Some([result]), false) => result.clone(),
        (Some(_), true) => {
            errors.at(
                result,
                "an operation that only reads gives its result as it is, without `Done`, which is what crossing the fence gives",
            );
            return None;
        }
        (Some(_), false) => {
            errors.at(result, "say of which type the result is: `Done<…>`; `Done<()>` where there is none");
            return None;
        }
        (None, false) => {
            errors.at(
                result,
                "an operation with an effect gives what the fence gave: write `Done<…>` around the type; one without any effect \
                 is `#[read]`",
            );
            result.clone()
        }
    };
    types::check(&ty, Place::Value, None, errors);
    Some(ty)
}

/// The types that stand in `name<…>`, if that is what this is.
fn arguments_of(ty: &Type, name: &str) -> Option<Vec<Type>> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    Some(types::arguments(&last.arguments).into_iter().cloned().collect())
}

/// Says of the future that it can move between threads, as the Host lets it.
pub(crate) fn desugar(method: &mut TraitItemFn, output: Type) {
    let signature = &mut method.sig;
    signature.asyncness = None;
    signature.output = parse_quote! {
        -> impl ::core::future::Future<Output = #output> + ::core::marker::Send
    };
    if let Some(body) = &method.default {
        method.default = Some(parse_quote!({ async move #body }));
        signature.generics.make_where_clause().predicates.push(parse_quote!(Self: ::core::marker::Sync));
    }
}
