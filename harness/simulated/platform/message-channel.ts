import workerThreads from "node:worker_threads";
import type { Host } from "../kernel/host.ts";
import { hostCalling } from "../kernel/current-context.ts";
import { replace } from "./replace.ts";

type Listener = (event: Event) => void;

/**
 * Patches `MessageChannel`, which schedulers use to defer work: a real port delivers its messages at a real time. In a
 * host they arrive within the step in which they were posted.
 */
export function patchMessageChannel(): void {
  const Real = globalThis.MessageChannel;
  const Patched = new Proxy(Real, {
    construct(target, args, newTarget: NewableFunction) {
      const host = hostCalling("new MessageChannel()");
      return host === null ? (Reflect.construct(target, args, newTarget) as object) : simulatedChannel(host);
    },
  });
  replace(globalThis, "MessageChannel", Patched);
  replace(workerThreads, "MessageChannel", Patched);
  const receive = workerThreads.receiveMessageOnPort;
  replace(workerThreads, "receiveMessageOnPort", (port: unknown) =>
    port instanceof SimulatedPort ? port.take() : receive(port as workerThreads.MessagePort),
  );
}

function simulatedChannel(host: Host): { readonly port1: SimulatedPort; readonly port2: SimulatedPort } {
  const port1 = new SimulatedPort(host);
  const port2 = new SimulatedPort(host);
  port1.peer = port2;
  port2.peer = port1;
  return { port1, port2 };
}

/** One end of a channel, with the methods of the web and those of Node. A channel keeps no process alive here. */
class SimulatedPort extends EventTarget {
  peer: SimulatedPort | null = null;
  readonly #host: Host;
  readonly #wrapped = new Map<unknown, Listener>();
  readonly #waiting: { readonly message: unknown }[] = [];
  #started = false;
  #onmessage: Listener | null = null;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  get onmessage(): Listener | null {
    return this.#onmessage;
  }

  set onmessage(listener: Listener | null) {
    if (this.#onmessage !== null) this.removeEventListener("message", this.#onmessage);
    this.#onmessage = listener;
    if (listener === null) return;
    this.addEventListener("message", listener);
    this.start();
  }

  postMessage(message: unknown, transfer?: unknown): void {
    const options = Array.isArray(transfer) ? { transfer } : (transfer ?? {});
    const copy: unknown = structuredClone(message, options as Parameters<typeof structuredClone>[1]);
    const { peer } = this;
    if (peer !== null) peer.#accept(copy);
  }

  /** The oldest message that was posted and that no listener has heard yet, as `receiveMessageOnPort` gives it. */
  take(): { readonly message: unknown } | undefined {
    return this.#waiting.shift();
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const _ of this.#waiting) this.#host.work.addPending(this.#deliver);
  }

  close(): void {
    const { peer } = this;
    if (peer === null) return;
    for (const port of [this, peer]) {
      port.peer = null;
      this.#host.work.addClosing(() => port.dispatchEvent(new Event("close")));
    }
  }

  /** Node's form: a listener gets the posted message, not an event. */
  on(name: string, listener: (value: unknown) => void): this {
    return this.#listen(name, listener, (event) => listener(valueOf(event)));
  }

  once(name: string, listener: (value: unknown) => void): this {
    const wrapped: Listener = (event) => {
      this.off(name, listener);
      listener(valueOf(event));
    };
    return this.#listen(name, listener, wrapped);
  }

  off(name: string, listener: (value: unknown) => void): this {
    const wrapped = this.#wrapped.get(listener);
    if (wrapped !== undefined) this.removeEventListener(name, wrapped);
    this.#wrapped.delete(listener);
    return this;
  }

  addListener(name: string, listener: (value: unknown) => void): this {
    return this.on(name, listener);
  }

  removeListener(name: string, listener: (value: unknown) => void): this {
    return this.off(name, listener);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  #listen(name: string, listener: unknown, wrapped: Listener): this {
    this.#wrapped.set(listener, wrapped);
    this.addEventListener(name, wrapped);
    if (name === "message") this.start();
    return this;
  }

  #accept(message: unknown): void {
    this.#waiting.push({ message });
    if (this.#started) this.#host.work.addPending(this.#deliver);
  }

  readonly #deliver = (): void => {
    const taken = this.take();
    if (taken !== undefined) this.dispatchEvent(new MessageEvent("message", { data: taken.message }));
  };
}

function valueOf(event: Event): unknown {
  return event instanceof MessageEvent ? (event.data as unknown) : event;
}
