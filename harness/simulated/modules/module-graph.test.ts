import "../platform/install.ts";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import v8 from "node:v8";
import vm from "node:vm";
import { expect, test } from "vitest";
import { PLAN_FORMAT, PLAN_VERSION, planSchema } from "../../core/plan.ts";
import { heartbeat, HeartbeatReader } from "../../client/heartbeat.ts";
import { findLock } from "../../../lock-impl/registry.ts";
import type { LockEntry } from "../../../lock-impl/lock-entry.ts";
import { runSimulated } from "../../campaign/run-simulated.ts";
import { ModuleGraph } from "./module-graph.ts";

const folder = join(import.meta.dirname, "testing");
const library = join(folder, "counting-library", "index.js");

interface Counting {
  readonly version: string;
  readonly pool: string;
  readonly circle: { readonly early: number; readonly partner: unknown };
  next(): number;
  loadModule(): Promise<Loaded>;
  requireModule(): Loaded;
}

interface Loaded {
  readonly default: () => number;
  readonly sameLibrary: boolean;
  readonly url: string;
}

/** What `testing/asking-module.mjs` exports. */
interface Asking {
  failureOfImport(specifier: string): Promise<object>;
  codeOfRequire(specifier: string): string;
  importOther(query: string): Promise<Loaded>;
}

const missingUrl = pathToFileURL(join(folder, "no-such-file.mjs")).href;

async function load(graph: ModuleGraph): Promise<Counting & { readonly default: Counting }> {
  return (await graph.import(library)) as Counting & { readonly default: Counting };
}

test("what a library keeps at module level is each graph's own, and the same within it", async () => {
  const [one, other] = [new ModuleGraph({}), new ModuleGraph({})];
  const [first, second] = [await load(one), await load(other)];
  expect([first.next(), first.next(), (await load(one)).next(), second.next()]).toEqual([1, 2, 3, 1]);
  expect(first.pool).not.toBe(second.pool);
});

test("each file that is loaded shows that the step gets ahead", async () => {
  const reader = new HeartbeatReader(heartbeat.memory);
  heartbeat.beat();
  try {
    const before = reader.step ?? 0;
    await load(new ModuleGraph({}));
    const files = globSync("counting-library/*.js", { cwd: folder }).length;
    expect(files).toBeGreaterThan(1);
    expect(reader.step).toBeGreaterThanOrEqual(before + files);
  } finally {
    heartbeat.rest();
  }
});

test("a module that makes its own require gets the modules of its graph", async () => {
  const graph = new ModuleGraph({});
  const { createRequire: make } = (await graph.import("node:module")) as { createRequire: typeof createRequire };
  const mine = await load(graph);
  const folder = new URL(".", import.meta.url);
  for (const from of [import.meta.url, import.meta.filename, folder, fileURLToPath(folder)]) {
    expect(make(from)("./testing/counting-library/index.js")).toBe(mine.default);
    expect(make(from)("node:fs")).toBe(createRequire(from)("node:fs"));
  }
});

test("what is not found fails as it does in Node, by import and by require", async () => {
  const graph = new ModuleGraph({});
  const mine = (await graph.import(join(folder, "asking-module.mjs"))) as Asking;
  const nodes = createRequire(import.meta.url)(join(folder, "asking-module.mjs")) as Asking;
  for (const specifier of ["no-such-package", "./no-such-file.mjs", "./no-such-file.mjs?again", missingUrl]) {
    const [ours, theirs] = [await mine.failureOfImport(specifier), await nodes.failureOfImport(specifier)];
    expect(ours, specifier).toEqual(theirs);
    expect(ours, specifier).toMatchObject({ code: "ERR_MODULE_NOT_FOUND" });
  }
  expect(mine.codeOfRequire("no-such-package")).toBe("MODULE_NOT_FOUND");
  expect(mine.codeOfRequire("no-such-package")).toBe(nodes.codeOfRequire("no-such-package"));
});

test("a module is imported once for each query of its address, as in Node", async () => {
  for (const asking of [
    (await new ModuleGraph({}).import(join(folder, "asking-module.mjs"))) as Asking,
    createRequire(import.meta.url)(join(folder, "asking-module.mjs")) as Asking,
  ]) {
    const [plain, first, again, second] = [
      await asking.importOther(""),
      await asking.importOther("?first"),
      await asking.importOther("?first"),
      await asking.importOther("?second#part"),
    ];
    expect(first).toBe(again);
    expect(new Set([plain, first, second]).size).toBe(3);
    expect([plain, first, second].map(({ url }) => url.split("/").at(-1))).toEqual([
      "module.mjs",
      "module.mjs?first",
      "module.mjs?second#part",
    ]);
  }
});

test("what a lock promises is the same tables in every graph, and its driver is each graph's own", async () => {
  const file = resolve(import.meta.dirname, "../../../lock-impl/libraries/redlock5.ts");
  const load = async (): Promise<LockEntry> => {
    return ((await new ModuleGraph({}).import(file)) as { readonly redlock5: LockEntry }).redlock5;
  };
  const [one, other] = [await load(), await load()];
  expect(one).not.toBe(other);
  expect(one.claims).toBe(other.claims);
  expect(one).toEqual({ ...findLock("redlock5"), load: one.load });
});

