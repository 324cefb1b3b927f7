// A peer that does not do what it should: what a caller is told of it, and what was sent.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { IssueLifecycle } from "./issue.js";
import * as wip from "./wip_runtime.js";

type Handler = (response: ServerResponse, request: Seen) => void;
interface Seen {
  readonly headers: IncomingMessage["headers"];
  readonly body: {
    target: { path: string; validator?: string };
    interface: { validator?: string; scope_ref?: string; reference: wip.Reference };
    operation: string;
    arguments: unknown;
  };
}

const JSON_TYPE = { "content-type": "application/json" };
const says = (body: unknown, status = 200, headers: Record<string, string> = JSON_TYPE): Handler => (response) => {
  response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
};
const fails = (code: string, status: number) => says({ error: { code, message: "m\u{202e}\n" } }, status);
const dies: Handler = (response) => response.destroy();

const reference = { scope: "/", name: "issue.lifecycle" };
const object = { name: "7", interfaces: [reference], ref: "r", validator: "AAA=" };
const DESCRIPTOR: unknown = JSON.parse(process.argv[2] ?? "");
const fetched = { interface: reference, scope_ref: "root", descriptor: DESCRIPTOR, validator: "AQE=" };

const honest: Record<string, Handler> = {
  "/base/v1/observe": says({ object }),
  "/base/v1/fetch_interface": says(fetched),
  "/base/v1/call_operation": says({ result: 1 }),
};
let routes = honest;
let calls: Seen[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString() || "null");
    const seen = { headers: request.headers, body };
    if (request.url === "/base/v1/call_operation") calls.push(seen);
    (routes[request.url ?? ""] ?? says("elsewhere", 404, {}))(response, seen);
  });
});
await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
const address = server.address();
assert.ok(typeof address === "object" && address !== null);
const url = `http://127.0.0.1:${address.port}/base`;
const world = new wip.World(url, { token: "secret" });

const opened = async (): Promise<IssueLifecycle> => {
  routes = honest;
  calls = [];
  return IssueLifecycle.open(world.entry("/7"));
};
const answering = async (...handlers: Handler[]): Promise<IssueLifecycle> => {
  const issue = await opened();
  let next = 0;
  routes = { ...honest, "/base/v1/call_operation": (response, seen) => {
    handlers[Math.min(next++, handlers.length - 1)]?.(response, seen);
  } };
  return issue;
};
async function failed<E extends wip.WipError>(run: Promise<unknown>, kind: new (...of: never[]) => E, why: RegExp): Promise<E> {
  try {
    await run;
  } catch (error) {
    assert.equal((error as Error).constructor, kind, String(error));
    assert.match((error as Error).message, why);
    assert.doesNotMatch(String((error as Error).stack), /secret/);
    return error as E;
  }
  return assert.fail("it did not fail");
}

// ---- what is sent

let issue = await answering(says({ result: { $case: "closed" }, validator: "AgI=" }), says({ result: { $case: "closed" } }));
await issue.close({ reason: "done", note: undefined });
await issue.close({ reason: "done", note: "x" });
await issue.close({ reason: "done" });
assert.deepEqual(calls.map((call) => call.body.target.validator), ["AAA=", "AgI=", "AgI="]);
assert.deepEqual(calls[1]?.body.interface, { reference, scope_ref: "root", validator: "AQE=" });
assert.deepEqual(calls.map((call) => call.body.arguments), [{ reason: "done" }, { reason: "done", note: "x" }, { reason: "done" }]);
assert.equal(calls[0]?.headers.authorization, "Bearer secret");
assert.equal(calls[0]?.headers["prefer"], "wait=59");
const keys = calls.map((call) => call.headers["idempotency-key"]);
assert.equal(new Set(keys).size, 3);
keys.forEach((key) => assert.match(String(key), /^[0-9a-f]{32}$/));

