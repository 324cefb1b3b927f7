//! The client side: a [`Transport`] over HTTP. It follows no redirect, repeats nothing, and reads no proxy settings
//! from the environment. A token goes to the endpoint that it was given for, and nowhere else.

mod capabilities;
mod exchange;
mod failure;
mod handshake;
mod trust;

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, header};
use tokio::sync::OnceCell;
use worldspace_model::{
    BoxFuture, CallAnswer, Capabilities, FetchInterfaceRequest, FetchInterfaceResponse, FetchRequest,
    FetchResponse, FetchTreeRequest, Interaction, ObserveRequest, OutgoingCall, RequestContext, Transport,
    TransportError, Tree,
};
use worldspace_wire::{Codec, DecodeError, EncodeError, FetchedInterface, Limits, Outcome};

use crate::auth::Token;
use crate::endpoint::{Endpoint, Route};
use crate::time::FOREVER;
use crate::{extension, media};
use exchange::{Answer, Outgoing, exchange};

pub use handshake::UnknownIssuer;
pub use trust::{Trust, TrustError};

/// How a Client speaks to a Host.
#[derive(Debug, Clone)]
pub struct ClientConfig {
    /// What is shown to the Host to be let in. Default none.
    pub token: Option<Token>,
    /// Which certificates of Hosts are trusted. Default those that the system trusts.
    pub trust: Trust,
    /// Lets the token go out without TLS to other machines, for whoever is on the way to take. Default no.
    pub plain_token_beyond_loopback: bool,
    /// What a request and an answer's body may measure; a larger answer is not read to its end. How large a request may
    /// be, the Host decides if it says so (`request_bytes`).
    pub wire: Limits,
    /// For a connection to come about. Default 5 s.
    pub connect_timeout: Duration,
    /// For a request whose context states no deadline. Default 60 s.
    pub default_deadline: Duration,
    /// For connections that are kept for later requests; below what servers wait, so that a request is not
    /// sent into a connection that is being closed. Default 30 s.
    pub idle_timeout: Duration,
}

/// Between pings of a connection of HTTP/2 with requests under way, and for their answers.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// One Host, over HTTP.
pub struct HttpTransport {
    endpoint: Endpoint,
    config: ClientConfig,
    codec: Codec,
    client: reqwest::Client,
    authorization: Option<HeaderValue>,
    capabilities: OnceCell<Capabilities>,
}

/// Why an endpoint cannot be spoken to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// Another scheme than can be spoken.
    #[error("{endpoint} cannot be reached: https:// and http:// are spoken, not {scheme}://")]
    Scheme {
        /// The endpoint.
        endpoint: Endpoint,
        /// Its scheme.
        scheme: String,
    },
    /// Its URL holds a name or password, which would go out for others to read.
    #[error("the URL of {endpoint} holds a name or password: leave out what stands before the `@`")]
    UserInformation {
        /// The endpoint.
        endpoint: Endpoint,
    },
    /// A token would go out for others to read.
    #[error(
        "a token is not sent to {endpoint}, since whoever is on the way could take it: use https://, or allow it if \
         nobody is"
    )]
    PlainToken {
        /// The endpoint.
        endpoint: Endpoint,
    },
    /// There is nobody to trust.
    #[error("no certificate of a Host can be checked")]
    Trust(#[from] TrustError),
    /// The HTTP client cannot be set up.
    #[error("no HTTP client can be set up")]
    Client {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            token: None,
            trust: Trust::default(),
            plain_token_beyond_loopback: false,
            wire: Limits::default(),
            connect_timeout: Duration::from_secs(5),
            default_deadline: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(30),
        }
    }
}

