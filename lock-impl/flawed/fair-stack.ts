import { servedInTurn, specimen } from "./specimen.ts";
import { fromQueue } from "../parts/queue/from-queue.ts";
import { queueWith } from "../parts/queue/queue-protocol.ts";
import { loadScript } from "../parts/scripts.ts";

export const fairStack = specimen(servedInTurn, {
  name: "fair-stack",
  flaw: "the queue is a stack: of those that wait, the one that came last is granted the key first",
  shows: {
    property: "first-come-first-served",
    under: ["none"],
    cause: "overtaken",
    source: "LPUSH, and LPOP",
  },
  load: fromQueue(queueWith(loadScript("acquire-fair-stack"))),
});
