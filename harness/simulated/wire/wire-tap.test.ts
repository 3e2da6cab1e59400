import { describe, expect, test } from "vitest";
import { runSimulated } from "../../campaign/run-simulated.ts";
import { planSchema, type Plan, type PlanInput } from "../../core/plan.ts";
import type { MessageMoment } from "../../core/trigger.ts";
import type { WireMessage } from "../../core/messages/wire-message.ts";
import type { FaultEvent } from "../../history/history.ts";

type FaultInput = PlanInput["faults"][number];

/** Two clients that want the same lock at the same time. */
function planOf(faults: PlanInput["faults"], more: Partial<PlanInput> = {}): Plan {
  const section = { key: "k1", ttlMs: 5000, waitMs: 3000, steps: [{ do: "write" as const }] };
  return planSchema.parse({
    format: "lockstorm-plan",
    version: 1,
    seed: 5,
    lock: "single",
    topology: { kind: "single" },
    clients: [{ sections: [section] }, { sections: [section] }],
    faults,
    limitMs: 8000,
    ...more,
  });
}

/** The first SET of client-1. */
const at = (moment: MessageMoment, afterMs?: number): FaultInput["at"] => {
  return { moment, command: "SET", client: 1, ...(afterMs === undefined ? {} : { afterMs }) };
};
const ofPair = { between: [["client-1"], ["node-0"]] };

interface Watched {
  readonly message: WireMessage | undefined;
  readonly faults: readonly FaultEvent["value"][];
  readonly traceHash: string;
}

/** The message that the plan is about, and its faults. */
async function run(plan: Plan): Promise<Watched> {
  const { messages, record, traceHash } = await runSimulated(plan, { title: "", required: [], messages: true });
  const message = messages.find(({ client, command }) => client === 1 && command === "SET");
  const faults = record.history.events.flatMap((event) => (event.type === "fault" ? [event.value] : []));
  return { message, faults, traceHash };
}

/** How far a message came. */
function wayOf(message: WireMessage | undefined): readonly string[] {
  if (message === undefined) return [];
  const { reachedNs, appliedNs, repliedNs } = message;
  const places = { reached: reachedNs, applied: appliedNs, replied: repliedNs };
  return ["sent", ...Object.entries(places).flatMap(([place, atNs]) => (atNs === undefined ? [] : [place]))];
}

const MS = 1e6;

