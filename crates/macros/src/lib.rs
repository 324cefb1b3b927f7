//! The macros for authors of interfaces: `#[interface]` on a trait, `#[derive(WipType)]` on structs and enums.
//!
//! They are used through the crates that re-export them, `worldspace_host` and `worldspace_client`, whose
//! documentation says what may be written; what is written here refers to nothing but those two. What is made is small: it calls
//! the support code beside `WipType`, `Serves` and `TypedObject`.
//!
//! Every mistake that can be seen in the text of an item is told, each where it stands; none hides another. What takes
//! more than one item to see (two Rust types of one name, types that contain each other by way of others) is told by
//! `TypedInterface::interface()`.

mod attributes;
mod documentation;
mod errors;
#[cfg(test)]
mod golden;
mod interface;
mod names;
mod types;
mod wip_type;

use proc_macro::TokenStream;

/// Makes an interface of a trait; `worldspace_host::interface` documents it.
#[proc_macro_attribute]
pub fn interface(arguments: TokenStream, item: TokenStream) -> TokenStream {
    interface::expand(arguments.into(), item.into()).into()
}

/// Makes a type of the protocol of a struct or enum; `worldspace_host::WipType` documents it.
#[proc_macro_derive(HostWipType, attributes(wip))]
pub fn host_wip_type(item: TokenStream) -> TokenStream {
    wip_type::expand(item.into(), &quote::quote!(::worldspace_host::model)).into()
}

/// The same for crates without a Host; `worldspace_client::WipType` documents it.
#[proc_macro_derive(ClientWipType, attributes(wip))]
pub fn client_wip_type(item: TokenStream) -> TokenStream {
    wip_type::expand(item.into(), &quote::quote!(::worldspace_client::model)).into()
}
