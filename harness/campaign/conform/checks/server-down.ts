import type { ConformityCheck } from "../conformity.ts";
import { replyWords, isGranted, roundedMs } from "../trial.ts";
import { INDETERMINATE } from "../answers-in-words.ts";

const DOWN_MS = 3000;
const BACK_WITHIN_MS = 30_000;
const PROMPT_MS = 9000;

/** Without servers nothing is granted; with them again, the client goes on. */
export const serverDown: ConformityCheck = {
  name: "server-down",
  asks: "nothing is granted while the servers are down, and the client goes on when they are back",
  async run(trial) {
    await trial.release(0, await trial.granted(0, { ttlMs: 1000 }));
    const nodes = trial.system.nodes.filter(({ role }) => role === "data");
    for (const node of nodes) await node.kill();
    const { reply, tookMs } = await trial.acquire(0, { ttlMs: 1000 });
    if (reply.ok) trial.mistake("acquire was granted while every server was down");
    else if (reply.kind === "contended")
      trial.mistake(`acquire answered ${replyWords(reply)} while every server was down: answer ${INDETERMINATE}`);
    else if (tookMs > PROMPT_MS) trial.remark(`acquire took ${roundedMs(tookMs)} to say that the servers are down`);
    await trial.sleep(DOWN_MS);
    for (const node of nodes) await node.start({ keepData: true });
    const from = trial.nowMs;
    let last = reply;
    while (trial.nowMs - from < BACK_WITHIN_MS) {
      last = (await trial.acquire(0, { ttlMs: 1000 })).reply;
      if (isGranted(last) || (await trial.client(0).state()) === "dead") return;
      await trial.sleep(500);
    }
    trial.mistake(`${roundedMs(BACK_WITHIN_MS)} after the servers came back, acquire answers ${replyWords(last)}`);
  },
};
