import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Transcripts } from "./transcripts.ts";

/** In each of them whatever is on its way gets a step further: to a proxy, to a server, or to a client. */
const QUIET_ROUNDS = 4;
/** A client may take some turns of the event loop between hearing and saying. */
const TURNS = 5;

/**
 * Resolves when nothing is on its way between clients and servers, all of this process, and the servers: in some round
 * trips to every server, one after another, nobody has said anything. Not a matter of time: a server answers what came
 * before, and the event loop passes on what has arrived, however slow both are.
 */
export async function untilQuiet(servers: readonly Redis[], transcripts: Transcripts): Promise<void> {
  for (let rounds = 0, said = transcripts.bytes; rounds < QUIET_ROUNDS; rounds += 1) {
    await Promise.all(servers.map((server) => server.ping()));
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    if (transcripts.bytes !== said) rounds = -1;
    said = transcripts.bytes;
  }
}
