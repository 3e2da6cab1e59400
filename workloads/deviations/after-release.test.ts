import { expect, test } from "vitest";
// First: it patches the platform.
import { runSimulated } from "../../harness/campaign/run-simulated.ts";
import { composeLock } from "../../lock-impl/parts/compose.ts";
import { map, ownedKey, type Protocol } from "../../lock-impl/parts/protocol.ts";
import { topologySchema } from "../../harness/core/topology.ts";
import { planSchema } from "../../harness/core/plan.ts";
import { smallWorkloads, type Skills } from "./workloads.ts";

const topology = topologySchema.parse({ kind: "single" });
const options = { lock: "./mine.ts", topology, fencing: true, seed: 1, outlives: false };
const answering: Skills = { extends: true, reenters: false, answersTwice: true };

/** The workloads with something after a release in whose run without faults this lock grants its key twice. */
async function breaking(protocol: () => Protocol): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, plan } of smallWorkloads(options, answering)) {
    if (!JSON.stringify(plan).includes('"do":"release"')) continue;
    const driver = { connect: composeClient(protocol) };
    const { record } = await runSimulated(plan, { title: name, required: ["lease-exclusion"], driver });
    if (record.verdict.verdict !== "valid") names.push(name);
  }
  return names;
}

/** Each client has a protocol of its own. */
function composeClient(protocol: () => Protocol) {
  return (environment: Parameters<ReturnType<typeof composeLock>["connect"]>[0]) =>
    composeLock({ protocol: protocol() }).connect(environment);
}

test("a lock that deletes its key for anybody frees another hold by a second release", async () => {
  const release: Protocol["release"] = async (server, { key }) =>
    map(await server.command("DEL", key), (deleted) => deleted === 1);
  expect(await breaking(() => ({ ...ownedKey, release }))).toEqual([
    "released twice",
    "released once more, by a client that holds again",
    "extended after the release, and released again",
  ]);
});

test("a lock object that knows only its latest owner value frees its second hold by a second release of the first", async () => {
  const byObject = (): Protocol => {
    let latest = "nobody";
    const acquire: Protocol["acquire"] = async (server, request) => {
      const answer = await ownedKey.acquire(server, request);
      if (answer.type === "ok" && answer.value.granted) latest = request.owner;
      return answer;
    };
    return { ...ownedKey, acquire, release: (server, { key }) => ownedKey.release(server, { key, owner: latest }) };
  };
  expect(await breaking(byObject)).toEqual(["released once more, by a client that holds again"]);
});

test("a sound lock frees nothing by it", async () => {
  expect(await breaking(() => ownedKey)).toEqual([]);
});

test("a client is asked for nothing after its release where its driver does not answer to that", () => {
  const plans = smallWorkloads(options, { ...answering, answersTwice: false }).map(({ plan }) => plan);
  expect(JSON.stringify(plans)).not.toContain('"do":"release"');
});

test("a plan uses nothing of a hold after its release", () => {
  const section = { key: "k1", ttlMs: 500, waitMs: 0 };
  const of = (...steps: readonly object[]) =>
    planSchema.safeParse({ ...template, clients: [{ sections: [{ ...section, steps }] }] }).error?.issues[0]?.message;
  const release = { do: "release" };
  expect(of({ do: "write" }, release, { do: "hold", forMs: 1 }, { do: "extend", ttlMs: 1 }, release)).toBeUndefined();
  expect(of({ do: "release", hold: "previous" }, { do: "write" })).toBeUndefined();
  expect(of(release, { do: "write" })).toBe("a step `write` comes after the section's release");
});

const template = {
  format: "lockstorm-plan",
  version: 1,
  seed: 1,
  lock: "single",
  topology,
  faults: [],
};
