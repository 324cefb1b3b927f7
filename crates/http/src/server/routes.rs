//! A request's way through the server: route, admission, names, principal, body, Responder, and back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tower_service::Service as _;
use tracing::{Instrument as _, Span, field, info, info_span};
use worldspace_model::{Interaction, Principal, RequestContext, Responder};
use worldspace_wire::{Codec, Limits};

use super::activity::UnderWay;
use super::admission::{self, Refusal};
use super::answer::{self, AnswerBody};
use super::config::{ServerConfig, ServerLimits};
use super::dispatch::Dispatch;
use super::origin::Names;
use super::{headers, page};
use crate::endpoint::{Endpoint, Route};

/// The interactions that have a route here.
pub(super) const SERVED: [Interaction; 5] = [
    Interaction::Fetch,
    Interaction::FetchTree,
    Interaction::Observe,
    Interaction::FetchInterface,
    Interaction::CallOperation,
];

/// Everything at one address.
pub(super) struct Site {
    endpoint: Endpoint,
    names: Names,
    wire: Limits,
    limits: ServerLimits,
    dispatch: Dispatch,
    further: axum::Router,
    requests: AtomicU64,
}

impl Site {
    pub(super) fn new(
        endpoint: Endpoint,
        address: SocketAddr,
        config: ServerConfig,
        responder: Arc<dyn Responder>,
        further: axum::Router,
    ) -> Self {
        let names = Names::new(address, &config.hosts, &config.origins);
        let left_over = LeftOver::new(endpoint.clone(), config.title);
        let further = further.fallback(move |request: Request<axum::body::Body>| {
            std::future::ready(left_over.answer(request))
        });
        let dispatch = Dispatch { responder, codec: Codec::json(config.wire) };
        let requests = AtomicU64::new(1);
        Self { endpoint, names, wire: config.wire, limits: config.limits, dispatch, further, requests }
    }

    /// Answers one request. Nothing of what it holds is logged: neither paths, nor arguments, nor headers.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        under_way: UnderWay,
    ) -> Response<AnswerBody> {
        let arrived = Instant::now();
        let id = self.requests.fetch_add(1, Ordering::Relaxed);
        let (head, body) = request.into_parts();
        let route = self.route(&head);
        let name = match route {
            Some(Route::Interaction(interaction)) => interaction.name(),
            Some(Route::Capabilities) => "capabilities",
            None => "further",
        };
        let span = info_span!("request", id, interaction = name, status = field::Empty, code = field::Empty);
        let is_head = head.method == Method::HEAD;
        let answer = async {
            let answer = match route {
                Some(route) => self.of_protocol(route, head, body).await,
                None => self.further(head, body, &under_way).await,
            };
            let mut response = answer.unwrap_or_else(|refusal| answer::plain(&refusal));
            if is_head {
                leave_body_out(&mut response);
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
    ) -> Result<Response<AnswerBody>, Refusal> {
        admission::admit(route, &head.method, &head.headers)?;
        admission::admit_length(&head.headers, self.wire.request_bytes())?;
        self.names.admit(&head)?;
        let principal = authenticate(&head)?;
        let Route::Interaction(interaction) = route else { return Ok(self.dispatch.capabilities()) };
        let body = self.body(body).await?;
        let deadline = Some(headers::deadline(&head.headers, &self.limits, Instant::now()));
        let context =
            RequestContext { principal, deadline, response_bytes: Some(self.wire.response_bytes()) };
        Ok(self.dispatch.answer(interaction, context, &head.headers, body).await)
    }

    async fn body(&self, body: Incoming) -> Result<Bytes, Refusal> {
        let limit = self.wire.request_bytes();
        match tokio::time::timeout(self.limits.body_timeout, read(body, limit)).await {
            Ok(body) => body,
            Err(_) => Err(Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                "The body of the request did not arrive in time: send it again, faster.",
            )),
        }
    }

    async fn further(
        &self,
        head: Parts,
        body: Incoming,
        under_way: &UnderWay,
    ) -> Result<Response<AnswerBody>, Refusal> {
        // A wrong name must not hide behind a route that is none, nor the reverse.
        self.names.admit(&head)?;
        let request = Request::from_parts(head, body);
        let Ok(response) = self.further.clone().call(request).await;
        // Such an answer may be a stream without end.
        under_way.lift_timeout();
        Ok(response.map(AnswerBody::further))
    }
}

/// Who asks. There is nobody to tell apart yet; whoever reaches the loopback interface is let in.
fn authenticate(_head: &Parts) -> Result<Principal, Refusal> {
    Ok(Principal::anonymous())
}

async fn read(mut body: Incoming, limit: usize) -> Result<Bytes, Refusal> {
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            let text = "The body of the request broke off: send it whole.";
            Refusal::new(StatusCode::BAD_REQUEST, text)
        })?;
        let Ok(piece) = frame.into_data() else { continue };
        if piece.len() > limit - read.len() {
            return Err(admission::too_large(limit));
        }
        if read.is_empty() && http_body::Body::is_end_stream(&body) {
            return Ok(piece);
        }
        read.extend_from_slice(&piece);
    }
    Ok(read.freeze())
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
