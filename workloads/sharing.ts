import fc, { type Arbitrary } from "fast-check";
import type { PlanInput } from "../harness/core/plan.ts";
import type { Supports } from "../harness/core/sharing.ts";

type ClientInput = PlanInput["clients"][number];
type SectionInput = ClientInput["sections"][number];

/** Makes the clients of a workload share their key. */
export type ShareOut = (clients: readonly ClientInput[]) => ClientInput[];

const MOST_PERMITS = 3;
/** How many choices are drawn; the sections of a workload take them in turn. */
const CHOICES = 12;

/** Whether a lock can do more than be held by one client at a time. */
export function isShareable(supports: Supports | undefined): supports is Supports {
  return supports?.permits === true || supports?.modes === true;
}

/** Ways in which the clients of a generated workload share their key, as far as the lock supports it. */
export function shares({ permits, modes }: Supports): Arbitrary<ShareOut> {
  const limit = fc.integer({ min: 1, max: MOST_PERMITS });
  const taken = fc.array(fc.constantFrom(1, 1, 1, 2, 3), { minLength: CHOICES, maxLength: CHOICES });
  const counted = fc.record({ limit, taken }).map(({ limit, taken }) => withPermits(limit, taken));
  const reading = fc.array(fc.boolean(), { minLength: CHOICES, maxLength: CHOICES });
  const moded = reading.map((reading) => withModes((index) => reading[index % CHOICES] === true));
  return fc.oneof(...(permits === true ? [counted] : []), ...(modes === true ? [moded] : []));
}

/** A small workload of two clients in the ways that show how a lock counts its holders, and tells readers from writers. */
export function smallShares({
  permits,
  modes,
}: Supports): readonly { readonly name: string; readonly share: ShareOut }[] {
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
  return [...(permits === true ? counted : []), ...(modes === true ? moded : [])];
}

/** The same for any number of clients: one permit less than clients, or all but the last of them read. */
export function shareOfContenders({ permits }: Supports, clients: number): ShareOut {
  return permits === true
    ? withPermits(Math.max(1, clients - 1), [1])
    : withModes((_, client) => client !== clients - 1);
}

/** The key is a semaphore. Who seeks the lock at the end wants all permits: so one that was never given back shows. */
function withPermits(limit: number, taken: readonly number[]): ShareOut {
  return eachSection((section, index) => {
    const permits = isSeeker(section) ? limit : Math.min(limit, taken[index % taken.length] ?? 1);
    // Holders of different permits may overwrite each other: the lock promises nothing to what they have read.
    return { ...without("read", section), limit, ...(permits === 1 ? {} : { permits }) };
  });
}

/** The key is a read-write lock. Readers do not write; who seeks the lock at the end is a writer. */
function withModes(reads: (index: number, client: number) => boolean): ShareOut {
  return eachSection((section, index, client) =>
    !isSeeker(section) && reads(index, client)
      ? { ...without("write", section), mode: "shared" }
      : { ...section, mode: "exclusive" },
  );
}

function withThird(clients: readonly ClientInput[]): readonly ClientInput[] {
  const [, second] = clients;
  if (second === undefined) return clients;
  return [...clients, { sections: second.sections.filter((section) => !isSeeker(section)) }];
}

function eachSection(change: (section: SectionInput, index: number, client: number) => SectionInput): ShareOut {
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
