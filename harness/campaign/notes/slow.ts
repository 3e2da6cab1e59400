import { type FreeWait, FreeWaits } from "../../check/liveness/free-waits.ts";
import { type LateAnswer, LateAnswers } from "../../check/liveness/late-answers.ts";
import { ResourceAnswers } from "../../check/liveness/resource-answers.ts";
import type { RunNote } from "../../core/run-note.ts";
import type { History } from "../../history/history.ts";
import { OpenOperations } from "../../history/operations.ts";

/** What was slow, or refused without need, although no fault held it up. */
export function slow({ header, events }: History): readonly RunNote[] {
  const kinds = new Set<string>();
  const waits = new FreeWaits(header, (wait) => kinds.add(kindOfWait(wait)));
  const answers = new LateAnswers(header, (late) => kinds.add(kindOfAnswer(late)));
  const resource = new ResourceAnswers();
  const operations = new OpenOperations();
  for (const event of events) {
    const step = { event, invocation: operations.push(event) };
    waits.push(step);
    answers.push(step);
    resource.push(step);
  }
  return resource.areSlow ? [] : [...kinds].map((what): RunNote => ({ kind: "slow", what }));
}

function kindOfWait({ seek, answer, dead }: FreeWait): string {
  if (dead !== undefined) return "a lock whose holder had died was granted more than 2 s after its lease was over";
  if (answer.type === "ok") return "a lock that nobody held was granted after more than half a second";
  const when = (seek.value.waitMs ?? 0) > 0 ? "when the wait was over" : "at once";
  return `a lock that nobody held was refused ${when}`;
}

function kindOfAnswer({ invocation: { f } }: LateAnswer): string {
  switch (f) {
    case "acquire":
      return "an acquire was answered more than half a second after its wait was over";
    case "extend":
      return "an extension was answered after more than half a second";
    case "release":
      return "a release was answered after more than half a second";
  }
}
