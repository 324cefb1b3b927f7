// Names and values of all kinds, there and back.
import assert from "node:assert/strict";
import { Nasty } from "./nasty_client.js";
import { BadArgument, World } from "./wip_runtime.js";

const world = new World(process.argv[2] ?? "");
const nasty = await Nasty.open(world.entry("/nasty"));

// What is awaited is no promise of its own, however its operations are called.
assert.ok(nasty instanceof Nasty);
assert.equal(nasty.constructor, Nasty);
assert.equal(nasty.entry.path, "/nasty");
assert.equal(`${nasty.entry}`, "/nasty");

for (const [said, name] of [
  [await nasty.then_(), "then"],
  [await nasty.constructor_(), "constructor"],
  [await nasty.proto(), "__proto__"],
  [await nasty.refresh_(), "refresh"],
  [await nasty.entry_(), "entry"],
  [await nasty.delete(), "delete"],
  [await nasty.class(), "class"],
  [await nasty.new(), "new"],
  [await nasty.toString_(), "toString"],
  [await nasty.unnamed(), ""],
  [await nasty.unnamed_(), "…"],
  [await nasty.aB(), "a b"],
  [await nasty.aB_(), "a_b"],
  [await nasty.aB_2(), "aB"],
  [await nasty.日本(), "日本"],
  [await nasty.u1d4b3(), "\u{1d4b3}"],
  [await nasty.call(), "$call"],
]) {
  assert.equal(said, name);
}

const names = [
  "then", "constructor", "__proto__", "prototype", "toString", "toJSON", "hasOwnProperty", "", "…", "a b", "aB",
  "\u{1d4b3}", "\u{202e}x", "quote\"'`\\", "line\nend\u{2029}", "*/", "${x}", "$call", "args",
];
const all = Object.fromEntries(names.map((name) => [name, `it's ${name}`])) as never;
assert.deepEqual(await nasty.all(all), all);
assert.deepEqual(await nasty.echoRecord({ value: all }), { value: all });
assert.ok(Object.hasOwn(await nasty.all(all), "__proto__"));
// This sets a prototype, which is no argument.
assert.deepEqual(await nasty.all({ __proto__: null } as never), {});

assert.deepEqual(await nasty.echoUnit({ value: null }), { value: null });
assert.deepEqual(await nasty.echoUnit(), {});
assert.deepEqual(await nasty.echoUnit({ value: undefined }), {});
assert.deepEqual(await nasty.echoBoolean({ value: false }), { value: false });
for (const value of [0, -1, 2 ** 53 - 1, -(2 ** 53 - 1)]) {
  assert.deepEqual(await nasty.echoInteger({ value }), { value });
}
assert.deepEqual(await nasty.echoInteger({ value: -0 }), { value: 0 });
for (const value of [0.1, -0, 5e-324, 1.7976931348623157e308, 1e21, 2 ** 63, -(2 ** 70), 2 ** 53 + 2, 3]) {
  assert.deepEqual(await nasty.echoNumber({ value }), { value });
  assert.deepEqual(await nasty.echoJson({ value: [value] }), { value: [value] });
}
for (const value of ["", "\0\n\u{2028}\u{1f600}\"\\", "/a/path", "x".repeat(500_000)]) {
  assert.deepEqual(await nasty.echoString({ value }), { value });
}
for (const value of [[], [0], [0, 255], [1, 2, 3]].map((bytes) => Uint8Array.from(bytes))) {
  assert.deepEqual(await nasty.echoBytes({ value }), { value });
}
const many = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256);
assert.deepEqual((await nasty.echoBytes({ value: Buffer.from(many) })).value, many);
for (const value of [null, true, "x", { a: { "": [] } }, [[[]]], JSON.parse('{"__proto__":{"a":1}}')]) {
  assert.deepEqual(await nasty.echoJson({ value }), { value });
}
const { value: entry } = await nasty.echoEntry({ value: world.entry("/日本/%2e/...") });
assert.equal(entry?.path, "/日本/%2e/...");
assert.equal(JSON.stringify({ entry }), '{"entry":"/日本/%2e/..."}');
const { value: lists } = await nasty.echoLists({ value: [[], [nasty.entry]] });
assert.equal(lists?.[1]?.[0]?.path, "/nasty");
assert.deepEqual((await lists?.[1]?.[0]?.look())?.interfaces, [{ scope: "/", name: "Nasty" }]);
for (const value of ["__proto__", "constructor", "", "*/"] as const) {
  assert.deepEqual(await nasty.echoCases({ value }), { value });
}
for (const value of [{ $case: "then" }, { $case: "constructor", value: 1 }, { $case: "__proto__" }] as const) {
  assert.deepEqual(await nasty.echoChain({ value }), { value });
}
assert.deepEqual(await nasty.echoNever({ value: [] }), { value: [] });
assert.equal(await nasty.write(), 1);
assert.equal(await nasty.write(), 1);

// What does not fit never leaves.
const loop: unknown[] = [];
loop.push(loop);
for (const [call, why] of [
  [() => nasty.echoInteger({ value: 1.5 }), /must be an integer within/],
  [() => nasty.echoInteger({ value: 2 ** 53 }), /must be an integer within/],
  [() => nasty.echoInteger({ value: "1" as never }), /must be an integer within/],
  [() => nasty.echoNumber({ value: NaN }), /must be a finite number/],
  [() => nasty.echoNumber({ value: Infinity }), /must be a finite number/],
  [() => nasty.echoString({ value: "\ud800" }), /must be a string of whole characters/],
  [() => nasty.echoUnit({ value: 0 as never }), /must be null/],
  [() => nasty.echoBytes({ value: [1] as never }), /must be a Uint8Array/],
  [() => nasty.echoEntry({ value: "/nasty" as never }), /must be an Entry of the same World/],
  [() => nasty.echoEntry({ value: { path: "/nasty" } as never }), /must be an Entry of the same World/],
  [() => nasty.echoEntry({ value: new World("https://other.example").entry("/") }), /of the same World/],
  [() => nasty.echoJson({ value: loop as never }), /nested too deep, or holds itself/],
  [() => nasty.echoJson({ value: new Date() as never }), /instance of a class/],
  [() => nasty.echoJson({ value: [() => 1] as never }), /no JSON/],
  [() => nasty.echoJson({ value: { "\ud800": 1 } }), /no JSON/],
  [() => nasty.echoCases({ value: "toLocaleString" as never }), /must be one of "then", "constructor"/],
  [() => nasty.echoChain({ value: { $case: "valueOf" } as never }), /\$case is one of/],
  [() => nasty.echoChain({ value: { $case: "constructor" } as never }), /"value" is missing in the arguments\.value/],
  [() => nasty.echoChain({ value: { $case: "then", value: 1 } as never }), /"value" is unknown/],
  [() => nasty.echoLists({ value: [[world.entry("/"), null as never]] }), /arguments\.value\[0\]\[1\] must be an Entry/],
  [() => nasty.echoUnit({ other: 1 } as never), /"other" is unknown in the arguments/],
] as const) {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof BadArgument, String(error));
    assert.match(error.message, why);
    assert.match(error.message, /^nothing was sent: /);
    return true;
  });
}
for (const path of ["", "a", "/a/", "//a", "/.", "/a/../b", "/\ud800"]) {
  assert.throws(() => world.entry(path), BadArgument);
}
console.log("ok");
