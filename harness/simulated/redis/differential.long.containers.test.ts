// @module-tag long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Random, randomStream } from "../../core/random.ts";
import { describeWithEngine } from "../../containers/testing/engine-required.ts";
import { connectEngine } from "../../containers/engine/engine.ts";
import { hasImage } from "../../containers/engine/engine-messages.ts";
import { nodeImage } from "../../containers/setup/images.ts";
import { replicationCommands } from "../nodes/replication-source.ts";
import { isAbsent } from "./absent-commands.ts";
import { buildCommands } from "./command-table.ts";
import type { Command } from "./command.ts";
import type { RedisVersion } from "./server.ts";
import { CommandGenerator } from "./testing/command-generator.ts";
import { COMMAND_SHAPES } from "./testing/command-shapes.ts";
import { DifferentialRun, type Difference } from "./testing/differential-run.ts";
import { RealServer } from "./testing/real-server.ts";
import { parseFrame, type Frame } from "./testing/reply-frames.ts";
import { RealConnection } from "./testing/real-connection.ts";
import { BlockingGenerator } from "./testing/blocking-generator.ts";
import { BLOCKING_SCENARIOS } from "./testing/blocking-scenarios.ts";
import { CORNER_SCENARIOS } from "./testing/corner-scenarios.ts";
import { FUNCTION_SCENARIOS, oneFunction } from "./testing/function-scenarios.ts";
import type { Step } from "./testing/scenario.ts";
import { runScenario, runSteps } from "./testing/scenario-run.ts";
import { SCENARIOS } from "./testing/scenarios.ts";
import { TRACKING_SCENARIOS } from "./testing/tracking-scenarios.ts";
import { ScriptGenerator } from "./testing/script-generator.ts";

const SEED = 20_251;
const COMMANDS = 20_000;
const SCRIPTS = 4_000;
const FUNCTIONS = 1_000;
const PATIENCE_MS = 600_000;

/** Whether the image of the older server was built; all tests here need the newer one's. */
async function hasOldServer(): Promise<boolean> {
  try {
    return await hasImage(await connectEngine(), nodeImage("redis7").name);
  } catch {
    return false;
  }
}

const withOld = await hasOldServer();

