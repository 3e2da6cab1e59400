import type { SectionInput, Shape } from "./shape.ts";
import type { Words } from "./shape-words.ts";

/**
 * Readers that become writers, each under its own hold. A lock may refuse that, or let a reader wait until it reads alone; it must
 * not let it write beside another reader. Two that wait for each other are refused in time.
 */
export function upgradeShapes({ hold, write, one, later, seeker, leaseMs }: Words): readonly Shape[] {
  const reads = (section: SectionInput): SectionInput => ({ ...section, mode: "shared" });
  const writes = (section: SectionInput): SectionInput => ({ ...section, mode: "exclusive" });
  const upgrade = {
    do: "reenter" as const,
    ttlMs: leaseMs,
    mode: "exclusive" as const,
    steps: [write, hold(0.3)] as Extract<SectionInput["steps"][number], { do: "write" | "hold" }>[],
  };
  return [
    {
      name: "a reader becomes a writer beside another reader",
      isCalm: true,
      clients: [
        [reads(one(hold(0.3), upgrade, hold(0.1)))],
        [reads(later(one(hold(0.9)), 0))],
        [writes(later(seeker, 0.4))],
      ],
    },
    {
      name: "two readers become writers",
      races: true,
      isCalm: true,
      clients: [[reads(one(hold(0.3), upgrade))], [reads(one(hold(0.3), upgrade)), writes(seeker)]],
    },
    {
      name: "a reader becomes a writer, and others come",
      isCalm: true,
      clients: [
        [reads(one(hold(0.1), upgrade, hold(0.4)))],
        [reads(later(one(hold(0.7)), 0.2))],
        [writes(later(one(hold(0.3), write), 0.25)), writes(seeker)],
      ],
    },
  ];
}
