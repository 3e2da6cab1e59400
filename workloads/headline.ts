import { PLAN_FORMAT, PLAN_VERSION, type Plan, type PlanInput, planSchema } from "../harness/core/plan.ts";
import { type Random, randomStream } from "../harness/core/random.ts";
import { clientName } from "../harness/core/topology.ts";
import type { Contender, Guard } from "./headline-contenders.ts";

type FaultInput = PlanInput["faults"][number];
type SectionInput = PlanInput["clients"][number]["sections"][number];

const CHECKS: Readonly<Record<Guard, PlanInput["resource"]>> = {
  nothing: { fencing: false },
  fencing: { fencing: true },
  versions: { fencing: true, versions: true },
};

/** The lease, in milliseconds, and the number of clients. */
export const TTL_MS = 2000;
export const CLIENTS = 5;
/** How often one of them pauses. */
export const PAUSE_EVERY_MS = 5000;
/** The length of a pause: longer than the lease, and over before the next pause. */
const PAUSE_MS = { min: 2500, max: 4500 };
/** The time from the read to the write. */
const HOLD_MS = { min: 100, max: 900 };
/** One run; an hour consists of sixty runs. */
const RUN_MS = 60_000;
const MOST_SECTIONS = Math.ceil(RUN_MS / HOLD_MS.min / CLIENTS);

/**
 * Plans of a minute each, from minute `from` on: five clients update a value under the lock (read, a moment, write) as
 * fast as they can, while every five seconds one of them pauses for longer than the lease. Jepsen measured locks on
 * etcd in this way ("etcd 3.4.3", 2020): two-second leases, five processes, a pause every five seconds.
 */
export function* headlinePlans(
  { lock, topology }: Contender,
  guard: Guard,
  { seed, from, minutes }: { readonly seed: number; readonly from: number; readonly minutes: number },
): Generator<Plan> {
  for (let minute = from; minute < from + minutes; minute += 1) {
    // The random stream does not depend on the lock or the guard: all of them get the same minutes.
    const random = randomStream(seed, `minute:${minute}`);
    yield planSchema.parse({
      format: PLAN_FORMAT,
      version: PLAN_VERSION,
      seed: random.integer(0, 0x7fff_ffff),
      lock,
      topology: { kind: topology },
      resource: CHECKS[guard],
      clients: Array.from({ length: CLIENTS }, () => ({
        sections: Array.from({ length: MOST_SECTIONS }, () => update(random)),
      })),
      faults: pauses(random),
      limitMs: RUN_MS,
    });
  }
}

/** A read-modify-write under the lock. It waits for the lock for as long as it takes. */
function update(random: Random): SectionInput {
  const forMs = random.integer(HOLD_MS.min, HOLD_MS.max);
  return {
    key: "k1",
    ttlMs: TTL_MS,
    waitMs: RUN_MS,
    steps: [{ do: "read" }, { do: "hold", forMs }, { do: "write" }],
  };
}

function pauses(random: Random): readonly FaultInput[] {
  const times = Array.from({ length: RUN_MS / PAUSE_EVERY_MS - 1 }, (_, index) => (index + 1) * PAUSE_EVERY_MS);
  return times.map((atMs) => ({
    kind: "pause-client",
    params: { targets: [clientName(random.integer(0, CLIENTS - 1))] },
    at: { atMs },
    until: { atMs: atMs + random.integer(PAUSE_MS.min, PAUSE_MS.max) },
  }));
}
