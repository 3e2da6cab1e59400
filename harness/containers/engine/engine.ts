import { accessSync, constants, existsSync } from "node:fs";
import { connect, type NetConnectOpts } from "node:net";
import { userInfo } from "node:os";
import type Dockerode from "dockerode";
import { UserError } from "../../core/errors.ts";
import { boundEveryCall, hangingEngine } from "./engine-deadline.ts";
import { loadTestcontainers } from "./load-testcontainers.ts";

/** How long the engine may take to answer a call, in milliseconds; a healthy one answers within about one second. */
const ENGINE_DEADLINE_MS = 20_000;

const WITHOUT_ENGINE = "or do without, in simulation: --backend simulated";

/** No engine is installed, or none runs. Other errors come from an engine that is there but cannot be used. */
export class NoEngineError extends UserError {}

let connected: Promise<Dockerode> | undefined;

/**
 * The container engine of this machine, found as testcontainers finds it (DOCKER_HOST, the context, the usual sockets).
 * Every call on it is refused after `ENGINE_DEADLINE_MS` without an answer, except those that last as long as what they
 * do: build, pull, import, wait.
 * @throws UserError when there is none, or it refuses access, or it hangs, or testcontainers is not installed
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
 * Waits for the result of an engine call.
 * @param what the action in the infinitive, for the error's text: "start a node"
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
  // We clean up ourselves: testcontainers' helper container needs an image from a registry.
  process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";
  const { getContainerRuntimeClient } = loadTestcontainers();
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
 * A named engine that is not there is an error: testcontainers would silently take another, and the run would happen on
 * an engine that nobody chose.
 */
async function refuseDeadHost(): Promise<void> {
  const host = process.env["DOCKER_HOST"];
  const target = host === undefined ? undefined : connectionTarget(host);
  if (target === undefined || !(await refusesConnections(target))) return;
  throw new UserError(`no container engine answers at DOCKER_HOST=${host}`, "correct or unset DOCKER_HOST");
}

/** The connection for a DOCKER_HOST; undefined for kinds that a plain connection does not reach (ssh, npipe). */
export function connectionTarget(host: string): NetConnectOpts | undefined {
  if (!URL.canParse(host)) return undefined;
  const { protocol, hostname, port, pathname } = new URL(host);
  if (protocol === "unix:") return { path: pathname };
  if (protocol === "tcp:" || protocol === "http:") return { host: hostname, port: Number(port || 2375) };
  return undefined;
}

/** Why no engine was found, as far as the usual socket shows. */
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
    const hint = `sudo usermod -aG docker ${user}, then log in again`;
    return new UserError(`${user} may not use the container engine at ${socket}`, hint, { cause });
  }
  if (await refusesConnections({ path: socket })) {
    const hint = `run \`lockstorm setup\`, or start Docker (sudo systemctl start docker); ${WITHOUT_ENGINE}`;
    return new NoEngineError(`nothing answers at ${socket}: the container engine is not running`, hint, { cause });
  }
  return new UserError(`${socket} does not answer like a container engine`, "restart Docker", { cause });
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
