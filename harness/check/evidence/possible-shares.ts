import { type Share, weaker } from "../../core/sharing.ts";
import type { Hold } from "../../history/holds.ts";
import { hadNoEffect, type LeaseRequest } from "../../history/leases.ts";

/** How holds exclude others at an instant, as far as unanswered acquires of their own clients leave it open. */
export type PossibleShares = ReadonlyMap<Hold, { readonly share: Share; readonly requests: readonly LeaseRequest[] }>;

const NONE: PossibleShares = new Map();

/** The holds among these whose clients have asked to hold in a way that excludes others less, and have no answer yet. */
export function possibleShares(holds: readonly Hold[]): PossibleShares {
  let found: Map<Hold, { share: Share; requests: readonly LeaseRequest[] }> | undefined;
  for (const hold of holds) {
    const { share, promised } = hold;
    if (promised?.asked === undefined || promised.asked.size === 0 || share.kind === "shared") continue;
    const requests = [...promised.asked.values()].map(({ by }) => by).filter((by) => by.f === "acquire");
    const weakening = requests.filter((request) => isWeaker(weaker(share, request.share), share));
    if (weakening.length > 0) (found ??= new Map()).set(hold, { share, requests: weakening });
  }
  return found ?? NONE;
}

/** How a hold certainly excluded others at that instant, by what is known now. */
export function shareAt(shares: PossibleShares, hold: Hold): Share {
  const possible = shares.get(hold);
  if (possible === undefined) return hold.share;
  const effective = possible.requests.filter((request) => !hadNoEffect(request, hold));
  return effective.reduce((share, request) => weaker(share, request.share), possible.share);
}

function isWeaker(one: Share, other: Share): boolean {
  if (one.kind !== other.kind) return true;
  return one.kind === "counted" && other.kind === "counted" && (one.permits < other.permits || one.limit > other.limit);
}
