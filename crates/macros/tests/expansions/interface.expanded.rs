/// An issue's life.
///
/// Details.
#[must_use]
pub trait Lifecycle: Sized {
    /// Closes the issue.
    fn close(
        &self,
        call: Call,
        context: &Context,
        reason: Reason,
        note: Option<String>,
    ) -> impl ::core::future::Future<
        Output = Result<Done<CloseResult>, Refusal>,
    > + ::core::marker::Send;
    #[cfg(feature = "bodies")]
    #[deprecated]
    fn r#type(
        &self,
        call: &worldspace_host::Call,
    ) -> impl ::core::future::Future<
        Output = Result<Body, Refusal>,
    > + ::core::marker::Send;
    fn count(
        &self,
    ) -> impl ::core::future::Future<
        Output = Result<u32, Refusal>,
    > + ::core::marker::Send
    where
        Self: ::core::marker::Sync,
    {
        async move { Ok(7) }
    }
}
///The interface `issue.lifecycle`, which [`Lifecycle`] declares, for `Offers::with`.
#[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy)]
pub struct LifecycleInterface;
impl ::worldspace_host::TypedInterface for LifecycleInterface {
    const NAME: &'static ::core::primitive::str = "issue.lifecycle";
    fn interface() -> ::core::result::Result<
        ::worldspace_host::Interface,
        ::worldspace_host::model::DeclarationError,
    > {
        static MADE: ::worldspace_host::expand::Made = ::worldspace_host::expand::Made::new();
        MADE.get_or_init(|| {
                let mut declaring = ::worldspace_host::expand::Declaring::new(
                    &[" An issue's life.", "", " Details."],
                );
                declaring.list::<Reason>();
                declaring.list::<Unreached>();
                declaring
                    .operation(
                        "close",
                        &[" Closes the issue."],
                        &[
                            ::worldspace_host::model::Effect::Destructive,
                            ::worldspace_host::model::Effect::Guarded,
                        ],
                        |types| [
                            ::worldspace_host::model::typed::expand::field(
                                "reason",
                                &[" Why."],
                                <Reason as ::worldspace_host::model::WipField>::REQUIRED,
                                <Reason as ::worldspace_host::model::WipField>::describe_field(
                                    types,
                                ),
                            ),
                            ::worldspace_host::model::typed::expand::field(
                                "the note",
                                &[],
                                <Option<
                                    String,
                                > as ::worldspace_host::model::WipField>::REQUIRED,
                                <Option<
                                    String,
                                > as ::worldspace_host::model::WipField>::describe_field(
                                    types,
                                ),
                            ),
                        ],
                        &[],
                        <CloseResult as ::worldspace_host::model::WipType>::describe,
                    );
                #[cfg(feature = "bodies")]
                declaring
                    .operation(
                        "type",
                        &[],
                        &[::worldspace_host::model::Effect::Read],
                        |types| [],
                        &["The text.", "", "As it is now."],
                        <Body as ::worldspace_host::model::WipType>::describe,
                    );
                declaring
                    .operation(
                        "how many",
                        &[],
                        &[::worldspace_host::model::Effect::Read],
                        |types| [],
                        &[],
                        <u32 as ::worldspace_host::model::WipType>::describe,
                    );
                declaring.finish()
            })
            .clone()
    }
}
#[allow(unused_variables, deprecated)]
impl<__Object> ::worldspace_host::Serves<__Object> for LifecycleInterface
where
    __Object: Lifecycle + ::core::marker::Send + ::core::marker::Sync,
{
    async fn serve(
        object: &__Object,
        context: &::worldspace_host::Context,
        call: ::worldspace_host::Call,
    ) -> ::core::result::Result<::worldspace_host::Done, ::worldspace_host::Refusal> {
        match call.operation() {
            "close" => {
                let argument_0 = ::worldspace_host::expand::argument(
                    &call,
                    "reason",
                    <Reason as ::worldspace_host::model::WipField>::from_field,
                )?;
                let argument_1 = ::worldspace_host::expand::argument(
                    &call,
                    "the note",
                    <Option<String> as ::worldspace_host::model::WipField>::from_field,
                )?;
                <__Object as Lifecycle>::close(
                        object,
                        call,
                        context,
                        argument_0,
                        argument_1,
                    )
                    .await
                    .map(::worldspace_host::Done::untyped)
            }
            #[cfg(feature = "bodies")]
            "type" => {
                let result = <__Object as Lifecycle>::r#type(object, &call).await?;
                ::worldspace_host::expand::read(
                    call,
                    <Body as ::worldspace_host::model::WipType>::into_value(result),
                )
            }
            "how many" => {
                let result = <__Object as Lifecycle>::count(object).await?;
                ::worldspace_host::expand::read(
                    call,
                    <u32 as ::worldspace_host::model::WipType>::into_value(result),
                )
            }
            _ => ::core::result::Result::Err(::worldspace_host::expand::unknown(&call)),
        }
    }
}
///An Object through its interface `issue.lifecycle`.
///
/// An issue's life.
///
/// Details.
#[derive(::core::fmt::Debug, ::core::clone::Clone)]
pub struct LifecycleClient(::worldspace_client::TypedObject);
impl ::worldspace_client::TypedClient for LifecycleClient {
    const INTERFACE: &'static ::core::primitive::str = "issue.lifecycle";
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
impl LifecycleClient {
    /// Closes the issue.
    pub async fn close(
        &self,
        reason: Reason,
        note: Option<String>,
    ) -> ::core::result::Result<CloseResult, ::worldspace_client::TypedFailure> {
        self.0
            .call_by(
                "close",
                ::worldspace_client::model::typed::expand::record([
                    (
                        "reason",
                        <Reason as ::worldspace_client::model::WipField>::into_field(
                            reason,
                        ),
                    ),
                    (
                        "the note",
                        <Option<
                            String,
                        > as ::worldspace_client::model::WipField>::into_field(note),
                    ),
                ]),
                <CloseResult as ::worldspace_client::model::WipType>::from_value,
            )
            .await
    }
    #[cfg(feature = "bodies")]
    #[deprecated]
    pub async fn r#type(
        &self,
    ) -> ::core::result::Result<Body, ::worldspace_client::TypedFailure> {
        self.0
            .call_by(
                "type",
                ::worldspace_client::model::typed::expand::record([]),
                <Body as ::worldspace_client::model::WipType>::from_value,
            )
            .await
    }
    pub async fn count(
        &self,
    ) -> ::core::result::Result<u32, ::worldspace_client::TypedFailure> {
        self.0
            .call_by(
                "how many",
                ::worldspace_client::model::typed::expand::record([]),
                <u32 as ::worldspace_client::model::WipType>::from_value,
            )
            .await
    }
}
