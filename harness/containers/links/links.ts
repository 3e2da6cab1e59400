import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Proxy, type Toxic, Toxiproxy, type ICreateToxicBody, type Latency } from "toxiproxy-node-client";
import { HarnessError, messageOf } from "../../core/errors.ts";
import type { Evidence } from "../../core/system.ts";
import type { Address } from "../../core/lock-driver.ts";
import type { Probe } from "../servers/server-kind.ts";
import { SerialQueue } from "../../core/serial-queue.ts";
import { inFigures } from "../../core/words/in-figures.ts";

/** Which half of a link: `upstream` leads from the client to the server, `downstream` back. */
export type Direction = "upstream" | "downstream";

/** A healed link passes on the bytes that it held, so "for ever" only means longer than any run. */
const FOR_EVER_MS = 3_600_000;
/** An answer takes well under a millisecond here; after this long without one, none is coming. */
const SILENCE_MS = 60;
/** Before a disturbance, however, a slow answer proves nothing on a busy machine. */
const FIRST_ANSWER_MS = 250;
/**
 * The check does not wait for a longer delay: no answer within this time proves it, and the fault counts as in effect.
 */
const LONGEST_MEASURED_MS = 250;
const HEAL_DEADLINE_MS = 1_000;
/** How long to wait for the port of a link that is to listen again, and how often to try. */
const PORT_DEADLINE_MS = 10_000;
const PORT_INTERVAL_MS = 20;
/** What the client says of Toxiproxy's answer when its port is taken (2.12.0); it leaves the answer's text out. */
const CANNOT_LISTEN = /\bstatus code 500$/;

/**
 * One link between a client and a server, a separate Toxiproxy proxy that listens on loopback. The only file that uses
 * toxiproxy-node-client. Where faults overlap, the strongest counts, and the first to heal ends them all.
 */
export class Link {
  readonly address: Address;
  readonly #proxy: Proxy;
  readonly #probe: Probe;
  readonly #serial = new SerialQueue();
  readonly #toxics = new Map<Direction, Toxic<Latency>>();
  #closed = false;
  #resets = 0;
  #healed = Promise.withResolvers<void>();

  /** @param probe a request that the server behind it answers, to check whether the link works */
  constructor(proxy: Proxy, probe: Probe) {
    this.#proxy = proxy;
    this.#probe = probe;
    const port = Number(proxy.listen.slice(proxy.listen.lastIndexOf(":") + 1));
    this.address = { host: "127.0.0.1", port };
  }

  get name(): string {
    return this.#proxy.name;
  }

  /** How often its connections have been reset. */
  get resets(): number {
    return this.#resets;
  }

  /** Waits as long as the link's disturbance makes a byte of this direction wait that comes now. */
  async passage(direction: Direction): Promise<void> {
    const delayMs = this.#toxics.get(direction)?.attributes.latency;
    if (delayMs === undefined) return;
    const over = new AbortController();
    const late = sleep(delayMs, undefined, { signal: over.signal, ref: false }).catch(() => {});
    while (!over.signal.aborted) {
      const healed = this.#healed.promise.then(() => true);
      if (!(await Promise.race([late.then(() => false), healed])) || !this.#toxics.has(direction)) over.abort();
    }
  }

  /** Holds every byte of one direction until it is healed, and checks whether an answer still comes. */
  async hold(direction: Direction): Promise<Evidence> {
    const answered = await this.#impose(direction, FOR_EVER_MS);
    if (!answered) return this.#unseen();
    const answer = await this.#ask(SILENCE_MS);
    if (answer !== undefined) return { observed: false, detail: `${this.name}: still answers` };
    return { observed: true, detail: `${this.name}: no answer to ${this.#probe.name} in ${inFigures(SILENCE_MS)} ms` };
  }

  /** Delays every byte of one direction by `delayMs`, and measures it. */
  async delay(direction: Direction, delayMs: number): Promise<Evidence> {
    const answered = await this.#impose(direction, delayMs);
    if (!answered) return this.#unseen();
    // An answer takes twice as long where both directions are delayed.
    const deadlineMs = delayMs > LONGEST_MEASURED_MS ? LONGEST_MEASURED_MS : delayMs * 2 + SILENCE_MS;
    const answer = await this.#ask(deadlineMs);
    if (answer === undefined)
      return {
        observed: true,
        detail: `${this.name}: no answer to ${this.#probe.name} in ${inFigures(deadlineMs)} ms`,
      };
    return {
      observed: answer >= delayMs,
      detail: `${this.name}: ${this.#probe.name} answered after ${inFigures(answer, 1)} ms`,
    };
  }

  /**
   * Closes every connection of this link, once. Toxiproxy's `reset_peer` acts only on connections that carry data, and
   * then sends FIN, not RST (measured with 2.12.0): taking the proxy down and up again closes the idle ones too.
   */
  reset(): Promise<Evidence> {
    return this.#serial.run(async () => {
      if (this.#closed) return this.#unseen();
      const canary = await this.#open();
      const closed = new Promise<void>((resolve) => {
        if (canary.destroyed) resolve();
        else canary.once("close", () => resolve());
      });
      this.#resets += 1;
      await this.#enable(false);
      await closed;
      await this.#enable(true);
      return { observed: true, detail: `${this.name}: an idle connection was closed` };
    });
  }

