//! All messages to and from bytes, under one set of limits. Both sides of a connection use the same methods, so that
//! what one of them may write, the other may read.

use bytes::Bytes;
use worldspace_model::{
    CallAnswer, CallKey, Capabilities, FetchInterfaceRequest, FetchInterfaceResponse, FetchRequest,
    FetchResponse, FetchTreeRequest, IncomingCall, ObserveRequest, Operation, OutgoingCall, ProtocolError,
    Tree,
};

use crate::error::{DecodeError, EncodeError};
use crate::json::read::{Read, Reader};
use crate::json::value::JsonArguments;
use crate::json::write::{Writer, Written};
use crate::json::{capabilities, request, response, tree};
use crate::limits::Limits;

/// How messages are written. CBOR (SPEC 7) will be the second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// Strict JSON.
    #[default]
    Json,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Json];

    /// The media type, as a Host lists it.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
        }
    }
}

/// An encoding under limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Codec {
    /// How messages are written.
    pub encoding: Encoding,
    /// How large and deep they may be.
    pub limits: Limits,
}

/// What a Host answered to `fetch_interface`.
#[derive(Debug, Clone, PartialEq)]
pub enum FetchedInterface {
    /// A descriptor of this version's format.
    Known(FetchInterfaceResponse),
    /// An answer in order whose descriptor has a format of another version.
    UnknownFormat(String),
}

impl Codec {
    /// An encoding under limits.
    pub fn new(encoding: Encoding, limits: Limits) -> Self {
        Self { encoding, limits }
    }

    /// Strict JSON under limits.
    pub fn json(limits: Limits) -> Self {
        Self::new(Encoding::Json, limits)
    }
}

/// Where CBOR comes in: each public method will choose here between two modules of one shape, `json/` and `cbor/`.
impl Codec {
    fn read<'a, T>(
        &self,
        body: &'a [u8],
        bytes: usize,
        read: impl FnOnce(&mut Reader<'a>) -> Read<T>,
    ) -> Read<T> {
        let mut reader = Reader::new(body, bytes, self.limits.nesting())?;
        let message = read(&mut reader)?;
        reader.end()?;
        Ok(message)
    }

    pub(crate) fn read_request<'a, T>(
        &self,
        body: &'a [u8],
        read: impl FnOnce(&mut Reader<'a>) -> Read<T>,
    ) -> Read<T> {
        self.read(body, self.limits.request_bytes(), read)
    }

    pub(crate) fn read_response<'a, T>(
        &self,
        body: &'a [u8],
        read: impl FnOnce(&mut Reader<'a>) -> Read<T>,
    ) -> Read<T> {
        self.read(body, self.limits.response_bytes(), read)
    }

    pub(crate) fn write(
        &self,
        bytes: usize,
        write: impl FnOnce(&mut Writer) -> Written,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut writer = Writer::new(bytes, self.limits.nesting());
        write(&mut writer)?;
        Ok(writer.finish())
    }
}

/// Requests.
///
/// # Errors
/// Reading: the first thing that is wrong with the body. Writing: the limit that it would exceed.
impl Codec {
    /// Reads a `fetch`.
    pub fn read_fetch_request(&self, body: &[u8]) -> Result<FetchRequest, DecodeError> {
        self.read_request(body, |reader| request::read_fetch(reader, self.limits.fetch_entries()))
    }

    /// Writes a `fetch`.
    pub fn write_fetch_request(&self, request: &FetchRequest) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.request_bytes(), |writer| {
            request::write_fetch(writer, request, self.limits.fetch_entries())
        })
    }

    /// Reads a `fetch_tree`.
    pub fn read_fetch_tree_request(&self, body: &[u8]) -> Result<FetchTreeRequest, DecodeError> {
        self.read_request(body, request::read_fetch_tree)
    }

    /// Writes a `fetch_tree`.
    pub fn write_fetch_tree_request(&self, request: &FetchTreeRequest) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.request_bytes(), |writer| request::write_fetch_tree(writer, request))
    }

    /// Reads an `observe`.
    pub fn read_observe_request(&self, body: &[u8]) -> Result<ObserveRequest, DecodeError> {
        self.read_request(body, request::read_observe)
    }

    /// Writes an `observe`.
    pub fn write_observe_request(&self, request: &ObserveRequest) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.request_bytes(), |writer| request::write_observe(writer, request))
    }

    /// Reads a `fetch_interface`; whether effects are wanted too is told outside the body.
    pub fn read_fetch_interface_request(
        &self,
        body: &[u8],
        effects: bool,
    ) -> Result<FetchInterfaceRequest, DecodeError> {
        self.read_request(body, |reader| request::read_fetch_interface(reader, effects))
    }

    /// Writes a `fetch_interface`.
    pub fn write_fetch_interface_request(
        &self,
        request: &FetchInterfaceRequest,
    ) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.request_bytes(), |writer| request::write_fetch_interface(writer, request))
    }

    /// Reads a call, its arguments only so far as to be sure that they are well formed; they keep their part of
    /// `body`. The key is told outside the body.
    pub fn read_call_request(&self, body: &Bytes, key: Option<CallKey>) -> Result<IncomingCall, DecodeError> {
        let (mut head, place) = self.read_request(body, request::read_call)?;
        head.key = key;
        let text = body.slice(place.start..place.end);
        let nesting = self.limits.nesting();
        Ok(IncomingCall { head, arguments: Box::new(JsonArguments { text, room: place.room, nesting }) })
    }

    /// Writes a call; its key is told outside the body.
    pub fn write_call_request(&self, call: &OutgoingCall) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.request_bytes(), |writer| request::write_call(writer, call))
    }
}

