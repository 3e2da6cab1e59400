import type { Queued } from "../../core/lock-driver.ts";
import type {
  ClientHandle,
  ClientReply,
  ClientRequest,
  Evidence,
  PauseToCome,
  RenewedLease,
} from "../../core/system.ts";
import { FakeProcess, type Act } from "./fake-process.ts";

type Lost = { readonly key: string; readonly owner: string };

/**
 * A client whose operations are answered by `serve`. While paused, it answers once it is resumed; after a kill, never.
 */
export class FakeClient extends FakeProcess implements ClientHandle {
  /** What it was asked to do, in order. */
  readonly requests: ClientRequest[] = [];
  readonly #serve: (request: ClientRequest) => Promise<ClientReply>;
  readonly #lostListeners: ((lost: Lost) => void)[] = [];
  readonly #renewedListeners: ((renewed: RenewedLease) => void)[] = [];
  readonly #queuedListeners: ((queued: Queued) => void)[] = [];
  readonly #death = Promise.withResolvers<ClientReply>();
  #running = Promise.withResolvers<void>();
  #busy = 0;
  /** The most operations that it may be asked for at a time. */
  mostAtOnce = 1;
  #onSend: (() => Promise<Evidence>) | undefined;

  constructor(name: string, act: Act, serve: (request: ClientRequest) => Promise<ClientReply>) {
    super(name, act);
    this.#serve = serve;
    this.#running.resolve();
  }

  async perform(request: ClientRequest): Promise<ClientReply> {
    if (this.#busy >= this.mostAtOnce) throw new Error(`${this.name} was asked for too many things at once`);
    if (this.current === "dead") return { ok: false, kind: "error", reason: "the client is dead" };
    this.#busy += 1;
    this.requests.push(request);
    const reply = await Promise.race([this.#answer(request), this.#death.promise]);
    this.#busy -= 1;
    return reply;
  }

  /** It stops when the test calls `send`. */
  async pauseAtSend(to: readonly string[], count: number): Promise<PauseToCome> {
    let stopped = false;
    this.#onSend = () => {
      stopped = true;
      return this.pause();
    };
    return {
      evidence: await this.act(`${this.name} pauseAtSend ${to.join(",")} ${count}`),
      end: () =>
        stopped && this.current === "paused"
          ? this.resume()
          : Promise.resolve({ observed: stopped, detail: `${this.name} did not come to send` }),
    };
  }

  /** It is about to send the message at which it should stop. */
  async send(): Promise<void> {
    await this.#onSend?.();
    this.#onSend = undefined;
  }

  onLost(listener: (lost: Lost) => void): void {
    this.#lostListeners.push(listener);
  }

  onRenewed(listener: (renewed: RenewedLease) => void): void {
    this.#renewedListeners.push(listener);
  }

  onQueued(listener: (queued: Queued) => void): void {
    this.#queuedListeners.push(listener);
  }

  /** The lock learns that an acquire stands in the queue. */
  tellQueued(queued: Queued): void {
    for (const listener of this.#queuedListeners) listener(queued);
  }

  /** The lock prolongs a lease by itself. */
  tellRenewed(renewed: RenewedLease): void {
    for (const listener of this.#renewedListeners) listener(renewed);
  }

  /** The lock finds out that a lease is gone. */
  tellLost(lost: Lost): void {
    for (const listener of this.#lostListeners) listener(lost);
  }

  protected override changed(): void {
    if (this.current === "dead") {
      this.#death.resolve({ ok: false, kind: "indeterminate", reason: "the client died" });
    } else if (this.current === "paused") this.#running = Promise.withResolvers<void>();
    else this.#running.resolve();
  }

  async #answer(request: ClientRequest): Promise<ClientReply> {
    await this.#running.promise;
    const reply = await this.#serve(request);
    await this.#running.promise;
    return reply;
  }
}
