//! The published Client does no I/O: this carries its requests over a socket and gives the answers back to it.

use std::collections::BTreeMap;

use wip_client::{
    CallOutcome, Client, ClientLimits, Completion, ObjectObservation, ObservationState, PreparedRequest,
    SecurityContext, SessionId,
};
use wip_http::http::Response;
use wip_http::{Limits, wip_protocol};
use wip_protocol::{InterfaceDescriptor, InterfaceReference, Object, ProtocolErrorCode, Value};

/// A published Client in a session with one endpoint.
pub(crate) struct Published {
    client: Client,
    session: SessionId,
    http: reqwest::Client,
}

/// The published Client's own verdict on an answer to an observation: a code of the protocol, or what it made of it.
pub(crate) type Seen<T> = Result<T, ProtocolErrorCode>;

impl Published {
    pub(crate) fn at(url: &str) -> Self {
        Self::through(url, crate::live::http_client())
    }

    /// By way of that carrier, which may know whom to trust and what to show.
    pub(crate) fn through(url: &str, http: reqwest::Client) -> Self {
        let limits = ClientLimits::new(1, 1000, 100, 8, 1000).unwrap();
        let mut client = Client::new(limits, Limits::new(1 << 20, 1 << 20, 64).unwrap());
        let session = client.open_session(url, SecurityContext::new("anonymous")).unwrap();
        Self { client, session, http }
    }

    /// Over the socket and back. A Client that objects to an answer in any way fails the test.
    async fn carry(&mut self, prepared: PreparedRequest) -> Completion {
        let PreparedRequest { id, request } = prepared;
        let request = reqwest::Request::try_from(request).unwrap();
        let answer = self.http.execute(request).await.unwrap();
        let mut response = Response::builder().status(answer.status());
        *response.headers_mut().unwrap() = answer.headers().clone();
        let response = response.body(answer.bytes().await.unwrap().to_vec()).unwrap();
        let shown = String::from_utf8_lossy(response.body()).into_owned();
        let completion =
            self.client.complete(id, response).unwrap_or_else(|error| panic!("{error}: {shown}"));
        let diagnostics = self.client.diagnostics(&self.session).unwrap();
        assert!(diagnostics.is_empty(), "{diagnostics:?}: {shown}");
        if let Completion::StaleResponseRejected(id) = completion {
            panic!("the answer to {id:?} is rejected as stale: {shown}");
        }
        completion
    }

    /// Observes to a depth, whatever is held.
    pub(crate) async fn observe(&mut self, path: &str, depth: u32) -> Seen<ObjectObservation> {
        let prepared = self.client.refresh_observed(&self.session, path, depth).unwrap();
        match self.carry(prepared).await {
            Completion::Object(observation) => {
                assert_eq!(observation.state, ObservationState::Fresh);
                Ok(observation)
            }
            Completion::ProtocolFailure(error) => Err(error.code),
            other => panic!("an observation ended as {other:?}"),
        }
    }

    /// Observes one Object, which is there.
    pub(crate) async fn object(&mut self, path: &str) -> Object {
        let observed = self.observe(path, 0).await;
        observed.unwrap_or_else(|code| panic!("{path}: {code:?}")).object.unwrap()
    }

    /// Fetches an interface, whatever is held.
    pub(crate) async fn interface(&mut self, scope: &str, name: &str) -> Seen<InterfaceDescriptor> {
        let prepared = self.client.prepare_interface(&self.session, reference(scope, name)).unwrap();
        match self.carry(prepared).await {
            Completion::Interface(observation) => {
                assert_eq!(observation.state, ObservationState::Fresh);
                assert!(
                    observation.validator.is_some() && observation.scope_ref.is_some(),
                    "{observation:?}"
                );
                Ok(observation.descriptor.unwrap())
            }
            Completion::ProtocolFailure(error) => Err(error.code),
            other => panic!("the fetch of an interface ended as {other:?}"),
        }
    }

    /// Whether the Client would make a call with what it holds.
    pub(crate) fn may_call(&mut self, path: &str, interface: &InterfaceReference, operation: &str) -> bool {
        let held =
            self.client.object(&self.session, path).is_some_and(|held| held.state == ObservationState::Fresh);
        let known = self.client.interface(&self.session, interface);
        held && known.is_some_and(|known| {
            known.state == ObservationState::Fresh
                && known.descriptor.as_ref().is_some_and(|d| d.operations.iter().any(|o| o.name == operation))
        })
    }

    /// Calls with what the Client holds, and with nothing else.
    pub(crate) async fn call(
        &mut self,
        path: &str,
        interface: &InterfaceReference,
        operation: &str,
        arguments: impl IntoIterator<Item = (&str, Value)>,
    ) -> CallOutcome {
        let arguments: BTreeMap<String, Value> =
            arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let prepared = self.client.prepare_call(&self.session, path, interface, operation, arguments);
        let prepared = prepared.unwrap_or_else(|error| panic!("{operation} on {path}: {error}"));
        self.client.mark_dispatched(prepared.id).unwrap();
        match self.carry(prepared).await {
            Completion::Call(record) => record.outcome,
            other => panic!("a call ended as {other:?}"),
        }
    }

    /// A call that succeeds: its result and the new validator.
    pub(crate) async fn done(
        &mut self,
        path: &str,
        interface: &InterfaceReference,
        operation: &str,
        arguments: impl IntoIterator<Item = (&str, Value)>,
    ) -> (Value, Option<Vec<u8>>) {
        match self.call(path, interface, operation, arguments).await {
            CallOutcome::Success(response) => (response.result, response.validator),
            other => panic!("{operation} on {path} ended as {other:?}"),
        }
    }

    /// A call that the Host refuses.
    pub(crate) async fn refused(
        &mut self,
        path: &str,
        interface: &InterfaceReference,
        operation: &str,
        arguments: impl IntoIterator<Item = (&str, Value)>,
    ) -> ProtocolErrorCode {
        match self.call(path, interface, operation, arguments).await {
            CallOutcome::ProtocolFailure(error) => error.code,
            other => panic!("{operation} on {path} ended as {other:?}"),
        }
    }

    /// The children that the Client holds of an entry.
    pub(crate) fn children(&self, path: &str) -> Vec<String> {
        self.client.tree(&self.session, path).map(|tree| tree.children.clone()).unwrap_or_default()
    }

    /// What the Client holds of an entry, and how fresh it says it is.
    pub(crate) fn held(&self, path: &str) -> Option<ObjectObservation> {
        self.client.object(&self.session, path)
    }
}

pub(crate) fn reference(scope: &str, name: &str) -> InterfaceReference {
    InterfaceReference { scope: scope.into(), name: name.into() }
}

pub(crate) fn string(text: &str) -> Value {
    Value::String(text.into())
}
