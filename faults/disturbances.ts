import { SerialQueue } from "../harness/core/serial-queue.ts";
import type { Edge, Evidence, SystemUnderTest } from "../harness/core/system.ts";

/** What a fault does to an edge. */
export interface Disturbance {
  /** The delay in milliseconds; Infinity if nothing passes. */
  readonly delayMs: number;
  readonly act: (edge: Edge) => Promise<Evidence>;
}

interface Entry {
  readonly disturbance: Disturbance;
  readonly evidence: Promise<Evidence>;
}

/**
 * The network faults in force on each edge of a system. The network knows one disturbance per edge, and healing the
 * edge removes it, but faults of one plan may overlap. So the strongest is in force; when it is healed, the next
 * strongest takes its place.
 */
export class Disturbances {
  static readonly #systems = new WeakMap<SystemUnderTest, Disturbances>();
  readonly #system: SystemUnderTest;
  readonly #entries = new Map<string, Entry[]>();
  readonly #queues = new Map<string, SerialQueue>();

  private constructor(system: SystemUnderTest) {
    this.#system = system;
  }

  /** The disturbances of this system. */
  static of(system: SystemUnderTest): Disturbances {
    const known = this.#systems.get(system) ?? new Disturbances(system);
    this.#systems.set(system, known);
    return known;
  }

  /** Disturbs the edge, unless another fault already disturbs it as much. */
  add(edge: Edge, disturbance: Disturbance): Promise<Evidence> {
    const entries = this.#entriesOf(edge);
    const strongest = strongestOf(entries);
    const evidence =
      strongest !== undefined && strongest.disturbance.delayMs >= disturbance.delayMs
        ? strongest.evidence.then(({ observed, detail }) => ({
            observed,
            detail: `another fault already has this effect: ${detail}`,
          }))
        : this.#inTurn(edge, () => disturbance.act(edge));
    entries.push({ disturbance, evidence });
    return evidence;
  }

  /** Removes the disturbance and leaves the edge to the other faults in force. */
  remove(edge: Edge, disturbance: Disturbance): Promise<Evidence> {
    const entries = this.#entriesOf(edge).filter((entry) => entry.disturbance !== disturbance);
    this.#entries.set(nameOf(edge), entries);
    const strongest = strongestOf(entries);
    if (strongest === undefined) return this.#inTurn(edge, () => this.#system.network.heal(edge));
    const detail = `${nameOf(edge)} is still disturbed by another fault`;
    if (strongest.disturbance.delayMs >= disturbance.delayMs) return Promise.resolve({ observed: true, detail });
    return this.#inTurn(edge, async () => {
      await this.#system.network.heal(edge);
      const { observed, detail: seen } = await strongest.disturbance.act(edge);
      return { observed, detail: `${detail}: ${seen}` };
    });
  }

  #entriesOf(edge: Edge): Entry[] {
    const entries = this.#entries.get(nameOf(edge)) ?? [];
    this.#entries.set(nameOf(edge), entries);
    return entries;
  }

  /** One action at a time on each edge. */
  #inTurn(edge: Edge, work: () => Promise<Evidence>): Promise<Evidence> {
    const queue = this.#queues.get(nameOf(edge)) ?? new SerialQueue();
    this.#queues.set(nameOf(edge), queue);
    return queue.run(work);
  }
}

function strongestOf(entries: readonly Entry[]): Entry | undefined {
  return entries.toSorted((one, other) => other.disturbance.delayMs - one.disturbance.delayMs)[0];
}

function nameOf({ from, to }: Edge): string {
  return `${from}->${to}`;
}
