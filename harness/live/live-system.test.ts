import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
// As in the command line, the simulation has patched the platform.
import "../campaign/run-simulated.ts";
import { planOfCheck } from "../campaign/conform/conform-driver.ts";
import type { RenewedLease } from "../core/system.ts";
import { topologySchema } from "../core/topology.ts";
import { startLiveSystem } from "./live-system.ts";

/** A driver whose lock renews each grant while it is acquired. */
const RENEWS = `export const driver = { async connect() {
  let tell;
  return {
    acquire: async (key) => {
      const grant = { key, owner: "o", validForMs: 1000, validFromMs: performance.now() };
      tell(grant);
      return { type: "ok", value: grant };
    },
    release: async () => ({ type: "ok", value: { released: true } }),
    onRenewed: (listener) => (tell = listener),
    [Symbol.asyncDispose]: async () => {},
  };
} };`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a renewal counts from the start of the run, as a grant does, however long the clients took to start", async () => {
  const lock = join(folder, "renews.mjs");
  writeFileSync(lock, RENEWS);
  await using system = await startLiveSystem(
    planOfCheck({ lock, topology: topologySchema.parse({ kind: "single" }), seed: 1 }),
    {
      logFolder: folder,
    },
  );
  const renewed: RenewedLease[] = [];
  const [client] = system.clients;
  client?.onRenewed((renewal) => renewed.push(renewal));
  const fromNs = system.clock.now();
  const reply = await client?.perform({ op: "acquire", key: "k", ttlMs: 1000, waitMs: 0 });
  expect(reply).toMatchObject({ ok: true, owner: "o" });
  expect(renewed).toHaveLength(1);
  expect(renewed[0]?.grantedAt).toBeGreaterThanOrEqual(fromNs);
  expect(renewed[0]?.grantedAt).toBeLessThanOrEqual(system.clock.now());
});
