//! `[limits]`: what a Host, its listeners and their bodies take at most.

use std::time::Duration;

use worldspace_host::HostLimits;
use worldspace_http::ServerLimits;
use worldspace_wire::Limits as WireLimits;

use super::keys::{HOST, HTTP, LIMITS, WIRE};
use super::section::Section;
use super::values::{count, count_up_to, room, size, time};

/// All limits that can be set; the defaults are those of the structs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Limits {
    pub(crate) host: HostLimits,
    /// Of each listener.
    pub(crate) http: ServerLimits,
    pub(crate) wire: WireLimits,
}

/// The shortest time that can be written, for what must not be nothing.
pub(super) const SOME_TIME: Duration = Duration::from_millis(1);

pub(super) fn read(top: &Section<'_, '_>) -> Limits {
    let mut limits = Limits::default();
    let Some(section) = top.section("limits", &LIMITS) else { return limits };
    if let Some(section) = section.section("host", &HOST) {
        read_host(&section, &mut limits.host);
    }
    let wire = section.section("wire", &WIRE);
    if let Some(section) = &wire {
        limits.wire = read_wire(section);
    }
    let http = section.section("http", &HTTP);
    if let Some(section) = &http {
        read_http(section, &mut limits.http);
    }
    if let Some(section) = http.or(wire) {
        check_room(&section, &limits);
    }
    limits
}

fn read_host(section: &Section<'_, '_>, limits: &mut HostLimits) {
    section.set("fetch_entries", &mut limits.fetch_entries, count(1));
    section.set("tree_nodes", &mut limits.tree_nodes, count(1));
    section.set("tree_depth", &mut limits.tree_depth, count(0));
    section.set("calls", &mut limits.calls, count(0));
    section.set("time", &mut limits.time, time(SOME_TIME));
}

fn read_wire(section: &Section<'_, '_>) -> WireLimits {
    let usual = WireLimits::default();
    let (mut request, mut response) = (usual.request_bytes(), usual.response_bytes());
    let (mut nesting, mut entries) = (usual.nesting(), usual.fetch_entries());
    section.set("request_bytes", &mut request, room);
    section.set("response_bytes", &mut response, room);
    section.set("fetch_entries", &mut entries, count(1));
    section.set("nesting", &mut nesting, count_up_to(WireLimits::MAX_NESTING));
    // None of them is zero.
    let limits = WireLimits::new(request, response, nesting);
    limits.and_then(|limits| limits.with_fetch_entries(entries)).unwrap_or_default()
}

fn read_http(section: &Section<'_, '_>, limits: &mut ServerLimits) {
    section.set("connections", &mut limits.connections, count(1));
    section.set("streams", &mut limits.streams, count(1));
    section.set("requests", &mut limits.requests, count(1));
    section.set("in_flight_bytes", &mut limits.in_flight_bytes, size);
    section.set("header_bytes", &mut limits.header_bytes, size);
    section.set("headers", &mut limits.headers, count_up_to(MAX_HEADERS));
    section.set("header_timeout", &mut limits.header_timeout, time(SOME_TIME));
    section.set("body_timeout", &mut limits.body_timeout, time(SOME_TIME));
    section.set("idle_timeout", &mut limits.idle_timeout, time(SOME_TIME));
    section.set("write_timeout", &mut limits.write_timeout, time(SOME_TIME));
    section.set("total_timeout", &mut limits.total_timeout, time(SOME_TIME));
    section.set("default_deadline", &mut limits.default_deadline, time(SOME_TIME));
    section.set("max_deadline", &mut limits.max_deadline, time(SOME_TIME));
    section.set("drain_timeout", &mut limits.drain_timeout, time(Duration::ZERO));
}

/// The most headers that a server takes.
const MAX_HEADERS: usize = 10_000;

/// A body and an answer of full size must fit together.
fn check_room(section: &Section<'_, '_>, limits: &Limits) {
    let needed = limits.wire.request_bytes().saturating_add(limits.wire.response_bytes());
    let room = limits.http.in_flight_bytes;
    if room < needed {
        section.note(
            &section.span,
            format!("`in_flight_bytes` is {room}, and one request with its answer may take {needed}"),
            "raise `in_flight_bytes` in [limits.http], or lower `request_bytes` and `response_bytes` in [limits.wire]",
        );
    }
}
