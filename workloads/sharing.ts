import fc, { type Arbitrary } from "fast-check";
import type { PlanInput } from "../harness/core/plan.ts";
import type { Supports } from "../harness/core/sharing.ts";

type ClientInput = PlanInput["clients"][number];
type SectionInput = ClientInput["sections"][number];

/** Makes the clients of a workload share their key. */
export type AssignShares = (clients: readonly ClientInput[]) => ClientInput[];

/** The keys that a section takes at once. */
type KeySet = readonly [string, ...string[]];
const EITHER_ORDER: readonly KeySet[] = [
  ["k1", "k2"],
  ["k2", "k1"],
];
const OVERLAPPING: readonly KeySet[] = [["k1", "k2"], ["k2", "k3"], ["k3", "k1"], ["k2", "k1"], ["k2"]];

const MOST_PERMITS = 3;
/** How many choices are drawn; the sections of a workload take them in turn. */
const CHOICES = 12;

/** Whether a lock can do more than have one key held by one client at a time. */
export function isShareable(supports: Supports | undefined): supports is Supports {
  return supports?.permits === true || supports?.modes === true || supports?.severalKeys === true;
}

/** Ways in which the clients of a generated workload share their key or keys, as far as the lock supports it. */
export function shares({ permits, modes, severalKeys }: Supports): Arbitrary<AssignShares> {
  const limit = fc.integer({ min: 1, max: MOST_PERMITS });
  const taken = fc.array(fc.constantFrom(1, 1, 1, 2, 3), { minLength: CHOICES, maxLength: CHOICES });
  const counted = fc.record({ limit, taken }).map(({ limit, taken }) => withPermits(limit, taken));
  const reading = fc.array(fc.boolean(), { minLength: CHOICES, maxLength: CHOICES });
  const moded = reading.map((reading) => withModes((index) => reading[index % CHOICES] === true));
  const sets = fc.array(fc.constantFrom(...OVERLAPPING), { minLength: CHOICES, maxLength: CHOICES });
  return fc.oneof(
    ...(permits === true ? [counted] : []),
    ...(modes === true ? [moded] : []),
    ...(severalKeys === true ? [sets.map(withSets)] : []),
  );
}

/** A small workload of two clients in the ways that show how a lock counts its holders, and tells readers from writers. */
export function smallShares({
  permits,
  modes,
  severalKeys,
}: Supports): readonly { readonly name: string; readonly share: AssignShares }[] {
  const counted = [
    { name: "one permit", share: withPermits(1, [1]) },
    { name: "two permits", share: (clients: readonly ClientInput[]) => withPermits(2, [1])(withThird(clients)) },
  ];
  const firstReads = withModes((_, client) => client === 0);
  const moded = [
    { name: "a reader, then a writer", share: firstReads },
    { name: "a writer, then a reader", share: withModes((_, client) => client !== 0) },
    {
      name: "two readers and a writer",
      share: (clients: readonly ClientInput[]) => withModes((_, client) => client !== 1)(withThird(clients)),
    },
  ];
  const together = [
    { name: "two keys in either order", share: withSets(EITHER_ORDER) },
    { name: "overlapping keys", share: withSets(OVERLAPPING) },
  ];
  return [
    ...(permits === true ? counted : []),
    ...(modes === true ? moded : []),
    ...(severalKeys === true ? together : []),
  ];
}

/** The same for any number of clients: one permit less than clients, or all but the last of them read, or two keys. */
export function shareOfContenders({ permits, modes }: Supports, clients: number): AssignShares {
  if (permits === true) return withPermits(Math.max(1, clients - 1), [1]);
  return modes === true ? withModes((_, client) => client !== clients - 1) : withSets(EITHER_ORDER);
}

/** The key is a semaphore. Who seeks the lock at the end wants all permits: so one that was never given back shows. */
function withPermits(limit: number, taken: readonly number[]): AssignShares {
  return eachSection((section, index) => {
    const permits = isSeeker(section) ? limit : Math.min(limit, taken[index % taken.length] ?? 1);
    // Holders of different permits may overwrite each other: the lock promises nothing to what they have read.
    return { ...without("read", section), limit, ...(permits === 1 ? {} : { permits }) };
  });
}

/**
 * The key is a read-write lock. Readers do not write. Who seeks the lock at the end does so as a reader, whom only what a
 * writer left behind keeps out, and then as a writer, who may remove that.
 */
function withModes(reads: (index: number, client: number) => boolean): AssignShares {
  const moded = eachSection((section, index, client) =>
    !isSeeker(section) && reads(index, client)
      ? { ...without("write", section), mode: "shared" }
      : { ...section, mode: "exclusive" },
  );
  return (clients) =>
    moded(clients).map(({ sections }) => ({
      sections: sections.flatMap((section, index): readonly SectionInput[] =>
        isSeeker(section) && index === sections.length - 1 ? [{ ...section, mode: "shared" }, section] : [section],
      ),
    }));
}

/** Each section takes one of these sets of keys. Who seeks the lock at the end wants one key: so one left behind shows. */
function withSets(sets: readonly KeySet[]): AssignShares {
  return eachSection((section, index) => {
    const [key = section.key, ...alsoKeys] = sets[index % sets.length] ?? [];
    if (isSeeker(section)) return { ...section, key };
    return { ...section, key, ...(alsoKeys.length === 0 ? {} : { alsoKeys }) };
  });
}

function withThird(clients: readonly ClientInput[]): readonly ClientInput[] {
  const [, second] = clients;
  if (second === undefined) return clients;
  return [...clients, { sections: second.sections.filter((section) => !isSeeker(section)) }];
}

function eachSection(change: (section: SectionInput, index: number, client: number) => SectionInput): AssignShares {
  return (clients) => {
    let index = 0;
    return clients.map(({ sections }, client) => ({
      sections: sections.map((section) => change(section, index++, client)),
    }));
  };
}

/** A section without steps seeks the lock and gives it back at once. */
function isSeeker({ steps }: SectionInput): boolean {
  return steps.length === 0;
}

function without(kind: "read" | "write", section: SectionInput): SectionInput {
  return { ...section, steps: section.steps.filter((step) => step.do !== kind) };
}
