// First: libraries keep functions of the platform when they are loaded.
import { proveSimulated, runSimulated } from "../../campaign/run-simulated.ts";
import fc from "fast-check";
import { faults } from "../../../faults/registry.ts";
import type { LockEntry } from "../../../lock-impl/lock-entry.ts";
import { contentionPlans } from "../../../workloads/contention.ts";
import { isSimulated, topologySchema } from "../../core/topology.ts";
import { PROPERTIES, type Property, type Violation } from "../../core/verdict.ts";
import type { AuditEvent, History, HistoryEvent } from "../../history/history.ts";
import type { RunRecord } from "../../../reports/run/run-record.ts";

/** What was compared over generated runs of a lock. */
export interface Compared {
  /** Two grants that two properties explain by different causes or faults, in words. */
  readonly contradictions: readonly string[];
  /** How often two properties explained the same two grants. */
  readonly pairs: number;
}

/** These properties ask the same of two grants: how the lock could be granted twice. */
const SAME_QUESTION: readonly Property[] = ["mutual-exclusion", "linearizability", "lost-updates"];

/**
 * Proves the causes of generated runs of a flawed lock, and compares what each property says of the same two grants with
 * what lease exclusion says of them.
 *
 * @param broken how many runs in which the lock breaks its promise are examined, per topology
 */
export async function comparedCauses(
  { name, topologies }: LockEntry,
  seed: number,
  { plans, broken }: { readonly plans: number; readonly broken: number },
): Promise<Compared> {
  const contradictions: string[] = [];
  let pairs = 0;
  for (const kind of topologies.filter((each) => isSimulated(each))) {
    const drawn = contentionPlans({ lock: name, topology: topologySchema.parse({ kind }), faults, retries: true });
    let examined = 0;
    for (const [at, plan] of fc.sample(drawn, { seed, numRuns: plans }).entries()) {
      const run = await runSimulated(plan, { title: name, required: PROPERTIES });
      if (run.record.verdict.properties["lease-exclusion"]?.verdict !== "invalid") continue;
      const found = twoCauses((await proveSimulated(run)).record);
      pairs += found.pairs;
      contradictions.push(
        ...found.contradictions.map((words) => `${name}, ${kind}, seed ${seed}, plan ${at}: ${words}`),
      );
      if ((examined += 1) === broken) break;
    }
  }
  return { contradictions, pairs };
}

function twoCauses({ verdict, history }: RunRecord): Compared {
  const contradictions: string[] = [];
  let pairs = 0;
  for (const promise of verdict.properties["lease-exclusion"]?.violations ?? []) {
    for (const property of SAME_QUESTION) {
      for (const violation of verdict.properties[property]?.violations ?? []) {
        const grants = grantsIn(promise, history);
        if (!grants.includes(" ") || grantsIn(violation, history) !== grants) continue;
        // Writes in the wrong order, or after a lease, are another matter.
        if (property === "lost-updates" && violation.cause !== promise.cause && isOfWrites(violation)) continue;
        pairs += 1;
        if (causeOf(violation) === causeOf(promise)) continue;
        contradictions.push(`${grants}: ${causeOf(promise)}, but for ${property} ${causeOf(violation)}`);
      }
    }
  }
  return { contradictions, pairs };
}

function causeOf({ cause, fault, proof }: Violation): string {
  return `${cause} ${fault ?? ""} ${proof?.standing}`;
}

function isOfWrites({ hypotheses = [] }: Violation): boolean {
  return hypotheses.length === 1 && hypotheses[0]?.ground.on === "history";
}

/** The grants that a violation is about; of writes, the grants under which their authors made them. */
function grantsIn({ events, finding }: Violation, { events: all }: History): string {
  const grants = (finding?.events ?? events).flatMap((index) => {
    const event = all[index];
    if (event?.type === "ok" && event.f === "acquire") return [index];
    if (event?.f !== "write" || event.type !== "audit") return [];
    return grantOf(event, all)?.index ?? [];
  });
  return [...new Set(grants)].toSorted((left, right) => left - right).join(" ");
}

/** The last grant of the owner value before the write was made: a lock may use one value again and again. */
function grantOf({ index, key, value: { data, owner } }: AuditEvent, all: History["events"]): HistoryEvent | undefined {
  const invocation = all.find(
    (event) => event.type === "invoke" && event.f === "write" && event.key === key && event.value.data === data,
  );
  const made = invocation?.index ?? index;
  return all.findLast(
    (other) =>
      other.index < made &&
      other.type === "ok" &&
      other.f === "acquire" &&
      other.key === key &&
      other.value.owner === owner,
  );
}
