import { AsyncLocalStorage } from "node:async_hooks";
import { ClientProgram, type ClientProgramOptions } from "../../client/client-program.ts";
import { ClientTimers } from "../../client/fake-timers.ts";
import { messageOf, UnusableClientError } from "../../core/errors.ts";
import type { Queued } from "../../core/lock-driver.ts";
import type { ClientHandle, ClientReply, ClientRequest, PauseToCome, RenewedLease } from "../../core/system.ts";
import type { Host } from "../kernel/host.ts";
import { HostDiedError } from "../kernel/host-tasks.ts";
import type { Network } from "../network/network.ts";
import { deadAddressWords, unconnectedWords } from "./dead-addresses.ts";
import type { SendStops } from "./send-stops.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** An operation of a client that is under way. */
interface UnderWay {
  /** The index of its invocation. */
  readonly invoked: number | undefined;
}

/** The operation in whose course the program of a client goes on. */
const course = new AsyncLocalStorage<UnderWay>();

type LostListener = (lost: { readonly key: string; readonly owner: string }) => void;

/** A client of a simulation: the unmodified lock on the patched platform, in a separate host. */
export class SimulatedClient extends SimulatedProcess implements ClientHandle {
  readonly #runner: Host;
  readonly #network: Network;
  readonly #stops: SendStops;
  readonly #listeners: LostListener[] = [];
  readonly #renewedListeners: ((renewed: RenewedLease) => void)[] = [];
  readonly #queuedListeners: ((queued: Queued) => void)[] = [];
  #program: ClientProgram | undefined;
  readonly #underWay = new Set<UnderWay>();

  /** @param runner the host of the caller of this client */
  constructor(host: Host, runner: Host, network: Network, stops: SendStops) {
    super(host);
    this.#runner = runner;
    this.#network = network;
    this.#stops = stops;
  }

  /**
   * Connects lock and resource, in the client's host.
   * @throws the driver's error
   */
  async connect(options: ClientProgramOptions): Promise<void> {
    await this.host.call("connect", async () => {
      const program = await ClientProgram.start({ ...options, timers: new ClientTimers(() => this.openTimers()) });
      program.onLost((lost) => {
        const { key, owner } = lost;
        this.#runner.post(`${this.name} lost ${key}`, () =>
          this.#listeners.forEach((listener) => listener({ key, owner })),
        );
      });
      program.onRenewed((renewed) => {
        this.#runner.post(`${this.name} renewed ${renewed.key}`, () =>
          this.#renewedListeners.forEach((listener) => listener(renewed)),
        );
      });
      program.onQueued((queued) => {
        this.#runner.post(`${this.name} queued for ${queued.key}`, () =>
          this.#queuedListeners.forEach((listener) => listener(queued)),
        );
      });
      this.#program = program;
    });
  }

  /** See `deadAddressWords`. */
  get deadAddressWords(): string | undefined {
    return deadAddressWords(this.#network, this.host);
  }

  /**
   * Index of the invocation that is under way; of several, that of which the program goes on in its course. Undefined: none, or
   * nobody knows which one, as where one connection sends for all what had to wait for it.
   */
  get operation(): number | undefined {
    const own = course.getStore();
    if (own !== undefined && this.#underWay.has(own)) return own.invoked;
    const [first, ...others] = this.#underWay;
    return others.length === 0 ? first?.invoked : undefined;
  }

  async perform(request: ClientRequest, invoked?: number): Promise<ClientReply> {
    const operation: UnderWay = { invoked };
    this.#underWay.add(operation);
    try {
      return await this.#ask(request, operation);
    } finally {
      this.#underWay.delete(operation);
    }
  }

  async #ask(request: ClientRequest, operation: UnderWay): Promise<ClientReply> {
    if (this.host.state === "dead") return { ok: false, kind: "error", reason: "the client is dead" };
    try {
      const perform = () => course.run(operation, () => this.#perform(request));
      const reply = await this.host.call(request.op, perform);
      return reply.ok ? reply : this.#explained(reply);
    } catch (error) {
      if (error instanceof UnusableClientError) {
        throw new UnusableClientError(`the lock of ${this.name} cannot go on: ${error.message}`, error.hint);
      }
      const reason = error instanceof HostDiedError ? "the client died" : messageOf(error);
      return { ok: false, kind: "indeterminate", reason };
    }
  }

  /** An operation that failed for want of a server says so: its driver may only know that nobody answered. */
  #explained(reply: Extract<ClientReply, { ok: false }>): ClientReply {
    const unconnected = reply.kind === "indeterminate" ? unconnectedWords(this.#network, this.host) : undefined;
    const words = reply.kind === "contended" ? undefined : (this.deadAddressWords ?? unconnected);
    return words === undefined ? reply : { ...reply, reason: `${reply.reason}; ${words}` };
  }

  pauseAtSend(to: readonly string[], count: number): Promise<PauseToCome> {
    const stop = this.#stops.add(this.host, to, count);
    const when = count === 1 ? "when" : `the ${count}. time that`;
    const detail = `${this.name} stops ${when} it sends to ${to.join(" or ")}`;
    return Promise.resolve({
      evidence: { observed: this.host.state === "running", detail },
      end: () => {
        if (stop.callOff()) {
          return Promise.resolve({ observed: false, detail: `${this.name} did not come to send, and was not stopped` });
        }
        return this.host.state === "paused"
          ? this.resume()
          : Promise.resolve({ observed: true, detail: `${this.name} was stopped, and is ${this.host.state}` });
      },
    });
  }

  async close(): Promise<void> {
    await this.host.call("close", async () => this.#program?.close());
  }

  openConnections(): number {
    return this.#network.openEndsOf(this.host);
  }

  openTimers(): number {
    return this.host.kernel.timersOf(this.host);
  }

  onLost(listener: LostListener): void {
    this.#listeners.push(listener);
  }

  onRenewed(listener: (renewed: RenewedLease) => void): void {
    this.#renewedListeners.push(listener);
  }

  onQueued(listener: (queued: Queued) => void): void {
    this.#queuedListeners.push(listener);
  }

  #perform(request: ClientRequest): Promise<ClientReply> {
    if (this.#program === undefined) throw new Error(`${this.name} was not connected`);
    return this.#program.perform(request);
  }
}