/// Answers, validated against what was asked.
///
/// # Errors
/// Reading: the first thing that is wrong with the body, or that does not answer the request. Writing: the limit that
/// it would exceed.
impl Codec {
    /// Reads the answer to a `fetch`.
    pub fn read_fetch_response(
        &self,
        body: &[u8],
        request: &FetchRequest,
    ) -> Result<FetchResponse, DecodeError> {
        self.read_response(body, |reader| response::read_fetch(reader, request))
    }

    /// Writes the answer to a `fetch`.
    pub fn write_fetch_response(&self, response: &FetchResponse) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| response::write_fetch(writer, response))
    }

    /// Reads the answer to a `fetch_tree`.
    pub fn read_tree(&self, body: &[u8], request: &FetchTreeRequest) -> Result<Tree, DecodeError> {
        self.read_response(body, |reader| tree::read_tree(reader, request))
    }

    /// Writes the answer to a `fetch_tree`.
    pub fn write_tree(&self, tree: &Tree) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| tree::write_tree(writer, tree))
    }

    /// Reads the answer to an `observe`.
    pub fn read_observation(&self, body: &[u8], request: &ObserveRequest) -> Result<Tree, DecodeError> {
        self.read_response(body, |reader| tree::read_observation(reader, request))
    }

    /// Writes the answer to an `observe`: a tree that [`Tree::check_observe`] accepts.
    pub fn write_observation(&self, tree: &Tree) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| tree::write_observation(writer, tree))
    }

    /// Reads the answer to a `fetch_interface`.
    pub fn read_interface_response(
        &self,
        body: &[u8],
        request: &FetchInterfaceRequest,
    ) -> Result<FetchedInterface, DecodeError> {
        self.read_response(body, |reader| response::read_interface(reader, request))
    }

    /// Writes the answer to a `fetch_interface`, with effects where it holds them.
    pub fn write_interface_response(
        &self,
        response: &FetchInterfaceResponse,
    ) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| response::write_interface(writer, response))
    }

    /// Reads the answer to a call, its result along the declaration of the operation.
    pub fn read_call_answer(&self, body: &[u8], operation: &Operation) -> Result<CallAnswer, DecodeError> {
        self.read_response(body, |reader| response::read_call(reader, operation))
    }

    /// Writes the answer to a call.
    pub fn write_call_answer(&self, answer: &CallAnswer) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| response::write_call(writer, answer))
    }

    /// Reads an error.
    pub fn read_error(&self, body: &[u8]) -> Result<ProtocolError, DecodeError> {
        self.read_response(body, response::read_envelope)
    }

    /// Writes an error. A message is bounded, so it is written under any limit.
    pub fn write_error(&self, error: &ProtocolError) -> Vec<u8> {
        let mut writer = Writer::new(usize::MAX, Limits::MAX_NESTING);
        // Nothing but a limit can stop a writer, and these two are out of reach.
        let written = response::write_envelope(&mut writer, error);
        debug_assert_eq!(written, Ok(()));
        writer.finish()
    }

    /// Reads what a Host says of itself.
    pub fn read_capabilities(&self, body: &[u8]) -> Result<Capabilities, DecodeError> {
        self.read_response(body, capabilities::read_capabilities)
    }

    /// Writes what a Host says of itself.
    pub fn write_capabilities(&self, capabilities: &Capabilities) -> Result<Vec<u8>, EncodeError> {
        self.write(self.limits.response_bytes(), |writer| {
            capabilities::write_capabilities(writer, capabilities)
        })
    }
}
