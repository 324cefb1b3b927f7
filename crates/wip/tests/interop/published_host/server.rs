//! The published Host behind a plain HTTP server, as an application of [v1] would write it. It knows three routes, and
//! answers everything else with a page.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use wip_host::{ExecutionContext, ObjectProvider as _};
use wip_http::http::{Request, Response};
use wip_http::wip_protocol::{CallOperationRequest, ProtocolError, ProtocolErrorCode, ProtocolInteraction};
use wip_http::{CodecError, EncodeHttpError, Endpoint, Limits, Route};

use super::host::Notes;

/// A running Host, and what it was asked.
pub(super) struct Running {
    pub(super) url: String,
    pub(super) notes: Notes,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) line: String,
    pub(super) body: serde_json::Value,
}

#[derive(Clone)]
struct Site {
    endpoint: Endpoint,
    notes: Notes,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// What answers the routes that are none.
    elsewhere: fn() -> Response<Vec<u8>>,
}

impl Running {
    pub(super) async fn new(elsewhere: fn() -> Response<Vec<u8>>) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}/api/wip/", listener.local_addr().unwrap());
        let (notes, asked) = (Notes::new(), Arc::default());
        let site = Site { endpoint: Endpoint::parse(&url).unwrap(), notes, asked, elsewhere };
        let running = Self { url, notes: site.notes.clone(), asked: site.asked.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let site = site.clone();
                let service = service_fn(move |request| {
                    let site = site.clone();
                    async move {
                        Ok::<_, hyper::Error>(
                            site.answer(request).await?.map(|body| Full::new(Bytes::from(body))),
                        )
                    }
                });
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        running
    }

    /// What was asked since this was last called.
    pub(super) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn limits() -> Limits {
    Limits::new(1 << 20, 1 << 20, 64).unwrap()
}

impl Site {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Vec<u8>>, hyper::Error> {
        let (head, body) = request.into_parts();
        let body: Bytes = body.collect().await?.to_bytes();
        let line = format!("{} {}", head.method, head.uri.path().replace("/api/wip/", ""));
        let parsed = serde_json::from_slice(&body).unwrap_or_default();
        self.asked.lock().unwrap().push(Asked { line, body: parsed });
        let request = Request::from_parts(head, body);
        let routes = [Route::Observe, Route::FetchInterface, Route::CallOperation];
        let at = |route: &Route| self.endpoint.route(*route).path() == request.uri().path();
        let Some(route) = routes.into_iter().find(at) else { return Ok((self.elsewhere)()) };
        if let Err(error) = wip_http::validate_http_request(&self.endpoint, route, &request) {
            let mut response = Response::new(Vec::new());
            *response.status_mut() = error.status();
            return Ok(response);
        }
        Ok(self.interact(route, request.body()))
    }

    fn interact(&self, route: Route, body: &[u8]) -> Response<Vec<u8>> {
        let interaction = match route {
            Route::Observe => ProtocolInteraction::Observe,
            Route::FetchInterface => ProtocolInteraction::FetchInterface,
            Route::CallOperation => ProtocolInteraction::CallOperation,
        };
        let answered = match route {
            Route::Observe => self.observe(body),
            Route::FetchInterface => self.fetch_interface(body),
            Route::CallOperation => self.call_operation(body),
        };
        let written = answered
            .unwrap_or_else(|error| wip_http::encode_protocol_error_response(interaction, &error, limits()));
        written.unwrap()
    }

    fn observe(&self, body: &[u8]) -> Answered {
        let request = wip_http::decode_observe_request(body, limits()).map_err(invalid_request)?;
        let observation = self.notes.observe(&request)?;
        Ok(wip_http::encode_observe_response(&request, &observation, limits()))
    }

    fn fetch_interface(&self, body: &[u8]) -> Answered {
        let request = wip_http::decode_fetch_interface_request(body, limits()).map_err(invalid_request)?;
        let response = self.notes.interface(&request.interface)?.protocol_response()?;
        Ok(wip_http::encode_fetch_interface_response(&request, &response, limits()))
    }

    fn call_operation(&self, body: &[u8]) -> Answered {
        let metadata = wip_http::decode_call_operation_metadata(body, limits()).map_err(invalid_request)?;
        let (target, interface) = (metadata.target.clone(), metadata.interface.clone());
        let operation = metadata.operation.clone();
        let decode = |descriptor: &_| {
            Ok::<_, CodecError>(metadata.decode_request(body, descriptor, limits())?.arguments)
        };
        let result = self.notes.call_operation_with_context_and_decoder(
            &ExecutionContext::new(),
            target.clone(),
            interface.clone(),
            operation.clone(),
            decode,
        );
        let result = result.map_err(|error| error.protocol_error())?;
        let request = CallOperationRequest { target, interface, operation, arguments: Default::default() };
        Ok(wip_http::encode_call_operation_response(&request, &self.notes.descriptor(), &result, limits()))
    }
}

/// An error of the protocol, or an answer written as far as it could be.
type Answered = Result<Result<Response<Vec<u8>>, EncodeHttpError>, ProtocolError>;

fn invalid_request(error: CodecError) -> ProtocolError {
    ProtocolError { code: ProtocolErrorCode::InvalidRequest, message: error.to_string() }
}