  /** Removes all disturbances of one direction; held bytes pass. */
  heal(direction: Direction): Promise<Evidence> {
    return this.#serial.run(async () => {
      const toxic = this.#toxics.get(direction);
      this.#toxics.delete(direction);
      await toxic?.remove();
      this.#healed.resolve();
      this.#healed = Promise.withResolvers();
      if (this.#closed || this.#toxics.size > 0) {
        return { observed: true, detail: `${this.name}: no fault holds it ${direction} any more` };
      }
      const answer = await this.#ask(HEAL_DEADLINE_MS);
      const detail = answer === undefined ? `${this.name}: no answer after healing` : `${this.name}: answers again`;
      return { observed: answer !== undefined, detail };
    });
  }

  /**
   * Refuses connections and closes existing ones, as a machine does whose server has died. Toxiproxy itself would
   * accept connections and wait for an answer from an address without a server, for a second and more after the server
   * is back.
   */
  close(): Promise<void> {
    return this.#serial.run(async () => {
      this.#closed = true;
      await this.#enable(false);
    });
  }

  /** Undoes `close`. Earlier disturbances of the link are still in force. */
  open(): Promise<void> {
    return this.#serial.run(async () => {
      this.#closed = false;
      await this.#enable(true);
    });
  }

  /** Removes the link with all its connections. */
  remove(): Promise<void> {
    return this.#serial.run(() => this.#proxy.remove());
  }

  /**
   * Delays one direction, unless it is already delayed by more. Returns whether there was something to disturb: whether
   * the server answered before, as far as the link let it.
   */
  #impose(direction: Direction, delayMs: number): Promise<boolean> {
    return this.#serial.run(async () => {
      const answered = this.#toxics.size > 0 || (await this.#ask(FIRST_ANSWER_MS)) !== undefined;
      const present = this.#toxics.get(direction);
      if (present === undefined) this.#toxics.set(direction, await this.#proxy.addToxic(latency(direction, delayMs)));
      else if (present.attributes.latency < delayMs)
        this.#toxics.set(direction, await present.update(latency(direction, delayMs)));
      return answered;
    });
  }

  #unseen(): Evidence {
    return { observed: false, detail: `${this.name}: no answer before either` };
  }

  /**
   * Takes the proxy down or up. While it is down, the kernel may give its port to somebody else's connection: then it
   * comes up when that has gone.
   * @throws HarnessError when Toxiproxy refuses for another reason, or for too long
   */
  async #enable(enabled: boolean): Promise<void> {
    const deadline = performance.now() + PORT_DEADLINE_MS;
    for (;;) {
      try {
        await this.#proxy.update({ ...this.#proxy.toJson(), enabled });
        return;
      } catch (error) {
        const reason = messageOf(error);
        if (!enabled || !CANNOT_LISTEN.test(reason) || performance.now() > deadline) {
          const problem = `Toxiproxy cannot ${enabled ? "open" : "close"} ${this.name}: ${reason}`;
          throw new HarnessError(problem, { cause: error });
        }
        await sleep(PORT_INTERVAL_MS);
      }
    }
  }

  /**
   * Milliseconds until the probe is answered through the link; undefined when it is not answered within `deadlineMs`.
   */
  async #ask(deadlineMs: number): Promise<number | undefined> {
    const socket = await this.#open();
    if (socket.destroyed) return undefined;
    const begun = performance.now();
    const answered = Promise.withResolvers<number | undefined>();
    const timer = setTimeout(() => answered.resolve(undefined), deadlineMs);
    socket.on("data", () => answered.resolve(performance.now() - begun));
    socket.on("close", () => answered.resolve(undefined));
    socket.write(this.#probe.bytes);
    const result = await answered.promise;
    clearTimeout(timer);
    socket.destroy();
    return result;
  }

  /** A connection through the link, or what is left of a refused one. */
  #open(): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect(this.address.port, this.address.host);
      // A reset while probing is seen as `close`.
      socket.on("error", () => {});
      for (const outcome of ["connect", "close"]) socket.once(outcome, () => resolve(socket));
    });
  }
}

/** Toxiproxy's `latency` holds bytes back and keeps them; its `timeout` drops the bytes that arrive meanwhile. */
function latency(direction: Direction, delayMs: number): ICreateToxicBody<Latency> {
  const attributes = { latency: delayMs, jitter: 0 };
  return { name: direction, type: "latency", stream: direction, toxicity: 1, attributes };
}

/** `client-0->node-2`. */
export function linkName(client: string, server: string): string {
  return `${client}->${server}`;
}

/** The target of a link: an address as the Toxiproxy server sees it. */
export interface LinkSpec {
  /** As by `linkName`. */
  readonly name: string;
  readonly upstream: Address;
  /** What the server there answers. */
  readonly probe: Probe;
}

/**
 * Creates all links in one call. Each listens on a port that the kernel chose.
 * @param api the address of the Toxiproxy server's own interface, `http://127.0.0.1:8474`
 * @throws HarnessError when the server refuses
 */
export async function createLinks(api: string, specs: readonly LinkSpec[]): Promise<ReadonlyMap<string, Link>> {
  try {
    const proxies = await new Toxiproxy(api).populate(
      specs.map(({ name, upstream }) => ({
        name,
        listen: "127.0.0.1:0",
        upstream: `${upstream.host}:${upstream.port}`,
        enabled: true,
      })),
    );
    return new Map(
      specs.flatMap(({ name, probe }) => {
        const proxy = proxies[name];
        return proxy === undefined ? [] : [[name, new Link(proxy, probe)] as const];
      }),
    );
  } catch (error) {
    throw new HarnessError(`Toxiproxy did not make the links: ${messageOf(error)}`, { cause: error });
  }
}
