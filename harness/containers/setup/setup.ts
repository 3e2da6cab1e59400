import type Dockerode from "dockerode";
import { UserError } from "../../core/errors.ts";
import { clientClockLibrary, type ClockLibrary } from "../clients/client-clock.ts";
import { connectEngine, NoEngineError } from "../engine/engine.ts";
import { bringUpEngine } from "../engine/engine-start.ts";
import { packageInstaller, type Install } from "./host-packages.ts";
import { addTestcontainers } from "./add-testcontainers.ts";
import { discardCompilerStages, ensureImage, type ImageAction } from "./image-build.ts";
import { nodeImage, postgresImage, toxiproxyImage, zookeeperImage, type NodeServer } from "./images.ts";
import { isAtLeast, oldestNode } from "../nodes/node-version.ts";

export interface SetupOptions {
  /** The servers that nodes shall be able to run. Default: Redis 8. */
  readonly servers?: readonly NodeServer[];
  /** Called with each step, as one line of plain text. */
  readonly onProgress?: (line: string) => void;
}

/** What was found or done. A second setup finds everything and changes nothing. */
export interface SetupReport {
  /** The client of container engines, in the project that lockstorm was started in. */
  readonly testcontainers: "present" | "added";
  readonly engine: { readonly version: string; readonly action: "present" | "started" };
  readonly images: readonly { readonly name: string; readonly action: ImageAction }[];
  /** For jumps of clients' clocks; a machine without it can do everything else. */
  readonly clientClock: ClockLibrary;
  readonly tookMs: number;
}

/**
 * Prepares this machine to run topologies in containers: an engine, our images, the clients' clock library. As root on
 * Debian or Ubuntu it installs and starts Docker where there is none; elsewhere the error says what to do.
 * @throws UserError when something is missing that only the user can provide
 */
export async function setup(options: SetupOptions = {}): Promise<SetupReport> {
  const started = performance.now();
  const onProgress = options.onProgress ?? (() => {});
  const oldest = oldestNode();
  if (!isAtLeast(process.versions.node, oldest)) {
    throw new UserError(`Node ${process.versions.node} is too old`, `install Node ${oldest} or newer`);
  }
  const testcontainers = await addTestcontainers(onProgress);
  const install = packageInstaller(onProgress);
  const { engine, action } = await obtainEngine(install, onProgress);
  const { Version } = await engine.version();
  onProgress(`container engine: ${Version}`);

  const images: { readonly name: string; readonly action: ImageAction }[] = [];
  const nodeImages = [...(options.servers ?? ["redis8"]).map(nodeImage), postgresImage(), zookeeperImage()];
  for (const image of [...nodeImages, toxiproxyImage()]) {
    const action = await ensureImage(engine, image, { onProgress, install });
    images.push({ name: image.name, action });
    onProgress(`image ${image.name}: ${action}`);
  }
  if (images.some(({ action }) => action === "built")) await discardCompilerStages(engine);

  const clientClock = await clientClockLibrary();
  const clock = clientClock.library === undefined ? `not available: ${clientClock.reason}` : clientClock.library;
  onProgress(`clock library for clients: ${clock}`);
  return {
    testcontainers,
    engine: { version: Version, action },
    images,
    clientClock,
    tookMs: Math.round(performance.now() - started),
  };
}

async function obtainEngine(
  install: Install | undefined,
  onProgress: (line: string) => void,
): Promise<{ readonly engine: Dockerode; readonly action: "present" | "started" }> {
  try {
    return { engine: await connectEngine(), action: "present" };
  } catch (error) {
    // An engine that hangs, or that was named and does not answer, is not replaced by another.
    if (!(error instanceof NoEngineError)) throw error;
    if (install === undefined) {
      const hint =
        "install and start Docker, then run the set-up again (as root on Debian or Ubuntu it does that itself)";
      throw new UserError(error.message, hint, { cause: error });
    }
    onProgress(error.message);
    return { engine: await bringUpEngine(install, onProgress), action: "started" };
  }
}
