import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Transcripts } from "./transcripts.ts";

/** Each round moves every byte in transit one step further: to a proxy, to a server, or to a client. */
const QUIET_ROUNDS = 4;
/** A client may take some turns of the event loop between receiving and sending. */
const TURNS = 5;

/**
 * Resolves when nothing is in transit between the clients, which are all in this process, and the servers: during some
 * round trips to every server, one after another, nobody has sent anything. It does not depend on time: a server
 * answers earlier requests first, and the event loop forwards what has arrived, however slow both are.
 */
export async function untilQuiet(servers: readonly Redis[], transcripts: Transcripts): Promise<void> {
  for (let rounds = 0, said = transcripts.bytes; rounds < QUIET_ROUNDS; rounds += 1) {
    await Promise.all(servers.map((server) => server.ping()));
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    if (transcripts.bytes !== said) rounds = -1;
    said = transcripts.bytes;
  }
}
