"""What the generated modules beside this file need: values, entries, and WIP over HTTPS.

Nothing but the standard library is used. Each exchange has a connection of its own, follows no redirect and uses no
proxy, whatever the environment says: the token goes to the base URL and nowhere else.

A call fails in one of three ways, and their classes say which: :class:`NotRun` (nothing happened),
:class:`OutcomeUnknown` (it may have happened) and :class:`UnexpectedResult` (it happened, and its result is of a
type that this program was not made for). Nothing is ever sent twice, but for an operation that is declared ``read``,
once, after a lost connection.
"""

from __future__ import annotations

import base64
import binascii
import builtins
import enum
import http.client
import io
import ipaddress
import json
import math
import re
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Final, Generic, Self, TypeAlias, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"
"""Any JSON value."""

T = TypeVar("T")
V = TypeVar("V")
C = TypeVar("C", bound="InterfaceClient")
T_co = TypeVar("T_co", covariant=True)
J_co = TypeVar("J_co", bound=Json, covariant=True)
E_co = TypeVar("E_co", bound=enum.StrEnum, covariant=True)

_LARGEST: Final = 2**53 - 1
_MOST_BYTES: Final = 8 * 1024 * 1024
_MOST_MESSAGE: Final = 1024
_DEEPEST: Final = 256
_MARKS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NOT_RUN: Final = frozenset((401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 431))
_OBSERVING: Final = frozenset(("invalid_request", "resource_limit_exceeded", "internal"))
_CODES: Final = {
    "observe": _OBSERVING | {"not_found"},
    "fetch_interface": _OBSERVING | {"interface_not_found"},
    "call_operation": _OBSERVING
    | {"not_found", "interface_mismatch", "operation_not_found", "invalid_arguments", "validator_required"}
    | {"validator_mismatch", "interface_validator_required", "interface_validator_mismatch"}
    | {"permission_denied", "operation_outcome_unknown"},
}


class Absent(enum.Enum):
    """The type of :data:`ABSENT`."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT
"""An optional member that is not there, where ``None`` is a value that it could have."""


# Errors


class WipError(Exception):
    """Whatever goes wrong between this program and a Worldspace."""


class NotRun(WipError):
    """A call of which certainly nothing happened."""


class BadArgument(NotRun, ValueError):
    """An argument that does not fit; nothing was sent."""


class OperationMissing(NotRun):
    """The interface, as it is published there now, has no such operation; nothing was sent."""


class NotSent(NotRun):
    """No connection came about."""


class Refused(NotRun):
    """The Host said no before anything happened."""

    def __init__(self, message: str, code: str | None, status: int) -> None:
        super().__init__(message)
        self.code: Final = code
        """The code of the protocol; none if the answer was plain HTTP, such as a 401."""
        self.status: Final = status
        """The status of HTTP."""


class StateChanged(Refused):
    """The Object is no longer as it was shown: look again (``refresh()``) and decide anew."""


class OutcomeUnknown(WipError):
    """A call that may have happened or not. Look at what it would have changed before calling again."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(f"whether it happened is unknown: {message}")
        self.key: Final = key
        """The ``Idempotency-Key`` under which it was sent."""


class UnexpectedResult(WipError):
    """A call that ran, with a result of another type than this program was made for."""


