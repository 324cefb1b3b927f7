// Programs that must not compile: the compiler refuses this file if one of the marked lines has no error.
import { IssueLifecycle, type CloseResult, type Reason } from "./issue.js";
import type { Entry, World } from "./wip_runtime.js";

export async function refused(world: World, entry: Entry, issue: IssueLifecycle): Promise<void> {
  // @ts-expect-error: no such case
  await issue.close({ reason: "forgotten" });
  // @ts-expect-error: a required argument is missing
  await issue.close({ note: "x" });
  // @ts-expect-error: all arguments are missing
  await issue.close();
  // @ts-expect-error: no such argument
  await issue.close({ reason: "done", because: "x" });
  // @ts-expect-error: null stands for nothing
  await issue.close({ reason: "done", note: null });
  // @ts-expect-error: no such operation
  await issue.reopen();
  // @ts-expect-error: a path is no Entry
  await issue.relate({ to: "/issues/7" });
  // @ts-expect-error: nor is what looks like one
  await issue.relate({ to: { path: "/issues/7" } });
  // @ts-expect-error: an Entry of any interface is no client
  const client: IssueLifecycle = entry;
  // @ts-expect-error: a client is opened, not made
  new IssueLifecycle(entry);
  // @ts-expect-error: only generated classes can be opened
  await entry.open(Date);
  // @ts-expect-error: a path has to become an Entry of a World
  await IssueLifecycle.open("/issues/7");
  // @ts-expect-error: what makes calls is not for programs
  await issue.$call;
  const result: CloseResult = await issue.close({ reason: "done" });
  // @ts-expect-error: only one of the cases has a value
  void result.value;
  // @ts-expect-error: no such case
  if (result.$case === "forgotten") void 0;
  // @ts-expect-error: a result is read, not written
  result.$case = "closed";
  // @ts-expect-error: the token is nobody's business
  void world.token;
  // @ts-expect-error: a value of the wrong type
  const reason: Reason = "forgotten";
  void [client, reason];
}

/** A switch over all cases is whole. */
export function whole(result: CloseResult): string {
  switch (result.$case) {
    case "closed":
      return "closed";
    case "blocked":
      return result.value.dependencies.map((entry) => entry.path).join();
  }
}
