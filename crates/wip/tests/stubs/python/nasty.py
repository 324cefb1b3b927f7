"""Names and values of all kinds, there and back."""

import sys
from collections.abc import Callable

import nasty_client as n
from wip_runtime import BadArgument, Entry, Json, World

world = World(sys.argv[1], timeout=60)
nasty = world.entry("/nasty").open(n.Nasty)
assert nasty.entry.path == "/nasty" and nasty.object.name == "nasty"

for said, name in [
    (nasty.then(), "then"),
    (nasty.constructor(), "constructor"),
    (nasty.proto(), "__proto__"),
    (nasty.refresh_(), "refresh"),
    (nasty.entry_(), "entry"),
    (nasty.object_(), "object"),
    (nasty.class_(), "class"),
    (nasty.class__(), "__class__"),
    (nasty.init(), "__init__"),
    (nasty.self(), "self"),
    (nasty.none(), "None"),
    (nasty.def_(), "def"),
    (nasty.unnamed(), ""),
    (nasty.unnamed_(), "…"),
    (nasty.a_b(), "a b"),
    (nasty.a_b_(), "a_b"),
    (nasty.fi(), "\ufb01"),
    (nasty.call(), "$call"),
    (nasty.quote(), "quote\"'`\\"),
    (nasty.line_end(), "line\nend\u2029"),
]:
    assert said == name, (said, name)

record = n.NastyNasty(then="it's", self="\"\"\"", none="None", unnamed="", class_="\0")
assert nasty.echo_record(value=record).value == record
assert nasty.all(then="x", def_="y") == n.NastyNasty(then="x", def_="y")

assert nasty.echo_unit().value is not None and nasty.echo_unit(value=None).value is None
assert nasty.echo_boolean(value=False).value is False
assert nasty.echo_boolean().value is None
for integer in [0, -1, 2**53 - 1, -(2**53 - 1)]:
    assert nasty.echo_integer(value=integer).value == integer
for number in [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e21, 3]:
    assert nasty.echo_number(value=number).value == number
for text in ["", "\0\n\u2028\U0001f600\"\\", "/a/path", "x" * 500_000]:
    assert nasty.echo_string(value=text).value == text
for data in [b"", b"\0", b"\0\xff", bytes(range(256)) * 1000]:
    assert nasty.echo_bytes(value=data).value == data
values: list[Json] = [None, True, "x", 1, 0.5, {"a": {"": []}}, [[[]]], {"__proto__": 1}]
for value in values:
    assert nasty.echo_json(value=value).value == value
entry = nasty.echo_entry(value=world.entry("/日本/%2e/...")).value
assert isinstance(entry, Entry) and entry.path == "/日本/%2e/..."
lists = nasty.echo_lists(value=[[], [nasty.entry]]).value
assert lists is not None and lists[1][0].look().name == "nasty"
for case in n.Cases:
    assert nasty.echo_cases(value=case).value is case
tagged: list[n.Tagged] = [n.TaggedThen(), n.TaggedConstructor(value=1), n.TaggedProto()]
for one in tagged:
    assert nasty.echo_chain(value=one).value == one

# What does not fit is told before anything is sent.
wrongs: list[Callable[[], object]] = [
    lambda: nasty.echo_integer(value=2**53),
    lambda: nasty.echo_integer(value=True),
    lambda: nasty.echo_number(value=float("nan")),
    lambda: nasty.echo_string(value="\ud800"),
    lambda: nasty.echo_json(value=[float("inf")]),
    lambda: nasty.echo_entry(value="/a"),  # type: ignore[arg-type]
    lambda: nasty.echo_bytes(value="a"),  # type: ignore[arg-type]
    lambda: nasty.echo_cases(value="then"),  # type: ignore[arg-type]
    lambda: nasty.echo_entry(value=World("http://127.0.0.1:9/").entry("/a")),
]
for wrong in wrongs:
    try:
        raise AssertionError(wrong())
    except BadArgument:
        pass
print("ok")
