import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { DOCKER_DIRECTORY } from "../setup/images.ts";

const packageSchema = z.object({ engines: z.object({ node: z.string().regex(/^>=\d+\.\d+\.\d+$/) }) });

/** The oldest version of Node that this package supports, from its package.json: `22.22.0`. */
export function oldestNode(): string {
  const file = join(dirname(DOCKER_DIRECTORY), "package.json");
  if (!existsSync(file)) throw new Error(`${file} is missing from this installation`);
  return packageSchema.parse(JSON.parse(readFileSync(file, "utf8"))).engines.node.slice(">=".length);
}

/** Whether `version` is `oldest` or newer. Both are of the form `22.22.0`. */
export function isAtLeast(version: string, oldest: string): boolean {
  const wanted = oldest.split(".").map(Number);
  for (const [place, number] of version.split(".").map(Number).entries()) {
    if (number !== wanted[place]) return number > (wanted[place] ?? 0);
  }
  return true;
}
