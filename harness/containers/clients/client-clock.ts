import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { messageOf } from "../../core/errors.ts";
import { cacheFolder } from "../../core/cache-folder.ts";
import { connectEngine } from "../engine/engine.ts";
import { hasImage } from "../engine/engine-messages.ts";
import { isInstalled } from "../setup/host-programs.ts";
import { DOCKER_DIRECTORY, NODE_IMAGE } from "../setup/images.ts";
import { runLabels } from "../cleanup/labels.ts";

const run = promisify(execFile);

/** The library that makes a process's wall clock jump (LD_PRELOAD), or the reason why this machine cannot use it. */
export type ClockLibrary =
  | { readonly library: string; readonly origin: "kept" | "compiled" | "from the image" }
  | { readonly library: undefined; readonly reason: string };

/** The path of the library inside the node image. */
const IN_IMAGE = "/usr/local/lib/lockstorm/clock.so";

/**
 * The clock library for client processes on this machine: compiled by its C compiler, or else taken from the node
 * image. It is offered only after a Node process was seen to follow it; then it is kept, under a name that includes the
 * hash of its source, and found at once the next time. Never rejects.
 */
export async function clientClockLibrary(): Promise<ClockLibrary> {
  if (process.platform !== "linux") return { library: undefined, reason: "clients' clocks can be moved on Linux only" };
  const kept = keptPath();
  if (existsSync(kept)) return { library: kept, origin: "kept" };
  const reasons: string[] = [];
  for (const [origin, make] of [
    ["compiled", compile],
    ["from the image", extract],
  ] as const) {
    const folder = await mkdtemp(join(tmpdir(), "lockstorm-clock-"));
    try {
      const candidate = join(folder, "clock.so");
      await make(candidate);
      await verifyClockLibrary(candidate);
      await keep(candidate, kept);
      return { library: kept, origin };
    } catch (error) {
      reasons.push(`${origin}: ${messageOf(error)}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return { library: undefined, reason: `no clock library for clients (${reasons.join("; ")})` };
}

/**
 * Starts a Node process under the library, one hour ahead, and checks its clocks.
 * @throws Error when the wall clock does not follow, or the monotonic clock does
 */
export async function verifyClockLibrary(library: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "lockstorm-clock-"));
  try {
    const offset = Buffer.alloc(8);
    offset.writeBigInt64LE(3_600_000_000n);
    const clockFile = join(folder, "clock-offset-us");
    await writeFile(clockFile, offset);
    const program = "process.stdout.write(JSON.stringify([Date.now(), Number(process.hrtime.bigint() / 1_000_000n)]))";
    const env = { LD_PRELOAD: library, LOCKSTORM_CLOCK: clockFile };
    const { stdout } = await run(process.execPath, ["-e", program], { env, timeout: 20_000 });
    const [wallMs = Number.NaN, monotonicMs = Number.NaN] = JSON.parse(stdout) as readonly number[];
    const aheadMs = wallMs - Date.now();
    const monotonicAheadMs = monotonicMs - Number(process.hrtime.bigint() / 1_000_000n);
    if (!(Math.abs(aheadMs - 3_600_000) < 60_000)) throw new Error(`a clock to be 3600 s ahead is ${aheadMs / 1000} s`);
    if (!(Math.abs(monotonicAheadMs) < 60_000)) throw new Error("the monotonic clock moves too");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In the user's cache, named after source and architecture. */
function keptPath(): string {
  const source = readFileSync(join(DOCKER_DIRECTORY, "node", "clock.c"));
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 12);
  return join(cacheFolder(), `clock-${hash}-${process.arch}.so`);
}

async function compile(target: string): Promise<void> {
  const compiler = ["cc", "gcc", "clang"].find(isInstalled);
  if (compiler === undefined) throw new Error("no C compiler");
  await run(compiler, ["-O2", "-shared", "-fPIC", "-o", target, join(DOCKER_DIRECTORY, "node", "clock.c"), "-ldl"]);
}

async function extract(target: string): Promise<void> {
  const engine = await connectEngine();
  if (!(await hasImage(engine, NODE_IMAGE))) throw new Error("the node image is not built yet");
  const container = await engine.createContainer({ Image: NODE_IMAGE, Labels: runLabels(`clock-${process.pid}`) });
  try {
    const archive = await container.getArchive({ path: IN_IMAGE });
    const untar = spawn("tar", ["-x", "-O"], { stdio: ["pipe", "pipe", "ignore"] });
    const steps = [buffer(untar.stdout), pipeline(archive, untar.stdin), once(untar, "close")] as const;
    const [content] = await Promise.all(steps);
    await writeFile(target, content);
  } finally {
    await container.remove();
  }
}

/** Writes to a temporary name and renames, so that nobody ever preloads half a file. */
async function keep(candidate: string, kept: string): Promise<void> {
  await mkdir(join(kept, ".."), { recursive: true });
  const beside = `${kept}.${process.pid}`;
  await writeFile(beside, readFileSync(candidate));
  await rename(beside, kept);
}
