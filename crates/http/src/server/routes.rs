//! A request's way through the server: route, admission, names, principal, body, Responder, and back.

use std::hash::{BuildHasher as _, RandomState};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use http::header::Entry;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;
use tracing::{Instrument as _, Span, field, info, info_span};
use worldspace_model::{Interaction, Principal, RequestContext, Responder};
use worldspace_wire::{Codec, Limits};

use super::activity::UnderWay;
use super::admission::{self, Refusal};
use super::answer::{self, AnswerBody};
use super::body::{self, Unread};
use super::config::{ServerConfig, ServerLimits};
use super::dispatch::{self, Dispatch};
use super::load::Load;
use super::origin::Names;
use super::{authentication, headers, page};
use crate::auth::{Authentication, Verified};
use crate::endpoint::{Endpoint, Route};

/// The interactions that have a route here.
pub(super) const SERVED: [Interaction; 5] = [
    Interaction::Fetch,
    Interaction::FetchTree,
    Interaction::Observe,
    Interaction::FetchInterface,
    Interaction::CallOperation,
];

/// Carries what the log calls a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Everything at one address.
pub(super) struct Site {
    endpoint: Endpoint,
    names: Names,
    authentication: Authentication,
    wire: Limits,
    limits: ServerLimits,
    load: Load,
    dispatch: Dispatch,
    further: axum::Router,
    ids: Ids,
    /// Told when the time to end is nearly over.
    ending: CancellationToken,
}

impl Site {
    pub(super) fn new(
        endpoint: Endpoint,
        address: SocketAddr,
        config: ServerConfig,
        responder: Arc<dyn Responder>,
        further: axum::Router,
    ) -> Self {
        let names = Names::new(address, config.tls.is_some(), &config.hosts, &config.origins);
        let left_over = LeftOver::new(endpoint.clone(), config.title);
        let further = further.fallback(move |request: Request<axum::body::Body>| {
            std::future::ready(left_over.answer(request))
        });
        let load = Load::new(&config.limits);
        let ending = CancellationToken::new();
        let codec = Codec::json(config.wire);
        let dispatch = Dispatch { responder, codec, load: load.clone(), ending: ending.clone() };
        let (wire, limits, ids) = (config.wire, config.limits, Ids::default());
        let authentication = config.authentication;
        Self { endpoint, names, authentication, wire, limits, load, dispatch, further, ids, ending }
    }

    /// Gives up every request that is still without an answer, and has it told so.
    pub(super) fn give_up(&self) {
        self.ending.cancel();
    }

    pub(super) fn lets_everyone_in(&self) -> bool {
        self.authentication.is_anonymous()
    }

