import { join } from "node:path";
import type Dockerode from "dockerode";
import { messageOf } from "../../core/errors.ts";
import type { Evidence, NodeHandle, ProcessState } from "../../core/system.ts";
import { awaitCondition } from "../engine/await-condition.ts";
import type { ControlDirectory } from "./control.ts";
import { NodeClock } from "./node-clock.ts";
import { NodeContainer } from "./node-container.ts";
import { type Chain, NodeFirewall } from "./node-firewall.ts";

import type { Link } from "../links/links.ts";
import { NodeShell } from "./node-shell.ts";
import { NODE_LOG } from "../servers/redis-configuration.ts";
import { SerialQueue } from "../../core/serial-queue.ts";
import type { ServerAccess, ServerKind } from "../servers/server-kind.ts";
import { startFailure } from "../engine/start-failure.ts";
import { settleAll } from "../engine/settle-all.ts";

export interface ContainerNodeOptions {
  readonly name: string;
  readonly kind: ServerKind;
  /** The harness's own connection to its server. */
  readonly access: ServerAccess;
  /** Its address in the run's network. */
  readonly networkAddress: string;
  readonly container: Dockerode.Container;
  readonly control: ControlDirectory;
  /** Whether it may have written what it has not yet synced to disk, so that a power loss loses more than a kill. */
  readonly syncsLate?: boolean;
}

const STARTUP_DEADLINE_MS = 30_000;
/** A server that does not answer may have ended; the engine is asked a few times a second. */
const BETWEEN_LOOKS_MS = 200;

/**
 * A server in a container of its own. Killing the container is SIGKILL of the server. Faults are carried out one after
 * another, in any order: a fault that is impossible in the node's present state (pausing a dead one) is skipped, and
 * the evidence says so.
 */
export class ContainerNode implements NodeHandle, AsyncDisposable {
  readonly name: string;
  readonly role: "data" | "sentinel";
  readonly networkAddress: string;
  /**
   * Present where a power loss loses no more than a kill: with nothing on disk, or with everything synced before each
   * reply. In between, only the server knows which data it has synced.
   */
  readonly losePower?: () => Promise<Evidence>;
  readonly #container: NodeContainer;
  readonly #control: ControlDirectory;
  readonly #kind: ServerKind;
  readonly #access: ServerAccess;
  readonly #clock: NodeClock;
  readonly #shell: NodeShell;
  readonly #firewall: NodeFirewall;
  readonly #serial = new SerialQueue();
  #links: readonly Link[] = [];
  #expectedState: ProcessState = "running";

  constructor(options: ContainerNodeOptions) {
    this.name = options.name;
    this.role = options.kind.role;
    this.networkAddress = options.networkAddress;
    if (options.syncsLate !== true) this.losePower = () => this.kill();
    this.#container = new NodeContainer(options.container);
    this.#control = options.control;
    this.#shell = new NodeShell(options.container);
    this.#firewall = new NodeFirewall(this.#shell);
    this.#kind = options.kind;
    this.#access = options.access;
    this.#clock = new NodeClock(options.control);
  }

  /** The address on which its server listens, in the run's network. */
  get port(): number {
    return this.#kind.port;
  }

  get containerId(): string {
    return this.#container.handle.id;
  }

  /** The state that the faults so far have led to; a node in another state got there without a fault. */
  get expectedState(): ProcessState {
    return this.#expectedState;
  }

  /** The clients' links to it, which refuse connections while it is dead. */
  linkTo(links: readonly Link[]): void {
    this.#links = links;
  }

  /** Call it when its container was seen to end. Returns whether a fault ended it. */
  isExpectedDeath(): boolean {
    return this.#container.isExpectedDeath();
  }

  /** Call it when its container was seen to be paused. Returns whether a fault paused it. */
  isExpectedPause(): boolean {
    return this.#container.isExpectedPause();
  }

  command(...args: readonly (string | number)[]): Promise<unknown> {
    return this.#access.command(...args);
  }

  /** The role that a data node reports; undefined when it does not answer, because it is being stopped or started. */
  async replicationRole(): Promise<"master" | "slave" | undefined> {
    try {
      return await this.#access.role();
    } catch {
      return undefined;
    }
  }

  /**
   * Resolves when the server answers and has loaded its data.
   * @throws UserError, HarnessError when it ended instead
   */
  async ready(): Promise<void> {
    let looked = performance.now();
    await awaitCondition(`${this.name} answers`, STARTUP_DEADLINE_MS, async (saw) => {
      try {
        await this.#access.ready();
        return true;
      } catch (error) {
        saw(messageOf(error));
        if (performance.now() - looked < BETWEEN_LOOKS_MS) return undefined;
        looked = performance.now();
        if ((await this.state()) === "dead")
          throw await startFailure(this.name, this.#container.handle, {
            logFile: join(this.#control.path, NODE_LOG),
            badConfiguration: this.#kind.badConfiguration,
          });
        return undefined;
      }
    });
  }

  state(): Promise<ProcessState> {
    return this.#container.state();
  }

