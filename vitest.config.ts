import { defineConfig } from "vitest/config";

const rooms = "{harness,lock-impl,workloads,faults,reports,docker}";

/**
 * Three projects: `unit` needs nothing, `simulated` needs nothing but patches the platform in its own process,
 * `containers` needs a Docker engine and runs its files one after another, because the engine is one shared machine.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [`${rooms}/**/*.test.ts`],
          exclude: ["**/*.containers.test.ts", "harness/simulated/**"],
          maxWorkers: "100%",
          // Against hanging only: no test depends on the speed of the machine.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "simulated",
          include: ["harness/simulated/**/*.test.ts"],
          exclude: ["**/*.containers.test.ts"],
          pool: "forks",
          maxWorkers: "100%",
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: "containers",
          include: [`${rooms}/**/*.containers.test.ts`],
          globalSetup: ["harness/containers/test-engine.ts"],
          fileParallelism: false,
          // After the others: real servers and clients run by the clock, and want the machine for themselves.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
