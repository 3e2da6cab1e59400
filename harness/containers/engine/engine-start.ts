import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type Dockerode from "dockerode";
import { messageOf, UserError } from "../../core/errors.ts";
import { connectEngine } from "./engine.ts";
import type { Install } from "../setup/host-packages.ts";
import { HOST_ENVIRONMENT, isInstalled } from "../setup/host-programs.ts";

const LOG_FILE = "/var/log/lockstorm-dockerd.log";
const START_DEADLINE_MS = 60_000;

/**
 * Installs Docker where it is missing and starts its daemon, so that it outlives this process.
 * @throws UserError with the daemon's last words when it does not start
 */
export async function bringUpEngine(install: Install, onProgress: (line: string) => void): Promise<Dockerode> {
  const missing = [
    { program: "dockerd", package: "docker.io" },
    { program: "iptables", package: "iptables" },
  ].filter(({ program }) => !isInstalled(program));
  if (missing.length > 0) await install(missing.map(({ package: name }) => name));
  // On many machines the package itself starts the daemon.
  if (isRunning()) return await awaitEngine(() => false);
  onProgress("starting dockerd");
  return await awaitEngine(await startDaemon());
}

function isRunning(): boolean {
  const pidFile = ["/run/docker.pid", "/var/run/docker.pid"].find((path) => existsSync(path));
  if (pidFile === undefined) return false;
  const pid = readFileSync(pidFile, "utf8").trim();
  return existsSync(`/proc/${pid}/comm`) && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "dockerd";
}

/** Starts the daemon. The returned function says whether the daemon has already ended again. */
async function startDaemon(): Promise<() => boolean> {
  if (existsSync("/run/systemd/system")) {
    const [code] = await once(spawn("systemctl", ["start", "docker"], { stdio: "ignore" }), "close");
    if (code === 0) return () => false;
  }
  const log = openSync(LOG_FILE, "w");
  const daemon = spawn("dockerd", [], { detached: true, stdio: ["ignore", log, log], env: HOST_ENVIRONMENT });
  closeSync(log);
  await once(daemon, "spawn");
  daemon.unref();
  return () => daemon.exitCode !== null || daemon.signalCode !== null;
}

async function awaitEngine(hasEnded: () => boolean): Promise<Dockerode> {
  const giveUpAt = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const last = hasEnded() || performance.now() > giveUpAt;
    try {
      return await connectEngine();
    } catch (error) {
      if (last) {
        const cause = reasonOfFailure() ?? messageOf(error);
        throw new UserError(`dockerd does not come up: ${cause}`, `read ${LOG_FILE}`, { cause: error });
      }
      await sleep(200);
    }
  }
}

/** The daemon's last message, without the format of its log. */
function reasonOfFailure(): string | undefined {
  if (!existsSync(LOG_FILE)) return undefined;
  const lines = readFileSync(LOG_FILE, "utf8").split("\n");
  return lines.findLast((line) => line.startsWith("failed to start daemon"));
}
