// The vectors of values: as results, and, where they are good ones, as arguments.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import * as clients from "./vectors_client.js";
import { OutcomeUnknown, World, type InterfaceClass, type InterfaceClient } from "./wip_runtime.js";

interface Case {
  readonly id: string;
  readonly class: string;
  readonly descriptor: unknown;
  readonly text: string;
  readonly good: boolean;
  readonly canonical: string | null;
}
type Client = InterfaceClient & { give(): Promise<unknown>; take(args: { value: unknown }): Promise<unknown> };

const cases: readonly Case[] = JSON.parse(readFileSync("cases.json", "utf8"));
const reference = { scope: "/", name: "i" };
let now: Case | undefined;
let sent = "";
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
    sent = Buffer.concat(chunks).toString();
    response.setHeader("Content-Type", "application/json");
    if (request.url === "/v1/observe") response.end(JSON.stringify({ object: { name: "", interfaces: [reference] } }));
    else if (request.url === "/v1/fetch_interface") response.end(JSON.stringify({ interface: reference, descriptor: now?.descriptor }));
    else response.end(`{"result":${now?.text}}`);
  });
});
await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
const address = server.address();
assert.ok(typeof address === "object" && address !== null);
const entry = new World(`http://127.0.0.1:${address.port}`).entry("/");

/** A value as if it had been read from JSON without a type. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (_, held: unknown) =>
  held instanceof Uint8Array ? Buffer.from(held).toString("base64") : held) ?? "null");

const wrong: string[] = [];
for (const one of cases) {
  now = one;
  const client = await entry.open((clients as unknown as Record<string, InterfaceClass<Client>>)[one.class] as InterfaceClass<Client>);
  try {
    const result = await client.give();
    if (!one.good) {
      wrong.push(`${one.id}: accepted ${one.text.slice(0, 80)}`);
      continue;
    }
    const canonical: unknown = JSON.parse(one.canonical ?? "null");
    try {
      assert.deepEqual(plain(result), plain(canonical));
      await client.take({ value: result ?? null });
      assert.deepEqual(JSON.parse(sent).arguments.value, canonical);
    } catch (error) {
      wrong.push(`${one.id}: ${String(error).slice(0, 300)}`);
    }
  } catch (error) {
    if (one.good || !(error instanceof OutcomeUnknown)) wrong.push(`${one.id}: ${String(error).slice(0, 200)}`);
  }
}
server.closeAllConnections();
server.close();
assert.deepEqual(wrong, []);
console.log("ok");
