import "../platform/install.ts";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import v8 from "node:v8";
import { expect, onTestFinished, test } from "vitest";
import { ModuleGraph } from "./module-graph.ts";

type Command = (...args: readonly unknown[]) => unknown;
interface Client {
  readonly default: new () => Readonly<Record<string, Command>>;
}

const nodeRedis4 = join(import.meta.dirname, "testing/version-4/@redis/client/dist/lib/client/index.js");
const ioredis5 = join(import.meta.dirname, "testing/version-5/commander.js");

/** Whether V8 keeps an object's properties by their place. It moves them there again after each addition to a prototype. */
function isFast(object: unknown): boolean {
  v8.setFlagsFromString("--allow-natives-syntax");
  return (Reflect.construct(Function, ["object", "return %HasFastProperties(object)"]) as typeof isFast)(object);
}

test("the class of node-redis 4 is what Node makes of its source, with a prototype that was quick to fill", async () => {
  const mine = ((await new ModuleGraph({}).import(nodeRedis4)) as { readonly default: Client }).default.default;
  const nodes = (createRequire(import.meta.url)(nodeRedis4) as Client).default;
  expect([isFast(mine.prototype), isFast(nodes.prototype)]).toEqual([false, true]);
  const [ours, theirs] = [mine, nodes].map((Class) => {
    const members = Object.getOwnPropertyDescriptors(Class.prototype as object);
    const client = new Class();
    return {
      name: Class.name,
      own: Reflect.ownKeys(members),
      shapes: Object.values(members).map((member) => ({ ...member, value: String(member.value) })),
      answers: [client["command7"]?.("a", "b"), client["command299"]?.(), client["quit"]?.()],
    };
  });
  expect({ ...ours, shapes: ours?.shapes.slice(1) }).toEqual({ ...theirs, shapes: theirs?.shapes.slice(1) });
  expect(ours?.answers).toEqual([[7, "a", "b"], [299], "over"]);
});

test("the table of the commands of node-redis 4 is what Node makes of its source, and was quick to fill", async () => {
  const home = mkdtempSync(join(tmpdir(), "lockstorm-node-redis-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const names = (from: number, to: number): string =>
    Array.from(
      { length: to - from },
      (_, index) => `COMMAND_${from + index},\n    command${from + index}: ${from}`,
    ).join(",\n    ");
  const values = Array.from({ length: 500 }, (_, index) => `const COMMAND_${index} = { of: ${index} };`).join("\n");
  const [ofCluster, ofClient] = ["cluster", "client"].map((kind) =>
    join(home, `node_modules/@redis/client/dist/lib/${kind}/commands.js`),
  ) as [string, string];
  const write = (file: string, code: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `"use strict";\n${values}\n${code}`);
  };
  write(ofCluster, `exports.default = {\n    ${names(0, 200)}\n};\n`);
  // As in node-redis: the names of the cluster first, of which some are given anew.
  const requiring = 'const commands_1 = require("../cluster/commands");';
  write(ofClient, `${requiring}\nexports.default = {\n    ...commands_1.default,\n    ${names(100, 500)}\n};\n`);
  const mine = ((await new ModuleGraph({}).import(ofClient)) as { readonly default: { readonly default: object } })
    .default;
  const nodes = createRequire(import.meta.url)(ofClient) as { readonly default: object };
  expect([isFast(mine.default), isFast(nodes.default)]).toEqual([false, true]);
  expect(Object.entries(mine.default)).toHaveLength(1000);
  expect(Object.entries(mine.default)).toEqual(Object.entries(nodes.default));
});

// iovalkey is ioredis under another name.
test.each(["ioredis", "iovalkey"])(
  "the class of %s is what Node makes of its source, with a prototype that was quick to fill",
  async (name) => {
    const home = mkdtempSync(join(tmpdir(), "lockstorm-ioredis-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const file = join(home, `node_modules/${name}/built/utils/Commander.js`);
    cpSync(ioredis5, file);
    const mine = ((await new ModuleGraph({}).import(file)) as { readonly default: Client }).default.default;
    const nodes = (createRequire(import.meta.url)(file) as Client).default;
    expect([isFast(mine.prototype), isFast(nodes.prototype)]).toEqual([false, true]);
    const [ours, theirs] = [mine, nodes].map((Class) => {
      const members = Object.getOwnPropertyDescriptors(Class.prototype as object);
      const client = new Class();
      return {
        source: String(Class),
        own: Reflect.ownKeys(members),
        shapes: Object.values(members).map((member) => ({ ...member, value: String(member.value) })),
        answers: [client["command7Buffer"]?.("a"), client["sentinel"]?.("b"), client["call"]?.(), client["command299"]],
      };
    });
    expect(ours).toEqual(theirs);
    expect(ours?.answers).toEqual([["command7", null, "a"], ["sentinel", "utf8", "b"], ["call", "utf8"], undefined]);
  },
);
