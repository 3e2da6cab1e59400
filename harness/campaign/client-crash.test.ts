// First: libraries store functions of the platform when they are loaded.
import { runSimulated } from "./run-simulated.ts";
import { fork } from "node:child_process";
import { expect, test } from "vitest";
import type { Grant, LockDriver } from "../core/lock-driver.ts";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "../core/plan.ts";
import { notesOf } from "./notes/run-notes.ts";

const single = await (await import("../../lock-impl/ladder/single.ts")).single.load();

const section = { key: "k1", ttlMs: 300, waitMs: 1000, steps: [{ do: "hold", forMs: 50 }] };
const plan = planSchema.parse({
  format: PLAN_FORMAT,
  version: PLAN_VERSION,
  seed: 1,
  lock: "crashing",
  topology: { kind: "single" },
  clients: [{ sections: [section, section] }, { sections: [{ ...section, waitMs: 2000 }, section] }],
  faults: [],
  limitMs: 10_000,
});

/** Ways in which a lock can end the process of client-0, 10 ms after it was granted. */
const ways: Readonly<Record<string, () => void>> = {
  "unhandledRejection: TypeError: the reply is no text": () =>
    void Promise.reject(new TypeError("the reply is no\n text")),
  "timer: Error: boom": () => {
    throw new Error("boom");
  },
  "process.exit: Error: the program called process.exit(3)": () => process.exit(3),
};

function crashing(end: () => void): LockDriver {
  return {
    async connect(environment) {
      const lock = await single.connect(environment);
      return {
        async acquire(key, options) {
          const granted = await lock.acquire(key, options);
          if (granted.type === "ok" && environment.client === "client-0") setTimeout(() => end(), 10);
          return granted;
        },
        release: (grant: Grant) => lock.release(grant),
        [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
      };
    },
  };
}

test.each(Object.keys(ways))("%s ends the client, is on record, and the run goes on", async (evidence) => {
  const driver = crashing(ways[evidence]!);
  const once = await runSimulated(plan, { title: "t", required: ["mutual-exclusion", "deadlock-freedom"], driver });
  const { history, verdict } = once.record;
  const crash = history.events.find(({ f }) => f === "client-crash");
  expect(crash).toMatchObject({
    process: "nemesis",
    type: "fault",
    value: { phase: "start", outcome: "installed", targets: ["client-0"], processes: [0], evidence },
  });
  expect(crash).toMatchObject({
    value: { stack: expect.arrayContaining([expect.stringContaining("client-crash.test")]) },
  });
  // The other client waits for the lease to end, and does its work.
  const ofOther = history.events.filter(({ process, type, f }) => process === 1 && type === "ok" && f === "acquire");
  expect(ofOther).toHaveLength(2);
  expect(history.events.filter((event) => event.process === 0 && event.index > (crash?.index ?? 0))).toEqual([]);
  expect(history.end?.value.run).toBe("completed");
  expect(verdict.properties["mutual-exclusion"]?.verdict).toBe("valid");
  expect(verdict.verdict).toBe("unknown");
  expect(verdict.reasons[0]).toMatch(
    new RegExp(
      `^the lock crashed its client client-0 at .* \\(event \\d+\\): ${RegExp.escape(evidence)}, at .*client-crash`,
    ),
  );
  const notes = notesOf({ plan, history, verdict }, "promisable");
  expect(notes.map(({ kind }) => kind)).toEqual(["crashed"]);
  const again = await runSimulated(plan, { title: "t", required: [], driver });
  expect(again.traceHash).toBe(once.traceHash);
});

test("a lock that listens for what it does not catch survives it, as under Node", async () => {
  const driver = crashing(() => {
    process.on("unhandledRejection", () => {});
    void Promise.reject(new TypeError("the reply is no text"));
  });
  const { history } = (await runSimulated(plan, { title: "t", required: [], driver })).record;
  expect(history.events.filter(({ f }) => f === "client-crash")).toEqual([]);
  expect(history.end?.value.run).toBe("completed");
});

test("a lock that ends its client with a call that is not simulated did not crash it: the run ends, and says so", async () => {
  const driver = crashing(() => void fork("renewals.js"));
  await expect(runSimulated(plan, { title: "t", required: [], driver })).rejects.toMatchObject({
    name: "UserError",
    message: "child_process.fork is not simulated: a program in a simulated host cannot use it",
    hint: "give it real time: --backend live or --backend containers",
  });
});

test("a lock that cannot connect because of such a call says what to do", async () => {
  const driver: LockDriver = { connect: async () => fork("renewals.js") as never };
  await expect(runSimulated(plan, { title: "t", required: [], driver })).rejects.toMatchObject({
    name: "UserError",
    message: expect.stringMatching(/^the lock of client-0 could not connect: child_process.fork is not simulated/),
    hint: "give it real time: --backend live or --backend containers",
  });
});

test("a lock that crashes while it connects is an error of its driver", async () => {
  const driver: LockDriver = {
    connect: () => {
      void Promise.reject(new Error("no such host"));
      return new Promise(() => {});
    },
  };
  await expect(runSimulated(plan, { title: "t", required: [], driver })).rejects.toThrow(
    "the lock of client-0 could not connect: no such host",
  );
});

test("a lock that gives up while it connects is told with what it wrote last to its console", async () => {
  const driver: LockDriver = {
    async connect() {
      console.log("loading the settings");
      console.error("no transporter:", new Error("unheard of"));
      process.exit(1);
    },
  };
  await expect(runSimulated(plan, { title: "t", required: [], driver })).rejects.toThrow(
    /^the lock of client-0 could not connect: the program called process\.exit\(1\); it wrote last: no transporter: Error: unheard of$/,
  );
});
