import { CLIENT_CRASH } from "../../core/fault-traits.ts";
import type { FaultEvent } from "../../history/history.ts";
import type { HistoryStep } from "./history-step.ts";
import { listed } from "../../core/listed.ts";
import { timeWords } from "../words.ts";

/**
 * Clients whose lock ended their process: by an uncaught exception, an unhandled rejection, or a call of
 * `process.exit`. The properties treat it as any other death of a client. But a lock that does so is not sound,
 * even if all properties hold, and the client did not finish its work, so the run is no evidence in favour of the lock.
 */
export class Crashes {
  #first: FaultEvent | undefined;
  #further = 0;

  push({ event }: HistoryStep): void {
    if (event.type !== "fault" || event.f !== CLIENT_CRASH) return;
    if (this.#first === undefined) this.#first = event;
    else this.#further += 1;
  }

  /** As reasons for `unknown`: one, if there was a crash. */
  get reasons(): readonly string[] {
    const first = this.#first;
    if (first === undefined) return [];
    const { value, time, index } = first;
    const [place] = value.stack ?? [];
    const where = place === undefined ? "" : `, at ${place}`;
    const how = (value.evidence ?? "it does not say how").replace(/\.$/, "");
    const more = this.#further === 0 ? "" : `; ${this.#further} more crashed`;
    return [
      `the lock crashed its client ${listed(value.targets)} at ${timeWords(time)} (event ${index}): ${how}${where}${more}`,
    ];
  }
}
