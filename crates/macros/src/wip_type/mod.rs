//! `#[derive(WipType)]`: what a struct or enum is in the protocol, and the ways there and back.

mod cases;
mod fields;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Fields, Ident};

use crate::attributes::Wip;
use crate::documentation::Documentation;
use crate::errors::Errors;
use crate::names::WireName;
use crate::types::{self, Place, as_trait};

pub(crate) use self::fields::declaration;

/// The three functions of the trait, as expressions.
pub(crate) struct Conversions {
    /// A type, given `types`.
    pub(crate) describe: TokenStream,
    /// `Result<Value, Fault>`, given `self`.
    pub(crate) into_value: TokenStream,
    /// `Result<Self, Fault>`, given `value`.
    pub(crate) from_value: TokenStream,
}

/// The implementation of the trait at `root`, which is the path of the model.
pub(crate) fn expand(item: TokenStream, root: &TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let wip = Wip::of(&input.attrs, &["name", "inline", "union"], &mut errors);
    if !input.generics.params.is_empty() {
        let said = "a type of the protocol has no parameters; make a type of its own for each use";
        errors.at(&input.generics, said);
    }
    let conversions = match &input.data {
        Data::Struct(data) => {
            if let Some(union) = &wip.union {
                errors.at(union, "a struct is a record; `union` can be said of an enum");
            }
            of_struct(&data.fields, &input.ident, root, &mut errors)
        }
        Data::Enum(data) => {
            cases::of_enum(&data.variants, &input.ident, wip.union.is_some(), root, &mut errors)
        }
        Data::Union(data) => {
            let said = "a union of Rust does not say which of its fields is there; make an enum, whose cases carry values";
            errors.at(data.union_token, said);
            None
        }
    };
    let named = if wip.inline.is_some() {
        None
    } else {
        Some((WireName::of(&input.ident, wip.name.as_ref()), Documentation::of(&input.attrs)))
    };
    match conversions {
        Some(conversions) if errors.is_empty() => implementation(&input.ident, named, conversions, root),
        // What uses the type is not to be blamed for what is wrong with it.
        _ if input.generics.params.is_empty() => {
            let nothing = quote!(::core::unimplemented!());
            let nothing =
                Conversions { describe: nothing.clone(), into_value: nothing.clone(), from_value: nothing };
            let stub = implementation(&input.ident, None, nothing, root);
            quote!(#errors #stub)
        }
        _ => errors.to_token_stream(),
    }
}

fn implementation(
    ident: &Ident,
    named: Option<(WireName, Documentation)>,
    conversions: Conversions,
    root: &TokenStream,
) -> TokenStream {
    let Conversions { describe, into_value, from_value } = conversions;
    let describe = match named {
        Some((name, documentation)) => {
            let name = name.text;
            quote! {
                types.named::<Self>(
                    #name,
                    #root::typed::expand::documented(#documentation),
                    |types| #describe,
                )
            }
        }
        None => quote!(types.inline::<Self>(|types| #describe)),
    };
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, deprecated)]
        impl #root::WipType for #ident {
            fn describe(types: &mut #root::TypeDeclarations) -> #root::Type {
                #describe
            }

            fn into_value(self) -> ::core::result::Result<#root::Value, #root::Fault> {
                #into_value
            }

            fn from_value(
                value: &#root::Value,
            ) -> ::core::result::Result<Self, #root::Fault> {
                #from_value
            }
        }
    }
}

fn of_struct(fields: &Fields, own: &Ident, root: &TokenStream, errors: &mut Errors) -> Option<Conversions> {
    match fields {
        Fields::Named(named) => {
            let fields = fields::read(named, own, errors);
            let (described, given, taken) = (
                fields::described(&fields, root),
                fields::given(&fields, root),
                fields::taken(&fields, root),
            );
            let ours = fields.iter().map(|field| field.ident);
            let held = fields.iter().map(|field| &field.held);
            Some(Conversions {
                describe: quote!(#root::Type::record(#described)),
                into_value: quote! {
                    let Self { #(#ours: #held),* } = self;
                    #root::typed::expand::record(#given).map(#root::Value::Record)
                },
                from_value: quote! {
                    let fields = #root::typed::expand::Fields::of(value)?;
                    ::core::result::Result::Ok(Self { #taken })
                },
            })
        }
        Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
            let field = unnamed.unnamed.first()?;
            let ty = &field.ty;
            Wip::of(&field.attrs, &[], errors);
            types::check(ty, Place::Value, Some(own), errors);
            let as_type = as_trait(ty, root, "WipType");
            Some(Conversions {
                describe: quote!(#as_type::describe(types)),
                into_value: quote!(#as_type::into_value(self.0)),
                from_value: quote!(#as_type::from_value(value).map(Self)),
            })
        }
        Fields::Unnamed(unnamed) => {
            for field in &unnamed.unnamed {
                types::check(&field.ty, Place::Member, Some(own), errors);
            }
            errors.at(fields, "the parts of a tuple have no names; write `struct … { name: Type, … }`");
            None
        }
        Fields::Unit => Some(Conversions {
            describe: quote!(#root::Type::UNIT),
            into_value: quote!(::core::result::Result::Ok(#root::Value::Unit)),
            from_value: {
                let unit = quote!(<() as #root::WipType>);
                quote!(#unit::from_value(value).map(|()| Self))
            },
        }),
    }
}