describeWithEngine.each<[RedisVersion, boolean]>([
  ["8.0.2", true],
  ["7.0.15", withOld],
])("the simulated Redis %s, compared with the real one", (version, isThere) => {
  describe.skipIf(!isThere)("byte for byte", () => {
    let real: RealServer;

    beforeAll(async () => {
      real = await RealServer.start(version);
    });

    afterAll(async () => {
      await real[Symbol.asyncDispose]();
    });

    function open(): Promise<DifferentialRun> {
      const { host, port, clock } = real;
      return DifferentialRun.open({ version, host, port, clock, seed: SEED });
    }

    function advance(random: Random): void {
      if (random.integer(0, 2) > 0) return;
      const stepUs = random.integer(0, 1) === 0 ? 1_000 : 300_000;
      real.clock.set(real.clock.nowUs + random.integer(0, 3) * stepUs + random.integer(0, 999));
    }

    test("every command of the real server is simulated, or known to be absent", async () => {
      await using connection = await RealConnection.open(real.host, real.port);
      const reply = (await connection.ask([["command", "list"]])).join("");
      const names = [...reply.matchAll(/\$\d+\r\n([^\r]+)\r\n/g)].flatMap(([, name = ""]) => name);
      expect(names.length).toBeGreaterThan(200);
      const simulated = buildCommands(version, replicationCommands);
      const neither = names.filter((name) => !name.includes("|") && !simulated.has(name) && !isAbsent(name));
      expect(neither).toEqual([]);
      expect([...simulated.keys()].filter(isAbsent)).toEqual([]);
    });

    test(
      `${COMMANDS} random commands: replies, effects, events and data`,
      async () => {
        await using run = await open();
        const random = randomStream(SEED, "commands");
        const generator = new CommandGenerator(random, () => Math.floor(real.clock.nowUs / 1000));
        while (run.commands < COMMANDS) {
          await run.batch(() => generator.next(), 40);
          advance(random);
          if (random.integer(0, 15) === 0) await run.reset();
        }
        expect(run.differences.map(shown)).toEqual([]);
      },
      PATIENCE_MS,
    );

    test(
      `${SCRIPTS} random scripts`,
      async () => {
        await using run = await open();
        const random = randomStream(SEED, "scripts");
        const own = new Set(["time", "select", "swapdb", "move", "client"]);
        const shapes = COMMAND_SHAPES.filter(({ name, compare }) => compare === undefined && !own.has(name));
        const nowMs = (): number => Math.floor(real.clock.nowUs / 1000);
        const generator = new ScriptGenerator(random, new CommandGenerator(random, nowMs, shapes));
        while (run.commands < SCRIPTS) {
          await run.batch(() => generator.next(), 10);
          advance(random);
        }
        expect(run.differences.map(shown)).toEqual([]);
      },
      PATIENCE_MS,
    );

    test("scripts that were thought up", async () => {
      await using run = await open();
      const scripts = thoughtUpScripts();
      expect(scripts.length).toBeGreaterThan(500);
      for (const script of scripts) await run.batch(() => ["eval", script, "2", "k1", "k2", "a1", "a2", "3"], 1);
      expect(run.differences.map(shown)).toEqual([]);
    });

    test("the same scripts as functions, in a transaction too: replies, effects, events and data", async () => {
      await using run = await open();
      for (const [index, script] of thoughtUpScripts().entries()) {
        // A header is no part of a function.
        if (script.startsWith("#!")) continue;
        const load = ["function", "load", "replace", oneFunction(script)];
        const call = [index % 5 === 0 ? "fcall_ro" : "fcall", "f", "2", "k1", "k2", "a1", "a2", "3"];
        const commands = index % 3 === 0 ? [["multi"], load, call, ["exec"]] : [load, call];
        await run.batch(() => commands.shift() ?? [], commands.length);
      }
      expect(run.differences.map(shown)).toEqual([]);
    });

    test(
      `${FUNCTIONS} random functions`,
      async () => {
        await using run = await open();
        const random = randomStream(SEED, "functions");
        const own = new Set(["time", "select", "swapdb", "move", "client"]);
        const shapes = COMMAND_SHAPES.filter(({ name, compare }) => compare === undefined && !own.has(name));
        const nowMs = (): number => Math.floor(real.clock.nowUs / 1000);
        const generator = new ScriptGenerator(random, new CommandGenerator(random, nowMs, shapes));
        while (run.commands < 2 * FUNCTIONS) {
          const [, script = "", ...rest] = generator.next();
          const flags = ["", "'no-writes'", "'allow-oom'"][random.integer(0, 2)];
          const commands = [
            ["function", "load", "replace", oneFunction(script, flags)],
            ["fcall", "f", ...rest],
          ];
          await run.batch(() => commands.shift() ?? [], 2);
          advance(random);
        }
        expect(run.differences.map(shown)).toEqual([]);
      },
      PATIENCE_MS,
    );

    test.each(
      [...SCENARIOS, ...CORNER_SCENARIOS, ...BLOCKING_SCENARIOS, ...FUNCTION_SCENARIOS, ...TRACKING_SCENARIOS].map(
        (scenario) => [scenario.name, scenario] as const,
      ),
    )("%s", async (_, scenario) => {
      expect(await runScenario(scenario, real)).toEqual([]);
    });

    test(
      "40 random stories of connections that wait",
      async () => {
        for (let story = 0; story < 40; story += 1) {
          const generator = new BlockingGenerator(randomStream(SEED + story, "blocking"));
          let left = 60;
          const next = (blocked: ReadonlySet<string>): Step | undefined => {
            left -= 1;
            return left < 0 ? undefined : generator.next(blocked);
          };
          expect(await runSteps({ names: BlockingGenerator.names, next }, real)).toEqual([]);
        }
      },
      PATIENCE_MS,
    );

    test("arity, flags and keys of every command", async () => {
      await using connection = await RealConnection.open(real.host, real.port);
      const commands = [...buildCommands(version, []).values()];
      const replies = await connection.ask(commands.map(({ name }) => ["command", "info", name]));
      expect(commands.length).toBeGreaterThan(150);
      for (const [index, command] of commands.entries()) {
        const described = partsOf(parseFrame(replies[index] ?? ""))[0];
        if (described === undefined) throw new Error(`the real server has no ${command.name}`);
        expect(describedAs(described)).toEqual(ownDescription(command));
        const theirs = new Map(partsOf(partsOf(described)[9]).map((each) => [textOf(partsOf(each)[0]), each]));
        for (const sub of command.subcommands?.values() ?? []) {
          expect(describedAs(theirs.get(sub.name))).toEqual(ownDescription(sub));
        }
      }
    });
  });
});

function thoughtUpScripts(): readonly string[] {
  const lines = readFileSync(join(import.meta.dirname, "testing/snippets.txt"), "latin1").split("\n");
  return lines.filter((line) => line !== "").map((line) => line.replaceAll(String.raw`\n`, "\n"));
}

function shown(difference: Difference): Difference {
  const { commands } = difference;
  return { ...difference, commands: difference.what === "reply" ? commands.slice(-1) : commands };
}

function partsOf(frame: Frame | undefined): readonly Frame[] {
  return frame !== undefined && "parts" in frame ? frame.parts : [];
}

function textOf(frame: Frame | undefined): string {
  return frame !== undefined && "text" in frame ? frame.text : "";
}

interface Description {
  readonly name: string;
  readonly arity: string;
  readonly flags: readonly string[];
  readonly keys: readonly string[];
}

function describedAs(frame: Frame | undefined): Description {
  const [name, arity, flags, ...rest] = partsOf(frame);
  return {
    name: textOf(name),
    arity: textOf(arity),
    flags: partsOf(flags).map(textOf).sort(),
    keys: rest.slice(0, 3).map(textOf),
  };
}

function ownDescription({ name, arity, flags, keys }: Command): Description {
  const shownFlags = [...flags].filter((flag) => flag !== "may_replicate" && flag !== "touches_arbitrary_keys");
  return { name, arity: String(arity), flags: shownFlags.sort(), keys: keys.map(String) };
}
