//! Enums: of bare cases they are enums of the protocol too; as soon as one case carries something, unions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Fields, Ident, Token, Type, Variant};

use super::Conversions;
use super::fields::{self, Field};
use crate::attributes::Wip;
use crate::documentation::Documentation;
use crate::errors::Errors;
use crate::names::{Names, WireName};
use crate::types::{self, Place, as_trait};

struct Case<'a> {
    ident: &'a Ident,
    name: String,
    documentation: Documentation,
    carries: Carries<'a>,
}

enum Carries<'a> {
    Nothing,
    Value(&'a Type),
    Fields(Vec<Field<'a>>),
}

/// The enum or union that an enum of Rust is.
pub(crate) fn of_enum(
    variants: &Punctuated<Variant, Token![,]>,
    own: &Ident,
    union: bool,
    root: &TokenStream,
    errors: &mut Errors,
) -> Option<Conversions> {
    let mut names = Names::of("case");
    let mut cases = Vec::new();
    for variant in variants {
        let wip = Wip::of(&variant.attrs, &["name"], errors);
        let name = WireName::of_case(&variant.ident, wip.name.as_ref());
        names.add(&name, errors);
        cases.push(Case {
            ident: &variant.ident,
            name: name.text,
            documentation: Documentation::of(&variant.attrs),
            carries: carried(&variant.fields, own, errors),
        });
    }
    let bare = cases.iter().all(|case| matches!(case.carries, Carries::Nothing));
    Some(if bare && !union { bare_cases(&cases, root) } else { carrying_cases(&cases, root) })
}

fn carried<'a>(fields: &'a Fields, own: &Ident, errors: &mut Errors) -> Carries<'a> {
    match fields {
        Fields::Unit => Carries::Nothing,
        Fields::Named(named) => Carries::Fields(fields::read(named, own, errors)),
        Fields::Unnamed(unnamed) => {
            let mut given = unnamed.unnamed.iter();
            match (given.next(), given.next()) {
                (Some(field), None) => {
                    Wip::of(&field.attrs, &[], errors);
                    types::check(&field.ty, Place::Value, Some(own), errors);
                    return Carries::Value(&field.ty);
                }
                (None, _) => errors.at(fields, "a case that carries nothing is written without parentheses"),
                (Some(_), Some(_)) => {
                    for field in &unnamed.unnamed {
                        types::check(&field.ty, Place::Member, Some(own), errors);
                    }
                    errors.at(
                        fields,
                        "a case carries one value; give these names: `Case { name: Type, … }` carries a record",
                    );
                }
            }
            Carries::Nothing
        }
    }
}

fn bare_cases(cases: &[Case<'_>], root: &TokenStream) -> Conversions {
    let names: Vec<&String> = cases.iter().map(|case| &case.name).collect();
    let idents: Vec<&Ident> = cases.iter().map(|case| case.ident).collect();
    let documentation = cases.iter().map(|case| &case.documentation);
    let into_value = if cases.is_empty() {
        quote!(match self {})
    } else {
        quote! {
            ::core::result::Result::Ok(#root::Value::from(match self { #(Self::#idents => #names),* }))
        }
    };
    Conversions {
        describe: quote! {
            #root::Type::cases(::std::vec::Vec::from([
                #(#root::typed::expand::enum_case(#names, #documentation)),*
            ]))
        },
        into_value,
        from_value: quote! {
            match #root::typed::expand::case_of_enum(value)? {
                #(#names => ::core::result::Result::Ok(Self::#idents),)*
                other => ::core::result::Result::Err(
                    #root::typed::expand::unknown_case(other, &[#(#names),*]),
                ),
            }
        },
    }
}

fn carrying_cases(cases: &[Case<'_>], root: &TokenStream) -> Conversions {
    let support = quote!(#root::typed::expand);
    let (none, some) = (quote!(::core::option::Option::None), quote!(::core::option::Option::Some));
    let mut described = Vec::new();
    let mut given = Vec::new();
    let mut taken = Vec::new();
    for Case { ident, name, documentation, carries } in cases {
        let carried;
        match carries {
            Carries::Nothing => {
                carried = none.clone();
                given.push(quote!(Self::#ident => #support::case(#name, #none)));
                taken.push(quote!(#name => #support::no_payload(#name, payload).map(|()| Self::#ident)));
            }
            Carries::Value(ty) => {
                let ty = as_trait(ty, root, "WipType");
                carried = quote!(#some(#ty::describe(types)));
                given.push(quote! {
                    Self::#ident(payload) => #support::case(#name, #some(#ty::into_value(payload)))
                });
                taken.push(quote! {
                    #name => #support::payload(#name, payload, #ty::from_value).map(Self::#ident)
                });
            }
            Carries::Fields(fields) => {
                let (types, values, members) = (
                    fields::described(fields, root),
                    fields::given(fields, root),
                    fields::taken(fields, root),
                );
                carried = quote!(#some(#root::Type::record(#types)));
                let ours = fields.iter().map(|field| field.ident);
                let held = fields.iter().map(|field| &field.held);
                given.push(quote! {
                    Self::#ident { #(#ours: #held),* } => #support::case(
                        #name,
                        #some(#support::record(#values).map(#root::Value::Record)),
                    )
                });
                taken.push(quote! {
                    #name => {
                        let fields = #support::payload_fields(#name, payload)?;
                        ::core::result::Result::Ok(Self::#ident { #members })
                    }
                });
            }
        }
        described.push(quote!(#support::union_case(#name, #documentation, #carried)));
    }
    let names = cases.iter().map(|case| &case.name);
    Conversions {
        describe: quote!(#root::Type::union([#(#described),*])),
        into_value: quote!(match self { #(#given),* }),
        from_value: quote! {
            let (case, payload) = #support::case_of_union(value)?;
            match case {
                #(#taken,)*
                other => ::core::result::Result::Err(#support::unknown_case(other, &[#(#names),*])),
            }
        },
    }
}