    /// Answers one request. Nothing of what it holds is logged: neither paths, nor arguments, nor headers. Who sent it is,
    /// if he is known.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        under_way: UnderWay,
    ) -> Response<AnswerBody> {
        let arrived = Instant::now();
        let id = self.ids.next();
        let (mut head, body) = request.into_parts();
        hide_credentials(&mut head);
        let route = self.route(&head);
        let name = match route {
            Some(Route::Interaction(interaction)) => interaction.name(),
            Some(Route::Capabilities) => "capabilities",
            None => "further",
        };
        let span = info_span!(
            "request",
            %id,
            interaction = name,
            principal = field::Empty,
            status = field::Empty,
            code = field::Empty
        );
        let is_head = head.method == Method::HEAD;
        let answer = async {
            let answer = dispatch::caught(async {
                match route {
                    Some(route) => self.of_protocol(route, head, body, &under_way).await,
                    None => self.further(head, body, &under_way).await,
                }
            });
            let answer = answer.await.unwrap_or_else(|panicked| match route {
                Some(_) => Ok(self.dispatch.failure(&panicked.into())),
                None => {
                    Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, format!("No answer: {panicked}.")))
                }
            });
            let mut response = answer.unwrap_or_else(|refusal| answer::plain(&refusal));
            if is_head {
                leave_body_out(&mut response);
            }
            if let Ok(id) = HeaderValue::try_from(&id) {
                response.headers_mut().insert(REQUEST_ID, id);
            }
            let milliseconds = u64::try_from(arrived.elapsed().as_millis()).unwrap_or(u64::MAX);
            Span::current().record("status", response.status().as_u16());
            info!(milliseconds, "answered");
            response
        };
        answer.instrument(span).await.map(|body| body.hold(under_way))
    }

    fn route(&self, head: &Parts) -> Option<Route> {
        let route = self.endpoint.route_at(head.uri.path(), head.uri.query())?;
        match route {
            Route::Interaction(interaction) => SERVED.contains(&interaction).then_some(route),
            Route::Capabilities => Some(route),
        }
    }

    async fn of_protocol(
        &self,
        route: Route,
        head: Parts,
        body: Incoming,
        under_way: &UnderWay,
    ) -> Result<Response<AnswerBody>, Refusal> {
        admission::admit(route, &head.method, &head.headers)?;
        admission::admit_length(&head.headers, self.wire.request_bytes())?;
        let principal = self.authenticate(self.names.admit(&head)?, &head).await?;
        under_way.let_in();
        let Route::Interaction(interaction) = route else { return Ok(self.dispatch.capabilities()) };
        let place = match self.load.request() {
            Ok(place) => place,
            Err(error) => return Ok(self.dispatch.failure(&error)),
        };
        // Its share of the load is held for as long as it is read from.
        let mut share = self.load.body();
        let read = body::read(body, self.wire.request_bytes(), self.limits.body_timeout, &mut share);
        let read = tokio::select! {
            biased;
            read = read => read,
            () = self.ending.cancelled() => Err(Unread::Failed(dispatch::ending())),
        };
        let body = match read {
            Ok(body) => body,
            Err(Unread::TooLarge) => return Err(admission::too_large(self.wire.request_bytes())),
            Err(Unread::Failed(error)) => return Ok(last(self.dispatch.failure(&error), head.version)),
        };
        under_way.arrived();
        let deadline = Some(headers::deadline(&head.headers, &self.limits, Instant::now()));
        let context =
            RequestContext { principal, deadline, response_bytes: Some(self.wire.response_bytes()) };
        let response = self.dispatch.answer(interaction, context, &head.headers, body).await;
        Ok(response.map(|body| body.keep(place)))
    }

    /// Whose request it is. Nothing of its body is read before.
    async fn authenticate(&self, authority: &str, head: &Parts) -> Result<Principal, Refusal> {
        let principal = self.authentication.identify(&head.headers).await;
        let principal = principal.map_err(|_| authentication::refusal(&self.called(authority)))?;
        if let Some(name) = principal.name() {
            Span::current().record("principal", name);
        }
        Ok(principal)
    }

    /// The endpoint by the name that its caller has for it, since that is what he compares with.
    fn called(&self, authority: &str) -> Endpoint {
        self.endpoint.at(authority).unwrap_or_else(|| self.endpoint.clone())
    }

    async fn further(
        &self,
        mut head: Parts,
        body: Incoming,
        under_way: &UnderWay,
    ) -> Result<Response<AnswerBody>, Refusal> {
        // A wrong name must not hide behind a route that is none, nor the reverse.
        let authority = self.names.admit(&head)?;
        if !self.lets_everyone_in() {
            let endpoint = self.called(authority);
            if authentication::is_asked(&head, &endpoint) {
                return authentication::document(&head.method, &endpoint);
            }
            match self.authenticate(authority, &head).await {
                Ok(principal) => {
                    under_way.let_in();
                    head.extensions.insert(Verified(principal));
                }
                // Even what is no route, so that only those who are let in learn what else there may be.
                Err(refusal) if self.endpoint.has_below(head.uri.path()) => return Err(refusal),
                Err(_) => {}
            }
        }
        let place = self.load.request().map_err(|error| {
            let text = format!("Not now: {}.", error.message);
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
        })?;
        let request = Request::from_parts(head, body);
        let Ok(response) = self.further.clone().call(request).await;
        // Such an answer may be a stream without end.
        under_way.lift_timeout();
        Ok(response.map(|body| AnswerBody::further(body).keep(place)))
    }
}

/// Names for requests by which an answer is found in the log. They tell nobody how many there were.
#[derive(Default)]
struct Ids {
    key: RandomState,
    next: AtomicU64,
}

impl Ids {
    fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}", self.key.hash_one(number))
    }
}

/// What lets somebody in is not shown where a further route prints its request.
fn hide_credentials(head: &mut Parts) {
    if let Entry::Occupied(mut entry) = head.headers.entry(header::AUTHORIZATION) {
        entry.iter_mut().for_each(|value| value.set_sensitive(true));
    }
}

/// An answer to a request that did not arrive whole: the connection has nothing further that could be read. HTTP/2 has
/// no such header, and ends the stream alone.
fn last(mut response: Response<AnswerBody>, version: Version) -> Response<AnswerBody> {
    if version < Version::HTTP_2 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// What neither the protocol nor a further route answers.
#[derive(Clone)]
struct LeftOver(Arc<(Endpoint, String, Vec<String>)>);

impl LeftOver {
    fn new(endpoint: Endpoint, title: String) -> Self {
        let post = |interaction| format!("POST {}", endpoint.url_of(Route::Interaction(interaction)));
        let mut routes: Vec<_> = SERVED.into_iter().map(post).collect();
        routes.push(format!("GET {}", endpoint.url_of(Route::Capabilities)));
        Self(Arc::new((endpoint, title, routes)))
    }

    fn answer(&self, request: Request<axum::body::Body>) -> Response<axum::body::Body> {
        let (endpoint, title, routes) = &*self.0;
        let (head, _) = request.into_parts();
        let answer = page::respond(endpoint, title, &head, routes);
        answer.unwrap_or_else(|refusal| answer::plain(&refusal).map(axum::body::Body::new))
    }
}

fn leave_body_out(response: &mut Response<AnswerBody>) {
    let length = response.body().length().map(HeaderValue::from);
    if let (Some(length), false) = (length, response.headers().contains_key(header::CONTENT_LENGTH)) {
        response.headers_mut().insert(header::CONTENT_LENGTH, length);
    }
    response.body_mut().leave_out();
}
