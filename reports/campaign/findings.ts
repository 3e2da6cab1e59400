import { printable } from "../../harness/core/printable.ts";
import type { Cause } from "../../harness/core/verdict.ts";
import { storySentence } from "../run/headline.ts";
import { meaningIn } from "../run/share-words.ts";
import { titleOf, type Report, type RunRecord } from "../run/run-record.ts";
import { storiesOf } from "../run/story.ts";
import { timelineOf } from "../run/timeline.ts";
import { alarmingRuns } from "./summary.ts";

/** A violation as tools for code take it: with a rule, and the file that it is about. */
export interface CodeFinding {
  readonly rule: Cause;
  /** One line: what happened, what it breaks, and how to replay it. */
  readonly message: string;
  /** The driver, where the lock is the user's own file. */
  readonly file?: string | undefined;
  /** The same for the same finding in another run: the lock, the rule and the property. */
  readonly identity: string;
}

/** Each kind of violation of required properties in the runs that report a problem, once a run. */
export function codeFindings(report: Report): readonly CodeFinding[] {
  return alarmingRuns(report).flatMap(findingsOf);
}

function findingsOf(run: RunRecord): readonly CodeFinding[] {
  const { verdict, history, plan, replayCommand } = run;
  const lock = plan?.lock ?? history.header.lock ?? titleOf(run);
  const file = driverFile(run);
  const replay = replayCommand === undefined ? "" : ` Replay: ${printable(replayCommand)}`;
  const seen = new Set<string>();
  const meaning = meaningIn(run);
  return storiesOf(verdict, timelineOf(history), history.events).flatMap((story): readonly CodeFinding[] => {
    const property = story.properties.find((candidate) => verdict.required.includes(candidate));
    const rule = story.violation.cause;
    if (property === undefined || seen.has(rule)) return [];
    seen.add(rule);
    const message = `${printable(titleOf(run))}: ${storySentence(story)} It breaks ${property}: ${meaning(property)}.${replay}`;
    const identity = [printable(lock), rule, property].join(" ");
    return [{ rule, message, identity, file }];
  });
}

/**
 * The driver of a run, as a path from the working directory; undefined for a lock that lockstorm has by its name, and for
 * files elsewhere.
 */
export function driverFile({ plan, history }: RunRecord): string | undefined {
  const lock = plan?.lock ?? history.header.lock ?? "";
  return /^\.\/(?!.*\.\.)/u.test(lock) ? printable(lock.slice(2)) : undefined;
}
