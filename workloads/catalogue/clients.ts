import type { PlanInput } from "../../harness/core/plan.ts";

type ClientInput = PlanInput["clients"][number];
type SectionInput = ClientInput["sections"][number];

/**
 * Client 0 in most scenarios: it reads, writes, holds until client 1 has written too, and writes once more, based on
 * what it has read. It waits for `atMostMs`, which is less than its lease.
 */
export function interruptedHolder(ttlMs: number, atMostMs = 4000): ClientInput {
  return {
    sections: [
      {
        key: "k1",
        ttlMs,
        waitMs: 0,
        steps: [
          { do: "read" },
          { do: "write" },
          { do: "await", until: { on: "write:ok", client: 1 }, atMostMs },
          { do: "write" },
        ],
      },
    ],
  };
}

/**
 * Client 1 in most scenarios: it asks for the lock when client 0 has written, reads, writes, and holds until client 0 gives
 * up.
 */
export function rival(section: Partial<SectionInput> & Pick<SectionInput, "ttlMs" | "waitMs">): ClientInput {
  return {
    sections: [
      {
        key: "k1",
        after: { on: "write:ok", client: 0 },
        steps: [
          { do: "read" },
          { do: "write" },
          { do: "await", until: { on: "release:invoke", client: 0 }, atMostMs: 2000 },
        ],
        ...section,
      },
    ],
  };
}
