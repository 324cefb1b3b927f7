//! `…Client`: the interface as its callers see it.

use proc_macro2::TokenStream;
use quote::quote;

use super::Interface;
use super::operation::Operation;
use crate::types::as_trait;

/// The struct, and a method for each operation where the trait is sound.
pub(super) fn expand(interface: &Interface, sound: bool) -> TokenStream {
    let (ident, vis, name) = (interface.made("Client"), &interface.item.vis, &interface.arguments.name);
    let documentation = format!("An Object through its interface `{name}`.");
    let said = interface.item.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let methods = interface.operations.iter().filter(|_| sound).map(|operation| method(interface, operation));
    quote! {
        #[doc = #documentation]
        #[doc = ""]
        #(#said)*
        #[derive(::core::fmt::Debug, ::core::clone::Clone)]
        #vis struct #ident(::worldspace_client::TypedObject);

        impl ::worldspace_client::TypedClient for #ident {
            const INTERFACE: &'static ::core::primitive::str = #name;

            fn of(object: ::worldspace_client::TypedObject) -> Self {
                Self(object)
            }

            fn object(&self) -> &::worldspace_client::TypedObject {
                &self.0
            }
        }

        #[allow(
            dead_code,
            missing_docs,
            clippy::too_many_arguments,
            clippy::wrong_self_convention,
            clippy::should_implement_trait
        )]
        impl #ident {
            #(#methods)*
        }
    }
}

fn method(interface: &Interface, operation: &Operation) -> TokenStream {
    let model = quote!(::worldspace_client::model);
    let Operation { ident, name, shared, returns, .. } = operation;
    let (vis, name) = (&interface.item.vis, &name.text);
    let arguments = operation.parameters.iter().map(|parameter| (&parameter.ident, &parameter.ty));
    let taken = arguments.clone().map(|(ident, ty)| quote!(#ident: #ty));
    let given = operation.parameters.iter().map(|parameter| {
        let (name, ident) = (&parameter.name.text, &parameter.ident);
        let field = as_trait(&parameter.ty, &model, "WipField");
        quote!((#name, #field::into_field(#ident)))
    });
    let returned = returns.as_ref().map(|ty| as_trait(ty, &model, "WipType"));
    quote! {
        #(#shared)*
        #vis async fn #ident(
            &self,
            #(#taken),*
        ) -> ::core::result::Result<#returns, ::worldspace_client::TypedFailure> {
            self.0
                .call_by(#name, #model::typed::expand::record([#(#given),*]), #returned::from_value)
                .await
        }
    }
}