// A validator that comes with an unbound read vouches for what nobody was shown.
issue = await answering(says({ result: 1, validator: "/w==" }), says({ result: { $case: "closed" } }));
assert.equal(await issue.count(), 1);
await issue.close({ reason: "done" });
assert.deepEqual(calls.map((call) => call.body.target.validator), [undefined, "AAA="]);

// Looking again shows the new state, and calls are bound to that.
routes = { ...honest, "/base/v1/observe": says({ object: { ...object, description: "new", validator: "BBA=" } }) };
assert.equal((await issue.refresh()).description, "new");
assert.equal(issue.object.description, "new");
routes = { ...honest, "/base/v1/call_operation": says({ result: { $case: "closed" } }) };
await issue.close({ reason: "done" });
assert.equal(calls.at(-1)?.body.target.validator, "BBA=");

// ---- what is refused, and what may have happened

for (const [handler, kind, code, why] of [
  [fails("validator_mismatch", 412), wip.StateChanged, "validator_mismatch", /^validator_mismatch: m\\u\{202e\}\\u\{a\}$/],
  [fails("validator_mismatch", 418), wip.StateChanged, "validator_mismatch", /m/],
  [fails("permission_denied", 403), wip.Refused, "permission_denied", /m/],
  [fails("internal", 500), wip.Refused, "internal", /m/],
  [fails("resource_limit_exceeded", 422), wip.Refused, "resource_limit_exceeded", /m/],
  [fails("operation_outcome_unknown", 500), wip.OutcomeUnknown, undefined, /may have run: operation_outcome_unknown/],
  ...[401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 431].map((status) =>
    [says("no", status, {}), wip.Refused, undefined, new RegExp(`HTTP status ${status}`)] as const),
  ...[400, 402, 408, 409, 429, 500, 502, 503, 504].map((status) =>
    [says("no", status, {}), wip.OutcomeUnknown, undefined, new RegExp(`may have run: HTTP status ${status}`)] as const),
  [says("", 302, { location: "http://127.0.0.1:1/" }), wip.OutcomeUnknown, undefined, /HTTP status 302/],
  [says({ error: { code: "internal", message: "m" } }, 401, {}), wip.Refused, undefined, /HTTP status 401/],
  [says({ error: { code: "made_up", message: "m" } }, 404), wip.Refused, undefined, /HTTP status 404/],
  [fails("interface_not_found", 404), wip.OutcomeUnknown, undefined, /no error of this interaction/],
  [fails("internal", 200), wip.OutcomeUnknown, undefined, /an error under the status 200/],
  [says({ result: { $case: "closed" } }, 201), wip.OutcomeUnknown, undefined, /a success under the status 201/],
  [says({ result: { $case: "closed" } }, 401), wip.OutcomeUnknown, undefined, /a success under the status 401/],
  [says({ result: { $case: "closed" } }, 200, {}), wip.OutcomeUnknown, undefined, /no application\/json/],
  [says({}), wip.OutcomeUnknown, undefined, /"result" is missing/],
  [says({ result: null, more: 1 }), wip.OutcomeUnknown, undefined, /"more" is no member/],
  [says({ result: { $case: "closed" }, validator: "A" }), wip.OutcomeUnknown, undefined, /base64/],
  [says({ result: { $case: "closed" }, validator: null }), wip.OutcomeUnknown, undefined, /a string is missing/],
  [says("{"), wip.OutcomeUnknown, undefined, /breaks the protocol/],
  [says("\u{feff}{}"), wip.OutcomeUnknown, undefined, /breaks the protocol/],
  [says('{"result":{"$case":"closed"},"re\\u0073ult":1}'), wip.OutcomeUnknown, undefined, /"result" stands there twice/],
  [says('{"result":1e999}'), wip.OutcomeUnknown, undefined, /cannot be held/],
  [says('{"result":"\\ud800"}'), wip.OutcomeUnknown, undefined, /half of a character/],
  [says(`{"result":${"[".repeat(300)}${"]".repeat(300)}}`), wip.OutcomeUnknown, undefined, /nested deeper than 256/],
  [says(`{"result":${" ".repeat(9_000_000)}1}`), wip.OutcomeUnknown, undefined, /larger than 8 MiB/],
  [says(`{"result":"${"x".repeat(8_000_000)}"}`), wip.OutcomeUnknown, undefined, /the result is no record/],
  [dies, wip.OutcomeUnknown, undefined, /connection was lost/],
  [((response) => response.writeHead(200, JSON_TYPE).write("{", () => response.destroy())) as Handler, wip.OutcomeUnknown, undefined, /connection was lost/],
] as const) {
  issue = await answering(handler);
  const error: wip.WipError = await failed<wip.WipError>(issue.close({ reason: "done" }), kind, why);
  assert.equal(error instanceof wip.Refused ? error.code : undefined, code);
  assert.equal(error instanceof wip.NotRun, kind !== wip.OutcomeUnknown);
  // What says that it is the wrong server for a call has not run it, and fetch itself asks once more.
  assert.equal(calls.length, why.source === "HTTP status 421" ? 2 : 1);
}

