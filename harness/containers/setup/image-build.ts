import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import type Dockerode from "dockerode";
import { HarnessError, messageOf, UserError } from "../../core/errors.ts";
import { obtainBase, pullImage, type BaseOptions } from "./base-image.ts";
import { followEngine, hasImage } from "../engine/engine-messages.ts";
import { toxiproxyImage, type Image } from "./images.ts";

/** The action on an image. */
export type ImageAction = "present" | "built" | "pulled";

/** How long the engine may be silent while it compiles, in milliseconds. */
const SILENCE_LIMITS = { firstMs: 120_000, nextMs: 600_000 };

/** Environment variables that builds need in some networks; the engine treats them as predefined. */
const PROXY_VARIABLES = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/**
 * Makes sure that the engine has the image: builds it where it is missing, after its base.
 * @throws UserError with the engine's last words when the build fails
 */
export async function ensureImage(engine: Dockerode, image: Image, options: BaseOptions): Promise<ImageAction> {
  if (await hasImage(engine, image.name)) return "present";
  const elsewhere = process.env["LOCKSTORM_TOXIPROXY_IMAGE"];
  if (elsewhere !== undefined && image.name === toxiproxyImage().name) {
    await adopt(engine, elsewhere, image.name, options.onProgress);
    return "pulled";
  }
  const base = await baseOf(engine, image, options);
  options.onProgress(`building ${image.name}`);
  try {
    await build(engine, image, base);
  } catch (error) {
    const hint = "see that this machine reaches Debian's package mirror and Go's module proxy, then run it again";
    throw new UserError(`${image.name} cannot be built: ${messageOf(error)}`, hint, { cause: error });
  }
  if (!(await hasImage(engine, image.name))) throw new HarnessError(`${image.name} was built, but is not there`);
  return "built";
}

/** The name of the base image, which the engine then has. */
async function baseOf(engine: Dockerode, { base }: Image, options: BaseOptions): Promise<string> {
  if (base === undefined) return obtainBase(engine, options);
  await ensureImage(engine, base, options);
  return base.name;
}

/** The build stages that only compile are no longer needed: otherwise they stay, unnamed, and take half a gigabyte. */
export async function discardCompilerStages(engine: Dockerode): Promise<void> {
  await engine.pruneImages({ filters: { dangling: ["true"], label: ["lockstorm.stage=compiler"] } });
}

async function adopt(engine: Dockerode, from: string, name: string, onProgress: (line: string) => void): Promise<void> {
  onProgress(`pulling ${from}`);
  try {
    await pullImage(engine, from, onProgress);
  } catch (error) {
    throw new UserError(`${from} cannot be pulled: ${messageOf(error)}`, "correct or unset LOCKSTORM_TOXIPROXY_IMAGE", {
      cause: error,
    });
  }
  const [repo, tag] = name.split(":");
  await engine.getImage(from).tag({ repo: repo ?? name, tag: tag ?? "latest" });
}

async function build(engine: Dockerode, image: Image, base: string): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), "lockstorm-build-"));
  try {
    await cp(image.directory, context, { recursive: true });
    if (image.downloadsOverTls) await writeFile(join(context, "host-ca.crt"), hostCertificates());
    const src = await readdir(context);
    const options = { t: image.name, buildargs: { ...proxies(), ...image.buildArguments, BASE: base }, forcerm: true };
    const begin = (abortSignal: AbortSignal): Promise<NodeJS.ReadableStream> =>
      engine.buildImage({ context, src }, { ...options, abortSignal });
    await followEngine(begin, SILENCE_LIMITS, () => {});
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

/** The certificates that this machine trusts: behind a proxy that inspects TLS, they include the proxy's own. */
function hostCertificates(): string {
  return [...getCACertificates("system"), ...getCACertificates("extra")].join("\n");
}

function proxies(): Record<string, string> {
  return Object.fromEntries(
    PROXY_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
