import type { AuditEvent, History } from "../../history/history.ts";

/** What became of the acknowledged updates of a run. */
export interface UpdateLosses {
  /** Writes that the resource acknowledged to their authors. */
  readonly acknowledged: number;
  /** Those of them that are not in the final state. */
  readonly lost: number;
  /** Writes that the resource refused: nothing was lost, because their authors know. */
  readonly refused: number;
}

/**
 * Counts P5: the acknowledged updates that are not in the final state. The final state of a value is the last accepted
 * write with all that it was based on; a later write has overwritten everything it was not based on. A write that does
 * not say what it is based on adds to what is there. For the verdict on P5 (`lost-updates`) one such write is a
 * violation, no matter what comes after it.
 */
export function updateLosses({ events }: History): UpdateLosses {
  const applied = new Map<string, AuditEvent[]>();
  const acknowledged: string[] = [];
  const written = new Map<number, string>();
  let refused = 0;
  for (const event of events) {
    if (event.type === "audit") {
      if (event.value.accepted) listOf(applied, event.key).push(event);
    } else if (event.type !== "fault" && event.f === "write") {
      const { process, key } = event;
      if (event.type === "invoke") written.set(process, nameOf(key, event.value.data));
      else if (event.type === "fail" && event.value?.reason === "refused") refused += 1;
      else if (event.type === "ok") acknowledged.push(written.get(process) ?? "");
    }
  }
  const kept = new Set([...applied.values()].flatMap(finalState));
  const lost = acknowledged.filter((write) => !kept.has(write)).length;
  return { acknowledged: acknowledged.length, lost, refused };
}

/** What became of the updates of several runs. */
export function sumOfLosses(losses: readonly UpdateLosses[]): UpdateLosses {
  return losses.reduce(
    (sum, each) => ({
      acknowledged: sum.acknowledged + each.acknowledged,
      lost: sum.lost + each.lost,
      refused: sum.refused + each.refused,
    }),
    { acknowledged: 0, lost: 0, refused: 0 },
  );
}

/** The writes that a key's final state consists of. */
function finalState(accepted: readonly AuditEvent[]): readonly string[] {
  const byPosition = new Map(accepted.map((event) => [event.value.position, event]));
  const kept: string[] = [];
  let position = Math.max(0, ...byPosition.keys());
  for (let event = byPosition.get(position); event !== undefined; event = byPosition.get(position)) {
    const { data, basedOn = position - 1 } = event.value;
    kept.push(nameOf(event.key, data));
    // No write can be based on itself or on a later one. Broken evidence must not keep this loop from ending.
    if (basedOn >= position) break;
    position = basedOn;
  }
  return kept;
}

function nameOf(key: string, data: string): string {
  return JSON.stringify([key, data]);
}

function listOf<K, V>(map: Map<K, V[]>, key: K): V[] {
  const known = map.get(key);
  if (known !== undefined) return known;
  const fresh: V[] = [];
  map.set(key, fresh);
  return fresh;
}