impl HttpTransport {
    /// Speaks to the Host at that endpoint. Nothing is sent yet.
    ///
    /// # Errors
    /// A scheme other than `https` and `http`, user information in the URL, a token that others could read, or trusted certificates that are none.
    pub fn new(endpoint: Endpoint, config: ClientConfig) -> Result<Self, SetupError> {
        let tls = match endpoint.scheme() {
            "https" => config.trust.config()?,
            "http" => Trust::nobody()?,
            scheme => return Err(SetupError::Scheme { scheme: scheme.to_owned(), endpoint }),
        };
        if endpoint.has_user_information() {
            return Err(SetupError::UserInformation { endpoint });
        }
        let is_read_by_others = endpoint.scheme() == "http" && !endpoint.is_loopback();
        if config.token.is_some() && is_read_by_others && !config.plain_token_beyond_loopback {
            return Err(SetupError::PlainToken { endpoint });
        }
        let authorization = config.token.as_ref().map(authorization).transpose()?;
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .tls_backend_preconfigured(tls)
            // Many requests share a connection of HTTP/2, so one that is dead must be noticed before they all are late.
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(KEEP_ALIVE)
            .connect_timeout(config.connect_timeout.min(FOREVER))
            .pool_idle_timeout(config.idle_timeout.min(FOREVER))
            .user_agent(concat!("wip/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|source| SetupError::Client { source: source.into() })?;
        let codec = Codec::json(config.wire);
        Ok(Self { endpoint, codec, config, client, authorization, capabilities: OnceCell::new() })
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Posts a request, and reads its answer with `read` if it is a success.
    async fn ask<T>(
        &self,
        interaction: Interaction,
        context: &RequestContext,
        mut headers: HeaderMap,
        body: Result<Vec<u8>, EncodeError>,
        read: impl FnOnce(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<T, TransportError> {
        let body = body.map_err(|error| failure::unwritable(&error))?;
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media::JSON));
        let route = Route::Interaction(interaction);
        let answer = self.send(Method::POST, route, context, headers, Some(body.into())).await?;
        let content = media::content(&answer.headers);
        match self.codec.classify(interaction, answer.status.as_u16(), content, &answer.body, read) {
            Outcome::Success(answer) => Ok(answer),
            Outcome::Refused { error, .. } => Err(TransportError::Refused(error)),
            Outcome::Invalid { kind, cause } => Err(failure::invalid(kind, cause)),
            Outcome::Foreign { status, kind } => Err(failure::foreign(status, kind)),
        }
    }

    /// For requests. The Host knows best what it takes: less would come back refused, and more is no harm here.
    fn writer(&self) -> Codec {
        let wire = self.config.wire;
        let stated = self.capabilities.get().map_or(0, |known| known.limits.request_bytes);
        let bytes = usize::try_from(stated).unwrap_or(usize::MAX);
        let limits = Limits::new(bytes, wire.response_bytes(), wire.nesting());
        // It states none, or was not asked.
        Codec::json(limits.and_then(|limits| limits.with_fetch_entries(wire.fetch_entries())).unwrap_or(wire))
    }

    async fn send(
        &self,
        method: Method,
        route: Route,
        context: &RequestContext,
        mut headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Answer, TransportError> {
        let now = Instant::now();
        let deadline = context.deadline.unwrap_or(now + self.config.default_deadline.min(FOREVER));
        let left = deadline.saturating_duration_since(now);
        if left.is_zero() {
            return Err(failure::unsendable("its deadline has passed already".to_owned()));
        }
        headers.insert(header::ACCEPT, HeaderValue::from_static(media::JSON));
        headers.insert(extension::PREFER, wait(left));
        if let Some(authorization) = &self.authorization {
            headers.insert(header::AUTHORIZATION, authorization.clone());
        }
        let request = Outgoing { method, url: self.endpoint.url_of(route), headers, body };
        exchange(&self.client, request, deadline, self.config.wire.response_bytes()).await
    }
}

/// The header that shows a token; it is not shown where a request is printed.
fn authorization(token: &Token) -> Result<HeaderValue, SetupError> {
    let value = HeaderValue::try_from(format!("Bearer {}", token.reveal()));
    let mut value = value.map_err(|source| SetupError::Client { source: source.into() })?;
    value.set_sensitive(true);
    Ok(value)
}

/// How long the Host may take, in whole seconds, leaving some time for its answer to arrive.
fn wait(left: Duration) -> HeaderValue {
    let seconds = left.saturating_sub(Duration::from_millis(500)).as_secs().max(1);
    let text = format!("{}={seconds}", extension::WAIT);
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("wait=1"))
}

impl Transport for HttpTransport {
    fn capabilities(&self, context: RequestContext) -> BoxFuture<'_, Result<Capabilities, TransportError>> {
        Box::pin(self.ask_capabilities(context))
    }

    fn fetch(
        &self,
        context: RequestContext,
        request: FetchRequest,
    ) -> BoxFuture<'_, Result<FetchResponse, TransportError>> {
        Box::pin(async move {
            let body = self.writer().write_fetch_request(&request);
            let read = |body: &[u8]| self.codec.read_fetch_response(body, &request);
            self.ask(Interaction::Fetch, &context, HeaderMap::new(), body, read).await
        })
    }

    fn fetch_tree(
        &self,
        context: RequestContext,
        request: FetchTreeRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        Box::pin(async move {
            let body = self.writer().write_fetch_tree_request(&request);
            let read = |body: &[u8]| self.codec.read_tree(body, &request);
            self.ask(Interaction::FetchTree, &context, HeaderMap::new(), body, read).await
        })
    }

    fn observe(
        &self,
        context: RequestContext,
        request: ObserveRequest,
    ) -> BoxFuture<'_, Result<Tree, TransportError>> {
        Box::pin(async move {
            let body = self.writer().write_observe_request(&request);
            let read = |body: &[u8]| self.codec.read_observation(body, &request);
            self.ask(Interaction::Observe, &context, HeaderMap::new(), body, read).await
        })
    }

    fn fetch_interface(
        &self,
        context: RequestContext,
        request: FetchInterfaceRequest,
    ) -> BoxFuture<'_, Result<FetchInterfaceResponse, TransportError>> {
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            if request.effects {
                headers.insert(extension::EXTENSIONS, HeaderValue::from_static(extension::EFFECTS));
            }
            let body = self.writer().write_fetch_interface_request(&request);
            let read = |body: &[u8]| self.codec.read_interface_response(body, &request);
            match self.ask(Interaction::FetchInterface, &context, headers, body, read).await? {
                FetchedInterface::Known(answer) => Ok(answer),
                FetchedInterface::UnknownFormat(format) => Err(failure::unknown_format(&format)),
            }
        })
    }

    fn call_operation(
        &self,
        context: RequestContext,
        call: OutgoingCall,
    ) -> BoxFuture<'_, Result<CallAnswer, TransportError>> {
        Box::pin(async move {
            let mut headers = HeaderMap::new();
            if let Some(key) = &call.key {
                let value = HeaderValue::from_str(key.as_str());
                let value = value.map_err(|_| failure::unsendable("its key makes no header".to_owned()))?;
                headers.insert(extension::CALL_KEY, value);
            }
            let body = self.writer().write_call_request(&call);
            let read = |body: &[u8]| self.codec.read_call_answer(body, &call.operation);
            self.ask(Interaction::CallOperation, &context, headers, body, read).await
        })
    }
}
