import { faults } from "../../../faults/registry.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import type { Address, Servers } from "../../core/lock-driver.ts";
import type { InjectedFault } from "../../core/fault.ts";
import type { FaultStep, Plan } from "../../core/plan.ts";
import type { NodeHandle, Notice } from "../../core/system.ts";
import { clientName, type TopologySpec } from "../../core/topology.ts";
import { isEventTrigger, type Trigger } from "../../core/trigger.ts";
import { LiveServers, type SeenCommand } from "../../live/live-servers.ts";
import { readyFaults } from "../../run/nemesis.ts";
import { TriggerBoard } from "../../run/trigger-board.ts";
import type { AskedFault } from "./fault-words.ts";
import { ServedSystem } from "./served-system.ts";
import { WireRecording } from "./wire-recording.ts";

export interface ServiceOptions {
  readonly topology: TopologySpec;
  readonly seed: number;
  /** How many clients get addresses of their own. */
  readonly clients: number;
  /** The first of the ports to listen on. Default: free ones. */
  readonly firstPort?: number | undefined;
  /** The file to which commands, replies and faults are written. Default: none. */
  readonly recording?: string | undefined;
  /** Receives what happens: a fault, its healing, a promotion. One line each. */
  readonly onEvent: (line: string) => void;
}

/** One server as its user sees it. */
export interface ServerStatus {
  readonly name: string;
  readonly state: "running" | "paused" | "dead";
  /** `master` or `replica`; undefined for Sentinels and for servers that do not run. */
  readonly role: string | undefined;
  /** How many keys it has; undefined where nobody answers. */
  readonly keys: number | undefined;
}

interface ServiceParts extends Pick<ServiceOptions, "onEvent"> {
  readonly stack: AsyncDisposableStack;
}

interface InForce {
  readonly number: number;
  readonly kind: string;
  readonly injected: InjectedFault;
}

/** Events of a run that happen without one. */
const OWN_EVENTS = ["fault:start", "fault:heal", "promotion"];

/** The simulated servers of a topology on loopback, with faults on request, for programs that lockstorm does not know. */
export class Service implements AsyncDisposable {
  readonly clients: readonly string[];
  readonly #servers: LiveServers;
  readonly #system: ServedSystem;
  readonly #board: TriggerBoard;
  readonly #stop = new AbortController();
  readonly #stack: AsyncDisposableStack;
  readonly #onEvent: (line: string) => void;
  readonly #failure = Promise.withResolvers<never>();
  readonly #inForce = new Map<number, InForce>();
  #count = 0;

  private constructor(servers: LiveServers, system: ServedSystem, { onEvent, stack }: ServiceParts) {
    this.clients = system.clients.map(({ name }) => name);
    this.#servers = servers;
    this.#system = system;
    this.#onEvent = onEvent;
    this.#stack = stack;
    this.#board = new TriggerBoard(system.clock, this.#stop.signal);
    this.#failure.promise.catch(() => {});
    servers.failure.catch((error: unknown) => this.#failure.reject(error));
  }

  /** Starts the servers. @throws UserError when the simulation does not have them, or a port is taken */
  static async start(options: ServiceOptions): Promise<Service> {
    const { topology, seed, firstPort, recording } = options;
    const clients = Array.from({ length: options.clients }, (_, index) => clientName(index));
    const listeners: ((notice: Notice) => void)[] = [];
    await using stack = new AsyncDisposableStack();
    const written =
      recording === undefined
        ? undefined
        : stack.use(new WireRecording(recording, { topology, seed }, () => servers.nowMs));
    const onCommand = written && ((seen: SeenCommand) => written.command(seen));
    const servers: LiveServers = stack.use(
      await LiveServers.start({ topology, seed, clients, firstPort, onCommand }, (notice) =>
        listeners.forEach((listener) => listener(notice)),
      ),
    );
    const system = new ServedSystem(servers, clients, (listener) => void listeners.push(listener));
    const onEvent = (line: string): void => {
      written?.event(line);
      options.onEvent(line);
    };
    const service = new Service(servers, system, { onEvent, stack: stack.move() });
    system.onNotice((notice) => service.#notice(notice));
    return service;
  }

  /** Rejects when the servers, or a fault, failed by a mistake of lockstorm; never resolves. */
  get failure(): Promise<never> {
    return this.#failure.promise;
  }

  /** Where a client reaches each server, in order, the guarded resource last. */
  addressesOf(client: string): readonly (readonly [server: string, address: Address])[] {
    return this.#servers.serverNames.map((server) => [server, this.#servers.addressOf(client, server)] as const);
  }

  /** What a client has to be told to reach the lock's servers. */
  serversFor(client: string): Servers {
    return this.#servers.serversFor(client);
  }

  /** The state of each server but the guarded resource. */
  async status(): Promise<readonly ServerStatus[]> {
    const { masters } = await this.#system.roles();
    return Promise.all(
      this.#system.nodes.map(async (node): Promise<ServerStatus> => {
        const state = await node.state();
        const answers = state === "running" && node.role === "data";
        return {
          name: node.name,
          state,
          role: answers ? (masters.includes(node.name) ? "master" : "replica") : undefined,
          keys: answers ? await keysOf(node) : undefined,
        };
      }),
    );
  }

