import type { Connection } from "./connection.ts";
import type { Completion } from "../../harness/core/lock-driver.ts";
import { siblingKey } from "./keys.ts";
import { type AcquireRequest, fencedKey, isOne, map, type Protocol, type AcquireAnswer } from "./protocol.ts";
import { loadScript } from "./scripts.ts";
import { releaseMessage } from "./announcements.ts";

const acquireScript = loadScript("acquire-notifying");
const releaseScript = loadScript("release-notifying");
const handOverScript = loadScript("hand-over");

/**
 * The fenced key, with three additions: its release is announced, waiters are told the holder's remaining lease, and an
 * acquisition can be repeated when its reply was lost.
 */
export const notifyingKey = {
  ...fencedKey,
  acquire: acquireRetried,
  release: releaseRetried,
  async handOver(server, { key, owner, ttlMs }, nextOwner) {
    const reply = await server.run(handOverScript, [key, siblingKey(key, "fence")], owner, nextOwner, ttlMs);
    return map(reply, (fence): AcquireAnswer =>
      Number(fence) < 0 ? { granted: false } : { granted: true, fence: Number(fence) },
    );
  },
} satisfies Protocol;

async function acquireOnce(
  server: Connection,
  { key, owner, ttlMs }: AcquireRequest,
): Promise<Completion<AcquireAnswer>> {
  const reply = await server.run(acquireScript, [key, siblingKey(key, "fence")], owner, ttlMs);
  return map(reply, (answer): AcquireAnswer => {
    const [fence = -1, heldForMs = 0] = Array.isArray(answer) ? answer.map(Number) : [];
    return fence < 0 ? { granted: false, heldForMs } : { granted: true, fence };
  });
}

/** How often a command is sent at most. */
const SENDS = 3;
/** How long to wait for a connection on which to ask again. */
const RECONNECT_WITHIN_MS = 1_000;

/**
 * Repeats the request under the same owner value when nobody knows whether the lock was taken. The lease still counts
 * from the first request; when it has ended, repeating is pointless.
 */
async function acquireRetried(server: Connection, request: AcquireRequest): Promise<Completion<AcquireAnswer>> {
  const overAtMs = performance.now() + request.ttlMs;
  let answer = await acquireOnce(server, request);
  for (let sends = 1; answer.type === "info" && sends < SENDS && performance.now() < overAtMs; sends += 1) {
    if (!(await isReady(server))) return answer;
    const again = await acquireOnce(server, request);
    // A refusal says nothing about the request that was sent before.
    if (again.type !== "fail") answer = again;
  }
  return answer;
}

/**
 * Repeats the request when nobody knows whether the lock was freed, or when there was no connection. If the second
 * request does not find the lock, the first may have freed it: that is not known.
 */
async function releaseRetried(
  server: Connection,
  { key, owner }: Pick<AcquireRequest, "key" | "owner">,
): Promise<Completion<boolean>> {
  const releaseOnce = async (): Promise<Completion<boolean>> =>
    map(await server.run(releaseScript, [key], owner, releaseMessage.channel(key)), isOne);
  let freeing = await releaseOnce();
  for (let sends = 1; freeing.type !== "ok" && sends < SENDS; sends += 1) {
    if (!(await isReady(server))) return freeing;
    const again = await releaseOnce();
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
