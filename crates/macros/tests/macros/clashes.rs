//! Names of the author that could be taken for those of the macros, and the reverse.

use worldspace_client::TypedClient;
use worldspace_host::model::{EntryPath, Segment};
use worldspace_host::{
    Call, Context, Done, Interface, LocalPath, LocalReference, Offers, Page, Provider, ProviderError,
    Published, Refusal, WipType, interface,
};

use crate::world::{client_of, entry};

/// Types and values with the names of those that the macros write.
#[allow(dead_code, non_camel_case_types, reason = "they only stand in the way")]
mod in_the_way {
    use worldspace_host::WipType;

    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Option;
    pub struct Result;
    pub struct Vec;
    pub struct Type;
    pub struct Value;
    pub struct str;

    #[derive(WipType)]
    pub enum Derived {
        Bare,
        Carrying(String),
        Fields { one: String },
    }

    #[derive(WipType)]
    pub enum Bare {
        Bare,
    }

    #[derive(WipType)]
    pub struct Fields {
        pub one: Bare,
    }

    #[worldspace_host::interface(name = "in.the.way", client)]
    pub trait Declared {
        #[read]
        async fn read(&self, what: Fields) -> std::result::Result<Derived, worldspace_host::Refusal>;
    }
}

#[derive(WipType, Clone, Debug, PartialEq)]
struct T {
    value: u16,
    types: bool,
    fields: Option<String>,
    r#type: String,
}

#[derive(WipType, Clone, Debug, PartialEq)]
enum Clash {
    Ok(T),
    Err { value: u16, payload: u16, case: u16 },
    Option,
}

/// An operation for each name that a client has already, and one whose parameters have the names that were used on the way.
#[interface(name = "clashes", client)]
#[allow(clippy::too_many_arguments, clippy::wrong_self_convention, reason = "any name and any number")]
trait Clashes {
    #[read]
    async fn open(&self) -> Result<String, Refusal>;
    #[read]
    async fn of(&self) -> Result<String, Refusal>;
    #[read]
    async fn on(&self) -> Result<String, Refusal>;
    #[read]
    async fn object(&self) -> Result<String, Refusal>;
    #[read]
    async fn refresh(&self) -> Result<String, Refusal>;
    #[read]
    async fn clone(&self) -> Result<String, Refusal>;
    #[read]
    async fn call(&self) -> Result<String, Refusal>;
    #[read]
    async fn serve(&self) -> Result<String, Refusal>;
    #[read]
    async fn interface(&self) -> Result<String, Refusal>;
    #[read]
    async fn new(&self) -> Result<String, Refusal>;
    async fn r#move(
        &self,
        here: Call,
        call: u16,
        object: u16,
        context: u16,
        result: u16,
        types: u16,
        argument_0: T,
        r#type: Clash,
    ) -> Result<Done<Clash>, Refusal>;
    /// Is not there, nor is its type.
    #[cfg(any())]
    async fn never(&self, call: Call, missing: Missing) -> Result<Done<Missing>, Refusal>;
    /// Needs nothing of whatever implements it.
    #[read]
    async fn with_body(&self, count: u16) -> Result<u32, Refusal> {
        Ok(u32::from(count) + 1)
    }
}

#[derive(Clone)]
struct Thing;

macro_rules! answers {
    ($($name:ident),*) => {$(
        async fn $name(&self) -> Result<String, Refusal> {
            Ok(stringify!($name).to_owned())
        }
    )*};
}

impl Clashes for Thing {
    answers!(open, of, on, object, refresh, clone, call, serve, interface, new);

    async fn r#move(
        &self,
        here: Call,
        call: u16,
        object: u16,
        context: u16,
        result: u16,
        types: u16,
        argument_0: T,
        r#type: Clash,
    ) -> Result<Done<Clash>, Refusal> {
        assert_eq!([call, object, context, result, types], [1, 2, 3, 4, 5]);
        assert_eq!(r#type, Clash::Ok(argument_0));
        Ok(here.done(r#type))
    }
}

struct One(Offers<Thing>);

impl Provider for One {
    async fn object(&self, _: &Context, _: &LocalPath) -> Result<Published, ProviderError> {
        Ok(Published::new().publishing(self.0.interfaces()))
    }

    async fn children(
        &self,
        _: &Context,
        _: &LocalPath,
        _: Option<&Segment>,
        _: usize,
    ) -> Result<Page, ProviderError> {
        Ok(Page::empty())
    }

    async fn interface(&self, _: &Context, reference: &LocalReference) -> Result<Interface, ProviderError> {
        self.0.interface(reference).ok_or(ProviderError::NotFound)
    }

    async fn call(&self, context: &Context, call: Call) -> Result<Done, Refusal> {
        self.0.call(Thing, context, call).await
    }
}

#[tokio::test]
async fn an_operation_may_have_any_name() {
    let client = client_of(One(Offers::new().with(ClashesInterface).unwrap()));
    let place: EntryPath = entry("/t");
    let thing = <ClashesClient as TypedClient>::open(&client, &place).await.unwrap();
    assert_eq!(thing.open().await.unwrap(), "open");
    assert_eq!(thing.of().await.unwrap(), "of");
    assert_eq!(thing.on().await.unwrap(), "on");
    assert_eq!(thing.object().await.unwrap(), "object");
    assert_eq!(thing.refresh().await.unwrap(), "refresh");
    assert_eq!(thing.clone().await.unwrap(), "clone");
    assert_eq!(thing.call().await.unwrap(), "call");
    assert_eq!(thing.serve().await.unwrap(), "serve");
    assert_eq!(thing.interface().await.unwrap(), "interface");
    assert_eq!(thing.new().await.unwrap(), "new");
    assert_eq!(thing.with_body(7).await.unwrap(), 8);
    let t = T { value: 1, types: true, fields: None, r#type: "t".to_owned() };
    let moved = thing.r#move(1, 2, 3, 4, 5, t.clone(), Clash::Ok(t.clone())).await.unwrap();
    assert_eq!(moved, Clash::Ok(t));
    // What the trait of all clients does is still there, by its path.
    assert_eq!(TypedClient::object(&thing).entry(), place);
    let same: ClashesClient = Clone::clone(&thing);
    TypedClient::refresh(&same).await.unwrap();
}
