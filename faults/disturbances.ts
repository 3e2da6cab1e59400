import type { Edge, Evidence, SystemUnderTest } from "../harness/core/system.ts";

/** What a fault does to an edge. */
export interface Disturbance {
  /** By how many milliseconds everything is late; Infinity where nothing passes. */
  readonly delayMs: number;
  readonly act: (edge: Edge) => Promise<Evidence>;
}

interface Entry {
  readonly disturbance: Disturbance;
  readonly evidence: Promise<Evidence>;
}

/**
 * The network faults in force on each edge of a system. The network knows one disturbance an edge, and mending takes it
 * away, whoever asks; faults of one plan may overlap. The strongest acts; when it is healed, the next strongest does.
 */
export class Disturbances {
  static readonly #systems = new WeakMap<SystemUnderTest, Disturbances>();
  readonly #system: SystemUnderTest;
  readonly #entries = new Map<string, Entry[]>();
  readonly #turns = new Map<string, Promise<unknown>>();

  private constructor(system: SystemUnderTest) {
    this.#system = system;
  }

  /** Those of this system. */
  static of(system: SystemUnderTest): Disturbances {
    const known = this.#systems.get(system) ?? new Disturbances(system);
    this.#systems.set(system, known);
    return known;
  }

  /** Disturbs the edge, or finds that it is disturbed as much already. */
  add(edge: Edge, disturbance: Disturbance): Promise<Evidence> {
    const entries = this.#entriesOf(edge);
    const strongest = strongestOf(entries);
    const evidence =
      strongest !== undefined && strongest.disturbance.delayMs >= disturbance.delayMs
        ? strongest.evidence.then(({ observed, detail }) => ({
            observed,
            detail: `already by another fault: ${detail}`,
          }))
        : this.#inTurn(edge, () => disturbance.act(edge));
    entries.push({ disturbance, evidence });
    return evidence;
  }

  /** Takes the disturbance away, so that the edge is as the other faults in force have it. */
  remove(edge: Edge, disturbance: Disturbance): Promise<Evidence> {
    const entries = this.#entriesOf(edge).filter((entry) => entry.disturbance !== disturbance);
    this.#entries.set(nameOf(edge), entries);
    const strongest = strongestOf(entries);
    if (strongest === undefined) return this.#inTurn(edge, () => this.#system.network.mend(edge));
    const detail = `${nameOf(edge)} is left to another fault`;
    if (strongest.disturbance.delayMs >= disturbance.delayMs) return Promise.resolve({ observed: true, detail });
    return this.#inTurn(edge, async () => {
      await this.#system.network.mend(edge);
      const { observed, detail: seen } = await strongest.disturbance.act(edge);
      return { observed, detail: `${detail}: ${seen}` };
    });
  }

  #entriesOf(edge: Edge): Entry[] {
    const entries = this.#entries.get(nameOf(edge)) ?? [];
    this.#entries.set(nameOf(edge), entries);
    return entries;
  }

  /** One thing at a time on each edge. */
  #inTurn(edge: Edge, work: () => Promise<Evidence>): Promise<Evidence> {
    const turn = (this.#turns.get(nameOf(edge)) ?? Promise.resolve()).then(work);
    this.#turns.set(
      nameOf(edge),
      turn.catch(() => {}),
    );
    return turn;
  }
}

function strongestOf(entries: readonly Entry[]): Entry | undefined {
  return entries.toSorted((one, other) => other.disturbance.delayMs - one.disturbance.delayMs)[0];
}

function nameOf({ from, to }: Edge): string {
  return `${from}->${to}`;
}
