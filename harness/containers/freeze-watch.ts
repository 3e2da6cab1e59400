import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type Dockerode from "dockerode";
import type { Notice, ProcessState, TrueClock } from "../core/system.ts";
import { RUN_LABEL } from "./cleanup/labels.ts";
import { kernelState } from "./nodes/kernel-state.ts";
import { childrenOf } from "./nodes/process-group.ts";
import { inFigures } from "../core/words/in-figures.ts";

const BETWEEN_LOOKS_MS = 50;
/** A timer that is this late means more than a busy machine: the harness was stopped, or starved. */
const HARNESS_STOPPED_MS = 2_000;

/** A process on this machine that only faults of the plan should stop. */
export interface WatchedProcess {
  readonly name: string;
  /** The state that the faults so far have led to. */
  readonly expectedState: ProcessState;
  readonly pid: number | undefined;
  /** Whether processes that it started belong to it. */
  readonly hasChildren?: true;
}

/** A container whose pause a fault may have caused. */
export interface WatchedContainer {
  readonly name: string;
  readonly containerId: string;
  readonly expectedState: ProcessState;
  /** Called once for each time the engine paused it. Returns whether a fault caused it. */
  isExpectedPause(): boolean;
}

interface Freeze {
  readonly from: number;
  readonly evidence: string;
}

/**
 * Reports freezes that no fault of the plan caused: a paused container, a client or a server under SIGSTOP, and this
 * process itself. A slow process is not frozen: the engine must report the pause, or the kernel must show the stopped
 * state twice in a row. The harness cannot observe itself while it is stopped, so a late timer is the evidence.
 */
export class FreezeWatch implements Disposable {
  readonly #clock: TrueClock;
  readonly #notify: (notice: Notice) => void;
  readonly #processes: readonly WatchedProcess[];
  readonly #events: Readable | undefined;
  /** By cause and name. */
  readonly #frozen = new Map<string, Freeze>();
  /** Seen stopped once, by name. */
  readonly #suspects = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #lastLook: number;
  #over = false;

  private constructor(
    clock: TrueClock,
    processes: readonly WatchedProcess[],
    events: Readable | undefined,
    notify: (notice: Notice) => void,
  ) {
    this.#clock = clock;
    this.#processes = processes;
    this.#events = events;
    this.#notify = notify;
    this.#lastLook = clock.now();
  }

  /** Begins to listen to the engine; `begin` starts the checks of processes. */
  static async start(
    engine: Dockerode,
    runId: string,
    watched: { readonly clients: readonly WatchedProcess[]; readonly containers: readonly WatchedContainer[] },
    clock: TrueClock,
    notify: (notice: Notice) => void,
  ): Promise<FreezeWatch> {
    const filters = JSON.stringify({
      type: ["container"],
      event: ["pause", "unpause"],
      label: [`${RUN_LABEL}=${runId}`],
    });
    const events = (await engine.getEvents({ filters })) as Readable;
    const servers = watched.containers.map((container) => new ServerProcess(engine, container));
    await Promise.all(servers.map((server) => server.find()));
    const watch = new FreezeWatch(clock, [...watched.clients, ...servers], events, notify);
    // The death watch reports an engine that goes away.
    events.on("error", () => {});
    const lines = createInterface({ input: events });
    lines.on("error", () => {});
    lines.on("line", (line) => {
      const { id, Action } = JSON.parse(line) as { readonly id?: string; readonly Action?: string };
      const container = watched.containers.find(({ containerId }) => containerId === id);
      if (container !== undefined) watch.#hear(container, Action ?? "");
    });
    return watch;
  }

  /** Watches processes of this machine only; `begin` starts it. */
  static ofProcesses(
    processes: readonly WatchedProcess[],
    clock: TrueClock,
    notify: (notice: Notice) => void,
  ): FreezeWatch {
    return new FreezeWatch(clock, processes, undefined, notify);
  }

  /** Call it when the run, and its clock, begin. */
  begin(): void {
    this.#lastLook = this.#clock.now();
    this.#timer = setInterval(() => this.#look(), BETWEEN_LOOKS_MS).unref();
  }

