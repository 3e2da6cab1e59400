import { OUTLASTING, type Scale, section, type SectionInput, SETTLING_MS, type Shape, SOON_MS } from "./shape.ts";

/**
 * A queue: clients that wait while another holds, and come again after each release. A lease is long enough that nobody waits
 * for longer: then a grant that comes late was not only answered late.
 */
export function queueShapes(scale: Scale): readonly Shape[] {
  const { leaseMs } = scale;
  const ttlMs = OUTLASTING * leaseMs;
  const waits = { ...section(scale, []), ttlMs, waitMs: ttlMs + SETTLING_MS, tries: 1 };
  const holds = (share: number) => ({
    ...waits,
    steps: [{ do: "hold" as const, forMs: Math.round(share * leaseMs) }, { do: "write" as const }],
  });
  const at = (share: number, section: SectionInput) => ({
    ...section,
    after: { atMs: Math.round(share * leaseMs) + SOON_MS },
  });
  const givesUp = (section: SectionInput): SectionInput => ({ ...section, waitMs: Math.round(0.2 * leaseMs) });
  const brief = holds(0.1);
  return [
    {
      name: "three in the queue",
      clients: [[holds(0.5)], [at(0, brief)], [at(0.1, brief)], [at(0.2, brief), waits]],
    },
    {
      name: "a queue of those who come again",
      clients: [
        [holds(0.3), brief, brief],
        [at(0, brief), brief],
        [at(0.1, brief), waits],
      ],
    },
    {
      name: "a queue, and two that give up",
      // One is the first in the queue, and one has another before it, which must keep its place.
      clients: [
        [holds(0.5), brief],
        [givesUp(at(0, brief))],
        [at(0.1, brief)],
        [givesUp(at(0.15, brief))],
        [at(0.3, brief), waits],
      ],
    },
  ];
}
