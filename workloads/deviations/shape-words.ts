import { askingAgain, type Scale, section, type SectionInput, SOON_MS, type StepInput, waitingLong } from "./shape.ts";

export type Words = ReturnType<typeof wordsOf>;

/** What shapes are written in: steps and sections at this scale. */
export function wordsOf(scale: Scale) {
  const { leaseMs } = scale;
  /** One critical section. */
  const one = (...steps: StepInput[]): SectionInput => section(scale, steps);
  const hold = (share: number): StepInput => ({ do: "hold", forMs: Math.round(share * leaseMs) });
  const extendBy = (share: number): StepInput => ({ do: "extend", ttlMs: Math.round(share * leaseMs) });
  const write: StepInput = { do: "write" };
  const read: StepInput = { do: "read" };
  return {
    leaseMs,
    hold,
    extendBy,
    extend: extendBy(1),
    release: { do: "release" } as StepInput,
    releasePrevious: { do: "release", hold: "previous" } as StepInput,
    enter: { do: "reenter", ttlMs: leaseMs, steps: [] } as StepInput,
    enterFor: (share: number): StepInput => ({
      do: "reenter",
      ttlMs: leaseMs,
      steps: [{ do: "hold", forMs: Math.round(share * leaseMs) }],
    }),
    /** Three times over: the innermost entry is left at once. */
    enterTwice: {
      do: "reenter",
      ttlMs: leaseMs,
      steps: [{ do: "reenter", ttlMs: leaseMs, steps: [] }, write],
    } as StepInput,
    write,
    read,
    one,
    sections: (...steps: StepInput[][]): SectionInput[] => steps.map((each) => one(...each)),
    /** Not after an event of the other client, which a deviation may keep from coming. */
    later: (section: SectionInput, share: number): SectionInput => ({
      ...section,
      after: { atMs: Math.round(share * leaseMs) + SOON_MS },
    }),
    seeker: one(),
    patient: (section: SectionInput): SectionInput => waitingLong(section, scale),
    rival: one(read, hold(0.7), write),
    brief: one(write),
    short: (...steps: StepInput[]): SectionInput => ({ ...one(...steps), ttlMs: Math.round(0.6 * leaseMs) }),
    again: (section: SectionInput): SectionInput => askingAgain(section, scale),
    on: (key: string, section: SectionInput): SectionInput => ({ ...section, key }),
  };
}