test("a module is loaded again after a program has set a flag of V8", async () => {
  const file = join(folder, "asking-module.mjs");
  await new ModuleGraph({}).import(file);
  v8.setFlagsFromString("--expose-gc");
  expect(Object.keys(await new ModuleGraph({}).import(file))).toContain("importOther");
});

test("nothing of a graph is kept once its client is gone", async () => {
  v8.setFlagsFromString("--expose-gc");
  const collectGarbage = vm.runInNewContext("gc") as () => void;
  const graphs: WeakRef<ModuleGraph>[] = [];
  for (let run = 0; run < 10; run += 1) {
    const graph = new ModuleGraph({});
    (await load(graph)).requireModule();
    graphs.push(new WeakRef(graph));
  }
  // A WeakRef keeps what it names until the turn is over.
  await nextTurn();
  collectGarbage();
  // The variable of the loop may still hold the last one.
  expect(graphs.filter((graph) => graph.deref() !== undefined).length).toBeLessThanOrEqual(1);
});

test("CommonJS, JSON, circles, modules that import CommonJS, and CommonJS that requires modules are loaded as by Node", async () => {
  const graph = new ModuleGraph({});
  const mine = await load(graph);
  const nodes = createRequire(import.meta.url)(library) as Counting;
  expect(Object.keys(mine).toSorted()).toEqual(["default", ...Object.keys(nodes)].toSorted());
  expect([mine.version, mine.circle.early]).toEqual([nodes.version, nodes.circle.early]);
  expect(mine.circle.partner).toBe(mine.default);
  const required = mine.requireModule();
  expect([required.sameLibrary, required.default(), required.url]).toEqual([
    true,
    1,
    pathToFileURL(join(folder, "counting-library", "module.mjs")).href,
  ]);
});

test("the classes of node-redis are what Node makes of its source, with a prototype that is quick to fill", async () => {
  interface Commander {
    attachConfig(config: { BaseClass: new () => object; commands: object }): new () => Record<string, () => string>;
  }
  const file = join(folder, "@redis", "client", "dist", "lib", "commander.js");
  class BaseClass {
    quit(): string {
      return "over";
    }
  }
  const commands = { get: () => "got", set: () => "set" };
  const made = [
    (await new ModuleGraph({}).import(file)) as Commander,
    createRequire(import.meta.url)(file) as Commander,
  ];
  const classes = made.map((commander) => commander.attachConfig({ BaseClass, commands }));
  const [ours, nodes] = classes.map((Class) => ({
    name: Class.name,
    own: Object.getOwnPropertyDescriptors(Class.prototype),
    order: Reflect.ownKeys(Class.prototype as object).slice(1),
    base: Object.getPrototypeOf(Class.prototype) === BaseClass.prototype,
    static: Reflect.ownKeys(Class),
    answer: new Class()["get"]?.(),
  }));
  expect({ ...ours, own: undefined }).toEqual({ ...nodes, own: undefined });
  expect({ ...ours?.own, constructor: undefined }).toEqual({ ...nodes?.own, constructor: undefined });
  expect(classes.map((Class) => String(Class).includes("delete"))).toEqual([true, false]);
});

const section = { key: "k1", ttlMs: 300, waitMs: 0, tries: 20, steps: [{ do: "hold", forMs: 20 }] };
const plan = planSchema.parse({
  format: PLAN_FORMAT,
  version: PLAN_VERSION,
  seed: 3,
  lock: join(folder, "stateful-driver.mts"),
  topology: { kind: "single" },
  clients: [{ sections: [section, section] }, { sections: [section, section] }],
  faults: [],
  limitMs: 20_000,
});

const [addon] = globSync("node_modules/@oxc-parser/binding-*/*.node");

test.runIf(addon !== undefined)("a lock that waits for native code is told that it is not simulated", async () => {
  const home = mkdtempSync(join(tmpdir(), "lockstorm-addon-"));
  const lock = join(home, "native-driver.mjs");
  writeFileSync(
    lock,
    `import { createRequire } from "node:module";
     createRequire(import.meta.url)(${JSON.stringify(resolve(addon ?? ""))});
     export const driver = { connect: () => new Promise(() => {}) };`,
  );
  const run = runSimulated({ ...plan, lock }, { title: "t", required: [] });
  await expect(run).rejects.toMatchObject({
    name: "UserError",
    message: expect.stringMatching(
      /^the lock of client-0 never connects: it uses native code, [^/]+\.node, which is not/,
    ),
  });
  rmSync(home, { recursive: true });
});

test("a driver with a connection and a counter for its process gives every run the same, and every client its own", async () => {
  const runs = [];
  for (let run = 0; run < 3; run += 1) runs.push(await runSimulated(plan, { title: "t", required: [] }));
  expect(new Set(runs.map(({ traceHash }) => traceHash)).size).toBe(1);
  const owners = runs[0]!.record.history.events.flatMap((event) =>
    event.type === "ok" && event.f === "acquire" ? [event.value.owner] : [],
  );
  expect(owners).toHaveLength(4);
  // Each module saw one client; each client has its own counter and its own pool.
  expect(owners.map((owner) => owner.split("-")[0])).toEqual(["1", "1", "1", "1"]);
  expect(new Set(owners.map((owner) => owner.split("-")[2])).size).toBe(2);
  expect(runs[0]!.record.verdict.properties["mutual-exclusion"]?.verdict).toBe("valid");
});
