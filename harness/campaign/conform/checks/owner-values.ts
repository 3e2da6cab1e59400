import type { ConformityCheck } from "../conformity.ts";

/** Checkers tell holds apart by their owner values. */
export const ownerValues: ConformityCheck = {
  name: "owner-values",
  asks: "every acquisition has an owner value of its own",
  async run(trial) {
    const owners: string[] = [];
    for (const client of [0, 0, 1]) {
      const grant = await trial.granted(client, { ttlMs: 1000, waitMs: 10_000 });
      owners.push(grant.owner);
      await trial.release(client, grant);
    }
    const [first, again, other] = owners;
    if (first === again) {
      trial.mistake(
        `two acquisitions of one client have the same owner value, ${first}: if that is the one of a whole process, make up one for each acquisition (randomUUID())`,
      );
    }
    if (other === first || other === again) trial.mistake(`two clients have the same owner value, ${other}`);
  },
};