class ObservationFailed(WipError):
    """An entry could not be looked at, or an interface not be opened. Looking changes nothing."""

    def __init__(self, message: str, code: str | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.code: Final = code
        """The code of the protocol, if the Host answered with one."""
        self.status: Final = status
        """The status of HTTP, if there was an answer."""


class InterfaceMissing(ObservationFailed):
    """The Object publishes no interface of that name, or several."""

    def __init__(self, message: str, available: tuple[Reference, ...]) -> None:
        super().__init__(message)
        self.available: Final = available
        """What it publishes."""


class _Misfit(Exception):
    """A value that is not of its type, and where inside."""

    def __init__(self, why: str, at: str = "") -> None:
        super().__init__(why, at)
        self.why: Final = why
        self.at: Final = at

    def within(self, outer: str) -> _Misfit:
        return _Misfit(self.why, outer + self.at)

    def __str__(self) -> str:
        return f"{_plain(self.at.removeprefix('.'))}: {self.why}" if self.at else self.why


class _Invalid(Exception):
    """An answer that breaks the protocol."""


class _Lost(Exception):
    """No answer, though the request may have arrived."""

    def __init__(self, message: str, late: bool) -> None:
        super().__init__(message)
        self.late: Final = late


@dataclass
class _Bare(Exception):
    """An answer that is none of the protocol."""

    status: int

    def __str__(self) -> str:
        reasons = {401: "it wants a token, or another one", 403: "it refuses this client"}
        return reasons.get(self.status, "it answered as no Host does") + f" (HTTP status {self.status})"


@dataclass
class _Coded(Exception):
    """An error of the protocol."""

    code: str
    message: str
    status: int

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def _plain(text: str) -> str:
    """A foreign text without what would move a terminal's cursor or turn its direction."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _quoted(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


# JSON, as strict as the protocol


class _MinusZero(float):
    """The literal ``-0``: 0 as an integer, and else -0.0."""


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _Invalid("a member stands twice in one object")
    return members


def _whole(text: str) -> int | float:
    return _MinusZero(-0.0) if text == "-0" else int(text)


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Invalid("a number is too large")
    return number


def _constant(text: str) -> float:
    raise _Invalid(f"{text} is no JSON")


def _parse(body: bytes) -> Json:
    depth = 0
    try:
        text = body.decode("utf-8")
        for mark in _MARKS.findall(text):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(mark, 0)
            if depth > _DEEPEST:
                raise _Invalid(f"more than {_DEEPEST} lists and objects stand inside one another")
        value: Json = json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_whole,
            parse_float=_float,
            parse_constant=_constant,
        )
        if "\\u" in text:
            # Python lets a surrogate through that lacks its other half.
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise _Invalid(f"it is no JSON: {_plain(str(error))}") from None
    return value


def _object(value: Json, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Json]:
    """A JSON object with exactly these members."""
    if not isinstance(value, dict):
        raise _Invalid("an object is missing")
    missing = [name for name in required if name not in value]
    more = [name for name in value if name not in required and name not in optional]
    if missing or more:
        raise _Invalid(f"missing or undeclared members: {_quoted(missing + more)}")
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise _Invalid("a string is missing")
    return value


def _path_fault(path: str) -> str | None:
    if path == "/":
        return None
    if not path.startswith("/"):
        return "a path begins with `/`"
    if any(segment in ("", ".", "..") for segment in path[1:].split("/")):
        return "a path has no empty segment, and none that is `.` or `..`"
    return None


# Entries and Objects


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of an interface, and the entry at which it is defined."""

    scope: str
    name: str

    def __str__(self) -> str:
        return _plain(f"{self.scope}::{self.name}")


@dataclass(frozen=True, slots=True)
class WipObject:
    """An Object as it was shown at one moment."""

    path: str
    name: str
    description: str | None
    interfaces: tuple[Reference, ...]
    _validator: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Entry:
    """The name of a position in a Worldspace. Nothing is fetched until it is asked for, and nothing may be there."""

    world: World = field(repr=False)
    path: str

    def __post_init__(self) -> None:
        fault = _path_fault(self.path)
        if fault is not None:
            raise BadArgument(f"{_quoted(self.path)}: {fault}")

    def look(self) -> WipObject:
        """The Object that is there now."""
        return self.world._observed("observe", {"path": self.path, "depth": 0}, self._shown)

    def open(self, interface: type[C]) -> C:
        """The Object that is there now, through one of its interfaces."""
        return interface.open(self)

    def _shown(self, answer: Json) -> WipObject:
        shown = _object(_object(answer, ["object"])["object"], ["name", "interfaces"], ["description", "ref", "validator"])
        name, listed = _text(shown["name"]), shown["interfaces"]
        if name != self.path.rpartition("/")[2]:
            raise _Invalid("the Object is named otherwise than its entry")
        if not isinstance(listed, list):
            raise _Invalid("`interfaces` is no list")
        interfaces = tuple(_reference(item) for item in listed)
        if len(set(interfaces)) < len(interfaces):
            raise _Invalid("an interface is listed twice")
        if not all(_covers(reference.scope, self.path) for reference in interfaces):
            raise _Invalid("an interface's scope is not above its Object")
        if "ref" in shown:
            _text(shown["ref"])
        description = _text(shown["description"]) if "description" in shown else None
        return WipObject(self.path, name, description, interfaces, _validator(shown))


def _reference(value: Json) -> Reference:
    members = _object(value, ["scope", "name"])
    reference = Reference(_text(members["scope"]), _text(members["name"]))
    if _path_fault(reference.scope) is not None or not reference.name:
        raise _Invalid("a reference is malformed")
    return reference


def _covers(scope: str, path: str) -> bool:
    return scope in ("/", path) or path.startswith(scope + "/")


def _validator(members: Mapping[str, Json]) -> str | None:
    if "validator" not in members:
        return None
    text = _text(members["validator"])
    if _bytes(text) is None:
        raise _Invalid("a validator is no canonical base64")
    return text


def _bytes(text: str) -> bytes | None:
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return value if base64.b64encode(value).decode("ascii") == text else None


# Types


class Codec(Generic[T_co]):
    """Values of one type, to and from JSON."""

    nullable: bool = False
    """Whether ``None`` is such a value."""

    def encode(self, value: object, world: World) -> Json:
        """As JSON; refuses what is not of the type."""
        raise NotImplementedError

    def decode(self, value: Json, world: World) -> T_co:
        """From JSON; refuses what is not of the type."""
        raise NotImplementedError


class _Plain(Codec[J_co]):
    """A type whose values are JSON already."""

    def __init__(self, check: Callable[[object], J_co], nullable: bool = False) -> None:
        self._check: Final = check
        self.nullable = nullable

    def encode(self, value: object, world: World) -> Json:
        return self._check(value)

    def decode(self, value: Json, world: World) -> J_co:
        return self._check(value)


def _unit(value: object) -> None:
    if value is not None:
        raise _Misfit(f"only None fits, not {_quoted(value)}")


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Misfit(f"a boolean is wanted, not {_quoted(value)}")
    return value


def _integer(value: object) -> int:
    if isinstance(value, _MinusZero):
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Misfit(f"an integer is wanted, not {_quoted(value)}")
    if abs(value) > _LARGEST:
        raise _Misfit("an integer lies within ±(2^53−1)")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Misfit(f"a number is wanted, not {_quoted(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _Misfit("a number is finite")
    return number


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise _Misfit(f"a string is wanted, not {_quoted(value)}")
    if _SURROGATE.search(value):
        raise _Misfit("a string holds a surrogate without its other half")
    return value


def _json(value: object) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        if abs(value) > _LARGEST and int(_number(value)) != value:
            raise _Misfit("an integer in JSON is one that binary64 holds")
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {_string(name): _json(item) for name, item in value.items()}
    raise _Misfit(f"JSON is wanted, not {_quoted(value)}")


class _Bytes(Codec[bytes]):
    def encode(self, value: object, world: World) -> Json:
        if not isinstance(value, bytes):
            raise _Misfit(f"bytes are wanted, not {_quoted(value)}")
        return base64.b64encode(value).decode("ascii")

    def decode(self, value: Json, world: World) -> bytes:
        content = _bytes(value) if isinstance(value, str) else None
        if content is None:
            raise _Misfit("bytes come as canonical base64")
        return content


class _EntryCodec(Codec[Entry]):
    def encode(self, value: object, world: World) -> Json:
        if not isinstance(value, Entry):
            raise _Misfit(f"an Entry is wanted, not {_quoted(value)}; world.entry(path) makes one")
        if value.world != world:
            raise _Misfit("this Entry is of another World")
        return _string(value.path)

    def decode(self, value: Json, world: World) -> Entry:
        if not isinstance(value, str) or _path_fault(value) is not None:
            raise _Misfit("an entry comes as a canonical path")
        return Entry(world, value)


UNIT: Final = _Plain(_unit, nullable=True)
BOOLEAN: Final = _Plain(_boolean)
INTEGER: Final = _Plain(_integer)
NUMBER: Final = _Plain(_number)
STRING: Final = _Plain(_string)
JSON: Final = _Plain(_json, nullable=True)
BYTES: Final = _Bytes()
ENTRY: Final = _EntryCodec()
_SCALARS: Final[Mapping[str, Codec[object]]] = {
    "unit": UNIT,
    "boolean": BOOLEAN,
    "integer": INTEGER,
    "number": NUMBER,
    "string": STRING,
    "bytes": BYTES,
    "json": JSON,
    "entry": ENTRY,
}


class ListOf(Codec[list[T]]):
    """Any number of values of one type."""

    def __init__(self, items: Codec[T]) -> None:
        self._items: Final = items

    def encode(self, value: object, world: World) -> Json:
        if not isinstance(value, (list, tuple)):
            raise _Misfit(f"a list is wanted, not {_quoted(value)}")
        return [_inside(f"[{at}]", self._items.encode, item, world) for at, item in enumerate(value)]

    def decode(self, value: Json, world: World) -> list[T]:
        if not isinstance(value, list):
            raise _Misfit(f"a list is wanted, not {_quoted(value)}")
        return [_inside(f"[{at}]", self._items.decode, item, world) for at, item in enumerate(value)]


class EnumOf(Codec[E_co]):
    """One of some names."""

    def __init__(self, cases: type[E_co]) -> None:
        self._cases: Final = cases

    def encode(self, value: object, world: World) -> Json:
        if not isinstance(value, self._cases):
            raise _Misfit(f"a {self._cases.__name__} is wanted, not {_quoted(value)}")
        return value.value

    def decode(self, value: Json, world: World) -> E_co:
        for case in self._cases:
            if case.value == value:
                return case
        raise _Misfit(f"{_quoted(value)} is no case of {self._cases.__name__}")


@dataclass(frozen=True, slots=True)
class Field:
    """A field or parameter: its name, what Python calls it, its type."""

    name: str
    attribute: str
    codec: Codec[object]
    required: bool = True

    def absent(self, value: object) -> bool:
        """Whether that stands for its absence."""
        return not self.required and (value is ABSENT or (value is None and not self.codec.nullable))


def _encoded(fields: Sequence[Field], values: Mapping[str, object], world: World) -> dict[str, Json]:
    return {
        one.name: _inside(f".{one.attribute}", one.codec.encode, values[one.attribute], world)
        for one in fields
        if not one.absent(values[one.attribute])
    }


class Record(Codec[T_co]):
    """Some fields, as a dataclass."""

    def __init__(self, make: Callable[..., T_co], *fields: Field) -> None:
        self._make: Final = make
        self._fields: Final = fields

    def encode(self, value: object, world: World) -> Json:
        if type(value) is not self._make:
            raise _Misfit(f"a {getattr(self._make, '__name__', 'record')} is wanted, not {_quoted(value)}")
        values = {one.attribute: getattr(value, one.attribute) for one in self._fields}
        return {**_encoded(self._fields, values, world)}

    def decode(self, value: Json, world: World) -> T_co:
        if not isinstance(value, dict):
            raise _Misfit(f"a record is wanted, not {_quoted(value)}")
        values: dict[str, object] = {}
        for one in self._fields:
            if one.name in value:
                values[one.attribute] = _inside(f".{one.name}", one.codec.decode, value[one.name], world)
            elif one.required:
                raise _Misfit(f"the field {_quoted(one.name)} is missing")
        return self._make(**values)


@dataclass(frozen=True, slots=True)
class Case(Generic[T_co]):
    """A case of a union: its name, its class, and the type of its payload."""

    name: str
    make: Callable[..., T_co]
    payload: Codec[object] | None = None


class UnionOf(Codec[T_co]):
    """One of some cases, each a dataclass."""

    def __init__(self, *cases: Case[T_co]) -> None:
        self._by_name: Final = {case.name: case for case in cases}
        self._by_class: Final[Mapping[object, Case[T_co]]] = {case.make: case for case in cases}

    def encode(self, value: object, world: World) -> Json:
        case = self._by_class.get(type(value))
        if case is None:
            wanted = " or ".join(getattr(kind, "__name__", "") for kind in self._by_class)
            raise _Misfit(f"{wanted} is wanted, not {_quoted(value)}")
        if case.payload is None:
            return {"$case": case.name}
        content = _inside(".value", case.payload.encode, getattr(value, "value"), world)
        return {"$case": case.name, "value": content}

    def decode(self, value: Json, world: World) -> T_co:
        name = value.get("$case") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(name, str):
            raise _Misfit(f"a union is wanted, not {_quoted(value)}")
        case = self._by_name.get(name)
        if case is None:
            raise _Misfit(f"{_quoted(name)} is no case that is known here")
        if set(value) != ({"$case"} if case.payload is None else {"$case", "value"}):
            raise _Misfit(f"the case {_quoted(name)} has another form")
        if case.payload is None:
            return case.make()
        return case.make(_inside(".value", case.payload.decode, value["value"], world))


def _inside(at: str, convert: Callable[[V, World], T], value: V, world: World) -> T:
    try:
        return convert(value, world)
    except _Misfit as misfit:
        raise misfit.within(at) from None


def _fits(value: Json, ty: Json, types: Mapping[str, Json], world: World) -> bool:
    """Whether a value is of a type as a descriptor writes it."""
    for _ in range(len(types) + 1):
        if not isinstance(ty, dict) or ty.get("kind") != "named":
            break
        ty = types.get(str(ty.get("name")))
    match ty:
        case {"kind": "list", "items": items}:
            return isinstance(value, list) and all(_fits(item, items, types, world) for item in value)
        case {"kind": "record", "fields": list(declared)}:
            fields = {one.get("name"): one for one in declared if isinstance(one, dict)}
            return isinstance(value, dict) and all(
                _fits(value[name], one.get("type"), types, world)
                if isinstance(name, str) and name in value
                else one.get("required") is False
                for name, one in fields.items()
            ) and value.keys() <= fields.keys()
        case {"kind": "enum", "cases": list(declared)}:
            return any(isinstance(one, dict) and one.get("name") == value for one in declared)
        case {"kind": "union", "cases": list(declared)}:
            if not isinstance(value, dict):
                return False
            for one in declared:
                if isinstance(one, dict) and one.get("name") == value.get("$case"):
                    members = {"$case", "value"} if "payload" in one else {"$case"}
                    return set(value) == members and (
                        "payload" not in one or _fits(value["value"], one["payload"], types, world)
                    )
            return False
        case {"kind": str(kind)} if kind in _SCALARS:
            try:
                _SCALARS[kind].decode(value, world)
            except _Misfit:
                return False
            return True
    return False


# The connection


class World:
    """A Worldspace at its base URL. Each exchange opens a connection, and ends after ``timeout`` seconds at the latest.

    Plain HTTP is for loopback addresses alone unless ``allow_http`` is given. Certificates are verified: against those
    that the system trusts, or else against those of ``ca_file`` alone.
    """

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        timeout: float = 60.0,
        ca_file: str | None = None,
        allow_http: bool = False,
    ) -> None:
        if not re.fullmatch(r"https?://[!-~]+", base_url, re.IGNORECASE) or re.search(r"[?#@\\]", base_url):
            raise ValueError("a base URL is `https://HOST[:PORT]/[PATH/]` in ASCII, without user, query and fragment")
        parts = urlsplit(base_url)
        if not parts.hostname or parts.port == 0:
            raise ValueError("the base URL names no host, or no port of one")
        self._tls: Final = parts.scheme == "https"
        if not (self._tls or allow_http or _is_loopback(parts.hostname)):
            raise ValueError("plain HTTP to another machine can be read by others; use https, or allow_http=True")
        if token is not None and not re.fullmatch(r"[!-~]+", token):
            raise ValueError("a token is made of visible ASCII characters")
        if not 0 < timeout < math.inf:
            raise ValueError("a timeout is a positive number of seconds")
        self._host: Final = parts.hostname
        self._port: Final = parts.port or (443 if self._tls else 80)
        self._base: Final = parts.path if parts.path.endswith("/") else parts.path + "/"
        self._token: Final = token
        self._timeout: Final = timeout
        self._trust: Final = ssl.create_default_context(cafile=ca_file) if self._tls else None

    def entry(self, path: str) -> Entry:
        """The entry of that canonical path; nothing is fetched."""
        return Entry(self, path)

    @property
    def base_url(self) -> str:
        """Where it is."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self._port}{self._base}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and self.base_url == other.base_url

    def __hash__(self) -> int:
        return hash(self.base_url)

    def __repr__(self) -> str:
        return f"World({self.base_url!r})"

    def _observed(self, route: str, request: Mapping[str, Json], read: Callable[[Json], T]) -> T:
        try:
            return self._exchanged(route, request, {}, read)
        except _Coded as error:
            raise ObservationFailed(str(error), error.code, error.status) from None
        except _Bare as error:
            raise ObservationFailed(f"{self.base_url}: {error}", None, error.status) from None
        except (NotSent, _Lost) as error:
            raise ObservationFailed(str(error)) from None
        except _Invalid as error:
            raise ObservationFailed(f"{self.base_url}: an invalid answer: {error}") from None

    def _exchanged(
        self, route: str, request: Mapping[str, Json], headers: Mapping[str, str], read: Callable[[Json], T]
    ) -> T:
        body = json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8")
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"} | {
            **headers
        }
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        end = time.monotonic() + self._timeout
        if self._trust is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        else:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout, context=self._trust
            )
        try:
            try:
                connection.connect()
            except (OSError, UnicodeError) as error:
                raise NotSent(f"{self.base_url}: no connection: {_plain(str(error))}") from None
            try:
                status, about, content = _answer(connection, f"{self._base}v1/{route}", body, headers, end)
            except (OSError, http.client.HTTPException) as error:
                late = isinstance(error, TimeoutError)
                why = "too late" if late else type(error).__name__
                raise _Lost(f"{self.base_url}: sent, but no answer came: {why}", late) from None
        finally:
            connection.close()
        return _judged(route, status, about, content, read)


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


class _Until(io.RawIOBase):
    """What a socket receives until a moment, however slowly it comes."""

    def __init__(self, source: socket.socket, end: float) -> None:
        self._source: Final = source
        self._end: Final = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._source.settimeout(left)
        return self._source.recv_into(buffer)


def _answer(
    connection: http.client.HTTPConnection, target: str, body: bytes, headers: Mapping[str, str], end: float
) -> tuple[int, http.client.HTTPMessage, bytes]:
    try:
        connection.request("POST", target, body, headers)
    except (BrokenPipeError, ConnectionResetError):
        pass  # A Host that refuses may answer before it has read all.
    response = http.client.HTTPResponse(connection.sock, method="POST")
    response.fp.close()
    response.fp = io.BufferedReader(_Until(connection.sock, end))
    with response:
        response.begin()
        content = bytearray()
        while part := response.read(65536):
            content += part
            if len(content) > _MOST_BYTES:
                break
        else:
            if response.length:
                raise http.client.IncompleteRead(b"")
        return response.status, response.headers, bytes(content)


def _judged(
    route: str, status: int, about: http.client.HTTPMessage, content: bytes, read: Callable[[Json], T]
) -> T:
    """What an answer means; protocol.md has the table."""
    codings = ",".join(about.get_all("Content-Encoding", ["identity"])).split(",")
    if any(coding.strip().lower() != "identity" for coding in codings):
        raise _Bare(status)
    good = 200 <= status < 300
    try:
        if not _is_json(about.get("Content-Type", "")):
            raise _Invalid("it is not marked as JSON")
        if len(content) > _MOST_BYTES:
            raise _Invalid(f"it is larger than {_MOST_BYTES} bytes")
        answer = _parse(content)
        error = _error(answer, status)
        result = None if error else (read(answer),)
    except RecursionError:
        raise _Invalid("it is nested too deeply") from None
    except _Invalid:
        if good:
            raise
        raise _Bare(status) from None
    if error is not None and not good and error.code in _CODES[route]:
        raise error
    if result is None or status != 200:
        raise _Invalid(f"its status {status} and its content contradict each other")
    return result[0]


def _is_json(media: str) -> bool:
    kind, *parameters = (part.strip().lower() for part in media.split(";"))
    told = [one for one in parameters if one]
    return kind == "application/json" and told in ([], ["charset=utf-8"], ['charset="utf-8"'])


def _error(answer: Json, status: int) -> _Coded | None:
    if not isinstance(answer, dict) or "error" not in answer:
        return None
    members = _object(_object(answer, ["error"])["error"], ["code", "message"])
    code, message = _text(members["code"]), _text(members["message"])
    if not any(code in codes for codes in _CODES.values()):
        raise _Invalid("an error has an unknown code")
    cut = message.encode("utf-8")[:_MOST_MESSAGE].decode("utf-8", "ignore")
    return _Coded(code, _plain(cut if cut == message else cut + "…"), status)


# Interfaces


@dataclass(frozen=True, slots=True)
class Operation(Generic[T_co]):
    """An operation as it was when the module was generated."""

    name: str
    parameters: tuple[Field, ...]
    returns: Codec[T_co]
    read: bool = False
    bound: bool = False


@dataclass(frozen=True, slots=True)
class _Interface:
    """An interface as it was fetched."""

    reference: Reference
    fetched: Mapping[str, Json]
    types: Mapping[str, Json]
    operations: Mapping[str, Json]


def _interface(answer: Json, reference: Reference) -> _Interface:
    fetched = _object(answer, ["interface", "descriptor"], ["scope_ref", "validator"])
    if _reference(fetched["interface"]) != reference:
        raise _Invalid("it is about another interface")
    descriptor = fetched["descriptor"]
    form = descriptor.get("format") if isinstance(descriptor, dict) else None
    if not isinstance(descriptor, dict) or form != "wip-interface/1":
        raise _Invalid(f"the descriptor has the format {_quoted(form)}, and this program reads 'wip-interface/1'")
    if "scope_ref" in fetched:
        _text(fetched["scope_ref"])
    _validator(fetched)
    types = {name: one.get("definition") for name, one in _declared(descriptor.get("types")).items()}
    operations = {name: one.get("returns") for name, one in _declared(descriptor.get("operations")).items()}
    return _Interface(reference, fetched, types, operations)


def _declared(listed: Json) -> dict[str, dict[str, Json]]:
    if not isinstance(listed, list):
        raise _Invalid("a list of the descriptor is missing")
    named = {_text(one.get("name")): one for one in listed if isinstance(one, dict)}
    if len(named) < len(listed):
        raise _Invalid("a declaration has no name, or that of another")
    return named


class InterfaceClient:
    """An Object through one of its interfaces, as it was shown when it was opened.

    Calls of what is declared ``guarded`` are bound to what was shown: one runs only while the Object is in that state,
    and else fails with :class:`StateChanged`.
    """

    _declared_name: ClassVar[str]

    def __init__(self, entry: Entry) -> None:
        self._entry: Final = entry
        self._shown, self._fetched = self._look()

    @classmethod
    def open(cls, entry: Entry) -> Self:
        """Looks at the entry, and fetches the interface as it is published there."""
        return cls(entry)

    @property
    def entry(self) -> Entry:
        """Where it is."""
        return self._entry

    @property
    def object(self) -> WipObject:
        """The Object, as it was shown last."""
        return self._shown

    def refresh(self) -> WipObject:
        """Looks again, and binds what is called from now on to what is there now."""
        self._shown, self._fetched = self._look()
        return self._shown

    def _look(self) -> tuple[WipObject, _Interface]:
        shown = self._entry.look()
        found = [one for one in shown.interfaces if one.name == self._declared_name]
        if len(found) != 1:
            many = "several interfaces are" if found else "no interface is"
            listed = ", ".join(str(one) for one in shown.interfaces) or "none"
            raise InterfaceMissing(
                f"{_quoted(shown.path)}: {many} named {_quoted(self._declared_name)}; it publishes {listed}",
                shown.interfaces,
            )
        named: Json = {"scope": found[0].scope, "name": found[0].name}
        request = {"interface": named}
        fetched = self._entry.world._observed("fetch_interface", request, lambda answer: _interface(answer, found[0]))
        return shown, fetched

    def _call(self, operation: Operation[T], /, **arguments: builtins.object) -> T:
        world, shown, interface = self._entry.world, self._shown, self._fetched
        try:
            given = _encoded(operation.parameters, arguments, world)
        except _Misfit as misfit:
            raise BadArgument(f"nothing was sent: {misfit}") from None
        except RecursionError:
            raise BadArgument("nothing was sent: an argument is nested too deeply") from None
        if operation.name not in interface.operations:
            raise OperationMissing(
                f"nothing was sent: {interface.reference} has no operation {_quoted(operation.name)} at "
                f"{_quoted(shown.path)}; it has {_quoted(list(interface.operations))}"
            )
        target: dict[str, Json] = {"path": shown.path}
        bound = operation.bound and shown._validator is not None
        if bound:
            target["validator"] = shown._validator
        known = {name: interface.fetched[name] for name in ("scope_ref", "validator") if name in interface.fetched}
        request: dict[str, Json] = {
            "target": target,
            "interface": {"reference": interface.fetched["interface"], **known},
            "operation": operation.name,
            "arguments": {**given},
        }
        result, validator = self._sent(request, interface, operation.read)
        # A refresh meanwhile has shown something newer.
        if bound and validator is not None and self._shown is shown:
            self._shown = replace(shown, _validator=validator)
        try:
            return operation.returns.decode(result, world)
        except _Misfit as misfit:
            raise UnexpectedResult(
                f"{_quoted(operation.name)} ran, but its result is of another type than this program was made for: "
                f"{misfit}"
            ) from None

    def _sent(self, request: Mapping[str, Json], interface: _Interface, read: bool) -> tuple[Json, str | None]:
        world = self._entry.world
        key = secrets.token_urlsafe(24)
        headers = {"Idempotency-Key": key}
        wait = math.ceil(world._timeout) - 1
        if wait >= 1:
            headers["Prefer"] = f"wait={wait}"

        def result(answer: Json) -> tuple[Json, str | None]:
            members = _object(answer, ["result"], ["validator"])
            match interface.operations[_text(request["operation"])]:
                case {"type": ty} if _fits(members["result"], ty, interface.types, world):
                    return members["result"], _validator(members)
            raise _Invalid("the result is not of the type that the interface declares")

        def sent() -> tuple[Json, str | None]:
            return world._exchanged("call_operation", request, headers, result)

        try:
            try:
                return sent()
            except _Lost as lost:
                if not read or lost.late:
                    raise
                # Whatever becomes of the repeat, it says nothing of what was sent first.
                try:
                    return sent()
                except NotSent:
                    raise lost from None
        except _Coded as error:
            if error.code == "operation_outcome_unknown":
                raise OutcomeUnknown(str(error), key) from None
            refused = StateChanged if error.code == "validator_mismatch" else Refused
            raise refused(str(error), error.code, error.status) from None
        except _Bare as error:
            if error.status in _NOT_RUN:
                raise Refused(f"{world.base_url}: {error}", None, error.status) from None
            raise OutcomeUnknown(f"{world.base_url}: {error}", key) from None
        except _Lost as error:
            raise OutcomeUnknown(str(error), key) from None
        except _Invalid as error:
            raise OutcomeUnknown(f"{world.base_url}: an invalid answer: {error}", key) from None
