//! A new operation is one method: nothing else names it, and it is there for everybody.

use std::sync::Arc;

use worldspace_client::{Client, Settings, TypedClient as _};
use worldspace_host::{
    Call, Context, Done, Host, Interface, LocalPath, LocalReference, Offers, Page, Provider, ProviderError,
    Published, Refusal, Serves,
};
use worldspace_idl::text_view::{self, Options};
use worldspace_model::{EntryPath, Principal, Segment};

/// What has the interface.
#[derive(Clone)]
struct Issue;

mod before {
    use worldspace_host::{Refusal, interface};

    /// An issue's life.
    #[interface(name = "issue.lifecycle", client)]
    pub(super) trait Lifecycle {
        /// What is written in the issue.
        #[read]
        async fn read_body(&self) -> Result<String, Refusal>;
    }

    impl Lifecycle for super::Issue {
        async fn read_body(&self) -> Result<String, Refusal> {
            Ok("It leaks.".to_owned())
        }
    }
}

mod after {
    use worldspace_host::{Refusal, interface};

    /// An issue's life.
    #[interface(name = "issue.lifecycle", client)]
    pub(super) trait Lifecycle {
        /// What is written in the issue.
        #[read]
        async fn read_body(&self) -> Result<String, Refusal>;

        /// How many people wait for it.
        #[read]
        async fn votes(&self, least: Option<u32>) -> Result<u32, Refusal>;
    }

    impl Lifecycle for super::Issue {
        async fn read_body(&self) -> Result<String, Refusal> {
            Ok("It leaks.".to_owned())
        }

        async fn votes(&self, least: Option<u32>) -> Result<u32, Refusal> {
            Ok(least.unwrap_or(0).max(3))
        }
    }
}

/// What is not touched: it is the same for both.
struct World(Offers<Issue>);

impl Provider for World {
    async fn object(&self, _: &Context, path: &LocalPath) -> Result<Published, ProviderError> {
        path.is_root()
            .then(|| Published::new().publishing(self.0.interfaces()).leaf())
            .ok_or(ProviderError::NotFound)
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
        self.0.call(Issue, context, call).await
    }
}

fn client<I: Serves<Issue>>(interface: I) -> Client {
    let world = World(Offers::new().with(interface).unwrap());
    let host = Host::builder().mount(EntryPath::parse("/issue").unwrap(), world).build().unwrap();
    Client::in_process(Arc::new(host), Principal::anonymous(), Settings::default())
}

/// The operations as whoever looks at the Object is shown them, with the effects that forms and tools go by.
async fn shown(client: &Client) -> Vec<String> {
    let issue = client.fetch(&EntryPath::parse("/issue").unwrap()).await.unwrap();
    let interface = client.interface(&issue.object().interfaces[0]).await.unwrap();
    let operations = interface.descriptor().operations();
    let options = Options { effects: interface.effects(), ..Options::default() };
    operations.map(|operation| text_view::operation(&operation, options)).collect()
}

#[tokio::test]
async fn a_new_operation_is_one_method() {
    let (old, new) = (client(before::LifecycleInterface), client(after::LifecycleInterface));
    let (mut before, after) = (shown(&old).await, shown(&new).await);
    before.push(
        "/// \"How many people wait for it.\"\n@read\noperation votes(\n  least?: integer,\n) -> integer;"
            .to_owned(),
    );
    assert_eq!(after, before);
    let issue = after::LifecycleClient::open(&new, &EntryPath::parse("/issue").unwrap()).await.unwrap();
    assert_eq!(issue.votes(Some(2)).await.unwrap(), 3);
    // Who knows the old interface goes on.
    let issue = before::LifecycleClient::open(&new, &EntryPath::parse("/issue").unwrap()).await.unwrap();
    assert_eq!(issue.read_body().await.unwrap(), "It leaks.");
}
