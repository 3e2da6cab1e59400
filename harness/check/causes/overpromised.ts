import type { Hypothesis } from "../../core/verdict.ts";
import type { Overlap } from "../evidence/overlaps.ts";
import type { SharedEvidence } from "../evidence/evidence.ts";
import { clientInWords, lasting, timeWords } from "../words.ts";

/**
 * The lock counted a lease from a later instant than its servers. Counted from the request, the lease was over when the
 * overlap began.
 */
export function overpromised(
  { first, second, from, ...lease }: Overlap,
  { header }: SharedEvidence,
): readonly Hypothesis[] {
  const { extended, firstLeaseEnd: end, firstLeaseAsked: asked } = lease;
  if (asked === undefined || extended !== undefined || asked.end > from || end <= from) return [];
  const [client, other] = [clientInWords(header, first.process), clientInWords(header, second.process)];
  return [
    {
      cause: "double-grant",
      events: [asked.invokedIndex],
      shown: `${client} had asked for ${asked.invokedIndex === first.invokedIndex ? "its lease" : "the extension of its lease"} at ${timeWords(asked.time)}, for ${lasting(asked.ttl)}: counted from there it ended ${asked.end === asked.time + asked.ttl ? "at" : "by"} ${timeWords(asked.end)}, before ${other} was granted it, but the lock promised it until ${timeWords(end)}`,
      why: "the lock counted the lease from too late an instant: a server may begin it as soon as it is asked",
      ground: { on: "history" },
      remedies: [],
    },
  ];
}

/**
 * What a lock that may have waited could have done instead of granting its lock twice: no event shows which of its requests
 * was granted. Empty where the lease was in force by its first request, too.
 */
export function orOverpromised(overlap: Overlap, { header }: SharedEvidence): string {
  const { first, from, extended, firstLeaseAsked } = overlap;
  const { invokedTime, grantedTime, grantedLeaseEnd, validityReported } = first;
  if (!validityReported || firstLeaseAsked !== undefined || extended !== undefined) return "";
  if (invokedTime + (grantedLeaseEnd - grantedTime) > from) return "";
  const client = clientInWords(header, first.process);
  return `, or it counted the lease of ${client} from the answer to a request that a server had granted before: ${client} asked at ${timeWords(invokedTime)} and was answered at ${timeWords(grantedTime)}`;
}
