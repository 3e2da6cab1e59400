// @module-tag long
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "./testing/run-cli.ts";

/** A lock as it stands in many a project: nothing of it is written for plain Node. */
const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "paths": { "@app/*": ["./src/*"] } } }',
  "src/script.ts":
    "export namespace Script {\n  export const FREE = \"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0\";\n}\n",
  "src/locks/types.ts": "export interface Options { readonly pauseMs: number }\nexport type Owner = string;\n",
  "src/locks/index.ts": `
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { Script } from "@app/script";
import { Options, Owner } from "./types";

export enum Answer { Granted, Held }

export class LockService {
  constructor(private readonly redis: Redis, private readonly options: Options) {}

  async take(key: string, ttlMs: number): Promise<{ answer: Answer; owner: Owner }> {
    const owner = randomUUID();
    const reply = await this.redis.set(key, owner, "PX", ttlMs, "NX");
    return { answer: reply === "OK" ? Answer.Granted : Answer.Held, owner };
  }

  pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.options.pauseMs));
  }

  async free(key: string, owner: Owner): Promise<boolean> {
    return (await this.redis.eval(Script.FREE, 1, key, owner)) === 1;
  }
}
`,
  "driver.ts": `
import { Redis } from "ioredis";
import { LockDriver } from "lockstorm";
import { Answer, LockService } from "./src/locks";

const driver: LockDriver = {
  async connect({ servers }) {
    if (servers.kind !== "single") throw new Error("it lives on one server");
    const redis = new Redis({ ...servers.address, maxRetriesPerRequest: 0 });
    redis.on("error", () => {});
    const lock = new LockService(redis, { pauseMs: 20 });
    return {
      async acquire(key, { ttlMs, waitMs, signal }) {
        const giveUpAt = performance.now() + waitMs;
        try {
          for (;;) {
            const { answer, owner } = await lock.take(key, ttlMs);
            if (answer === Answer.Granted) return { type: "ok", value: { key, owner } };
            if (performance.now() >= giveUpAt || signal.aborted) return { type: "fail", kind: "contended", reason: "held" };
            await lock.pause();
          }
        } catch (error) {
          return { type: "info", reason: String(error) };
        }
      },
      async release({ key, owner }) {
        try {
          return { type: "ok", value: { released: await lock.free(key, owner) } };
        } catch (error) {
          return { type: "info", reason: String(error) };
        }
      },
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    };
  },
};
export default driver;
`,
  "lockstorm.config.ts": "enum Runs { Few = 3 }\nexport default { lock: './driver.ts', runs: Runs.Few };\n",
};

/** What only a file that is compiled to CommonJS can use. */
const AS_COMMONJS = `
if (!require("node:fs").existsSync(__dirname + "/index.ts")) throw new Error(__filename);
`;

const folder = mkdtempSync(join(tmpdir(), "lockstorm-projects-"));

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

beforeAll(() => {
  for (const type of ["module", "commonjs", "none"]) {
    for (const [path, text] of Object.entries(FILES)) write(join(folder, type, path), text);
    write(join(folder, type, "package.json"), JSON.stringify(type === "none" ? {} : { type }));
  }
  for (const type of ["commonjs", "none"]) appendFileSync(join(folder, type, "src/locks/index.ts"), AS_COMMONJS);
  // Node strips the types of this one by itself, and then warns that nothing says that it is a module.
  write(
    join(folder, "none/driver.ts"),
    FILES["driver.ts"].replace("import { LockDriver }", "import type { LockDriver }"),
  );
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["module", "simulated"],
  ["module", "live"],
  ["commonjs", "simulated"],
  ["commonjs", "live"],
  ["none", "simulated"],
  ["none", "live"],
])("a lock as its project writes it runs where the package's type is %s: %s", async (type, backend) => {
  const words = ["hunt", "--faults", "none", "--seed", "7", "--backend", backend, "--json"];
  const { code, stdout, stderr } = await runCli(words, { cwd: join(folder, type) });
  expect(stderr).not.toMatch(/lockstorm:|Warning/);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { readonly verdict: string }).verdict).toBe("valid");
});
