import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A Lua script with the hash by which the server knows it. */
export interface Script {
  readonly lua: string;
  /** SHA-1 in hexadecimal, as EVALSHA wants it. */
  readonly sha: string;
}

/** A script from its text. */
export function scriptOf(lua: string): Script {
  return { lua, sha: createHash("sha1").update(lua).digest("hex") };
}

/** Reads `scripts/<name>.lua`. Called only while modules load. */
export function loadScript(name: string): Script {
  return scriptOf(readFileSync(new URL(`scripts/${name}.lua`, import.meta.url), "utf8"));
}
