import { expect, test } from "vitest";
import { catalogue } from "../../../workloads/catalogue.ts";
import { planOf } from "../../../workloads/scenario.ts";
import { findLock } from "../../../lock-impl/registry.ts";
import type { LockDriver } from "../../core/lock-driver.ts";
import { clientOf } from "../../history/clients.ts";
import { runSimulated } from "../run-simulated.ts";

/** The same lock, whose releases report no result. */
async function silent(lock: string): Promise<LockDriver> {
  const driver = await findLock(lock)!.load();
  return {
    ...driver,
    async connect(environment) {
      const client = await driver.connect(environment);
      const release = client.release.bind(client);
      client.release = async (grant) => {
        await release(grant);
        return { type: "info", reason: "it reports no result" };
      };
      return client;
    },
  };
}

test.each(["plain-del", "get-del-race", "renew-recreates", "reentry-miscount"])(
  "every client of %s does its part with a lock whose release reports no result",
  async (slug) => {
    const scenario = catalogue.find((each) => each.slug === slug)!;
    const plan = planOf(scenario, { seed: 1 });
    const { record } = await runSimulated(plan, { title: slug, required: [], driver: await silent(plan.lock) });
    const { header, events } = record.history;
    const clients = (what: string): readonly number[] => {
      const found = events.filter(({ f, type }) => `${f}:${type}` === what).map(({ process }) => Number(process));
      return [...new Set(found.map((process) => clientOf(process, header.clients)))].toSorted(
        (one, other) => one - other,
      );
    };
    const all = plan.clients.map((_, client) => client);
    expect([clients("acquire:invoke"), clients("release:info"), clients("release:ok")]).toEqual([all, all, []]);
    const faults = events.flatMap((event) => (event.type === "fault" ? [event.value.outcome] : []));
    expect(faults).not.toContain("skipped");
  },
);
