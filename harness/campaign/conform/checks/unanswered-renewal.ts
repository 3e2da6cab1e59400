import { clientName } from "../../../core/topology.ts";
import type { ConformityCheck } from "../conformity.ts";
import { isGranted, roundedMs } from "../trial.ts";
import { inFigures } from "../../../core/words/in-figures.ts";

const TTL_MS = 3000;

/** A holder whose renewals get no answer knows when its lease ends, if it counts from the last one that was answered. */
export const unansweredRenewal: ConformityCheck = {
  name: "no-answer",
  asks: "a lock whose renewals get no answer tells its holder before the lease ends",
  async run(trial) {
    let toldMs: number | undefined;
    trial.client(0).onLost(() => (toldMs ??= trial.nowMs));
    await trial.granted(0, { ttlMs: TTL_MS });
    await trial.sleep(2 * TTL_MS);
    const left = async (): Promise<number> => Math.max(0, ...(await trial.expiries()));
    const leftMs = await left();
    // A key outlives the leases that it holds, or is none of the lock's, if another client is granted the lock.
    const isOver = leftMs === 0 || (leftMs > TTL_MS && isGranted((await trial.acquire(1, { ttlMs: TTL_MS })).reply));
    if (isOver) trial.skip("this lock does not renew its leases by itself");
    if (leftMs > TTL_MS)
      trial.skip(`a key on the servers lasts for ${roundedMs(leftMs)} more: it is longer than asked for`);
    const { network } = trial.system;
    const nodes = await trial.masters();
    await Promise.all(
      nodes.flatMap((node) => [
        network.cut({ from: clientName(0), to: node }),
        network.cut({ from: node, to: clientName(0) }),
      ]),
    );
    const endMs = trial.nowMs + (await left());
    await trial.sleep(endMs - trial.nowMs + 2 * TTL_MS);
    if (toldMs !== undefined && toldMs <= endMs) return;
    const after = "after its lease had ended (onLost)";
    trial.remark(
      toldMs === undefined
        ? `the holder was not told within ${inFigures(2 * TTL_MS)} ms ${after}: it goes on`
        : `the holder was told only ${roundedMs(toldMs - endMs)} ${after}: until then it goes on`,
    );
  },
};
