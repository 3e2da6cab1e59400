import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, expect } from "vitest";
import { outputJsonSchema } from "../json-output/output-schemas.ts";
import { runMain } from "./run-main.ts";

// Another program reads the schema, not the library that wrote it.
const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, validateFormats: false }).addSchema(
  JSON.parse(outputJsonSchema()) as object,
  "output",
);

/** What decides whether the output of a command is valid. */
export function validatorOf(command: string): ValidateFunction {
  return ajv.getSchema(`output#/$defs/${command}`) ?? expect.unreachable();
}

/**
 * Runs commands in a folder of their own, and reads the JSON that they print. `{run}` in a call stands for the folder of
 * the newest run.
 */
export function jsonCaller(): (call: string) => Promise<unknown> {
  const root = mkdtempSync(join(tmpdir(), "lockstorm-json-"));
  afterAll(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "holds.txt"), "10\n20\n30\n");
  const printed = async (call: string): Promise<unknown> => {
    if (call.includes("{run}")) {
      const [run] = (await printed("runs --json")) as readonly { folder: string }[];
      return printed(call.replaceAll("{run}", run?.folder ?? expect.unreachable()));
    }
    const { stdout, stderr } = await runMain(call.split(" "), { cwd: root });
    if (stdout === "") throw new Error(`${call} printed nothing: ${stderr}`);
    return JSON.parse(stdout);
  };
  return printed;
}
