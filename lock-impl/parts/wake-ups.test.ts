import { afterEach, beforeEach, expect, it } from "vitest";
import { ScriptedServer } from "../testing/scripted-server.ts";
import { releaseMessage } from "./announcements.ts";
import type { TryOutcome } from "./waiting.ts";
import { wakeUps } from "./wake-ups.ts";

const CHANNEL = releaseMessage.channel("k");
const FREED = ["*3", "$7", "message", `$${CHANNEL.length}`, CHANNEL, "$4", "free", ""].join("\r\n");
const held: TryOutcome<string> = { type: "fail", kind: "contended", reason: "held", heldForMs: 10_000 };
const granted: TryOutcome<string> = { type: "ok", value: "granted" };
const polls = { timeout: 10_000, interval: 5 };
const signal = new AbortController().signal;

let server: ScriptedServer;

beforeEach(async () => {
  server = await ScriptedServer.listen(([name = "", channel = ""]) => ({
    reply: ["*3", `$${name.length}`, name.toLowerCase(), `$${channel.length}`, channel, ":1", ""].join("\r\n"),
  }));
});
afterEach(() => server[Symbol.asyncDispose]());

const sent = (command: string): number => server.received.filter(([name]) => name?.toLowerCase() === command).length;
const connect = () => wakeUps(releaseMessage)([{ kind: "address", address: server.address }]);

it("subscribes once for waits that follow each other, and unsubscribes when nobody waits", async () => {
  await using waiter = await connect();
  for (let wait = 0; wait < 3; wait += 1) {
    let tries = 0;
    const outcome = await waiter.wait("k", { waitMs: 10_000, signal }, async () => {
      tries += 1;
      server.push(FREED);
      return tries > 2 ? granted : held;
    });
    expect(outcome).toEqual(granted);
  }
  expect(sent("subscribe")).toBe(1);
  await expect.poll(() => sent("unsubscribe"), polls).toBe(1);
});

it("subscribes again when the connection was lost after the last wait", async () => {
  await using waiter = await connect();
  const endings = [held, held, granted];
  expect(await waiter.wait("k", { waitMs: 10_000, signal }, async () => endings.shift() ?? granted)).toEqual(granted);
  server.breakConnections();
  const outcome = await waiter.wait("k", { waitMs: 10_000, signal }, async () =>
    sent("subscribe") < 2 ? held : granted,
  );
  expect(outcome).toEqual(granted);
});

it("pauses between tries that it keeps losing, however often the lock is freed", async () => {
  await using waiter = await connect();
  let tries = 0;
  const began = performance.now();
  const outcome = await waiter.wait("k", { waitMs: 200, signal }, async () => {
    tries += 1;
    server.push(FREED.repeat(3));
    return held;
  });
  expect(outcome).toEqual(held);
  // From the sixth wake-up on each takes at least 8 ms; the others take no time, and one try is the last.
  expect(tries).toBeLessThan(10 + (performance.now() - began) / 8);
  expect(tries).toBeGreaterThan(3);
});
