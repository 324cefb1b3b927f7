//! `…Interface`: the description of the trait, and the way from a call to its method.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Interface;
use super::operation::{Given, Operation};
use crate::types::as_trait;
use crate::wip_type::declaration;

/// Where the macro's own words come from.
fn model() -> TokenStream {
    quote!(::worldspace_host::model)
}

/// The struct and its implementations; where the trait is faulty, they only stand there, so that what uses them is not
/// blamed for it.
pub(super) fn expand(interface: &Interface, sound: bool) -> TokenStream {
    let (ident, vis, name) = (interface.made("Interface"), &interface.item.vis, &interface.arguments.name);
    let own = interface.ident();
    let model = model();
    let unimplemented = quote!(::core::unimplemented!());
    let declared = if sound { declared(interface) } else { unimplemented.clone() };
    let served = if sound { served(interface) } else { unimplemented };
    let documentation = format!("The interface `{name}`, which [`{own}`] declares, for `Offers::with`.");
    quote! {
        #[doc = #documentation]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
        #vis struct #ident;

        impl ::worldspace_host::TypedInterface for #ident {
            const NAME: &'static ::core::primitive::str = #name;

            fn interface() -> ::core::result::Result<
                ::worldspace_host::Interface,
                #model::DeclarationError,
            > {
                #declared
            }
        }

        #[allow(unused_variables, deprecated)]
        impl<__Object> ::worldspace_host::Serves<__Object> for #ident
        where
            __Object: #own + ::core::marker::Send + ::core::marker::Sync,
        {
            async fn serve(
                object: &__Object,
                context: &::worldspace_host::Context,
                call: ::worldspace_host::Call,
            ) -> ::core::result::Result<::worldspace_host::Done, ::worldspace_host::Refusal> {
                #served
            }
        }
    }
}

fn declared(interface: &Interface) -> TokenStream {
    let documentation = &interface.documentation;
    let listed = &interface.arguments.types;
    let operations = interface.operations.iter().map(declare);
    quote! {
        static MADE: ::worldspace_host::expand::Made = ::worldspace_host::expand::Made::new();
        MADE.get_or_init(|| {
            let mut declaring = ::worldspace_host::expand::Declaring::new(#documentation);
            #(declaring.list::<#listed>();)*
            #(#operations)*
            declaring.finish()
        })
        .clone()
    }
}

fn declare(operation: &Operation) -> TokenStream {
    let model = model();
    let Operation { configured, name, documentation, effects, returns_documentation, .. } = operation;
    let name = &name.text;
    let parameters = operation
        .parameters
        .iter()
        .map(|parameter| declaration(&parameter.name.text, &parameter.documentation, &parameter.ty, &model));
    let returns = operation.returns.as_ref().map(|ty| as_trait(ty, &model, "WipType"));
    quote! {
        #(#configured)*
        declaring.operation(
            #name,
            #documentation,
            &[#(#model::Effect::#effects),*],
            |types| [#(#parameters),*],
            #returns_documentation,
            #returns::describe,
        );
    }
}

fn served(interface: &Interface) -> TokenStream {
    let operations = interface.operations.iter().map(|operation| serve(interface, operation));
    quote! {
        match call.operation() {
            #(#operations)*
            _ => ::core::result::Result::Err(::worldspace_host::expand::unknown(&call)),
        }
    }
}

fn serve(interface: &Interface, operation: &Operation) -> TokenStream {
    let (model, own) = (model(), interface.ident());
    let Operation { ident, configured, name, .. } = operation;
    let name = &name.text;
    let held: Vec<_> = (0..operation.parameters.len()).map(|at| format_ident!("argument_{at}")).collect();
    let taken = operation.parameters.iter().zip(&held).map(|(parameter, held)| {
        let (name, field) = (&parameter.name.text, as_trait(&parameter.ty, &model, "WipField"));
        quote!(let #held = ::worldspace_host::expand::argument(&call, #name, #field::from_field)?;)
    });
    let given = operation.given.iter().map(|given| match given {
        Given::Call => quote!(call),
        Given::CallRef => quote!(&call),
        Given::Context => quote!(context),
    });
    let run = quote!(<__Object as #own>::#ident(object, #(#given,)* #(#held),*).await);
    let answer = if operation.is_read() {
        let returns = operation.returns.as_ref().map(|ty| as_trait(ty, &model, "WipType"));
        quote! {
            let result = #run?;
            ::worldspace_host::expand::read(call, #returns::into_value(result))
        }
    } else {
        quote!(#run.map(::worldspace_host::Done::untyped))
    };
    quote! {
        #(#configured)*
        #name => {
            #(#taken)*
            #answer
        }
    }
}