  /** Reports what is still frozen, then stops watching. */
  stop(): void {
    if (this.#over) return;
    if (this.#timer !== undefined) this.#look();
    this.#over = true;
    clearInterval(this.#timer);
    this.#events?.destroy();
    const now = this.#clock.now();
    for (const key of this.#frozen.keys()) this.#thaw(key, now, true);
  }

  [Symbol.dispose](): void {
    this.#over = true;
    clearInterval(this.#timer);
    this.#events?.destroy();
  }

  #hear(container: WatchedContainer, action: string): void {
    if (this.#over) return;
    const key = `engine ${container.name}`;
    if (action === "unpause") this.#thaw(key, this.#clock.now());
    else if (action === "pause" && !container.isExpectedPause()) {
      this.#freeze(key, this.#clock.now(), "somebody paused its container");
    }
  }

  #look(): void {
    const now = this.#clock.now();
    const before = this.#lastLook;
    this.#lastLook = now;
    if (now - before >= HARNESS_STOPPED_MS * 1e6) {
      const evidence = `a timer of ${BETWEEN_LOOKS_MS} ms took ${inFigures((now - before) / 1e6, 0)} ms`;
      this.#notify({ kind: "froze", name: "harness", from: before, to: now, evidence, lasts: false });
    }
    for (const process of this.#processes) this.#lookAt(process, before, now);
  }

  #lookAt(process: WatchedProcess, before: number, now: number): void {
    const { name, expectedState, pid } = process;
    const key = `kernel ${name}`;
    const stopped = pid !== undefined && expectedState === "running" ? stoppedOf(process) : undefined;
    if (stopped === undefined) {
      this.#suspects.delete(name);
      this.#thaw(key, now);
    } else if (this.#suspects.has(name)) {
      this.#freeze(key, before, `the kernel says that its process ${stopped} is stopped`);
    } else this.#suspects.add(name);
  }

  #freeze(key: string, from: number, evidence: string): void {
    if (!this.#frozen.has(key)) this.#frozen.set(key, { from: Math.max(0, from), evidence });
  }

  #thaw(key: string, to: number, lasts = false): void {
    const freeze = this.#frozen.get(key);
    if (freeze === undefined) return;
    this.#frozen.delete(key);
    const name = key.slice(key.indexOf(" ") + 1);
    if (to > freeze.from) this.#notify({ kind: "froze", name, to, lasts, ...freeze });
  }
}

/** Which of its processes is stopped: it, or one that it started. */
function stoppedOf({ pid, hasChildren }: WatchedProcess): number | undefined {
  if (pid === undefined) return undefined;
  return [pid, ...(hasChildren === true ? childrenOf(pid) : [])].find((each) => kernelState(each) === "paused");
}

/** The server of a container, as a process of this machine. */
class ServerProcess implements WatchedProcess {
  readonly #engine: Dockerode;
  readonly #container: WatchedContainer;
  #pid: number | undefined;
  #searching = false;

  constructor(engine: Dockerode, container: WatchedContainer) {
    this.#engine = engine;
    this.#container = container;
  }

  get name(): string {
    return this.#container.name;
  }

  get expectedState(): ProcessState {
    return this.#container.expectedState;
  }

  /** Undefined while it is unknown, as after a restart; reading it then starts a look-up. */
  get pid(): number | undefined {
    if (this.#pid !== undefined && isOf(this.#pid, this.#container.containerId)) return this.#pid;
    this.#pid = undefined;
    if (this.expectedState === "running" && !this.#searching) void this.find();
    return undefined;
  }

  async find(): Promise<void> {
    this.#searching = true;
    try {
      const { State } = await this.#engine.getContainer(this.#container.containerId).inspect();
      // If the engine's processes are in another namespace, the number means another process here, or none.
      if (State.Pid > 0 && isOf(State.Pid, this.#container.containerId)) this.#pid = State.Pid;
    } catch {
      // The container is being removed; the death watch reports that.
    } finally {
      this.#searching = false;
    }
  }
}

/** Whether the process belongs to the container, according to the kernel. */
function isOf(pid: number, containerId: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, "utf8").includes(containerId);
  } catch {
    return false;
  }
}
