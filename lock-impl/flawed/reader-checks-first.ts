import { readersAndWriters, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { siblingKey } from "../parts/keys.ts";
import { type AcquireAnswer, isOne, map, ownedKey, type Protocol } from "../parts/protocol.ts";
import { scriptOf } from "../parts/scripts.ts";

const enterScript = scriptOf(`
  -- KEYS[1] readers, ARGV[1] owner value, ARGV[2] lease in ms.
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2] + 1, ARGV[1])
  return 1`);

const countScript = scriptOf(`
  -- KEYS[1] readers.
  local time = redis.call('TIME')
  return redis.call('ZCOUNT', KEYS[1], time[1] * 1000 + math.floor(time[2] / 1000), '+inf')`);

const leaveScript = scriptOf(`
  -- KEYS[1] writer, KEYS[2] readers, ARGV[1] owner value.
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return redis.call('ZREM', KEYS[2], ARGV[1])`);

const REFUSED: AcquireAnswer = { granted: false };

/**
 * A writer takes its key and then looks for readers. A reader looks for that key and then enters: a writer that comes in
 * between sees no reader.
 */
const lookingFirst = {
  async acquire(server, request) {
    const { key, owner, ttlMs, sharing: { mode = "exclusive" } = {} } = request;
    const readers = siblingKey(key, "readers");
    if (mode === "shared") {
      const writer = await server.command("EXISTS", key);
      if (writer.type !== "ok" || writer.value !== 0) return map(writer, () => REFUSED);
      return map(await server.run(enterScript, [readers], owner, ttlMs), () => ({ granted: true }));
    }
    const taken = await ownedKey.acquire(server, request);
    if (taken.type !== "ok" || !taken.value.granted) return taken;
    const count = await server.run(countScript, [readers]);
    if (count.type !== "ok" || count.value === 0) return map(count, () => ({ granted: true }));
    return map(await ownedKey.release(server, request), () => REFUSED);
  },
  async release(server, { key, owner }) {
    return map(await server.run(leaveScript, [key, siblingKey(key, "readers")], owner), isOne);
  },
} satisfies Protocol;

export const readerChecksFirst = specimen(readersAndWriters, {
  name: "reader-checks-first",
  flaw: "a reader looks for a writer in one command and enters in the next: a writer that comes in between sees no reader",
  shows: { property: "lease-exclusion", under: ["none"], cause: "double-grant", source: "check then act" },
  load: fromParts({ protocol: lookingFirst, supports: { modes: true } }),
});
