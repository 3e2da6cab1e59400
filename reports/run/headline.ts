import { inFigures } from "../../harness/core/words/in-figures.ts";
import { listed } from "../../harness/core/listed.ts";
import { printable } from "../../harness/core/printable.ts";
import { causeWords } from "./share-words.ts";
import { count, formatMs, formatOverlap } from "../wording.ts";
import { rootCausesOf, type RootCause } from "./root-causes.ts";
import type { RunRecord } from "./run-record.ts";
import { storiesOf, type Story } from "./story.ts";
import { timelineOf, type Timeline } from "./timeline.ts";

/** What happened in a run, in a sentence or two: who held what together, for how long, and because of what. */
export function headlineOf(run: RunRecord): string {
  const { verdict, reasons } = run.verdict;
  if (verdict === "unknown") return `Nothing is proven: ${printable(reasons[0] ?? "no reason was given")}.`;
  const timeline = timelineOf(run.history);
  const causes = rootCausesOf(storiesOf(run.verdict, timeline, run.history.events));
  const [story] = causes.flatMap(({ stories }) => stories);
  if (story === undefined) return nothingBroken(run, timeline);
  const promised = verdict === "valid" ? "What was asked of the lock held, but nothing more: " : "";
  return promised + storySentence(story) + furtherViolations(causes);
}

/** One violation in a sentence: what was seen, and why. */
export function storySentence(story: Story): string {
  const { violation, holds, enabling } = story;
  const { overlap, proof, hypotheses, finding } = violation;
  const { why, orElse = "" } = hypotheses?.[0] ?? {};
  const fault =
    enabling === undefined
      ? ""
      : ` (${printable(enabling.kind)} of ${listed(enabling.targets.map(printable))} at ${formatMs(enabling.from)})`;
  const because =
    why === undefined
      ? causeWords(story) + fault
      : printable(`${why}${orElse}`).replaceAll(/ \(events? \d+(?:(?:, | and )\d+)*\)/g, "");
  const who = [...new Set(holds.map(({ actor }) => actor))];
  const seen =
    overlap !== undefined && who.length > 1
      ? `${listed(who)} ${who.length === 2 ? "both" : "all"} held ${printable(holds[0]?.key ?? "the lock")} for ${formatOverlap(overlap)}`
      : finding === undefined
        ? undefined
        : inBrief(printable(finding.account));
  if (seen === undefined) return sentence(because);
  if (proof?.standing === "refuted") return `${seen}. It is not known what led to it.`;
  if (proof?.standing === "probable") return `${seen}. Probably ${because}.`;
  // One colon a sentence.
  return `${seen}: ${because}`.split(": ").length > 2 ? `${seen}. ${sentence(because)}` : `${seen}: ${because}.`;
}

/**
 * The first sentence of an account without what only the reader of the history needs: owner values, what is in
 * parentheses, the name of the model. Nothing else is left out, so it says no more than the account proves.
 */
function inBrief(account: string): string {
  const [first = account] = account.split(/(?<=\.)\s+(?=[A-Z])/);
  return first
    .replaceAll(/ \([^()]*\)/g, "")
    .replaceAll(/ as owner \S+/g, "")
    .replaceAll(/, given the model [\w-]+/g, "")
    .replace(/\.$/, "");
}

function furtherViolations([first, ...others]: readonly RootCause[]): string {
  const alike = (first?.stories.length ?? 1) - 1;
  const same =
    alike === 0
      ? ""
      : ` ${alike === 1 ? "One more violation has" : `${inFigures(alike)} more violations have`} the same cause.`;
  const different = others.reduce((sum, { stories }) => sum + stories.length, 0);
  return (
    same +
    (different === 0
      ? ""
      : ` ${different === 1 ? "One violation has" : `${inFigures(different)} violations have`} another cause.`)
  );
}

function nothingBroken({ plan }: RunRecord, { operations, holds, faults }: Timeline): string {
  const clients = plan?.clients.length ?? new Set(operations.map(({ client }) => client)).size;
  const effective = faults.filter(({ outcome }) => outcome === "installed").length;
  const under = effective === 0 ? "without a fault" : `under ${count(effective, "fault")}`;
  const who = count(clients, "client was", "clients were");
  return `No property was broken: ${who} granted the lock ${count(holds.length, "time")}, ${under}.`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
