import { describe, expect, test } from "vitest";
import { TestClient, TestClock, testServer } from "../../harness/simulated/redis/testing/test-client.ts";
import { loadScript } from "./scripts.ts";

const LEASE_MS = 1_000;

/** How a script that ends or changes what the caller holds is called: how the lock is taken, and its own arguments. */
interface OwnersScript {
  readonly name: string;
  readonly take: (client: TestClient, owner: string) => string;
  readonly keys: readonly string[];
  readonly more: readonly string[];
  /** What it answers a caller who does not hold. */
  readonly refused: string;
}

const lease = String(LEASE_MS);
const byString = (client: TestClient, owner: string): string => client.command("set", "lock", owner, "px", lease);
const byHash = (client: TestClient, owner: string): string =>
  run(client, "acquire-reentrant", ["lock"], [owner, lease]);
const byPermits = (client: TestClient, owner: string): string =>
  run(client, "acquire-permits", ["lock"], [owner, lease, "2", "2"]);
const asWriter = (client: TestClient, owner: string): string =>
  run(client, "acquire-mode", ["lock"], [owner, lease, "exclusive"]);

const zero = ":0\r\n";
const longer = [String(2 * LEASE_MS)];
const scripts: readonly OwnersScript[] = [
  { name: "release", take: byString, keys: ["lock"], more: [], refused: zero },
  { name: "release-notifying", take: byString, keys: ["lock"], more: ["channel"], refused: zero },
  { name: "release-fair", take: byString, keys: ["lock", "queue", "places"], more: [], refused: zero },
  { name: "release-several", take: byString, keys: ["lock"], more: [], refused: zero },
  { name: "release-reentrant", take: byHash, keys: ["lock"], more: [], refused: "$-1\r\n" },
  { name: "release-shared", take: byPermits, keys: ["lock"], more: [], refused: zero },
  { name: "release-shared", take: asWriter, keys: ["lock"], more: [], refused: zero },
  { name: "extend", take: byString, keys: ["lock"], more: longer, refused: zero },
  { name: "extend-several", take: byString, keys: ["lock"], more: longer, refused: zero },
  { name: "extend-reentrant", take: byHash, keys: ["lock"], more: longer, refused: zero },
  { name: "extend-shared", take: byPermits, keys: ["lock"], more: longer, refused: zero },
  { name: "extend-shared", take: asWriter, keys: ["lock"], more: longer, refused: zero },
];

function run(client: TestClient, name: string, keys: readonly string[], rest: readonly string[]): string {
  return client.command("eval", loadScript(name).lua, String(keys.length), ...keys, ...rest);
}

/** What the server has of the lock, to the millisecond. */
const state = (client: TestClient): string => client.run("dump lock") + client.run("pttl lock");

describe.each(scripts)("$name", ({ name, take, keys, more, refused }) => {
  const client = new TestClient(testServer(new TestClock()));
  const as = (owner: string): string => run(client, name, keys, [owner, ...more]);

  test("changes nothing of another's lock, and does what it says to the caller's own", () => {
    take(client, "worker-10");
    const before = state(client);
    // A prefix, and another of the same length.
    for (const owner of ["worker-1", "worker-11"]) {
      expect(as(owner)).toBe(refused);
      expect(state(client)).toBe(before);
    }
    expect(as("worker-10")).toBe(":1\r\n");
    expect(state(client)).not.toBe(before);
    expect(client.run("pttl lock")).toBe(name.startsWith("release") ? ":-2\r\n" : `:${2 * LEASE_MS}\r\n`);
  });

  test("makes no lock that is gone", () => {
    client.run("del lock");
    expect(as("worker-10")).toBe(refused);
    expect(client.run("exists lock")).toBe(zero);
  });
});

test("an extended writer keeps readers out after the lease it began with", () => {
  const clock = new TestClock();
  const client = new TestClient(testServer(clock));
  asWriter(client, "writer-1");
  expect(run(client, "extend-shared", ["lock"], ["writer-1", String(2 * LEASE_MS)])).toBe(":1\r\n");
  clock.ms += LEASE_MS + 1;
  expect(run(client, "acquire-mode", ["lock"], ["reader", lease, "shared"])).toBe(zero);
  clock.ms += LEASE_MS;
  expect(run(client, "acquire-mode", ["lock"], ["reader", lease, "shared"])).toBe(":1\r\n");
});
