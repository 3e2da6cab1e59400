import { styleText } from "node:util";
import type { TestProject } from "vitest/node";
import { messageOf, UserError } from "../../core/errors.ts";
import { NODE_IMAGE, POSTGRES_IMAGE, ZOOKEEPER_IMAGE } from "../setup/images.ts";
import { requireImages } from "../setup/images-present.ts";
import { sweep } from "../cleanup/sweep.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Whether tests that need the container engine can run. */
    readonly engine: boolean;
  }
}

/**
 * Setup of the test project `containers`: checks whether there is an engine with our images. Without one the tests are
 * skipped with a warning; in CI, or with LOCKSTORM_REQUIRE_ENGINE=1, that is a failure instead.
 */
export default async function setup(project: TestProject): Promise<void> {
  const lack = await lackOfEngine();
  project.provide("engine", lack === undefined);
  if (lack === undefined) {
    await sweep();
    return;
  }
  const cause = `${lack.message}. To fix it: ${lack.hint}`;
  if (isEngineRequired(process.env)) {
    const failure = new Error(`the tests in containers cannot run: ${cause}`);
    // The position in this file is of no interest.
    failure.stack = failure.message;
    throw failure;
  }
  const lines = ["SKIPPED: every test that needs containers (*.containers.test.ts)", cause, "Then: npm run setup"];
  process.stderr.write(`\n${lines.map((line) => styleText(["bold", "yellow"], `  ${line}`)).join("\n")}\n\n`);
}

/** In CI a skipped test would be taken for a passed one. */
export function isEngineRequired(environment: Readonly<Record<string, string | undefined>>): boolean {
  const isSet = (name: string): boolean => !["", "0", "false"].includes(environment[name] ?? "");
  return isSet("CI") || isSet("LOCKSTORM_REQUIRE_ENGINE");
}

async function lackOfEngine(): Promise<UserError | undefined> {
  try {
    await requireImages([NODE_IMAGE, POSTGRES_IMAGE, ZOOKEEPER_IMAGE]);
    return undefined;
  } catch (error) {
    return error instanceof UserError ? error : new UserError(messageOf(error), "lockstorm doctor", { cause: error });
  }
}
