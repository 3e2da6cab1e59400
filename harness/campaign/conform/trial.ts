import type { ClientHandle, ClientReply, SystemUnderTest } from "../../core/system.ts";
import type { Sharing } from "../../core/sharing.ts";
import { topologyOf } from "../../core/topologies/registry.ts";
import { dataNodes } from "../../core/topology.ts";
import type { Conformity } from "./conformity.ts";
import { inFigures } from "../../core/words/in-figures.ts";
import { CONTENDED } from "./answers-in-words.ts";

/** The key that checks lock. */
export const KEY = "k1";
/** A lease that outlasts what a check does meanwhile. Short, because some locks limit how long a lease may be. */
export const LEASE_MS = 2500;

export type GrantedReply = Extract<ClientReply, { readonly ok: true }> & { readonly owner: string };

/** A reply of a client, and how long it took in milliseconds of virtual time. */
export interface Answer {
  readonly reply: ClientReply;
  readonly tookMs: number;
}

/** Until when a lease that was granted is certainly in force, on the clock of the trial. */
export interface InForce {
  readonly untilMs: number;
  /** Whether the driver said so (`validForMs`). Absent: it counts from the request, for as long as was asked for. */
  readonly isStated?: boolean;
}

/** What a check asks a client for; how it shares the key, if the driver supports that. */
interface AcquireRequest extends Sharing {
  readonly ttlMs: number;
  readonly waitMs?: number;
  readonly key?: string;
}

/** What is known of where a check runs. */
export interface Conditions {
  /** Leases are asked for in whole multiples of it. Default: 1 */
  readonly ttlGranularityMs?: number | undefined;
  /** By how much timers of this machine were late at most since the check began. Default: they never are, as in simulation. */
  readonly lateMs?: () => number;
  /** Whether a check in which an answer came late is tried again: what holds up one process now and then is no driver's. */
  readonly triesAgain?: boolean;
}

/** Less than any library waits for an answer. */
const SHORTEST_DEADLINE_MS = 20;
/** A request and its answer wait for a turn as often: at the client, at the link, at the server, and at the client again. */
const TURNS = 4;
/** The tries of an acquire that decide when it ends: the one that is under way when its wait is over, and one more. */
const LAST_TRIES = 2;

/** Ends a check in which an answer came late, and which is tried again. */
export class LateAnswerError extends Error {}

/** Ends a check early: what it asks cannot be tried. */
class NotReachedError extends Error {}

/** One check in progress: a running system, and what was found so far. */
export class Trial {
  readonly system: SystemUnderTest;
  readonly #ttlGranularityMs: number;
  /** Undefined where timers are never late. */
  readonly #lateMs: (() => number) | undefined;
  readonly #triesAgain: boolean;
  readonly #mistakes: string[] = [];
  readonly #remarks: string[] = [];
  /** What was wrong with answers of the wrong shape; each is a mistake too. */
  readonly #malformed = new Set<string>();
  #skipped: string | undefined;
  /** Whether a client has ended its own process. What it is asked for from then on it cannot do. */
  #hasExited = false;

  constructor(system: SystemUnderTest, { ttlGranularityMs = 1, lateMs, triesAgain = false }: Conditions = {}) {
    this.system = system;
    this.#ttlGranularityMs = ttlGranularityMs;
    this.#lateMs = lateMs;
    this.#triesAgain = triesAgain;
    system.onNotice((notice) => {
      if (notice.kind !== "crashed") return;
      const { name, evidence, stack, exits = false } = notice;
      const what = `${evidence}${stack[0] === undefined ? "" : ` (${stack[0]})`}`;
      if (!exits) return this.mistake(`${name} crashed: ${what}`);
      this.#hasExited = true;
      this.remark(`${name} ended its own process, which a run records as a crash: ${what}`);
    });
  }

  /**
   * What a check found.
   * @param check it
   */
  static async of(
    system: SystemUnderTest,
    check: (trial: Trial) => Promise<void>,
    conditions?: Conditions,
  ): Promise<Pick<Conformity, "outcome" | "details">> {
    const trial = new Trial(system, conditions);
    try {
      await check(trial);
    } catch (error) {
      if (!(error instanceof NotReachedError)) throw error;
    }
    return trial.#found();
  }

