import type { Change, Hypothesis, Violation } from "../core/verdict.ts";
import { clientOf } from "../history/clients.ts";
import type { History, HistoryEvent } from "../history/history.ts";
import type { JudgedRun } from "./changed-run.ts";
import { type CounterfactualRuns, shown } from "./counterfactual-runs.ts";
import { clientNumber, eventAt, grantAgain, sameOperation, taskOf } from "./same-in-another-run.ts";
import type { Attempted } from "./attempted.ts";
import { ordinalOf } from "./ordinals.ts";
import { victimOf } from "./victims.ts";

/** Whether this is an extension by the holder itself, of which a violation says that it had lost its lease. */
export function isOwnExtension(run: JudgedRun, violation: Violation, invoked: number): boolean {
  const extension = eventAt(run.history, invoked);
  const grant = victimOf(run, violation);
  if (extension?.type !== "invoke" || extension.f !== "extend") return false;
  return grant?.type === "ok" && grant.f === "acquire" && grant.value.owner === extension.value.owner;
}

/**
 * Whether an extension prolonged a lock that was not its own: it is made once more where no other client has a lock that it could
 * prolong. If it then finds that the lease is over, it had prolonged somebody else's; if it succeeds there too, its own.
 *
 * @param invoked index of the extension's invocation
 */
export async function tryExtension(original: JudgedRun, runs: CounterfactualRuns, invoked: number): Promise<Attempted> {
  let dropped: Attempted | undefined;
  for (const change of withoutRivals(original, invoked)) {
    const run = await runs.of(change);
    const extended = run === undefined ? undefined : isExtended(original, run, invoked);
    if (run === undefined || extended === undefined) continue;
    const by = `if client-${change.client} does not ask for the lock, that extension finds that the lease is over`;
    if (!extended) return { outcome: "proven", by, run: shown(change, run) };
    dropped = { outcome: "dropped", run: shown(change, run) };
  }
  return dropped ?? { outcome: "undecided", why: "no run shows whether the lease was over" };
}

/** Whether a hypothesis accuses an extension of having prolonged another client's lock where no other client had asked for it. */
export function prolongsNobodys(run: JudgedRun, { cause, ground }: Hypothesis): boolean {
  const { history } = run;
  if (cause !== "foreign-release" || ground.on !== "operation" || history.header.clients === undefined) return false;
  return (
    eventAt(history, ground.invoked)?.f === "extend" &&
    rivalsOf(run, ground.invoked).every(({ acquires }) => acquires.length === 0)
  );
}

/** A change after which another client has nothing that an extension could prolong. */
type WithoutRival = Extract<Change, { kind: "without-operation" }>;

/** How many acquires of one client are left out, one after the other. */
const TRIED_PER_CLIENT = 3;

/**
 * The changes in each of which one other client asks for the lock no more: from the last acquire on that it had invoked when
 * an extension was answered, or from an earlier one whose outcome it does not know. One of these acquires may have taken the
 * lock that the extension prolonged.
 *
 * @param invoked index of the extension's invocation
 */
function withoutRivals(run: JudgedRun, invoked: number): readonly WithoutRival[] {
  return rivalsOf(run, invoked)
    .filter(({ isOwn }) => !isOwn)
    .flatMap(({ client, acquires }) =>
      acquires
        .toReversed()
        .filter(({ isUnknown }, position) => position === 0 || isUnknown)
        .slice(0, TRIED_PER_CLIENT)
        .map(({ invocation }) => ordinalOf(run.history, invocation))
        .filter((ordinal) => ordinal !== undefined)
        .map((ordinal): WithoutRival => ({ kind: "without-operation", client, f: "acquire", ordinal })),
    );
}

/** A client, and the acquires with which a task of it, but not the one that extended, may have taken the key. */
interface Rival {
  readonly client: number;
  /** Whether it is the client that extended: then only its other tasks count. */
  readonly isOwn: boolean;
  readonly acquires: readonly { readonly invocation: HistoryEvent; readonly isUnknown: boolean }[];
}

function rivalsOf(run: JudgedRun, invoked: number): readonly Rival[] {
  const { history } = run;
  const extension = eventAt(history, invoked);
  const { clients } = history.header;
  if (extension?.type !== "invoke" || clients === undefined) return [];
  const answered = answerTo(history, extension)?.index ?? Infinity;
  const asked = history.events.filter(
    (event) =>
      event.type === "invoke" &&
      event.f === "acquire" &&
      event.index < answered &&
      event.key === extension.key &&
      taskOf(event, run) !== taskOf(extension, run),
  );
  return Array.from({ length: clients }, (_, client) => ({
    client,
    isOwn: client === clientOf(extension.process, clients),
    acquires: asked.flatMap((invocation) => {
      const type = answerTo(history, invocation)?.type;
      const isOfClient = clientNumber(invocation, history) === String(client);
      return isOfClient && type !== "fail" ? [{ invocation, isUnknown: type !== "ok" }] : [];
    }),
  }));
}

/**
 * What the lock answers in the other run to the same extension of the same hold: whether it extended the lease. Undefined if
 * that extension is not made there, or nobody knows its outcome.
 */
function isExtended(original: JudgedRun, other: JudgedRun, invoked: number): boolean | undefined {
  const extension = eventAt(original.history, invoked);
  const grant = grantExtendedBy(original.history, extension);
  const again = sameOperation(original, invoked, other);
  const repeated = again === undefined ? undefined : eventAt(other.history, again);
  const granted = grant === undefined ? undefined : grantAgain(original, other, grant);
  if (granted === undefined || grantExtendedBy(other.history, repeated)?.index !== granted.index) return undefined;
  const answer = repeated === undefined ? undefined : answerTo(other.history, repeated);
  if (answer?.type === "ok") return true;
  return answer?.type === "fail" ? false : undefined;
}

/** The last grant of the hold that an extension is meant for. */
function grantExtendedBy(history: History, extension: HistoryEvent | undefined): HistoryEvent | undefined {
  if (extension?.type !== "invoke" || extension.f !== "extend") return undefined;
  return history.events.findLast(
    (event) =>
      event.index < extension.index &&
      event.type === "ok" &&
      event.f === "acquire" &&
      event.key === extension.key &&
      event.value.owner === extension.value.owner &&
      clientNumber(event, history) === clientNumber(extension, history),
  );
}

function answerTo({ events }: History, invocation: HistoryEvent): HistoryEvent | undefined {
  return events.find(
    ({ index, process, type }) =>
      index > invocation.index &&
      process === invocation.process &&
      (type === "ok" || type === "fail" || type === "info"),
  );
}
