import { fencedLease, specimen } from "./specimen.ts";
import { fromParts } from "../parts/from-parts.ts";
import { byConnection } from "../parts/by-connection.ts";
import { siblingKey } from "../parts/keys.ts";
import { ownedKey, type Protocol } from "../parts/protocol.ts";

const BLOCK = 16;

/** The fencing tokens that a client has reserved, by key: from the next one up to the last. */
const reservedBy = byConnection<{ next: number; readonly last: number }>();

/**
 * Reserves sixteen fencing tokens at once and hands them out itself: another client's later hold can have a smaller
 * one.
 */
const dealtFromBlock = {
  ...ownedKey,
  async acquire(server, request) {
    const { key } = request;
    const blocks = reservedBy(server);
    let block = blocks.get(key);
    if (block === undefined || block.next > block.last) {
      const end = await server.command("INCRBY", siblingKey(key, "fence"), BLOCK);
      if (end.type !== "ok") return end;
      block = { next: Number(end.value) - BLOCK + 1, last: Number(end.value) };
      blocks.set(key, block);
    }
    const answer = await ownedKey.acquire(server, request);
    if (answer.type !== "ok" || !answer.value.granted) return answer;
    const fence = block.next;
    block.next += 1;
    return { type: "ok", value: { granted: true, fence } };
  },
} satisfies Protocol;

export const fenceBlock = specimen(fencedLease, {
  name: "fence-block",
  flaw: "each client reserves sixteen fencing tokens at a time: a later hold of another client can have a smaller one",
  shows: {
    property: "fencing-tokens",
    under: ["none"],
    cause: "token-rollback",
    source: "hi/lo allocation of sequence numbers",
  },
  load: fromParts({ protocol: dealtFromBlock }),
});
