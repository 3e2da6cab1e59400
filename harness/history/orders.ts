import { createHash } from "node:crypto";
import { clientOf } from "./clients.ts";
import type { History, HistoryEvent } from "./history.ts";

/** The first step of every client, server and resource follows this. */
const START = "start";

/**
 * What a run showed, without its times: which event directly followed which at a client (invocations, their outcomes, faults
 * that hit the client), at a server (faults), at the resource (accepted and refused writes, each by the same client as the
 * write before or by another). Owner values, fencing tokens, keys and durations are left out. So are names: all clients count
 * as alike, and all servers.
 * @returns each such order of two events once, sorted, as 6 hexadecimal digits
 */
export function ordersIn({ header, events }: History): readonly string[] {
  const lanes = new Lanes();
  const orders = new Set<string>();
  const holders = new Map<string, number>();
  for (const event of events) {
    if (event.type === "ok" && event.f === "acquire")
      holders.set(event.value.owner, clientOf(event.process, header.clients));
    for (const [lane, step] of stepsOf(event, header.clients, holders)) {
      const [kind = lane] = lane.split(" ", 1);
      orders.add(`${kind}: ${lanes.follow(lane, step)}`);
    }
  }
  return [...orders].map((order) => createHash("sha256").update(order).digest("hex").slice(0, 6)).toSorted();
}

interface Step {
  readonly what: string;
  /** Who caused it, where that is not the lane itself. */
  readonly author?: number | undefined;
}

/** The last step of each client, server and resource. */
class Lanes {
  readonly #last = new Map<string, Step>();

  /** The step before and this one, as text. */
  follow(lane: string, step: Step): string {
    const before = this.#last.get(lane);
    this.#last.set(lane, step);
    const author = step.author === before?.author ? "" : " of another";
    return `${before?.what ?? START}, ${step.what}${author}`;
  }
}

/** The step that an event adds, and the lane that it belongs to. */
function stepsOf(
  event: HistoryEvent,
  clients: number | undefined,
  holders: ReadonlyMap<string, number>,
): readonly (readonly [lane: string, step: Step])[] {
  switch (event.type) {
    case "fault": {
      const { phase, outcome, targets } = event.value;
      return targets.map((target) => [target.replace(/-(\d+)$/, " $1"), { what: `${event.f} ${phase} ${outcome}` }]);
    }
    case "audit": {
      const { owner, accepted } = event.value;
      const author = owner === undefined ? undefined : holders.get(owner);
      return [[`resource ${event.key}`, { what: accepted ? "accepted" : "refused", author }]];
    }
    case "notice":
      return [];
    default: {
      const { process, f, type } = event;
      const released = type === "ok" && f === "release" ? ` ${event.value.released}` : "";
      return [[`client ${clientOf(process, clients)}`, { what: `${f} ${type}${released}` }]];
    }
  }
}