// ---- results of other types

for (const [result, kind, why] of [
  [{ $case: "postponed", value: 1 }, wip.UnexpectedResult, /ran, but its result is of another type.*none of the cases.*"postponed"/],
  [{ $case: "blocked", value: [] }, wip.OutcomeUnknown, /the result is no record/],
  [{ $case: "blocked" }, wip.OutcomeUnknown, /does not carry what its case does/],
  [{ $case: "closed", value: 1 }, wip.OutcomeUnknown, /does not carry what its case does/],
  [{ $case: "nobody" }, wip.OutcomeUnknown, /none of the cases/],
  [{ $case: "blocked", value: { dependencies: ["a"] } }, wip.OutcomeUnknown, /dependencies\[0\] is no entry/],
  ["closed", wip.OutcomeUnknown, /no record/],
] as const) {
  issue = await answering(says({ result }));
  const error = await failed<wip.WipError>(issue.close({ reason: "done" }), kind, why);
  if (error instanceof wip.UnexpectedResult) assert.deepEqual(error.result, result);
}
issue = await answering(says({ result: { $case: "blocked", value: { dependencies: ["/8"], since: "new" } } }));
const blocked = await issue.close({ reason: "done" });
assert.ok(blocked.$case === "blocked");
assert.equal(blocked.value.dependencies[0]?.path, "/8");
assert.ok(!("since" in blocked.value));

// ---- the one repeat of a read

issue = await answering(dies, says({ result: 2 }));
assert.equal(await issue.count(), 2);
assert.equal(calls.length, 2);
assert.equal(calls[0]?.headers["idempotency-key"], calls[1]?.headers["idempotency-key"]);
issue = await answering(dies);
await failed(issue.count(), wip.OutcomeUnknown, /connection was lost/);
assert.equal(calls.length, 2);
issue = await answering(() => undefined);
await failed(issue.count({ timeout: 50 }), wip.OutcomeUnknown, /no answer within 50 ms/);
assert.equal(calls.length, 1);

// ---- giving up

issue = await answering((response) => response.writeHead(200, JSON_TYPE).write("{"));
await failed(issue.close({ reason: "done" }, { timeout: 50 }), wip.OutcomeUnknown, /no answer within 50 ms/);
const stop = new AbortController();
issue = await answering(() => stop.abort(new Error("enough")));
const given = await failed(issue.close({ reason: "done" }, { signal: stop.signal }), wip.OutcomeUnknown, /it was given up/);
assert.equal(String(given.cause), "Error: enough");
await failed(issue.close({ reason: "done" }, { signal: stop.signal }), wip.NotSent, /before it began/);
assert.equal(calls.length, 1);
await failed(issue.close({ reason: "done" }, { timeout: 2 ** 31 }), wip.BadArgument, /timeout/);

