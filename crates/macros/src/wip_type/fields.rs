//! Named fields, of a struct or of a case.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{FieldsNamed, Ident, Type};

use crate::attributes::Wip;
use crate::documentation::Documentation;
use crate::errors::Errors;
use crate::names::{Names, WireName};
use crate::types::{self, Place, as_trait};

/// A field of a record.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    /// The variable that its value is held in.
    pub(crate) held: Ident,
    name: String,
    documentation: Documentation,
    ty: &'a Type,
}

/// The fields of `own`, or of one of its cases.
pub(crate) fn read<'a>(fields: &'a FieldsNamed, own: &Ident, errors: &mut Errors) -> Vec<Field<'a>> {
    let mut names = Names::of("field");
    let mut read = Vec::new();
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let wip = Wip::of(&field.attrs, &["name"], errors);
        let name = WireName::of(ident, wip.name.as_ref());
        names.add(&name, errors);
        types::check(&field.ty, Place::Member, Some(own), errors);
        read.push(Field {
            ident,
            held: format_ident!("field_{}", read.len()),
            name: name.text,
            documentation: Documentation::of(&field.attrs),
            ty: &field.ty,
        });
    }
    read
}

/// Their declarations, given `types`.
pub(crate) fn described(fields: &[Field<'_>], root: &TokenStream) -> TokenStream {
    let described = fields.iter().map(|field| declaration(&field.name, &field.documentation, field.ty, root));
    quote!([#(#described),*])
}

/// The declaration of a field or parameter, given `types`.
pub(crate) fn declaration(
    name: &str,
    documentation: &Documentation,
    ty: &Type,
    root: &TokenStream,
) -> TokenStream {
    let field = as_trait(ty, root, "WipField");
    quote! {
        #root::typed::expand::field(#name, #documentation, #field::REQUIRED, #field::describe_field(types))
    }
}

/// Their values, each with its name, given the variables that they are held in.
pub(crate) fn given(fields: &[Field<'_>], root: &TokenStream) -> TokenStream {
    let given = fields.iter().map(|Field { held, name, ty, .. }| {
        let field = as_trait(ty, root, "WipField");
        quote!((#name, #field::into_field(#held)))
    });
    quote!([#(#given),*])
}

/// What stands between the braces of a value, given `fields`.
pub(crate) fn taken(fields: &[Field<'_>], root: &TokenStream) -> TokenStream {
    let taken = fields.iter().map(|Field { ident, name, ty, .. }| {
        let field = as_trait(ty, root, "WipField");
        quote!(#ident: fields.get(#name, #field::from_field)?)
    });
    quote!(#(#taken),*)
}
