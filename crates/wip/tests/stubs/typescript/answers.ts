// The vectors of answers to calls.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import * as clients from "./vectors_client.js";
import { OutcomeUnknown, Refused, StateChanged, World, type InterfaceClass, type InterfaceClient } from "./wip_runtime.js";

interface Case {
  readonly id: string;
  readonly class: string;
  readonly descriptor: unknown;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly body_base64?: string;
  readonly expect: { readonly outcome: string; readonly code?: string; readonly canonical?: string };
}
type Client = InterfaceClient & { op(): Promise<unknown> };

const cases: readonly Case[] = JSON.parse(readFileSync("cases.json", "utf8"));
const reference = { scope: "/", name: "i" };
let now: Case | undefined;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const json = (body: unknown) => response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
    if (request.url === "/v1/observe") return json({ object: { name: "", interfaces: [reference] } });
    if (request.url === "/v1/fetch_interface") return json({ interface: reference, descriptor: now?.descriptor });
    for (const [name, value] of now?.headers ?? []) response.appendHeader(name, value);
    response.statusCode = now?.status ?? 0;
    return response.end(now?.body ?? Buffer.from(now?.body_base64 ?? "", "base64"));
  });
});
await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
const address = server.address();
assert.ok(typeof address === "object" && address !== null);
const entry = new World(`http://127.0.0.1:${address.port}`).entry("/");
const BEFORE = [401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 431];

const wrong: string[] = [];
for (const one of cases) {
  now = one;
  const client = await entry.open((clients as unknown as Record<string, InterfaceClass<Client>>)[one.class] as InterfaceClass<Client>);
  const { outcome, code } = one.expect;
  let expected: string = OutcomeUnknown.name;
  if (outcome === "success") expected = "success";
  else if (outcome === "protocol_failure" && code !== "operation_outcome_unknown") {
    expected = code === "validator_mismatch" ? StateChanged.name : Refused.name;
  } else if (outcome === "transport_failure" && BEFORE.includes(one.status)) expected = Refused.name;
  const found: unknown = await client.op().then(() => "success", (error: unknown) => error);
  const name = found instanceof Error ? found.name : found;
  const said = found instanceof Refused ? found.code : undefined;
  if (name !== expected || said !== (expected === OutcomeUnknown.name ? undefined : code)) {
    wrong.push(`${one.id}: expected ${expected} ${code}, found ${String(found)}`);
  }
}
server.closeAllConnections();
server.close();
assert.deepEqual(wrong, []);
console.log("ok");
