import { servedInTurn, specimen } from "./specimen.ts";
import { fromQueue } from "../parts/queue/from-queue.ts";
import { queueWith } from "../parts/queue/queue-protocol.ts";
import { loadScript } from "../parts/scripts.ts";

export const fairRenewedPlace = specimen(servedInTurn, {
  name: "fair-renewed-place",
  flaw: "the queue is ordered by the time until which a place is kept: a waiter that asks again goes to the end",
  shows: {
    property: "first-come-first-served",
    under: ["none"],
    cause: "overtaken",
    source: "one sorted set for the order and for the time-outs",
  },
  load: fromQueue(queueWith(loadScript("acquire-fair-renewed"))),
});