// ---- looking and opening

for (const [body, why] of [
  [{ object, children: [] }, /"children" is no member/],
  [{ object: { ...object, name: "8" } }, /another name/],
  [{ object: { ...object, interfaces: [reference, reference] } }, /published twice/],
  [{ object: { ...object, interfaces: [{ scope: "/8", name: "x" }] } }, /no entry above/],
  [{ object: { ...object, description: null } }, /a string is missing/],
  [{ object: { ...object, validator: "AAB=" } }, /base64/],
] as const) {
  routes = { ...honest, "/base/v1/observe": says(body) };
  await failed(world.entry("/7").look(), wip.ObservationFailed, why);
}
routes = { ...honest, "/base/v1/observe": fails("not_found", 404) };
const gone = await failed(world.entry("/7").look(), wip.ObservationFailed, /not_found/);
assert.deepEqual([gone.code, gone.status], ["not_found", 404]);
routes = { ...honest, "/base/v1/observe": says("", 401, {}) };
assert.equal((await failed(world.entry("/7").look(), wip.ObservationFailed, /HTTP status 401/)).status, 401);
for (const interfaces of [[], [{ scope: "/", name: "other" }], [reference, { scope: "/7", name: "issue.lifecycle" }]]) {
  routes = { ...honest, "/base/v1/observe": says({ object: { ...object, interfaces } }) };
  const error = await failed(IssueLifecycle.open(world.entry("/7")), wip.InterfaceMissing, /publishes (no|more than one) interface "issue.lifecycle"/);
  assert.deepEqual(error.available, interfaces);
}
for (const [change, why] of [
  [{ interface: { ...reference, name: "x" } }, /another interface/],
  [{ descriptor: { format: "wip-interface/2" } }, /format "wip-interface\/2"/],
  [{ effects: {} }, /"effects" is no member/],
] as const) {
  routes = { ...honest, "/base/v1/fetch_interface": says({ ...fetched, ...change }) };
  await failed(IssueLifecycle.open(world.entry("/7")), wip.ObservationFailed, why);
}
routes = { ...honest, "/base/v1/fetch_interface": says({ ...fetched, descriptor: { format: "wip-interface/1", types: [], operations: [] } }) };
issue = await IssueLifecycle.open(world.entry("/7"));
calls = [];
await failed(issue.count(), wip.OperationMissing, /has no operation "count"/);
assert.equal(calls.length, 0);
issue = await opened();
routes = { ...honest, "/base/v1/observe": dies };
await failed(issue.refresh(), wip.ObservationFailed, /connection was lost/);

// ---- where nothing goes

// What the system says of a host that cannot be reached, it may say of a connection that was there.
const honestly = globalThis.fetch;
for (const [syscall, kind] of [["read", wip.OutcomeUnknown], ["connect", wip.NotSent]] as const) {
  globalThis.fetch = () => Promise.reject(new TypeError("failed", { cause: { code: "EHOSTUNREACH", syscall } }));
  await failed(issue.close({ reason: "done" }), kind, /./);
}
globalThis.fetch = honestly;
server.closeAllConnections();
server.close();
await failed(issue.close({ reason: "done" }), wip.NotSent, /no connection came about/);
for (const base of ["http://example.org", "ftp://127.0.0.1", "https://u:p@example.org", "https://example.org/?q", "https://example.org/#f", "example.org", "http://localhost.example.org", "http://127.0.0.1.example.org"]) {
  assert.throws(() => new wip.World(base, { token: "secret" }), wip.BadArgument);
}
for (const base of ["https://example.org", "http://localhost:1/x", "http://127.0.0.1", "http://[::1]:8420/"]) {
  assert.match(new wip.World(base).url, /\/$/);
}
assert.ok(new wip.World("http://example.org", { allowHttp: true }));
assert.throws(() => new wip.World("https://example.org", { token: "se cret" }), (error: Error) => !error.message.includes("cret"));
console.log("ok");
