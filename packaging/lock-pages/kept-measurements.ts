import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Measured } from "./measured-table.ts";

const FILE = "packaging/lock-pages/measured.json";

/** What `npm run docs:libraries -- --measure` found last. @param root the project's root */
export function keptMeasurements(root: string): Measured {
  return JSON.parse(readFileSync(join(root, FILE), "utf8")) as Measured;
}

export function keepMeasurements(root: string, measured: Measured): void {
  writeFileSync(join(root, FILE), `${JSON.stringify(measured, undefined, 2)}\n`);
}
