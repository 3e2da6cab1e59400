import type { TriedRemedy } from "../core/verdict.ts";
import { clientOf } from "../history/clients.ts";
import type { History } from "../history/history.ts";
import type { JudgedRun } from "./changed-run.ts";

/** Whether the lock issues fencing tokens: without them a resource has nothing to check. */
export function issuesFences({ events }: History): boolean {
  return events.some((event) => event.type === "ok" && event.f === "acquire" && event.value.fence !== undefined);
}

/**
 * Whether a resource that checks fencing tokens refused a write of the client that outlived its lease, and accepted none
 * with an old token.
 */
export function refusesLateWrites({ verdict, history }: JudgedRun, client: number | undefined): TriedRemedy["outcome"] {
  const found = verdict.properties["stale-writes"]?.verdict;
  if (found === "invalid") return "no-help";
  const { header, events } = history;
  const isRefused = events.some(
    (event) =>
      event.type === "fail" &&
      event.f === "write" &&
      event.value?.reason === "refused" &&
      (client === undefined || clientOf(event.process, header.clients) === client),
  );
  return found === "valid" && isRefused ? "prevents" : "undecided";
}