  /** The faults in force, by number. */
  get inForce(): readonly { readonly number: number; readonly kind: string; readonly targets: readonly string[] }[] {
    return [...this.#inForce.values()].map(({ number, kind, injected }) => ({
      number,
      kind,
      targets: injected.targets,
    }));
  }

  /**
   * Injects a fault, after its delay, and heals it after its duration.
   * @returns when it is injected, or at once if it comes later
   * @throws UserError when there is no such target
   */
  async ask({ fault, params, afterMs, forMs }: AskedFault): Promise<void> {
    const inject = async (): Promise<void> => {
      const injected = await fault.read(params)(this.#system);
      const number = await this.#note(fault.kind, injected);
      if (forMs !== undefined && number !== undefined) this.#later(forMs, () => this.#heal(number));
    };
    if (afterMs === 0) await inject();
    else this.#later(afterMs, inject);
  }

  /** Heals the faults with these numbers or on these servers, or all. @throws UserError when there is none */
  async heal(words: readonly string[]): Promise<void> {
    const chosen = [...this.#inForce.values()].filter(
      ({ number, injected }) =>
        words.length === 0 || words.some((word) => word === String(number) || injected.targets.includes(word)),
    );
    if (chosen.length === 0) throw new UserError("no such fault is in force", "status lists the faults in force");
    for (const { number } of chosen.toReversed()) await this.#heal(number);
  }

  /**
   * Injects the faults of a plan at their times, counted from now. What its clients do is left to the programs outside.
   * @throws UserError for a fault that waits for what only a run has
   */
  follow({ faults: steps }: Pick<Plan, "faults">): void {
    const ready = followable(steps);
    const numbers = new Map<number, number>();
    const begunMs = this.#system.clock.now() / 1e6;
    ready.forEach(({ kind, step, inject }, index) => {
      this.#when(step.at, begunMs, async () => {
        const number = await this.#note(kind, await inject(this.#system));
        if (number !== undefined) numbers.set(index, number);
        await this.#board.publish({ kind: "fault:start", fault: index });
      });
      this.#whenHealed(step, index, begunMs, numbers);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the service is over"));
    await this.#stack.disposeAsync();
  }

  #whenHealed({ until }: FaultStep, index: number, begunMs: number, numbers: ReadonlyMap<number, number>): void {
    if (until === undefined) return;
    this.#when({ on: "fault:start", fault: index }, begunMs, () => {
      this.#when(until, begunMs, async () => {
        const number = numbers.get(index);
        if (number !== undefined && this.#inForce.has(number)) await this.#heal(number);
        await this.#board.publish({ kind: "fault:heal", fault: index });
      });
      return Promise.resolve();
    });
  }

  #when(trigger: Trigger, begunMs: number, act: () => Promise<void>): void {
    const at = "atMs" in trigger ? { atMs: trigger.atMs + begunMs } : trigger;
    this.#guard(this.#board.when(at, act));
  }

  #later(ms: number, act: () => Promise<void>): void {
    this.#guard(this.#system.clock.sleep(ms, this.#stop.signal).then(act));
  }

  /** Work that fails after its request was answered is reported as an event. A mistake of lockstorm ends the service. */
  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      if (error instanceof UserError) this.#onEvent(`failed: ${messageOf(error)}`);
      else this.#failure.reject(error);
    });
  }

  /** Reports a fault. If it can be healed, remembers it and returns its number. */
  async #note(kind: string, injected: InjectedFault): Promise<number | undefined> {
    const { outcome, evidence, heal } = injected;
    if (outcome === "skipped" || heal === undefined) {
      this.#onEvent(`${kind}: ${outcome}; ${evidence}`);
      return undefined;
    }
    this.#count += 1;
    this.#inForce.set(this.#count, { number: this.#count, kind, injected });
    this.#onEvent(`${this.#count} ${kind}: ${outcome}; ${evidence}`);
    return this.#count;
  }

  async #heal(number: number): Promise<void> {
    const fault = this.#inForce.get(number);
    this.#inForce.delete(number);
    if (fault?.injected.heal === undefined) return;
    const { evidence } = await fault.injected.heal();
    this.#onEvent(`${number} ${fault.kind}: healed; ${evidence}`);
  }

  #notice(notice: Notice): void {
    if (notice.kind !== "promotion") return;
    this.#onEvent(`promotion: ${notice.evidence}`);
    this.#guard(this.#board.publish({ kind: "promotion" }));
  }
}

async function keysOf(node: NodeHandle): Promise<number | undefined> {
  try {
    return Number(await node.command("DBSIZE"));
  } catch {
    // It was stopped meanwhile, or is still loading.
    return undefined;
  }
}

/**
 * The faults of a plan that a service can follow.
 * @throws UserError for a fault that waits for what only a run has
 */
export function followable(steps: Plan["faults"]): ReturnType<typeof readyFaults> {
  const ready = readyFaults(steps, faults);
  for (const [index, { at, until }] of steps.entries()) {
    requireOwn(at, index);
    if (until !== undefined) requireOwn(until, index);
  }
  return ready;
}

function requireOwn(trigger: Trigger, index: number): void {
  if ("atMs" in trigger || (isEventTrigger(trigger) && OWN_EVENTS.includes(trigger.on))) return;
  const what = isEventTrigger(trigger) ? trigger.on : "a message";
  throw new UserError(
    `fault ${index} of the plan waits for ${what}, which nobody sees here`,
    'give it a time: {"atMs": 2000}',
  );
}
