trait Marker {}
///The interface `marker`, which [`Marker`] declares, for `Offers::with`.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
struct MarkerInterface;
impl ::worldspace_host::TypedInterface for MarkerInterface {
    const NAME: &'static ::core::primitive::str = "marker";
    fn interface() -> ::core::result::Result<
        ::worldspace_host::Interface,
        ::worldspace_host::model::DeclarationError,
    > {
        static MADE: ::worldspace_host::expand::Made = ::worldspace_host::expand::Made::new();
        MADE.get_or_init(|| {
                let mut declaring = ::worldspace_host::expand::Declaring::new(&[]);
                declaring.finish()
            })
            .clone()
    }
}
#[allow(unused_variables, deprecated)]
impl<__Object> ::worldspace_host::Serves<__Object> for MarkerInterface
where
    __Object: Marker + ::core::marker::Send + ::core::marker::Sync,
{
    async fn serve(
        object: &__Object,
        context: &::worldspace_host::Context,
        call: ::worldspace_host::Call,
    ) -> ::core::result::Result<::worldspace_host::Done, ::worldspace_host::Refusal> {
        match call.operation() {
            _ => ::core::result::Result::Err(::worldspace_host::expand::unknown(&call)),
        }
    }
}
