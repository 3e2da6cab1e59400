import { readlinkSync } from "node:fs";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import type { Plan } from "../core/plan.ts";

/** What a thread was doing when its beats stopped. */
export interface HeartbeatTask {
  /** The lock, in words for a sentence. */
  readonly lock: string;
  /** The run that it was simulating; absent while it loads the lock. */
  readonly plan?: Plan | undefined;
  /** The folder for what is kept of runs; absent where nothing is kept. */
  readonly store?: string | undefined;
}

/** Places in the memory that a thread shares with the one that watches it. */
const STEPS = 0;
const AT_WORK = 1;
const TASK_BYTES = 2;
const SYSTEM_THREAD = 3;
/** How often the writing of a task has begun or ended: odd while one is written. */
const TASK_EDITION = 4;
const HEAD_BYTES = 20;
/** A longer plan is left out. */
const MOST_TASK_BYTES = 1 << 18;

const KEY = "lockstorm.heartbeat";
const holder: typeof globalThis & { [key: symbol]: Heartbeat | undefined } = globalThis;

/** Memory for the beats of one thread. */
export function heartbeatMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + MOST_TASK_BYTES);
}

/** Makes the thread that is started next beat in this memory. */
export function giveHeartbeat(memory: SharedArrayBuffer): void {
  setEnvironmentData(KEY, memory);
}

/**
 * How a thread that runs strangers' code shows that it gets ahead: it counts its steps in memory that another thread
 * reads. While strangers' code loops without waiting, nothing else of its thread can run.
 */
export class Heartbeat {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #task: Buffer;
  #store: string | undefined;

  /** @param memory what `heartbeatMemory` made */
  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#numbers = new Int32Array(memory, 0, HEAD_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#task = Buffer.from(memory, HEAD_BYTES);
    this.#numbers[SYSTEM_THREAD] = systemThread();
  }

  /** A step of strangers' code begins; the one before is over. */
  beat(): void {
    this.#numbers[STEPS] = (this.#numbers[STEPS] ?? 0) + 1;
    this.#numbers[AT_WORK] = 1;
  }

  /** The step in progress gets ahead: it has loaded another file. Nothing changes where no step is in progress. */
  advance(): void {
    this.#numbers[STEPS] = (this.#numbers[STEPS] ?? 0) + 1;
  }

  /** No stranger's code runs until the next beat. */
  rest(): void {
    this.#numbers[AT_WORK] = 0;
  }

  /** From now on, what is kept goes into this folder. */
  keepIn(store: string): void {
    this.#store = store;
  }

  /** What the thread does from now on. */
  begin(task: HeartbeatTask): void {
    const whole = JSON.stringify({ store: this.#store, ...task });
    // Of a text that does not fit, only a part would be written. A character takes three bytes at most.
    const fits = whole.length * 3 <= MOST_TASK_BYTES;
    Atomics.add(this.#numbers, TASK_EDITION, 1);
    const bytes = this.#task.write(fits ? whole : JSON.stringify({ lock: task.lock }));
    Atomics.store(this.#numbers, TASK_BYTES, bytes);
    Atomics.add(this.#numbers, TASK_EDITION, 1);
  }

  /** Does something outside of steps that runs strangers' code. */
  async during<T>(task: HeartbeatTask, work: () => Promise<T>): Promise<T> {
    this.begin(task);
    this.beat();
    try {
      return await work();
    } finally {
      this.rest();
    }
  }
}

/** The beats of another thread, as the one that watches it reads them. */
export class HeartbeatReader {
  readonly #memory: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory;
    this.#numbers = new Int32Array(memory, 0, HEAD_BYTES / Int32Array.BYTES_PER_ELEMENT);
  }

  /** How many steps have begun; undefined while no stranger's code runs. */
  get step(): number | undefined {
    return Atomics.load(this.#numbers, AT_WORK) === 1 ? Atomics.load(this.#numbers, STEPS) : undefined;
  }

  /** The operating system's number of the thread; undefined where it does not say. */
  get systemThread(): number | undefined {
    return Atomics.load(this.#numbers, SYSTEM_THREAD) || undefined;
  }

  /** What the thread does; undefined when it has not said, or says it at this moment: what is read then may be torn. */
  get task(): HeartbeatTask | undefined {
    const edition = Atomics.load(this.#numbers, TASK_EDITION);
    const bytes = Atomics.load(this.#numbers, TASK_BYTES);
    const text = Buffer.from(this.#memory, HEAD_BYTES, bytes).toString();
    const isWhole = edition % 2 === 0 && Atomics.load(this.#numbers, TASK_EDITION) === edition;
    return text === "" || !isWhole ? undefined : (JSON.parse(text) as HeartbeatTask);
  }
}

function systemThread(): number {
  try {
    return Number(/\d+$/.exec(readlinkSync("/proc/thread-self"))?.[0] ?? 0);
  } catch {
    // Not Linux.
    return 0;
  }
}

/** Reads at once: the data are those of the thread's parent at its start, and this thread may give others to its own. */
function ofParent(): SharedArrayBuffer | undefined {
  const given = getEnvironmentData(KEY);
  return given instanceof SharedArrayBuffer ? given : undefined;
}

/** The heartbeat of this thread, one for all copies of this module. */
export const heartbeat: Heartbeat = (holder[Symbol.for(KEY)] ??= new Heartbeat(ofParent() ?? heartbeatMemory()));
