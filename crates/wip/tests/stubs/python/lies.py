"""A peer that answers as it likes: what became of a call is told for each."""

import socket
import threading
import time
from collections.abc import Callable

import issue as m
import wip_runtime as wip
from wip_runtime import NotRun, NotSent, OutcomeUnknown, Refused, StateChanged, UnexpectedResult

REASON = '{"kind":"named","name":"Reason"}'
CASES = '[{"name":"closed"},{"name":"blocked","payload":{"kind":"record","fields":[{"name":"dependencies","required":true,"type":{"kind":"list","items":{"kind":"entry"}}}]}},{"name":"later"}]'
OPERATIONS = (
    '[{"name":"close","parameters":[{"name":"reason","required":true,"type":%s}],"returns":{"type":{"kind":"union","cases":%s}}},'
    '{"name":"count","parameters":[],"returns":{"type":{"kind":"integer"}}}]' % (REASON, CASES)
)
TYPES = '[{"name":"Reason","definition":{"kind":"enum","cases":[{"name":"done"}]}}]'
OBJECT = '{"object":{"name":"7","interfaces":[{"scope":"/","name":"issue.lifecycle"}],"validator":"AA=="}}'
FETCHED = (
    '{"interface":{"scope":"/","name":"issue.lifecycle"},"descriptor":{"format":"wip-interface/1","types":%s,"operations":%s}}'
    % (TYPES, OPERATIONS)
)
Answer = Callable[[socket.socket], None]


def http(body: str, status: int = 200, kind: str = "application/json", extra: str = "") -> bytes:
    data = body.encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n{extra}Connection: close\r\n\r\n"
    return head.encode() + data


def says(data: bytes) -> Answer:
    return lambda peer: peer.sendall(data)


def drip(peer: socket.socket) -> None:
    for byte in http('{"result":{"$case":"closed"}}'):
        peer.sendall(bytes([byte]))
        time.sleep(0.1)


def silent(peer: socket.socket) -> None:
    time.sleep(3)


class Peer:
    """Answers observations honestly, and calls as it is told to."""

    def __init__(self, answer: Answer) -> None:
        self.calls: list[bytes] = []
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                data = self.request(peer)
                try:
                    if b" /v1/observe " in data:
                        peer.sendall(http(OBJECT))
                    elif b" /v1/fetch_interface " in data:
                        peer.sendall(http(FETCHED))
                    else:
                        self.calls.append(data)
                        self.answer(peer)
                except OSError:
                    pass

    def request(self, peer: socket.socket) -> bytes:
        data = b""
        while part := peer.recv(65536):
            data += part
            head, end, body = data.partition(b"\r\n\r\n")
            length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if end and length and len(body) >= int(length[0].split(b":")[1]):
                break
        return data


def asked(answer: Answer, ask: Callable[[m.IssueLifecycle], object], timeout: float = 2.0) -> tuple[object, Peer]:
    peer = Peer(answer)
    opened = wip.World(peer.url, token="secret", timeout=timeout).entry("/7").open(m.IssueLifecycle)
    try:
        return ask(opened), peer
    except wip.WipError as error:
        return error, peer
    finally:
        peer.listener.close()


def close(issue: m.IssueLifecycle) -> object:
    return issue.close(reason=m.Reason.DONE)


def count(issue: m.IssueLifecycle) -> object:
    return issue.count()


told, peer = asked(says(http('{"result":{"$case":"closed"},"validator":"AQ=="}')), close)
assert told == m.CloseResultClosed(), told
assert b'"validator": "AA=="' in peer.calls[0] and b"idempotency-key: " in peer.calls[0].lower()
told, peer = asked(says(http('{"result":{"$case":"blocked","value":{"dependencies":["/1"],"more":1}}}')), close)
assert isinstance(told, OutcomeUnknown), told

ERROR = '{"error":{"code":"%s","message":"m\\u001b[2J"}}'
for answer, kind in [
    # It ran, and this program is older than the Host.
    (says(http('{"result":{"$case":"later"}}')), UnexpectedResult),
    # Nobody knows.
    (says(http('{"result":{"$case":"never"}}')), OutcomeUnknown),
    (says(http('{"result":"closed"}')), OutcomeUnknown),
    (says(http('{"result":{"$case":"closed"},"result":1}')), OutcomeUnknown),
    (says(http('{"result":{"$case":"closed"},"more":1}')), OutcomeUnknown),
    (says(http('{"result":{"$case":"closed"},"validator":"A"}')), OutcomeUnknown),
    (says(http('{"result":NaN}')), OutcomeUnknown),
    (says(http('{"result":1e400}')), OutcomeUnknown),
    (says(http('{"result":"\\ud800"}')), OutcomeUnknown),
    (says(http("")), OutcomeUnknown),
    (says(http('{"result":{"$case":"closed"}}', kind="text/html")), OutcomeUnknown),
    (says(http('{"result":{"$case":"closed"}}', 404)), OutcomeUnknown),
    (says(http('{"result":{"$case":"closed"}}')[:-3]), OutcomeUnknown),
    (says(http("x", 302, extra="Location: http://127.0.0.1:1/\r\n")), OutcomeUnknown),
    (says(http("x", 503, "text/plain")), OutcomeUnknown),
    (says(http(ERROR % "operation_outcome_unknown", 500)), OutcomeUnknown),
    (says(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b"[" * 9_000_000), OutcomeUnknown),
    (says(b""), OutcomeUnknown),
    (drip, OutcomeUnknown),
    (silent, OutcomeUnknown),
    # Nothing happened.
    (says(http("x", 401, "text/plain")), Refused),
    (says(http("x", 413, "text/plain")), Refused),
    (says(http(ERROR % "not_found", 404)), Refused),
    (says(http(ERROR % "validator_mismatch", 412)), StateChanged),
]:
    told, peer = asked(answer, close, 1.0)
    assert type(told) is kind, (kind, told)
    assert len(peer.calls) == 1, (told, peer.calls)
    assert isinstance(told, NotRun) == (kind in (Refused, StateChanged)), told
    assert "\x1b" not in str(told), told

# What reads is asked for once more, and no more than once.
told, peer = asked(says(b""), count)
assert isinstance(told, OutcomeUnknown) and len(peer.calls) == 2, (told, peer.calls)

# Not where the time is up: a slow peer would have twice the work, and the caller twice the wait.
told, peer = asked(silent, count, 1.0)
assert isinstance(told, OutcomeUnknown) and len(peer.calls) == 1, (told, peer.calls)


def leaves(peer: socket.socket) -> None:
    leaving.listener.shutdown(socket.SHUT_RDWR)


# A repeat that meets nobody says nothing of what was sent first.
leaving = Peer(leaves)
opened = wip.World(leaving.url).entry("/7").open(m.IssueLifecycle)
try:
    raise AssertionError(opened.count())
except OutcomeUnknown:
    assert len(leaving.calls) == 1

gone = Peer(silent)
opened = wip.World(gone.url).entry("/7").open(m.IssueLifecycle)
gone.listener.shutdown(socket.SHUT_RDWR)
gone.listener.close()
try:
    raise AssertionError(opened.close(reason=m.Reason.DONE))
except NotSent as not_sent:
    assert isinstance(not_sent, NotRun)
for url in ["http://example.com/", "ftp://127.0.0.1/", "http://user:word@127.0.0.1/"]:
    try:
        wip.World(url, token="secret")
        raise AssertionError(url)
    except ValueError as error:
        assert "secret" not in str(error)
print("ok")
