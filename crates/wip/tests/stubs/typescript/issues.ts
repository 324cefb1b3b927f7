// An application, from entry to entry.
import assert from "node:assert/strict";
import { Commentable, IssueLifecycle, ProjectIssues, TrackerSearch, type Reason } from "./tracker.js";
import { Refused, StateChanged, World } from "./wip_runtime.js";

const [url = "", token = ""] = process.argv.slice(2);
const world = new World(url, { token });

const search = await TrackerSearch.open(world.entry("/tracker"));
const page = await search.search({ text: "crash", state: "open", limit: 100 });
assert.ok(page.issues.length > 10);
assert.ok(page.issues.every((line) => line.state === "open"));

// Closing an issue says what stands in the way of it, as entries that can be followed.
let blocked = 0;
let closed = 0;
for (const line of page.issues) {
  const issue = await IssueLifecycle.open(line.issue);
  const body = await issue.readBody();
  assert.equal(body.title, line.title);
  const reason: Reason = "done";
  const result = await issue.close({ reason, note: "Fixed." });
  switch (result.$case) {
    case "closed": {
      closed += 1;
      const metadata = await issue.getMetadata();
      assert.deepEqual([metadata.state, metadata.closed_as], ["closed", "done"]);
      break;
    }
    case "blocked": {
      blocked += 1;
      const [dependency] = result.value.dependencies;
      assert.ok(dependency !== undefined);
      assert.equal((await (await dependency.open(IssueLifecycle)).getMetadata()).state, "open");
      break;
    }
    case "already_closed":
      assert.fail("it was open");
  }
}
assert.ok(closed > 0);
assert.ok(closed + blocked === page.issues.length);

// Something new, below the project of the first issue.
const [first] = page.issues;
assert.ok(first !== undefined);
const project = world.entry(first.issue.path.split("/").slice(0, 3).join("/"));
const issues = await ProjectIssues.open(project);
const entry = await issues.create({ title: "It */ crashes", body: "Again.\n", labels: ["bug"] });
const [mine, theirs] = [await IssueLifecycle.open(entry), await IssueLifecycle.open(entry)];
await mine.edit({ body: "Often." });
await mine.edit({ body: "Always.", title: "It crashes" });
assert.deepEqual(await mine.readBody(), { title: "It crashes", body: "Always." });
// The title is shown with the Object, which has to be seen anew; whoever was shown the old one
// changes nothing by it.
await assert.rejects(mine.edit({ body: "Never." }), StateChanged);
assert.match((await mine.refresh()).description ?? "", /It crashes/);
await assert.rejects(theirs.edit({ title: "It does not crash" }), StateChanged);
await theirs.refresh();
await theirs.edit({ title: "It does not crash" });
await theirs.refresh();
const assigned = await theirs.assign({ to: "nobody of that name" });
assert.ok(assigned.$case === "unknown_person" && assigned.value.people.length > 0);

// One interface, many kinds of Objects.
for (const about of [entry, project]) {
  const talk = await Commentable.open(about);
  await talk.comment({ text: "日本 ☕" });
  assert.ok((await talk.comments({ limit: 100 })).comments.some((comment) => comment.text === "日本 ☕"));
}
await assert.rejects(issues.list({ limit: 0 }), (error: unknown) => {
  return error instanceof Refused && error.code === "invalid_arguments";
});
console.log("ok");
