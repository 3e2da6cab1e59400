import type { Verdict } from "../core/verdict.ts";

/** A shorter overlap is real, but looks like a rounding error: nobody learns from it. */
const LEAST_OVERLAP_NS = 10_000_000;

/** Whether two who hold at once do so for long enough to be seen, wherever a lost property is about that. */
export function isMeasurable({ required, properties }: Verdict): boolean {
  return required.every((property) => {
    const overlap = properties[property]?.violations[0]?.overlap;
    return overlap === undefined || overlap.to - overlap.from >= LEAST_OVERLAP_NS;
  });
}
