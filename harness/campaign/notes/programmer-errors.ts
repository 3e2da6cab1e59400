import type { RunNote } from "../../core/run-note.ts";
import type { History } from "../../history/history.ts";
import { reasonKind } from "./reason-kind.ts";

/** An error of the language's own. `fetch` throws one where a connection fails. */
const PROGRAMMER_ERROR = /^(?:(?:Type|Reference|Syntax|Range)Error\b(?!: fetch failed)|Cannot read propert)/u;

/**
 * Operations that ended by an error of the code that was called, in the driver or the library: nothing about the lock. A
 * driver that answers `info` to every error hides its own mistakes so, and a release that throws releases nothing.
 */
export function programmerErrors({ events }: History): readonly RunNote[] {
  const found = events.flatMap((event) => {
    if (event.type !== "info" && event.type !== "fail") return [];
    const reason = event.value?.reason ?? "";
    return PROGRAMMER_ERROR.test(reason) ? [`${event.f} ended with ${reasonKind(reason)}`] : [];
  });
  return [...new Set(found)].map((what): RunNote => ({ kind: "programmer-error", what }));
}
