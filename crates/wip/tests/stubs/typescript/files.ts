// A directory that is served, and that somebody else changes meanwhile.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as wip from "./wip_runtime.js";
import { FilesDirectory, FilesDirectoryWrite, FilesFile, FilesFileWrite } from "./world.js";

const [url = "", token = "", directory = ""] = process.argv.slice(2);
const world = new wip.World(url, { token });

const docs = await world.entry("/docs").look();
assert.equal(docs.description, "directory");
const page = await (await docs.open(FilesDirectory)).list();
const [item] = page.items;
assert.equal(item?.kind, "file");
assert.equal(item.entry.path, "/docs/a.md");
assert.ok(!("next_cursor" in page));

// From the entry in a result on.
const text = await FilesFile.open(item.entry);
assert.equal((await text.readText()).text, "# A\n");
assert.deepEqual((await text.readBytes({ offset: 2, length: 1 })).data, Uint8Array.from([0x41]));

// What changes it is bound to what was shown, and goes on with what it did itself.
const file = await item.entry.open(FilesFileWrite);
await file.append({ text: "one\n" });
await file.append({ text: "two\n" });
assert.equal(readFileSync(`${directory}/a.md`, "utf8"), "# A\none\ntwo\n");
writeFileSync(`${directory}/a.md`, "by somebody else\n");
await assert.rejects(file.write({ text: "lost" }), wip.StateChanged);
await assert.rejects(file.write({ text: "lost" }), wip.NotRun);
assert.equal((await text.readText()).text, "by somebody else\n");
await file.refresh();
await file.write({ data: new TextEncoder().encode("mine\n") });
assert.equal(readFileSync(`${directory}/a.md`, "utf8"), "mine\n");
assert.deepEqual(await file.replaceText({ old: "yours", new: "ours" }), { $case: "found", value: 0 });

// Outcomes are cases; entries are given as they came.
const writing = await docs.open(FilesDirectoryWrite);
// Files in it changed since it was seen, which what makes something new has nothing to do with.
const made = await writing.createDirectory({ name: "日本 #1?" });
assert.equal(made.$case, "created");
assert.equal((await writing.createDirectory({ name: "日本 #1?" })).$case, "exists");
const moved = await file.move({ to: made.value, name: "b.md" });
assert.equal(moved.$case, "moved");
assert.equal(moved.value.path, "/docs/日本 #1?/b.md");
assert.equal(readFileSync(`${directory}/日本 #1?/b.md`, "utf8"), "mine\n");
const gone = await file.append({ text: "x" }).catch((error: unknown) => error);
assert.ok(gone instanceof wip.Refused && gone.code === "not_found", String(gone));

// What there is not.
const missing = await FilesFile.open(world.entry("/docs")).catch((error: unknown) => error);
assert.ok(missing instanceof wip.InterfaceMissing);
assert.match(missing.message, /publishes no interface "files\.file"; there is: "\/docs::files\.directory"/);
const nothing = await world.entry("/docs/none").look().catch((error: unknown) => error);
assert.ok(nothing instanceof wip.ObservationFailed && nothing.code === "not_found");
const refused = await writing.createDirectory({ name: "a/b" }).catch((error: unknown) => error);
assert.ok(refused instanceof wip.Refused && refused.code === "invalid_arguments");
const stranger = await new wip.World(url).entry("/docs").look().catch((error: unknown) => error);
assert.ok(stranger instanceof wip.ObservationFailed && stranger.status === 401);
console.log("ok");
