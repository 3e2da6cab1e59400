import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type Dockerode from "dockerode";
import { messageOf, UserError } from "../../core/errors.ts";
import { clientClockLibrary, verifyClockLibrary } from "../clients/client-clock.ts";
import { probeContainer } from "../nodes/container-probe.ts";
import { connectEngine } from "../engine/engine.ts";
import { findTestcontainers, loadTestcontainers } from "../engine/load-testcontainers.ts";
import { hasImage } from "../engine/engine-messages.ts";
import { NODE_IMAGE, TOXIPROXY_IMAGE } from "./images.ts";
import { isAtLeast, oldestNode } from "../nodes/node-version.ts";
import { deadRuns } from "../cleanup/sweep.ts";

/** One thing that was looked at. */
export interface Diagnosis {
  readonly name: string;
  /** `missing`: not there, but can be installed; `broken`: there, and does not work. */
  readonly state: "ok" | "missing" | "broken";
  /** The finding, in one line. */
  readonly detail: string;
  /** The remedy, in the imperative; absent where nothing can or need be done. */
  readonly hint?: string;
  /** True where lockstorm runs without it. */
  readonly optional?: boolean;
}

/** Least free space on the engine's disk, in bytes: for the images, and for building them. */
const LEAST_FREE_BYTES = 3e9;

/** Checks everything that runs in containers need, and changes nothing. Never rejects. */
export async function examine(): Promise<readonly Diagnosis[]> {
  const client = await look("testcontainers", examineClient);
  const findings: Diagnosis[] = [await look("Node", examineNode), client];
  if (client.state !== "ok") return findings;
  let engine: Dockerode;
  try {
    engine = await connectEngine();
  } catch (error) {
    return [...findings, brokenBy("container engine", error)];
  }
  findings.push(await look("container engine", () => examineEngine(engine)));
  const image = await look("node image", () => examineImage(engine, NODE_IMAGE));
  findings.push(image, await look("Toxiproxy image", () => examineImage(engine, TOXIPROXY_IMAGE)));
  if (image.state === "ok") findings.push(...(await examineAbilities(engine)));
  findings.push(
    await look("clients' clocks", examineClientClock),
    await look("leftovers", examineLeftovers),
    await look("disk", () => examineDisk(engine)),
  );
  return findings;
}

type Result = Omit<Diagnosis, "name">;

async function look(name: string, examination: () => Promise<Result>): Promise<Diagnosis> {
  try {
    return { name, ...(await examination()) };
  } catch (error) {
    return brokenBy(name, error);
  }
}

function brokenBy(name: string, error: unknown): Diagnosis {
  const finding = { name, state: "broken", detail: messageOf(error) } as const;
  return error instanceof UserError ? { ...finding, hint: error.hint } : finding;
}

async function examineNode(): Promise<Result> {
  const version = process.versions.node;
  const oldest = oldestNode();
  if (isAtLeast(version, oldest)) return { state: "ok", detail: version };
  return { state: "broken", detail: `${version} is too old`, hint: `install Node ${oldest} or newer` };
}

async function examineClient(): Promise<Result> {
  try {
    loadTestcontainers();
    return { state: "ok", detail: findTestcontainers()?.version ?? "installed" };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { state: "missing", detail: error.message, hint: `${error.hint}, or \`lockstorm setup\`, which does it` };
  }
}

async function examineEngine(engine: Dockerode): Promise<Result> {
  const { Version, Os, Arch } = await engine.version();
  return { state: "ok", detail: `${Version}, ${Os}/${Arch}` };
}

async function examineImage(engine: Dockerode, name: string): Promise<Result> {
  if (await hasImage(engine, name)) return { state: "ok", detail: name };
  return { state: "missing", detail: `${name} is not built`, hint: "run `lockstorm setup`" };
}

async function examineAbilities(engine: Dockerode): Promise<readonly Diagnosis[]> {
  const firewall = "partitions (iptables)";
  const emulator = "network emulator (tc netem)";
  let abilities;
  try {
    abilities = await probeContainer(engine, NODE_IMAGE);
  } catch (error) {
    return [brokenBy(firewall, error)];
  }
  const lastLine = abilities.output.split("\n").findLast((line) => !line.startsWith("has:")) ?? "no output";
  return [
    abilities.iptables
      ? { name: firewall, state: "ok", detail: "a container with NET_ADMIN can drop packets" }
      : {
          name: firewall,
          state: "broken",
          detail: lastLine,
          hint: "load the kernel's firewall: sudo modprobe nf_tables",
        },
    abilities.netem
      ? { name: emulator, state: "ok", optional: true, detail: "the kernel has it" }
      : {
          name: emulator,
          state: "missing",
          optional: true,
          detail: "not in this kernel; Toxiproxy can still delay clients' links",
        },
  ];
}

async function examineClientClock(): Promise<Result> {
  const clock = await clientClockLibrary();
  if (clock.library === undefined) {
    return {
      state: "missing",
      optional: true,
      detail: clock.reason,
      hint: "install a C compiler, or run `lockstorm setup`",
    };
  }
  await verifyClockLibrary(clock.library);
  return { state: "ok", optional: true, detail: "a Node process sees a jump of its clock" };
}

async function examineLeftovers(): Promise<Result> {
  const runs = await deadRuns();
  if (runs.length === 0) return { state: "ok", detail: "none" };
  const detail = `of ${runs.length} dead ${runs.length === 1 ? "run" : "runs"}: ${runs.join(", ")}`;
  return { state: "broken", optional: true, detail, hint: "nothing: the next run removes them" };
}

async function examineDisk(engine: Dockerode): Promise<Result> {
  const { DockerRootDir } = (await engine.info()) as { readonly DockerRootDir?: string };
  // An engine in a virtual machine, or elsewhere, has its folder there.
  const folder = DockerRootDir !== undefined && existsSync(DockerRootDir) ? DockerRootDir : process.cwd();
  const { bavail, bsize } = await statfs(folder);
  const detail = `${((bavail * bsize) / 1e9).toFixed(1)} GB free at ${folder}`;
  if (bavail * bsize >= LEAST_FREE_BYTES) return { state: "ok", detail };
  return { state: "broken", detail, hint: "free disk space, for example: docker system prune" };
}
