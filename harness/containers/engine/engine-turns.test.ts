import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { changeSystem, endContainer } from "./engine-turns.ts";

const MODULE = JSON.stringify(new URL("./engine-turns.ts", import.meta.url).href);

/** Another process that takes the turn, says so, and keeps it until it is killed. */
async function holder() {
  const script = `import { endContainer } from ${MODULE};
    await endContainer(() => new Promise(() => { console.log("mine"); setInterval(() => {}, 1000); }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

test.each([changeSystem, endContainer])(
  "turns of one process follow one another, also after one that fails",
  async (turn) => {
    let inside = 0;
    const seen: number[] = [];
    const action = async (): Promise<void> => {
      inside += 1;
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(inside);
      inside -= 1;
      throw new Error("failed");
    };
    const outcomes = await Promise.allSettled([turn(action), turn(action), turn(action)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(seen).toEqual([1, 1, 1]);
  },
);

test.runIf(process.platform === "linux")(
  "a container is ended when no other process ends one, and a process that dies gives its turn back",
  async () => {
    const other = await holder();
    let began = false;
    const mine = endContainer(async () => {
      began = true;
    });
    const next = endContainer(async () => "next");
    // Long enough for an unheld turn to be taken many times.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(began).toBe(false);
    other.kill("SIGKILL");
    await mine;
    expect(await next).toBe("next");
  },
);
