import { describe, expect, it } from "vitest";
import { checkStream } from "../check-stream.ts";
import { LOCK_MODELS, type LockModelName } from "./lock-models.ts";
import { knossosHistory } from "../testing/knossos-shape.ts";

async function judged(edn: string, model: LockModelName): Promise<readonly (string | readonly number[])[]> {
  const { verdict } = await checkStream([edn], "history.edn", { model, foreign: true });
  const { verdict: outcome, violations } = verdict.properties.linearizability!;
  return [outcome, ...violations.flatMap(({ events, explanation }) => [events, explanation.replace(/: .*$/s, "")])];
}

/**
 * Histories of the shape of knossos' own: github.com/jepsen-io/knossos has etcd's in data/mutex/bad/etcd.edn (1135 events),
 * which every model finds invalid at its event 1119, where process 0 is granted what process 3 still holds.
 */
describe.each(LOCK_MODELS)("a mutex history as knossos has them, model %s", (model) => {
  it("is decided when it is right, regardless of its length", { tags: "long" }, async () => {
    expect(await judged(knossosHistory(400), model)).toEqual(["valid"]);
  });

  it("is decided when the lock was granted twice", { tags: "long" }, async () => {
    const [outcome, events, explanation] = await judged(knossosHistory(400, 200), model);
    expect(outcome).toBe("invalid");
    expect(events).toHaveLength(3);
    const named = model === "reentrant-fenced-mutex" ? "" : `, given the model ${model}`;
    expect(explanation).toMatch(new RegExp(`^No order of the operations on lock explains that .* ms${named}$`));
  });
});
