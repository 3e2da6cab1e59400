import { interruptedHolder } from "./clients.ts";
import { SOURCES } from "./sources.ts";
import type { Scenario } from "../scenario.ts";

export const errorAsSuccess: Scenario = {
  number: 19,
  slug: "error-as-success",
  title: "an acquisition fails, the caller swallows the error, and goes on",
  source: SOURCES.redbeat208,
  says: "A scheduler that could not get its lock ran all the same.",
  summary:
    "Client 0 holds. Client 1's request for the lock gets no answer; the error is caught, logged perhaps, and the " +
    "work is done as if the lock had been granted. Nothing in the lock's servers is wrong. An acquisition whose " +
    "outcome is not known is not a grant: a client without a confirmed grant must not enter.",
  plan: {
    lock: "timeout-is-success",
    topology: { kind: "single" },
    clients: [
      interruptedHolder(8000),
      {
        sections: [
          {
            key: "k1",
            ttlMs: 8000,
            waitMs: 0,
            after: { on: "write:ok", client: 0 },
            steps: [
              { do: "read" },
              { do: "write" },
              { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 },
            ],
          },
        ],
      },
    ],
    faults: [
      {
        kind: "stall",
        params: { between: [["client-1"], ["node-0"]] },
        at: { on: "acquire:invoke", client: 1 },
        until: { on: "write:ok", client: 1 },
      },
    ],
  },
  expected: { "mutual-exclusion": "double-grant", "lease-exclusion": "double-grant" },
  control: {
    by: "a client without a confirmed grant does not enter",
    plan: { lock: "single" },
    keeps: ["mutual-exclusion", "lease-exclusion"],
    shows: [{ event: "acquire:info", client: 1 }],
  },
};
