import type { Hypothesis } from "../../core/verdict.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import { clientInWords, timeWords } from "../words.ts";

/**
 * The last release, before the second grant, that gave back one of several entries of the first hold: the lock must stay
 * locked until the last one is given back.
 */
export function freedByInnerRelease({ first, second }: Overlap, { header }: SharedEvidence): readonly Hypothesis[] {
  const inner = first.innerRelease;
  if (inner === undefined || inner.index >= second.grantedIndex) return [];
  const [holder, caller] = [first.process, inner.process].map((process) => clientInWords(header, process));
  const whose = caller === holder ? "" : ` by ${caller}`;
  return [
    {
      cause: "double-grant",
      events: [inner.index],
      why: `${holder} had entered the lock several times, and an inner release${whose} at ${timeWords(inner.time)}, which must leave it locked, ended its hold`,
      ground: { on: "operation", invoked: inner.index },
      remedies: [],
    },
  ];
}
