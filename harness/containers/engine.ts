import { accessSync, constants, existsSync } from "node:fs";
import { connect, type NetConnectOpts } from "node:net";
import { userInfo } from "node:os";
import type Dockerode from "dockerode";
import { UserError } from "../core/errors.ts";
import { boundEveryCall, hangingEngine } from "./engine-deadline.ts";

/** How long the engine may take to answer a call, in milliseconds; a healthy one answers within about one second. */
const ENGINE_DEADLINE_MS = 20_000;

const WITHOUT_ENGINE = "or do without, in simulation: --backend simulated";

/** There is no engine, or none that runs. Other errors are of an engine that is there but cannot be used. */
export class NoEngineError extends UserError {}

let connected: Promise<Dockerode> | undefined;

/**
 * The container engine of this machine, found as testcontainers finds it (DOCKER_HOST, the context, the usual sockets).
 * Every call on it is refused after `ENGINE_DEADLINE_MS` without an answer, except those that last as long as what they
 * do: build, pull, import, wait.
 * @throws UserError when there is none, or it does not let us in, or it hangs
 */
export function connectEngine(): Promise<Dockerode> {
  // A failure is not kept: the engine may be started meanwhile.
  connected ??= findEngine().catch((error: unknown) => {
    connected = undefined;
    throw error;
  });
  return connected;
}

/**
 * Waits for what an engine call leads to.
 * @param what what is being done, in the infinitive, for the error's text: "start a node"
 * @throws UserError when it takes longer than `ms`
 */
export async function withinDeadline<T>(what: string, promise: Promise<T>, ms = ENGINE_DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(hangingEngine(what, ms)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function findEngine(): Promise<Dockerode> {
  await refuseDeadHost();
  // Clean-up is our own: testcontainers' helper container needs an image from a registry.
  process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";
  // Loaded only now, because it takes 0.2 s and most commands need no engine.
  const { getContainerRuntimeClient } = await import("testcontainers");
  let client;
  try {
    client = await withinDeadline("connect", getContainerRuntimeClient());
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw await explainMissingEngine(error);
  }
  const engine = client.container.dockerode;
  boundEveryCall(engine.modem, ENGINE_DEADLINE_MS);
  return engine;
}

/**
 * An engine that was named and is not there is an error: testcontainers would silently take another, and a run would
 * happen where nobody meant it to.
 */
async function refuseDeadHost(): Promise<void> {
  const host = process.env["DOCKER_HOST"];
  const target = host === undefined ? undefined : connectionTarget(host);
  if (target === undefined || !(await refusesConnections(target))) return;
  throw new UserError(`no container engine answers at DOCKER_HOST=${host}`, "correct or unset DOCKER_HOST");
}

/** Where to connect to for a DOCKER_HOST; undefined for kinds that a plain connection does not reach (ssh, npipe). */
export function connectionTarget(host: string): NetConnectOpts | undefined {
  if (!URL.canParse(host)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(host);
  if (protocol === "unix:") return { path: pathname };
  if (protocol === "tcp:" || protocol === "http:") return { host: hostname, port: Number(port || 2375) };
  return undefined;
}

/** Why no engine was found, as far as the usual socket tells. */
async function explainMissingEngine(cause: unknown): Promise<UserError> {
  const socket = "/var/run/docker.sock";
  if (!existsSync(socket)) {
    return new NoEngineError(
      "no container engine found",
      `run \`lockstorm setup\`, or install and start Docker; ${WITHOUT_ENGINE}`,
      {
        cause,
      },
    );
  }
  try {
    accessSync(socket, constants.R_OK | constants.W_OK);
  } catch {
    const user = userInfo().username;
    const mend = `sudo usermod -aG docker ${user}, then log in again`;
    return new UserError(`${user} may not use the container engine at ${socket}`, mend, { cause });
  }
  if (await refusesConnections({ path: socket })) {
    const mend = `run \`lockstorm setup\`, or start Docker (sudo systemctl start docker); ${WITHOUT_ENGINE}`;
    return new NoEngineError(`nothing answers at ${socket}: the container engine is not running`, mend, { cause });
  }
  return new UserError(`the container engine at ${socket} does not answer as one`, "restart Docker", { cause });
}

function refusesConnections(target: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(target);
    connection.once("connect", () => {
      connection.destroy();
      resolve(false);
    });
    connection.once("error", () => resolve(true));
  });
}
