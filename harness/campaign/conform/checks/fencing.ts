import type { ConformityCheck } from "../conformity.ts";

/** Fencing tokens grow from grant to grant. */
export const fencing: ConformityCheck = {
  name: "fencing",
  asks: "fencing tokens grow with every grant",
  async run(trial) {
    const fences: number[] = [];
    for (const client of [0, 1, 0]) {
      const grant = await trial.granted(client, { ttlMs: 1000, waitMs: 10_000 });
      if (grant.fence === undefined) return trial.skip("this lock has no fencing tokens");
      fences.push(grant.fence);
      // The second lease expires.
      if (client === 1) await trial.sleep(3000);
      await trial.release(client, grant);
    }
    const grows = fences.every((fence, index) => index === 0 || fence > (fences[index - 1] ?? 0));
    if (!grows) trial.mistake(`one grant after the other had the fencing tokens ${fences.join(", ")}`);
  },
};