  /** The driver does not do what is asked. */
  mistake(what: string): void {
    if (!this.#hasExited) this.#mistakes.push(what);
  }

  /** What is a mistake of the `next` answer after a release, unless nobody knows whether that release has freed the lock, or when it will. */
  mistakeAfter({ reply }: Answer, next: Answer, what: string): void {
    if (reply.ok || reply.kind !== "indeterminate") return this.mistakeInTime([next], what);
    this.skip(`${what}; the release before said nothing (${reply.reason}), so that the lock may have been held still`);
  }

  /**
   * What is a mistake while these leases are in force, such as a grant to another client. Where an answer came late, they
   * may have ended before, and then the check decides nothing: on a machine that is too busy, or because the lock took its time.
   * @param atMs when it was seen, on the clock of the trial
   */
  mistakeWithin(leases: readonly InForce[], what: string, atMs = this.nowMs): void {
    const overMs = atMs - Math.min(...leases.map(({ untilMs }) => untilMs));
    const isStated = leases.every((lease) => lease.isStated === true);
    if (overMs < 0) return this.mistake(what);
    const over = `the lease it is about was over for ${roundedMs(overMs)}`;
    if (this.#lateMs !== undefined) this.skip(`the check came too late, on a busy machine: ${over}`);
    if (isStated)
      this.skip(`the driver's answers came too late for this check, or the lease is too short for it: ${over}`);
    this.skip(
      `the driver's answers came too late for this check: ${over}, counted from the request for it; if the lock granted it later, state validForMs and validFromMs`,
    );
  }

  /**
   * What is a mistake, unless all these answers say that nothing was heard in time, on a machine that is late enough for that: a
   * library has deadlines of its own, which a busy machine exceeds.
   */
  mistakeInTime(answers: readonly Answer[], what: string): void {
    const shortestMs = Math.min(...answers.map(({ tookMs }) => tookMs));
    const lateMs = this.#lateMs?.() ?? 0;
    if (
      !answers.every(({ reply }) => isUnheard(reply)) ||
      shortestMs < SHORTEST_DEADLINE_MS ||
      lateMs * TURNS < shortestMs
    )
      return this.mistake(what);
    this.#undecided(lateMs, what);
  }

  /**
   * What is a mistake of an acquire that came this long after its wait was over, unless the machine is late enough for that: the
   * driver is not to blame for the turns that its client waited for. One try may be under way when the wait ends, and one follows it.
   * @throws LateAnswerError where the check is tried again
   */
  mistakeOfLate(overdueMs: number, what: string): void {
    const lateMs = this.#lateMs?.() ?? 0;
    if (lateMs * TURNS * LAST_TRIES >= overdueMs) this.#undecided(lateMs, what);
    if (this.#triesAgain) throw new LateAnswerError(what);
    this.mistake(what);
  }

  /** A remark for readers of verdicts on this driver. */
  remark(what: string): void {
    this.#remarks.push(what);
  }

  /** Ends the check: it does not apply. @throws always */
  skip(why: string): never {
    this.#skipped = why;
    throw new NotReachedError();
  }

  /** The client of this index. */
  client(index: number): ClientHandle {
    const client = this.system.clients[index];
    if (client === undefined) throw new RangeError(`a trial has no client ${index}`);
    return client;
  }

  async acquire(client: number, { ttlMs: leastMs, waitMs = 0, key = KEY, ...sharing }: AcquireRequest) {
    const ttlMs = this.#wholeMs(leastMs);
    const fromMs = this.nowMs;
    const request = { op: "acquire", key, ttlMs, waitMs, ...sharing } as const;
    const answer = await this.#timed(() => this.client(client).perform(request));
    return { ...answer, ...inForce(answer.reply, fromMs + ttlMs) };
  }

  async extend(client: number, { owner }: GrantedReply, leastMs: number): Promise<Answer & InForce> {
    const ttlMs = this.#wholeMs(leastMs);
    const fromMs = this.nowMs;
    const answer = await this.#timed(() => this.client(client).perform({ op: "extend", key: KEY, owner, ttlMs }));
    return { ...answer, ...inForce(answer.reply, fromMs + ttlMs) };
  }

  async release(client: number, { owner }: GrantedReply, key = KEY): Promise<Answer> {
    return this.#timed(() => this.client(client).perform({ op: "release", key, owner }));
  }

  /** Acquires a free lock. If it is not granted, the check is not reached. */
  async granted(client: number, options: AcquireRequest): Promise<GrantedReply & InForce> {
    const { reply, untilMs, isStated } = await this.acquire(client, options);
    if (isGranted(reply)) return { ...reply, untilMs, isStated };
    if (!reply.ok && reply.kind === "unsupported") return this.skip(reply.reason);
    return this.skip(`client-${client} was not granted a free lock: ${replyWords(reply)}`);
  }

  sleep(ms: number): Promise<void> {
    return this.system.clock.sleep(ms);
  }

  /** Milliseconds since the start of the trial, on the clock that no fault touches. */
  get nowMs(): number {
    return this.system.clock.now() / 1e6;
  }

  /** The servers that the lock is on: the master, or all independent servers. */
  async masters(): Promise<readonly string[]> {
    return topologyOf(this.system.topology.kind).arrangement === "replicated"
      ? (await this.system.roles()).masters
      : dataNodes(this.system.topology.kind);
  }

  async command(node: string, ...words: readonly string[]): Promise<unknown> {
    const handle = this.system.nodes.find(({ name }) => name === node);
    if (handle === undefined) throw new RangeError(`a trial has no server ${node}`);
    return handle.command(...words);
  }

  /** For each server that the lock is on, the milliseconds until its longest-lived key with an expiry expires; 0 if none. */
  async expiries(): Promise<readonly number[]> {
    return Promise.all(
      (await this.masters()).map(async (node) => {
        const keys = (await this.command(node, "KEYS", "*")) as readonly string[];
        const left = await Promise.all(keys.map((key) => this.command(node, "PTTL", key)));
        return Math.max(0, ...left.map(Number));
      }),
    );
  }

  /** Whether a majority of the servers that the lock is on have a key with an expiry. */
  async isHeld(): Promise<boolean> {
    const left = await this.expiries();
    return left.filter((leftMs) => leftMs > 0).length > left.length / 2;
  }

  #undecided(lateMs: number, what: string): never {
    return this.skip(`undecided on a busy machine, whose timers were up to ${roundedMs(lateMs)} late: ${what}`);
  }

  #wholeMs(ttlMs: number): number {
    return Math.ceil(ttlMs / this.#ttlGranularityMs) * this.#ttlGranularityMs;
  }

  async #timed(perform: () => Promise<ClientReply>): Promise<Answer> {
    const from = this.nowMs;
    const reply = await perform();
    if (!reply.ok && reply.kind === "invalid-answer") {
      this.mistake(reply.reason);
      this.#malformed.add(reply.reason);
    }
    return { reply, tookMs: this.nowMs - from };
  }

  /** Each mistake once, and none that only follows from an answer of the wrong shape. */
  #told(): readonly string[] {
    const malformed = [...this.#malformed];
    return [...new Set(this.#mistakes)].filter(
      (mistake) => !malformed.some((reason) => mistake.length > reason.length && mistake.includes(reason)),
    );
  }

  #found(): Pick<Conformity, "outcome" | "details"> {
    if (this.#mistakes.length > 0) return { outcome: "mistake", details: this.#told() };
    if (this.#skipped !== undefined) return { outcome: "skipped", details: [this.#skipped] };
    return { outcome: this.#remarks.length > 0 ? "remark" : "passed", details: this.#remarks };
  }
}

/**
 * The end of the lease that a reply promises: a client that has waited for its lock states one that began later than it asked.
 * @param askedMs where the reply promises nothing: the end of the lease that was asked for
 */
function inForce(reply: ClientReply, askedMs: number): Required<InForce> {
  if (!reply.ok || reply.grantedAt === undefined || !(Number(reply.validForMs) > 0))
    return { untilMs: askedMs, isStated: false };
  return { untilMs: reply.grantedAt / 1e6 + Number(reply.validForMs), isStated: true };
}

export function isGranted(reply: ClientReply): reply is GrantedReply {
  return reply.ok && reply.owner !== undefined;
}

/** Whether an operation may have answered so because it has waited for long enough. */
export function isUnheard(reply: ClientReply): boolean {
  return !reply.ok && (reply.kind === "indeterminate" || reply.kind === "error");
}

/** A reply as the driver gave it, for a sentence. */
export function replyWords(reply: ClientReply): string {
  if (reply.ok) return reply.owner === undefined ? "ok" : `ok, as ${reply.owner}`;
  const type = reply.kind === "indeterminate" ? "info" : reply.kind;
  return `${type} (${reply.reason})`;
}

/** What follows from a refusal that does not say whether the lock is held: right if the lock itself does not say. */
export function unknownOutcome(reply: ClientReply): string {
  const instead = `if the lock can tell, answer ${CONTENDED}`;
  return `a held lock answered ${replyWords(reply)}: a lock that nobody is granted any more cannot be seen; ${instead}`;
}

/** Milliseconds in words. */
export function roundedMs(value: number): string {
  return `${inFigures(value, 0)} ms`;
}
