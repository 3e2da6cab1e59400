import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CampaignJournal, type CampaignIdentity } from "../../campaign/campaign-journal.ts";
import { huntEntrySchema } from "../../campaign/hunt/hunt-journal.ts";
import { EXIT } from "../../core/verdict.ts";
import { runMain } from "../testing/run-main.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstorm-merge-"));
afterAll(() => rmSync(folder, { recursive: true }));

const COUNT = 100;
const parameters: CampaignIdentity["parameters"] = {
  lock: "single",
  topology: { kind: "single" },
  faults: ["reset"],
  seed: 1,
  runs: 2 * COUNT,
  shrinkRuns: 0,
  regressions: [],
};

/** Results of a shard that found nothing. @returns its folder */
function quietShard(index: number, count = COUNT, name = `${index}-of-${count}`): string {
  const store = join(folder, name);
  const identity: CampaignIdentity = { kind: "hunt", parameters, shard: { index, count } };
  using journal = CampaignJournal.open(store, "hunt-single-single", identity, {
    resume: false,
    schema: huntEntrySchema,
  });
  for (const position of [index - 1, index - 1 + count]) journal.append({ position, verdict: "valid" });
  return store;
}

const merge = (stores: readonly string[]) => runMain(["merge", ...stores, "--store", join(folder, "merged")]);

test(
  "a hundred shards are merged; without some of them nothing is valid, and they are named",
  { tags: "long" },
  async () => {
    const stores = Array.from({ length: COUNT }, (_, position) => quietShard(position + 1));
    const all = await merge(stores);
    expect([all.code, all.stdout]).toEqual([EXIT.valid, expect.stringContaining("200 runs: 200 valid")]);

    const some = await merge(stores.filter((_, position) => position < 6 || position > 8));
    expect(some.code).toBe(EXIT.unknown);
    expect(some.stdout).toContain("194 runs: 194 valid, 0 unknown (ended early: shard 7 to 9 of 100 is missing");
    expect(some.stdout).toContain("what the missing shards found is not known");
  },
);

test(
  "a shard that is there twice, or that belongs to another division, is refused in one line",
  { tags: "long" },
  async () => {
    const twice = await merge([quietShard(1), quietShard(2), quietShard(2, COUNT, "copy")]);
    expect([twice.code, twice.stderr]).toEqual([
      EXIT.usage,
      expect.stringMatching(/^.* both are shard 2 of 100; .*\n$/),
    ]);
    const mixed = await merge([quietShard(1), quietShard(2, 4)]);
    expect([mixed.code, mixed.stderr]).toEqual([
      EXIT.usage,
      expect.stringMatching(/ is shard 1 of 100, and .* is shard 2 of 4; .*\n$/),
    ]);
  },
);
