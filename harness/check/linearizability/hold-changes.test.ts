/** How a hold may have ended by operations of unknown outcome: many of them have few orders that matter. */
import { describe, expect, it } from "vitest";
import { checkHistory } from "../check.ts";
import { linearizability } from "../properties/linearizability.ts";
import { judge } from "../testing/judge.ts";
import { Recording } from "../testing/recording.ts";
import { StepBudget } from "./step-budget.ts";

const TTLS = [300, 400, 500, 600];
const ROUNDS = 4;

/** An owner enters its hold again many times, for other leases, and releases it a few times. It is told nothing of either. */
function entered(): { readonly recording: Recording; readonly nowMs: number } {
  const recording = new Recording({ clients: 2, backend: "simulated" }).acquire(0, 0, "a", { ttlMs: 1000 });
  let [process, nowMs] = [0, 2];
  const next = (): void => {
    process += 2;
    nowMs += 2;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const ttlMs of TTLS) {
      recording.seek(nowMs, process, { ttlMs }).info(nowMs + 1, process, "acquire");
      next();
    }
    recording.leave(nowMs, process, "a").info(nowMs + 1, process, "release");
    next();
  }
  return { recording, nowMs };
}

describe("a hold with many entries and releases of unknown outcome", () => {
  it("may be over by any of the releases, or by the shortest lease", () => {
    const { recording, nowMs } = entered();
    expect(judge("linearizability", recording.acquire(nowMs, 1, "b"))).toBe("valid");
  });

  it("may be over at the end of the lease that one entry of unknown outcome set", () => {
    const cut = (atMs: number): Recording =>
      new Recording({ clients: 2, backend: "simulated" })
        .acquire(0, 0, "a", { ttlMs: 1000 })
        .seek(2, 0, { ttlMs: 300 })
        .info(3, 0, "acquire")
        .acquire(atMs, 1, "b");
    expect(judge("linearizability", cut(310))).toBe("valid");
    expect(judge("linearizability", cut(200))).toMatch(/^invalid/);
  });
});

it("a hold of which nobody knows the owner may be over by a release of unknown outcome without a grant", () => {
  const seen = (isReleased: boolean): string | undefined => {
    const recording = new Recording({ clients: 3, backend: "simulated" }).seek(0, 0).info(1, 0, "acquire").fail(2, 1);
    if (isReleased) recording.leave(4, 2, "a").info(5, 2, "release");
    recording.acquire(6, 1, "b").release(8, 1, "b");
    // Too many for the general search.
    for (let atMs = 10; atMs < 1000; atMs += 5) recording.acquire(atMs, 1, "b").release(atMs + 2, 1, "b");
    const { properties } = checkHistory(recording.history, { observeContention: true });
    return properties.linearizability?.verdict;
  };
  expect(seen(true)).toBe("valid");
  expect(seen(false)).toBe("invalid");
});

it("holds of unknown outcome that no known operation needs take no steps", () => {
  const clients = 6;
  const recording = new Recording({ clients, backend: "simulated" });
  let nowMs = 0;
  for (let round = 0; round < 3; round += 1) {
    for (let client = 0; client < clients; client += 1) {
      const process = client + 2 * round * clients;
      recording.seek(nowMs, process, { ttlMs: 200 }).info(nowMs + 1, process, "acquire");
      recording.leave(nowMs + 2, process + clients, `c${client}`).info(nowMs + 3, process + clients, "release");
      nowMs += 4;
    }
  }
  // Three releases at a time that succeed, without a known grant.
  for (let client = 0; client < 3; client += 1) recording.leave(nowMs + client, client + 6 * clients, `c${client}`);
  for (let client = 2; client >= 0; client -= 1) recording.left(nowMs + 8 - client, client + 6 * clients);
  recording.acquire(nowMs + 9, 7 * clients - 1, "d");
  const checkers = [linearizability({ budget: new StepBudget(50_000) })];
  expect(checkHistory(recording.history, { checkers }).properties.linearizability?.verdict).toBe("valid");
});
