import { servedInTurn, specimen } from "./specimen.ts";
import { fromQueue } from "../parts/queue/from-queue.ts";
import { queueWith } from "../parts/queue/queue-protocol.ts";
import { loadScript } from "../parts/scripts.ts";

export const fairBarging = specimen(servedInTurn, {
  name: "fair-barging",
  flaw: "a client that finds the key free takes it, whoever stands in the queue: the queue only orders those that find it held",
  shows: {
    property: "first-come-first-served",
    under: ["none"],
    cause: "overtaken",
    source: "java.util.concurrent: barging",
  },
  load: fromQueue(queueWith(loadScript("acquire-fair-barging"))),
});
