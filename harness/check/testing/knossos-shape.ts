import { randomStream } from "../../core/random.ts";

/**
 * A history of Jepsen's mutex workload as knossos keeps them, in EDN: clients that acquire and release at random, fail
 * as `:already-held` or `:not-held`, and time out; without leases and owners.
 *
 * @param doubleGrant after how many acquisitions the lock is granted twice, as etcd's was; if absent, never
 */
export function knossosHistory(acquisitions: number, doubleGrant?: number): string {
  const random = randomStream(1, "knossos");
  const lines: string[] = [];
  let time = 0;
  const add = (type: string, f: string, process: number, error?: string): void => {
    time += random.integer(1, 50_000_000);
    const index = lines.length;
    const why = error === undefined ? "" : `, :error ${error}`;
    lines.push(`{:type :${type}, :f :${f}, :process ${process}, :time ${time}${why}, :index ${index}}`);
  };
  const clients = [0, 1, 2, 3, 4];
  for (let round = 0; round < acquisitions; round += 1) {
    const [holder, other, third] = [0, 1, 2].map((step) => clients[(round + step) % 5]!);
    add("invoke", "acquire", holder!);
    add("invoke", "release", other!);
    add("fail", "release", other!, ":not-held");
    add("ok", "acquire", holder!);
    add("invoke", "acquire", third!);
    if (round === doubleGrant) add("ok", "acquire", third!);
    else if (random.integer(0, 9) === 0) {
      add("info", "acquire", third!, ":timeout");
      clients[(round + 2) % 5] = third! + 5;
    } else add("fail", "acquire", third!, ":already-held");
    add("invoke", "release", holder!);
    add("ok", "release", holder!);
    if (round === doubleGrant) {
      add("invoke", "release", third!);
      add("fail", "release", third!, ":not-held");
    }
  }
  return `[${lines.join("\n")}]\n`;
}
