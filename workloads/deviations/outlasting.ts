import { BETWEEN_TRIES_MS, type Plan } from "../../harness/core/plan.ts";
import { PLAN_BOUNDS } from "../../harness/core/plan-bounds.ts";
import type { Trigger } from "../../harness/core/trigger.ts";
import { type History, ONE_OF_SEVERAL } from "../../harness/history/history.ts";

/** Client libraries connect anew this long after servers are back, at the latest: each waits longer after each failure. */
const CONNECTING_MS = 2500;

/**
 * The same plan with clients that try for as long as its faults last, if nothing was granted in a run of it and a fault was in force
 * from the first failure until the clients were through: a library that reports a refused connection at once has its caller give
 * up before the server is back. Undefined where more tries would not help.
 * @param history of a run of the plan, in which it decided nothing
 */
export function outlasting(plan: Plan, { events }: History): Plan | undefined {
  const acquired = events.filter(({ f, type }) => f === "acquire" && type !== "invoke");
  if (acquired.some(({ type }) => type === "ok")) return undefined;
  const failed = acquired.filter(({ type, value }) => type !== "fail" || !isContended(value));
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const lengthsMs = plan.faults.flatMap(({ at, until }, step) => {
    // It lasts until the run is over, however long that is.
    if (until === undefined) return [];
    const [start, heal] = (["start", "heal"] as const).map((phase) =>
      events.find((event) => event.type === "fault" && event.value.step === step && event.value.phase === phase),
    );
    const isInForce = start !== undefined && start.index < first.index && heal !== undefined && heal.index > last.index;
    return isInForce ? [lengthMs(at, until) + CONNECTING_MS] : [];
  });
  const tries = Math.min(PLAN_BOUNDS.tries, Math.ceil(Math.max(0, ...lengthsMs) / BETWEEN_TRIES_MS));
  const clients = plan.clients.map(({ sections: [begin, ...others] }) => ({
    sections: begin === undefined ? [] : [{ ...begin, tries: Math.max(begin.tries, tries) }, ...others],
  }));
  const isLonger = clients.some(
    ({ sections: [begin] }, index) => begin?.tries !== plan.clients[index]?.sections[0]?.tries,
  );
  return isLonger ? { ...plan, clients } : undefined;
}

function isContended(value: { readonly reason?: unknown } | undefined): boolean {
  return value?.reason === "contended" || value?.reason === ONE_OF_SEVERAL;
}

/** How long the fault lasts by the plan, from its event on. */
function lengthMs(at: Trigger, until: Trigger): number {
  return sinceItsEvent(until) - sinceItsEvent(at);
}

function sinceItsEvent(trigger: Trigger): number {
  return "atMs" in trigger ? trigger.atMs : (trigger.afterMs ?? 0);
}
