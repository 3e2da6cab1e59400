import type { InputListener } from "../../simulated/kernel/input-listener.ts";
import { Digest } from "./digest.ts";

/** An input of a host, and the digest of all its inputs up to this one. */
interface Input {
  readonly atUs: number;
  readonly digest: string;
}

/** The host of the code that drives the run, and the simulation itself: no part of the system under test. */
const NOT_HOSTS = new Set(["harness", "world"]);
/** Periodic work of a server. Its effects reach other hosts as inputs. */
const PERIODIC = "cron";

const SHORTEST_INFO_BYTES = 400;
const INFO = Buffer.from("server_time_usec:");

/** Whether it is a reply to INFO, which says what time it is and counts commands: no two are equal. */
function isInfo(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(INFO);
}

/** The lines of such a reply by which a client library decides anything: the state of the server and its role. */
function decidingLines(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("latin1").split("\r\n");
  return lines.filter((line) => /^(?:async_)?loading:|^role:|^master_(?:host|port|link_status):/.test(line)).join();
}

/**
 * The inputs of each host of one run, without their times: messages with their bytes, timers, connections that open and
 * break, and the end of the process. What a host does depends on these and on its clock. Its own name is left out of its
 * inputs, so that equal servers with equal inputs have equal digests.
 */
export class InputHistories implements InputListener {
  readonly #inputs = new Map<string, Input[]>();
  readonly #digests = new Map<string, Digest>();
  /** The event in progress; its bytes come after it. */
  #pending: { readonly host: string; readonly atUs: number } | undefined;
  #atUs = 0;
  #beginUs = 0;

  /** What came before is the same in all schedules: each host is up, and each client connected to each server. */
  onBegin(atUs: number): void {
    this.#beginUs = atUs;
    this.#pending = undefined;
    this.#inputs.clear();
    this.#digests.clear();
  }

  onInput(host: string, label: string, atUs: number): void {
    this.#atUs = atUs;
    if (NOT_HOSTS.has(host) || label === PERIODIC) return;
    this.#flush();
    this.#digestOf(host).text(label.replaceAll(host, "self"));
    this.#pending = { host, atUs };
  }

  onBytes(host: string, bytes: Uint8Array): void {
    if (NOT_HOSTS.has(host)) return;
    const digest = this.#digestOf(host);
    if (bytes.length > SHORTEST_INFO_BYTES && isInfo(bytes)) digest.text(decidingLines(bytes));
    else digest.bytes(bytes);
  }

  onState(host: string, state: "running" | "paused" | "dead"): void {
    if (state !== "dead" || NOT_HOSTS.has(host)) return;
    this.#flush();
    this.#digestOf(host).text(state);
    this.#pending = { host, atUs: this.#atUs };
  }

  /** The digest of what reached a host before a time, in nanoseconds since the start of the run. */
  before(host: string, timeNs: number): string {
    this.#flush();
    const inputs = this.#inputs.get(host) ?? [];
    return inputs.findLast(({ atUs }) => (atUs - this.#beginUs) * 1000 < timeNs)?.digest ?? "";
  }

  /** Every host that is part of the system, and the digest of all that reached it. */
  all(): readonly (readonly [host: string, digest: string])[] {
    return [...this.#digests].map(([host, digest]) => [host, digest.value()] as const).toSorted(byHost);
  }

  /** The times of the inputs of these hosts, in nanoseconds since the start of the run. */
  timesOf(isWanted: (host: string) => boolean): readonly number[] {
    this.#flush();
    return [...this.#inputs].flatMap(([host, inputs]) =>
      isWanted(host) ? inputs.map(({ atUs }) => (atUs - this.#beginUs) * 1000) : [],
    );
  }

  #digestOf(host: string): Digest {
    let digest = this.#digests.get(host);
    if (digest === undefined) this.#digests.set(host, (digest = new Digest()));
    return digest;
  }

  #flush(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    const inputs = this.#inputs.get(pending.host) ?? [];
    inputs.push({ atUs: pending.atUs, digest: this.#digestOf(pending.host).value() });
    this.#inputs.set(pending.host, inputs);
  }
}

function byHost([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}
