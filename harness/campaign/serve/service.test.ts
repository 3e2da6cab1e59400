import { Redis } from "ioredis";
import { expect, test } from "vitest";
import type { PlanInput } from "../../core/plan.ts";
import { planSchema } from "../../core/plan.ts";
import { topologySchema, type TopologySpec } from "../../core/topology.ts";
import { readFaultWords } from "./fault-words.ts";
import { Service } from "./service.ts";

/** Lines that a service has said, and the callers that wait for one. */
class Heard {
  readonly lines: string[] = [];
  #changed = Promise.withResolvers<void>();

  readonly hear = (line: string): void => {
    this.lines.push(line);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  };

  async line(part: string): Promise<void> {
    while (!this.lines.some((line) => line.includes(part))) await this.#changed.promise;
  }
}

const single = topologySchema.parse({ kind: "single" });

async function serve(heard: Heard, topology: TopologySpec = single): Promise<Service> {
  return Service.start({ topology, seed: 1, clients: 1, onEvent: heard.hear });
}

function planWith(faults: PlanInput["faults"]) {
  const format = { format: "lockstorm-plan", version: 1 } as const;
  return planSchema.parse({
    ...format,
    seed: 1,
    lock: "single",
    topology: single,
    clients: [{ sections: [] }],
    faults,
  });
}

test("a fault comes after its delay, and is healed after its duration", async () => {
  const heard = new Heard();
  await using service = await serve(heard);
  await service.ask(readFaultWords("after 20 pause node-0 for 30", single));
  expect(service.inForce).toEqual([]);
  await heard.line("1 pause-node: installed; node-0 is paused");
  expect(service.inForce).toEqual([{ number: 1, kind: "pause-node", targets: ["node-0"] }]);
  await heard.line("1 pause-node: healed; node-0 is running");
  expect(service.inForce).toEqual([]);
  await expect(service.heal([])).rejects.toThrow("no such fault is in force");
});

test("faults of a plan come at their times, and after one another", async () => {
  const heard = new Heard();
  await using service = await serve(heard);
  service.follow(
    planWith([
      { kind: "kill-node", params: { targets: ["node-0"] }, at: { atMs: 10 }, until: { on: "fault:start", fault: 1 } },
      {
        kind: "clock-jump",
        params: { targets: ["nodes"], byMs: 5000 },
        at: { on: "fault:start", fault: 0, afterMs: 5 },
      },
    ]),
  );
  await heard.line("1 kill-node: healed");
  expect(heard.lines.map((line) => line.replace(/;.*/, ""))).toEqual([
    "1 kill-node: installed",
    // A dead server cannot say what time it is.
    "clock-jump: skipped",
    "1 kill-node: healed",
  ]);
});

test("a plan that waits for what a run's client does is refused in one line", async () => {
  await using service = await serve(new Heard());
  const kill = { kind: "kill-node", params: { targets: ["node-0"] } };
  expect(() => service.follow(planWith([{ ...kill, at: { on: "acquire:ok" } }]))).toThrow(
    "fault 0 of the plan waits for acquire:ok, which nobody sees here",
  );
  expect(() => service.follow(planWith([{ ...kill, at: { moment: "before" } }]))).toThrow("waits for a message");
});

test("a forward jump of the server's clock ends a lease early, as seen by a real client", async () => {
  const heard = new Heard();
  await using service = await serve(heard);
  const redis = new Redis({ ...service.addressesOf("client-0")[0]?.[1] });
  try {
    await redis.set("lock", "me", "PX", 60_000, "NX");
    expect(await redis.set("lock", "other", "PX", 60_000, "NX")).toBeNull();
    await service.ask(readFaultWords("clock node-0 byMs=61000", single));
    expect(await redis.set("lock", "other", "PX", 60_000, "NX")).toBe("OK");
    expect(await service.status()).toEqual([{ name: "node-0", state: "running", role: "master", keys: 1 }]);
  } finally {
    redis.disconnect();
  }
});

test("a port that is taken is said in one line", async () => {
  await using service = await serve(new Heard());
  const port = service.addressesOf("client-0")[0]?.[1].port;
  const again = Service.start({ topology: single, seed: 1, clients: 1, firstPort: port, onEvent: () => {} });
  await expect(again).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
});
