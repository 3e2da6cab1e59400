import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { NODE_OPTIONS_FOR_MODULES } from "./harness/core/node-options.ts";

const rooms = "{harness,lock-impl,workloads,faults,reports,docker,packaging}";

type Settings = NonNullable<TestProjectInlineConfiguration["test"]>;

/** So that simulated clients have modules of their own, as they have under the command line. */
const execArgv = [...NODE_OPTIONS_FOR_MODULES];

/** No test depends on the speed of the machine, and none has a limit of its own: these end only what hangs. */
const LIMITS = { testTimeout: 300_000, hookTimeout: 600_000 };

/** What `npm test` leaves out, and `npm run test:long` runs. */
const LONG = { name: "long", description: "takes more than a second on an idle machine", timeout: 600_000 };

/** Tests that need nothing. */
const unit: Settings = {
  include: [`${rooms}/**/*.test.ts`],
  exclude: ["**/*.containers.test.ts", "harness/simulated/**"],
  maxWorkers: "100%",
  execArgv,
  ...LIMITS,
};

/** Folders whose modules keep nothing between calls. */
const statelessRooms = "{harness/{core,history,check},lock-impl,workloads,faults,reports,docker}";

/** Those of them share their modules: to load them anew for each file takes longer than its tests. */
const sharing: Settings = { ...unit, include: [`${statelessRooms}/**/*.test.ts`], isolate: false };

/** The others start threads and processes, or load drivers. */
const isolated: Settings = { ...unit, exclude: [...(unit.exclude ?? []), `${statelessRooms}/**`] };

/** Tests that patch the platform in their own process. */
const simulated: Settings = {
  include: ["harness/simulated/**/*.test.ts"],
  exclude: ["**/*.containers.test.ts"],
  pool: "forks",
  execArgv,
  maxWorkers: "100%",
  ...LIMITS,
};

/**
 * Tests that need a container engine. They come after the others, one file after another: real servers and clients run by
 * the clock, and want the machine for themselves.
 */
const containers: Settings = {
  include: [`${rooms}/**/*.containers.test.ts`],
  globalSetup: ["harness/containers/testing/test-engine.ts"],
  fileParallelism: false,
  // Of tests that say that they may run side by side.
  maxConcurrency: 3,
  sequence: { groupOrder: 1 },
  ...LIMITS,
};

const setupFiles = ["harness/testing/fixed-draws.ts"];

/** Files of which `npm test` runs the tests that are not tagged `long`. */
function quick(name: string, settings: Settings): TestProjectInlineConfiguration {
  return { test: { ...settings, name, setupFiles, exclude: [...(settings.exclude ?? []), "**/*.long.*"] } };
}

/** Files whose tests are all tagged `long`, so that `npm test` need not load them: `x.long.test.ts`, `x.long.containers.test.ts`. */
function long(name: string, settings: Settings): TestProjectInlineConfiguration {
  const include = (settings.include ?? []).map((pattern) => pattern.replace("/*.", "/*.long."));
  return { test: { ...settings, name: `long-${name}`, setupFiles, include } };
}

export default defineConfig({
  test: {
    // A failure that comes once in a hundred runs must be understood from its message.
    chaiConfig: { truncateThreshold: 4000 },
    tags: [LONG],
    globalSetup: ["harness/testing/temporary-folder.ts"],
    projects: [
      quick("unit", sharing),
      quick("unit-isolated", isolated),
      quick("simulated", simulated),
      quick("containers", containers),
      long("unit", unit),
      long("simulated", simulated),
      long("containers", containers),
    ],
  },
});