  pause(): Promise<Evidence> {
    return this.#serial.run(async () => {
      const before = await this.state();
      if (before === "dead") return { observed: false, detail: `${this.name} is dead and cannot be paused` };
      this.#expectedState = "paused";
      if (before === "running") await this.#container.pause();
      const state = await this.state();
      return { observed: state === "paused", detail: `${this.name} is ${state}` };
    });
  }

  resume(): Promise<Evidence> {
    return this.#serial.run(async () => {
      const before = await this.state();
      if (before === "dead") return { observed: false, detail: `${this.name} is dead and cannot be resumed` };
      if (before === "paused") await this.#container.resume();
      await this.#runs();
      return { observed: true, detail: `${this.name} answers again` };
    });
  }

  kill(): Promise<Evidence> {
    return this.#serial.run(async () => {
      if ((await this.state()) === "dead") return { observed: true, detail: `${this.name} was already dead` };
      return { observed: true, detail: `${this.name} ended with exit code ${await this.#end()}` };
    });
  }

  start({ keepData }: { readonly keepData: boolean }): Promise<Evidence> {
    return this.#serial.run(async () => {
      const before = await this.state();
      if (before !== "dead") return { observed: keepData, detail: `${this.name} was not dead, but ${before}` };
      await this.#begin(keepData);
      const contents = await this.#access.contents();
      return {
        observed: true,
        detail: `${this.name} started ${keepData ? "with what its disk kept" : "empty"}${contents === "" ? "" : `, ${contents}`}`,
      };
    });
  }

  /** Whether it runs as far as the faults go, with a correct clock. */
  get isUndisturbed(): boolean {
    return this.#expectedState === "running" && this.#clock.isRight;
  }

  /**
   * Resets a node to the state of its first start, for another run: running, empty, reachable, with a correct clock and
   * without connections. A node whose clock was wrong is restarted: a server remembers times.
   * @param master the address of the data node that it follows, if any
   */
  renew(master?: string): Promise<void> {
    return this.#serial.run(async () => {
      this.#links = [];
      this.#firewall.acceptAll();
      const before = await this.state();
      if (before === "paused") await this.#container.resume();
      if (before !== "dead" && !this.#clock.isRight) await this.#end();
      await this.#clock.correct();
      if ((await this.state()) === "dead") await this.#begin(false);
      else await this.#runs();
      await this.#access.clean(master);
    });
  }

  /** All settings in force on its server, as one text to compare. */
  configuration(): Promise<string> {
    return this.#access.configuration();
  }

  jumpClock(ms: number): Promise<Evidence> {
    return this.#serial.run(async () => {
      if (this.#expectedState !== "running") {
        await this.#clock.step(ms);
        return { observed: false, detail: `${this.name} is ${this.#expectedState}: its clock could not be read` };
      }
      return this.#access.seeStep(ms, () => this.#clock.step(ms));
    });
  }

  /**
   * Drops packets from (`INPUT`) or to (`OUTPUT`) a peer. Returns whether the rule is already in force; otherwise it is
   * as soon as the node runs.
   */
  dropPackets(chain: Chain, peer: string): Promise<boolean> {
    return this.#serial.run(() => {
      this.#firewall.drop(chain, peer);
      return this.#settleFirewall();
    });
  }

  /** Undoes `dropPackets`. */
  acceptPackets(chain: Chain, peer: string): Promise<boolean> {
    return this.#serial.run(() => {
      this.#firewall.accept(chain, peer);
      return this.#settleFirewall();
    });
  }

  /** How many packets it has dropped by a rule of `dropPackets`. */
  droppedPackets(chain: Chain, peer: string): Promise<number> {
    return this.#serial.run(() => (this.#expectedState === "running" ? this.#firewall.dropped(chain, peer) : zero()));
  }

  /** Runs a shell command in the container, as root. Returns false, and does nothing, when the node does not run. */
  runInside(command: string): Promise<boolean> {
    return this.#serial.run(async () => {
      if (this.#expectedState !== "running") return false;
      await this.#shell.run(command);
      return true;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#access[Symbol.dispose]();
    await this.#shell[Symbol.asyncDispose]();
  }

  /** Ends the container, which must live, and returns its exit code. */
  async #end(): Promise<number> {
    this.#expectedState = "dead";
    if (this.#kind.heldByConnection === true && (await this.state()) === "running") await this.#container.pause();
    // Before, because a packet to an address without a host gets no answer, and TCP sends the next a second later.
    this.#access[Symbol.dispose]();
    await settleAll(this.#links.map((link) => link.close()));
    const exitCode = await this.#container.kill();
    this.#firewall.forget();
    await this.#shell[Symbol.asyncDispose]();
    return exitCode;
  }

  /** Starts the container, which must be dead. */
  async #begin(keepData: boolean): Promise<void> {
    if (!keepData) await this.#control.beforeStart([{ kind: "wipe" }]);
    await this.#container.start();
    this.#access.open();
    await this.#runs();
    await settleAll(this.#links.map((link) => link.open()));
  }

  /** Waits until it runs and answers, with the firewall rules that were requested meanwhile. */
  async #runs(): Promise<void> {
    this.#expectedState = "running";
    await this.#firewall.settle();
    await this.ready();
  }

  async #settleFirewall(): Promise<boolean> {
    if (this.#expectedState !== "running") return false;
    await this.#firewall.settle();
    return true;
  }
}

function zero(): Promise<number> {
  return Promise.resolve(0);
}
