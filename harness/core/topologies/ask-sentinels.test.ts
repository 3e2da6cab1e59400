import { expect, test } from "vitest";
import { masterSeenBy, peersSeenBy, replicasSeenBy, requestFailover } from "./ask-sentinels.ts";

type Answer = (words: readonly (string | number)[]) => unknown;

const sentinel = (name: string, answer: Answer) => ({
  name,
  command: async (...words: (string | number)[]) => answer(words),
});
const refuse = (message: string) => () => {
  throw new Error(message);
};

test("reads what a Sentinel sees", async () => {
  const replies: Record<string, unknown> = {
    MASTER: ["flags", "master", "num-other-sentinels", 2],
    REPLICAS: [["flags", "slave"]],
    SENTINELS: [
      ["flags", "sentinel"],
      ["flags", "s_down,sentinel"],
    ],
  };
  const seeing = sentinel("sentinel-0", ([, what = ""]) => replies[what]);
  expect(Object.fromEntries(await masterSeenBy(seeing))).toEqual({ flags: "master", "num-other-sentinels": "2" });
  expect((await replicasSeenBy(seeing)).map((replica) => replica.get("flags"))).toEqual(["slave"]);
  expect((await peersSeenBy(seeing)).map((peer) => peer.get("flags"))).toEqual(["sentinel", "s_down,sentinel"]);
});

test("asks the next Sentinel for a failover only where the one before refused", async () => {
  const asked: string[] = [];
  const begins = (name: string) => sentinel(name, () => asked.push(name));
  const sentinels = [sentinel("sentinel-0", refuse("NOGOODSLAVE")), begins("sentinel-1"), begins("sentinel-2")];
  expect(await requestFailover(sentinels)).toEqual({ observed: true, detail: "sentinel-1 began a failover" });
  expect(asked).toEqual(["sentinel-1"]);
});

test("stops where a failover is in progress, and gives the reasons", async () => {
  const sentinels = ["NOGOODSLAVE", "INPROG Failover already in progress", "never asked"].map((reason, index) =>
    sentinel(`sentinel-${index}`, refuse(reason)),
  );
  expect(await requestFailover(sentinels)).toEqual({
    observed: false,
    refused: true,
    detail: "NOGOODSLAVE; INPROG Failover already in progress",
  });
  expect(await requestFailover([])).toEqual({ observed: false, refused: true, detail: "there are no Sentinels" });
});

test("a Sentinel that does not answer may have begun a failover", async () => {
  const sentinels = [sentinel("sentinel-0", refuse("timed out")), sentinel("sentinel-1", refuse("NOGOODSLAVE"))];
  expect(await requestFailover(sentinels)).toEqual({
    observed: false,
    refused: false,
    detail: "timed out; NOGOODSLAVE",
  });
});
