import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, isUnheard, LEASE_MS, roundedMs } from "../trial.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

/** Of each direction of each link. */
const LATENCY_MS = 20;

/**
 * `waitMs` is the time for which another holder is waited for. A driver whose timer counts the requests too gives up a try
 * whose reply is on its way: then runs say little, since they depend on how far the servers are.
 */
export const oneTry: ConformityCheck = {
  name: "one-try",
  asks: "acquire with waitMs 0 waits for the reply to its one try",
  async run(trial) {
    const client = clientName(0);
    for (const node of await trial.masters()) {
      await trial.system.network.delay({ from: client, to: node }, LATENCY_MS);
      await trial.system.network.delay({ from: node, to: client }, LATENCY_MS);
    }
    const { reply, tookMs } = await trial.acquire(0, { ttlMs: LEASE_MS });
    if (isGranted(reply) || (!reply.ok && reply.kind === "unsupported")) return;
    const link = `over a link with a latency of ${inFigures(LATENCY_MS)} ms`;
    const answered = `acquire of a free lock with waitMs 0 answered ${replyWords(reply)} after ${roundedMs(tookMs)}`;
    // It waited for longer than for one reply: the library has a deadline of its own, and sends several requests or was slow.
    if (isUnheard(reply) && tookMs > 2 * LATENCY_MS)
      trial.remark(`${link}, ${answered}: where replies are as late as that, its tries decide nothing`);
    else trial.mistake(`${link}, ${answered}: a try takes until its reply has come`);
  },
};
