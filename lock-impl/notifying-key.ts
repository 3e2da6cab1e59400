import type { Connection } from "./connection.ts";
import type { Completion } from "./driver.ts";
import { siblingKey } from "./keys.ts";
import { type Acquisition, fencedKey, isOne, map, type Protocol, type Taking } from "./protocol.ts";
import { loadScript } from "./scripts.ts";
import { releaseMessage } from "./wake-ups.ts";

const acquireScript = loadScript("acquire-notifying");
const releaseScript = loadScript("release-notifying");
const passScript = loadScript("pass");

/**
 * The fenced key whose release is announced, whose holder's remaining lease is told to those who wait, and whose
 * acquisition can be asked for again when its reply was lost.
 */
export const notifyingKey = {
  ...fencedKey,
  take: takeRetried,
  free: freeRetried,
  async pass(server, { key, owner, ttlMs }, nextOwner) {
    const reply = await server.run(passScript, [key, siblingKey(key, "fence")], owner, nextOwner, ttlMs);
    return map(reply, (fence): Taking =>
      Number(fence) < 0 ? { taken: false } : { taken: true, fence: Number(fence) },
    );
  },
} satisfies Protocol;

async function takeOnce(server: Connection, { key, owner, ttlMs }: Acquisition): Promise<Completion<Taking>> {
  const reply = await server.run(acquireScript, [key, siblingKey(key, "fence")], owner, ttlMs);
  return map(reply, (answer): Taking => {
    const [fence = -1, heldForMs = 0] = Array.isArray(answer) ? answer.map(Number) : [];
    return fence < 0 ? { taken: false, heldForMs } : { taken: true, fence };
  });
}

/** How often a command is sent at most. */
const SENDS = 3;
/** How long to wait for a connection on which to ask again. */
const RECONNECT_WITHIN_MS = 1_000;

/**
 * Asks again, under the same owner value, when nobody knows whether the lock was taken. The lease still counts from the
 * first time; when it is over there is nothing left to ask for.
 */
async function takeRetried(server: Connection, acquisition: Acquisition): Promise<Completion<Taking>> {
  const overAtMs = performance.now() + acquisition.ttlMs;
  let taking = await takeOnce(server, acquisition);
  for (let sends = 1; taking.type === "info" && sends < SENDS && performance.now() < overAtMs; sends += 1) {
    if (!(await isReady(server))) return taking;
    const again = await takeOnce(server, acquisition);
    // A refusal to do anything says nothing about what was sent before.
    if (again.type !== "fail") taking = again;
  }
  return taking;
}

/**
 * Asks again when nobody knows whether the lock was freed, or when there was no connection. If it is not found the second
 * time, the first may have freed it: that is not known.
 */
async function freeRetried(
  server: Connection,
  { key, owner }: Pick<Acquisition, "key" | "owner">,
): Promise<Completion<boolean>> {
  const freeOnce = async (): Promise<Completion<boolean>> =>
    map(await server.run(releaseScript, [key], owner, releaseMessage.channel(key)), isOne);
  let freeing = await freeOnce();
  for (let sends = 1; freeing.type !== "ok" && sends < SENDS; sends += 1) {
    if (!(await isReady(server))) return freeing;
    const again = await freeOnce();
    const mayHaveFreed = freeing.type === "info" && !(again.type === "ok" && again.value);
    if (!mayHaveFreed) freeing = again;
    else if (again.type === "ok") return freeing;
  }
  return freeing;
}

async function isReady(server: Connection): Promise<boolean> {
  try {
    await server.whenReady(RECONNECT_WITHIN_MS);
    return true;
  } catch {
    return false;
  }
}
