// A database that is served.
import assert from "node:assert/strict";
import { World } from "./wip_runtime.js";
import { SqlDatabase, SqlTable, SqlTableWrite, type Condition } from "./world.js";

const [url = "", token = ""] = process.argv.slice(2);
const world = new World(url, { token });

const items = await SqlTable.open(world.entry("/shop/item"));
const first = (await items.query({ limit: 10 })).rows[0];
assert.deepEqual(first?.row, { id: 1, name: "Tea", price: 2.5, photo: Uint8Array.from([0, 255]) });
assert.equal((await items.get({ id: 1 })).path, first.entry.path);

const writing = await SqlTableWrite.open(items.entry);
const photo = Uint8Array.from({ length: 1000 }, (_, at) => at % 256);
const inserted = await writing.insert({ name: "Kaffee \"☕\"", price: 0.1 + 0.2, photo });
assert.equal(inserted.$case, "inserted");
await writing.refresh();
assert.notEqual((await writing.insert({ name: "Tea" })).$case, "inserted");

const expensive: Condition = { $case: "price", value: { $case: "less", value: 1 } };
const found = await items.query({ where: [[expensive]], order_by: [{ column: "name" }] });
assert.deepEqual(found.rows[0]?.row, { id: 2, name: "Kaffee \"☕\"", price: 0.1 + 0.2, photo });
assert.equal(found.rows[0].entry.path, inserted.value.path);
assert.equal((await items.count()).count, 2);

const shop = await SqlDatabase.open(world.entry("/shop"));
const answer = await shop.sql({ query: "SELECT ?1 + 1, ?2, NULL", parameters: [41, "/a/path"] });
assert.deepEqual(answer.rows, [[42, "/a/path", null]]);
console.log("ok");