describe("a fault at a moment of a message", () => {
  const reset = (moment: MessageMoment): FaultInput => ({ kind: "reset", params: ofPair, at: at(moment) });
  const kill = (kind: string, target: string, moment: MessageMoment): FaultInput => {
    return { kind, params: { targets: [target] }, at: at(moment) };
  };

  test.each([
    ["send", []],
    ["before", ["sent", "reached"]],
    ["after", ["sent", "reached", "applied"]],
    ["reply", ["sent", "reached", "applied", "replied"]],
  ] as const)("reset %s loses the message or its reply", async (moment, way) => {
    const { message, faults } = await run(planOf([reset(moment)]));
    expect(wayOf(message)).toEqual(way);
    const evidence = expect.stringMatching(/^when the first SET of client-1 (?:had|was) [^:]+: .*reset$/) as string;
    expect(faults).toMatchObject([{ phase: "start", outcome: "installed", evidence }]);
  });

  test("a reset after the message loses its reply also for a client that is paused, and so reads it late", async () => {
    const pause: FaultInput = {
      kind: "pause-client",
      params: { targets: ["client-1"] },
      at: { moment: "before", command: "SET", client: 1 },
      until: { moment: "before", command: "SET", client: 1, afterMs: 50 },
    };
    const { message } = await run(planOf([pause, reset("after")]));
    expect(wayOf(message)).toEqual(["sent", "reached", "applied"]);
  });

  test("a reply that is lost was not read: the client does not know that it was granted", async () => {
    // Alone, so that its SET is granted.
    const plan = planOf([{ kind: "reset", params: { between: [["client-0"], ["node-0"]] }, at: { moment: "reply" } }]);
    const alone = { ...plan, clients: plan.clients.slice(0, 1) };
    const { record, messages } = await runSimulated(alone, { title: "", required: [], messages: true });
    expect(wayOf(messages[0])).toEqual(["sent", "reached", "applied", "replied"]);
    const ended = record.history.events.find(({ type, f }) => f === "acquire" && type !== "invoke");
    expect(ended?.type).not.toBe("ok");
  });

  test.each([
    ["send", []],
    ["before", ["sent", "reached", "applied"]],
    ["after", ["sent", "reached", "applied"]],
    ["reply", ["sent", "reached", "applied", "replied"]],
  ] as const)("a client killed at %s", async (moment, way) => {
    const { message, faults } = await run(planOf([kill("kill-client", "client-1", moment)]));
    expect(wayOf(message)).toEqual(way);
    expect(faults[0]).toMatchObject({ outcome: "installed" });
  });

  test.each([
    ["before", ["sent", "reached"]],
    ["after", ["sent", "reached", "applied"]],
    ["reply", ["sent", "reached", "applied", "replied"]],
  ] as const)("a server killed at %s", async (moment, way) => {
    const { message, faults } = await run(planOf([kill("kill-node", "node-0", moment)]));
    expect(wayOf(message)).toEqual(way);
    expect(faults[0]).toMatchObject({ outcome: "installed" });
  });

  test("a client paused at send has not sent before it is resumed", async () => {
    const pause = { ...kill("pause-client", "client-1", "send"), until: at("send", 100) };
    const { message } = await run(planOf([pause]));
    expect(message?.sentNs).toBe(100 * MS);
  });

  test.each([
    ["stall", "before"],
    ["partition", "before"],
    ["stall", "reply"],
    ["partition", "after"],
  ] as const)("%s at %s holds that very message until it heals", async (kind, moment) => {
    const { message, faults } = await run(planOf([{ kind, params: ofPair, at: at(moment), until: at(moment, 100) }]));
    const { sentNs = NaN, reachedNs = NaN, appliedNs = NaN, repliedNs = NaN } = message ?? {};
    expect(faults.map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual(["start installed", "heal installed"]);
    expect(reachedNs - sentNs).toBeLessThan(MS);
    if (moment === "before") expect(appliedNs - reachedNs).toBe(100 * MS);
    else expect(appliedNs).toBe(reachedNs);
    if (moment === "after") expect(repliedNs - appliedNs).toBe(100 * MS);
  });

  test("latency before delays that message by its length", async () => {
    const params = { ...ofPair, delayMs: 40 };
    const { message } = await run(planOf([{ kind: "latency", params, at: at("before"), until: at("before", 500) }]));
    expect((message?.appliedNs ?? NaN) - (message?.reachedNs ?? NaN)).toBe(40 * MS);
  });
});

describe("behind Sentinels", () => {
  /** Client 0 is granted the lock by a master that dies at a moment of its SET; client 1 asks until one answers. */
  const failover = (moment: MessageMoment): Plan => {
    const dies = { moment, command: "SET", client: 0, server: "node-0" } as const;
    const second = { key: "k1", ttlMs: 500, waitMs: 500, tries: 30, after: { on: "fault:start" as const } };
    return planOf([{ kind: "kill-node", params: { targets: ["node-0"] }, at: dies }], {
      topology: { kind: "sentinel" },
      clients: [
        { sections: [{ key: "k1", ttlMs: 20_000, waitMs: 0, steps: [] }] },
        { sections: [{ ...second, steps: [{ do: "write" }] }] },
      ],
      limitMs: 20_000,
    });
  };

  test.each(["before", "after"] as const)("a master that dies %s it has replicated nothing of it", async (moment) => {
    const { record, messages } = await runSimulated(failover(moment), { title: "", required: [], messages: true });
    expect(messages[0]?.appliedNs === undefined).toBe(moment === "before");
    expect(messages[0]?.repliedNs).toBeUndefined();
    // Were it replicated, the lock would be taken for 20 seconds.
    const granted = record.history.events.filter(({ type, f }) => type === "ok" && f === "acquire");
    expect(granted.map(({ process }) => Number(process) % 2)).toEqual([1]);
  });

  test("commands to Sentinels count too", async () => {
    const asks = { moment: "reply", command: "SENTINEL", server: "sentinel-1" } as const;
    const plan = failover("before");
    const lost = { kind: "reset", params: { between: [["clients"], ["sentinel-1"]] }, at: asks };
    const { record } = await runSimulated({ ...plan, faults: [...plan.faults, lost] }, { title: "", required: [] });
    const faults = record.history.events.filter((event) => event.type === "fault");
    expect(faults.map(({ f, value }) => `${f} ${value.outcome}`)).toContain("reset installed");
  });
});

test("of a quorum, one message is held and the others are not", async () => {
  const held = { moment: "before", server: "node-2", client: 1 } as const;
  const params = { between: [["client-1"], ["node-2"]] };
  const stall = { kind: "stall", params, at: held, until: { ...held, afterMs: 30 } };
  const plan = planOf([stall], { lock: "redlock", topology: { kind: "redlock" } });
  const { messages } = await runSimulated(plan, { title: "", required: [], messages: true });
  const first = messages.filter(({ client, count }) => client === 1 && count === 1);
  expect(first.map(({ server }) => server)).toEqual(expect.arrayContaining(["node-0", "node-1", "node-2", "node-4"]));
  for (const { server, reachedNs = NaN, appliedNs = NaN, command } of first) {
    if (command === first[0]?.command) expect(appliedNs - reachedNs).toBe(server === "node-2" ? 30 * MS : 0);
  }
});

describe("counting", () => {
  test("the k-th that matches, from the start of the run", async () => {
    const second = { moment: "before", command: "EVALSHA", server: "node-0", key: "k1", count: 2 } as const;
    const plan = planOf([{ kind: "reset", params: { between: [["clients"], ["node-0"]] }, at: second }]);
    const { messages } = await runSimulated(plan, { title: "", required: [], messages: true });
    const scripts = messages.filter(({ command }) => command === "EVALSHA");
    expect(wayOf(scripts[0])).toEqual(["sent", "reached", "applied", "replied"]);
    expect(wayOf(scripts[1])).toEqual(["sent", "reached"]);
  });

  test("a message that never comes is named in the history, and leaves the run undecided", async () => {
    const never = { moment: "before", command: "SET", client: 1, server: "node-0", count: 900 } as const;
    const { record } = await runSimulated(planOf([{ kind: "reset", params: ofPair, at: never }]), {
      title: "",
      required: ["mutual-exclusion"],
    });
    const [fault] = record.history.events.filter((event) => event.type === "fault");
    const evidence = "the 900th SET of client-1 at node-0 never reached it";
    expect(fault?.value).toMatchObject({ outcome: "skipped", evidence });
  });
});

describe("a message that cannot come is refused before anything is done", () => {
  test.each([
    [{ moment: "before", server: "resource" }, "no such server"],
    [{ moment: "before", client: 2 }, "no such client"],
  ] as const)("%o", async (trigger, words) => {
    const refused = runSimulated(planOf([{ kind: "reset", params: ofPair, at: trigger }]), { title: "", required: [] });
    await expect(refused).rejects.toThrow(words);
  });
});

describe("following messages", () => {
  test("changes nothing in the run, and nothing is followed unless somebody asks", async () => {
    const plan = planOf([
      { kind: "latency", params: { ...ofPair, delayMs: 3 }, at: { on: "acquire:invoke", client: 1 } },
    ]);
    const followed = await runSimulated(plan, { title: "", required: [], messages: true });
    const plain = await runSimulated(plan, { title: "", required: [] });
    expect(followed.traceHash).toBe(plain.traceHash);
    expect(followed.messages).not.toEqual([]);
    expect(plain.messages).toEqual([]);
  });

  test("says which script is run, the same whether its text or its hash is sent, and none of other commands", async () => {
    const section = { key: "k1", ttlMs: 5000, waitMs: 3000, steps: [] };
    const twice = planOf([], { clients: [{ sections: [section, section] }] });
    const { messages } = await runSimulated(twice, { title: "", required: [], messages: true });
    const scripts = (command: string) => messages.flatMap((each) => (each.command === command ? [each.script] : []));
    const [text] = scripts("EVAL");
    expect(text).toMatch(/^[0-9a-f]{40}$/);
    expect(scripts("EVALSHA").at(-1)).toBe(text);
    expect(new Set(scripts("SET"))).toEqual(new Set([undefined]));
  });

  test("says under which operation each was sent", async () => {
    const plan = planOf([]);
    const { messages, record } = await runSimulated(plan, { title: "", required: [], messages: true });
    const { events } = record.history;
    for (const { operation, client, sentNs } of messages) {
      const invoked = events[operation ?? -1];
      expect(invoked).toMatchObject({ type: "invoke", process: client });
      expect(invoked?.time).toBeLessThanOrEqual(sentNs);
    }
    expect(messages.map(({ client, command, count }) => `${client} ${command} ${count}`)).toContain("1 SET 2");
  });

  test.each([
    [
      "on several keys",
      "several-keys",
      [{ alsoKeys: ["k2"] }, {}],
      ["acquire k1", "acquire k1", "release k1", "release k1", "acquire k1", "release k1"],
    ],
    [
      "of several tasks, also of those that are under way at the same time",
      "reference",
      [{ key: "k2" }, { task: 1, after: { atMs: 1 } }, { after: { atMs: 1 } }],
      ["acquire k1", "acquire k1", "release k1", "acquire k1", "release k1"],
    ],
  ] as const)("says so of operations %s", async (_, lock, sections, expected) => {
    const section = { key: "k1", ttlMs: 5000, waitMs: 3000, steps: [] };
    const clients = [{ sections: sections.map((each) => ({ ...section, ...each })) }] as PlanInput["clients"];
    const plan = planOf([], { lock, clients });
    const { messages, record } = await runSimulated(plan, { title: "", required: [], messages: true });
    const named = messages
      .filter(({ keys }) => keys.some((key) => key.includes("k1")))
      .map(({ operation = -1 }) => record.history.events[operation])
      .map((event) => (event?.type === "invoke" ? `${event.f} ${event.key}` : undefined));
    expect(named).toEqual(expected);
  });
});
