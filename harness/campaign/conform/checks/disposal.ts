import { messageWithPlace } from "../../../core/crash.ts";
import type { ConformityCheck } from "../conformity.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

const WITHIN_MS = 10_000;
/** Timers that end by themselves until then, such as a time-out that nobody cleared, only delay the end of the process. */
const TIMERS_MS = 60_000;
/** For the last packets. */
const GOODBYE_MS = 1000;

/** Disposing a client closes it. */
export const disposal: ConformityCheck = {
  name: "disposal",
  asks: "disposing a client closes its connections",
  async run(trial) {
    const client = trial.client(0);
    if (client.close === undefined || client.openConnections === undefined)
      return trial.skip("this backend cannot close a client");
    await trial.granted(0, { ttlMs: 1000 });
    const before = client.openConnections();
    const closing = client.close().then(
      () => true,
      (error: unknown) => {
        trial.mistake(`disposing the client failed: ${messageWithPlace(error)}`);
        return true;
      },
    );
    const closed = await Promise.race([closing, trial.sleep(WITHIN_MS).then(() => false)]);
    if (!closed) trial.mistake(`disposing the client takes longer than ${inFigures(WITHIN_MS)} ms`);
    await trial.sleep(GOODBYE_MS);
    const after = client.openConnections();
    if (after > 0) trial.mistake(`${after} of ${before} connections stay open: they keep the process alive`);
    if (client.openTimers === undefined) return;
    await trial.sleep(TIMERS_MS);
    const timers = client.openTimers();
    if (timers > 0) trial.remark(`a minute after its disposal ${goingOn(timers)}`);
  },
};

function goingOn(timers: number): string {
  return timers === 1
    ? "1 timer of the client goes on, and keeps the process alive: clear it, or call its unref()"
    : `${timers} timers of the client go on, and keep the process alive: clear them, or call their unref()`;
}
