import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import type Dockerode from "dockerode";
import { messageOf, UserError } from "../core/errors.ts";
import { clientClockLibrary, verifyClockLibrary } from "./client-clock.ts";
import { probeContainer } from "./container-probe.ts";
import { connectEngine } from "./engine.ts";
import { hasImage } from "./engine-messages.ts";
import { NODE_IMAGE, TOXIPROXY_IMAGE } from "./images.ts";
import { isAtLeast, oldestNode } from "./node-version.ts";
import { deadRuns } from "./sweep.ts";

/** One thing that was looked at. */
export interface Finding {
  readonly name: string;
  /** `missing`: not there, but can be had; `broken`: there, and does not work. */
  readonly state: "ok" | "missing" | "broken";
  /** What was found, in one line. */
  readonly detail: string;
  /** What to do about it, in the imperative; absent where nothing can or need be done. */
  readonly mend?: string;
  /** True where lockstorm runs without it. */
  readonly optional?: boolean;
}

/** Least free space on the engine's disk, in bytes: for the images, and for building them. */
const LEAST_FREE_BYTES = 3e9;

/** Looks at everything that runs in containers need, and changes nothing. Never rejects. */
export async function examine(): Promise<readonly Finding[]> {
  const findings: Finding[] = [await look("Node", examineNode)];
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

type Result = Omit<Finding, "name">;

async function look(name: string, examination: () => Promise<Result>): Promise<Finding> {
  try {
    return { name, ...(await examination()) };
  } catch (error) {
    return brokenBy(name, error);
  }
}

function brokenBy(name: string, error: unknown): Finding {
  const finding = { name, state: "broken", detail: messageOf(error) } as const;
  return error instanceof UserError ? { ...finding, mend: error.mend } : finding;
}

async function examineNode(): Promise<Result> {
  const version = process.versions.node;
  const oldest = oldestNode();
  if (isAtLeast(version, oldest)) return { state: "ok", detail: version };
  return { state: "broken", detail: `${version} is too old`, mend: `install Node ${oldest} or newer` };
}

async function examineEngine(engine: Dockerode): Promise<Result> {
  const { Version, Os, Arch } = await engine.version();
  return { state: "ok", detail: `${Version}, ${Os}/${Arch}` };
}

async function examineImage(engine: Dockerode, name: string): Promise<Result> {
  if (await hasImage(engine, name)) return { state: "ok", detail: name };
  return { state: "missing", detail: `${name} is not built`, mend: "run `lockstorm setup`" };
}

async function examineAbilities(engine: Dockerode): Promise<readonly Finding[]> {
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
          mend: "load the kernel's firewall: sudo modprobe nf_tables",
        },
    abilities.netem
      ? { name: emulator, state: "ok", optional: true, detail: "the kernel has it" }
      : {
          name: emulator,
          state: "missing",
          optional: true,
          detail: "not in this kernel; clients' links can be delayed all the same, by Toxiproxy",
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
      mend: "install a C compiler, or run `lockstorm setup`",
    };
  }
  await verifyClockLibrary(clock.library);
  return { state: "ok", optional: true, detail: "a Node process follows a jump of its clock" };
}

async function examineLeftovers(): Promise<Result> {
  const runs = await deadRuns();
  if (runs.length === 0) return { state: "ok", detail: "none" };
  const detail = `of ${runs.length} dead ${runs.length === 1 ? "run" : "runs"}: ${runs.join(", ")}`;
  return { state: "broken", optional: true, detail, mend: "nothing: the next run removes them" };
}

async function examineDisk(engine: Dockerode): Promise<Result> {
  const { DockerRootDir } = (await engine.info()) as { readonly DockerRootDir?: string };
  // An engine in a virtual machine, or elsewhere, has its folder there.
  const folder = DockerRootDir !== undefined && existsSync(DockerRootDir) ? DockerRootDir : process.cwd();
  const { bavail, bsize } = await statfs(folder);
  const detail = `${((bavail * bsize) / 1e9).toFixed(1)} GB free at ${folder}`;
  if (bavail * bsize >= LEAST_FREE_BYTES) return { state: "ok", detail };
  return { state: "broken", detail, mend: "make room, for example: docker system prune" };
}
