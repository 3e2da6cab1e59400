import { join } from "node:path";
import type Dockerode from "dockerode";
import { messageOf, UserError } from "../../core/errors.ts";
import { followEngine, hasImage } from "../engine/engine-messages.ts";
import { isInstalled, runProgram } from "./host-programs.ts";
import { DOCKER_DIRECTORY } from "./images.ts";

/** Debian's own image; `LOCKSTORM_BASE_IMAGE` names another with the same content, in a registry that is reachable. */
const OFFICIAL_BASE = process.env["LOCKSTORM_BASE_IMAGE"] ?? "debian:trixie-slim";

/**
 * The image that is bootstrapped where no registry is reachable. It has its own name, so that nobody takes it for
 * Debian's.
 */
const OWN_BASE = "lockstorm-base:trixie";

/** How `obtainBase` reports, and what it may do to the machine. */
export interface BaseOptions {
  readonly onProgress: (line: string) => void;
  /** Installs packages of the host's distribution; absent where that is not possible. */
  readonly install?: ((packages: readonly string[]) => Promise<void>) | undefined;
}

/**
 * The name of a base image that the engine has: an existing one, else pulled, else bootstrapped from Debian's package
 * mirror, which needs root and a Debian or Ubuntu.
 * @throws UserError when none of that is possible
 */
export async function obtainBase(engine: Dockerode, options: BaseOptions): Promise<string> {
  for (const name of [OFFICIAL_BASE, OWN_BASE]) {
    if (await hasImage(engine, name)) return name;
  }
  try {
    options.onProgress(`pulling ${OFFICIAL_BASE}`);
    await pullImage(engine, OFFICIAL_BASE, options.onProgress);
    return OFFICIAL_BASE;
  } catch (error) {
    options.onProgress(`${OFFICIAL_BASE} cannot be pulled (${messageOf(error)})`);
    await bootstrap(engine, options);
    return OWN_BASE;
  }
}

/** Pulls an image. Gives up after 15 s without a first word from the registry, or 60 s of silence later. */
export async function pullImage(engine: Dockerode, name: string, onProgress: (line: string) => void): Promise<void> {
  const silenceLimits = { firstMs: 15_000, nextMs: 60_000 };
  const begin = (abortSignal: AbortSignal): Promise<NodeJS.ReadableStream> => engine.pull(name, { abortSignal });
  await followEngine(begin, silenceLimits, (line) => {
    if (/^(?:Status|Digest)/.test(line)) onProgress(line);
  });
}

async function bootstrap(engine: Dockerode, { onProgress, install }: BaseOptions): Promise<void> {
  if (!isInstalled("debootstrap")) {
    if (install === undefined) throw unobtainable("this machine cannot bootstrap one");
    await install(["debootstrap", "debian-archive-keyring"]);
  }
  if (process.getuid?.() !== 0) throw unobtainable("only root can bootstrap one");
  onProgress("bootstrapping Debian trixie from its package mirror");
  const mirror = process.env["LOCKSTORM_DEBIAN_MIRROR"];
  const script = join(DOCKER_DIRECTORY, "base", "bootstrap.sh");
  const archive = runProgram("sh", [script, ...(mirror === undefined ? [] : [mirror])]);
  // Debootstrap takes a while before the archive's first byte, and the engine's only output comes at the end.
  const silenceLimits = { firstMs: 900_000, nextMs: 900_000 };
  const [repo, tag] = OWN_BASE.split(":");
  try {
    await followEngine(
      () => engine.importImage(archive.output, { repo, tag }),
      silenceLimits,
      () => {},
    );
    await archive.success;
  } catch (error) {
    archive.kill();
    // The import of a broken archive must not be found the next time.
    await engine
      .getImage(OWN_BASE)
      .remove()
      .catch(() => {});
    const hint = "see that this machine reaches Debian's package mirror, then run it again";
    throw new UserError(`no base image: debootstrap: ${messageOf(error)}`, hint, { cause: error });
  }
}

function unobtainable(why: string): UserError {
  return new UserError(
    `no base image: ${OFFICIAL_BASE} cannot be pulled, and ${why}`,
    "name a Debian trixie image that you can pull in LOCKSTORM_BASE_IMAGE, or run the set-up as root on Debian or Ubuntu",
  );
}
